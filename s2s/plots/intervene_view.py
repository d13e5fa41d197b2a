"""The pictures of `Intervene`."""

from __future__ import annotations

from functools import partial

import numpy as np

from s2s.plots import svg
from s2s.plots.attention import heatmap_data
from s2s.plots.attention_view import map_title
from s2s.plots.picture import ComparedTexts, Picture
from s2s.questions import Candidates, Changed, Intervene, candidates, weights_table
from s2s.runs import Decoded
from s2s.words import nats

NOT_FINITE = "There is no picture of the changed attention: its numbers are not finite."
SAME_TARGET = (
    "The target is forced to be the same as in the heatmap of the unchanged model, so that rows can be compared. A"
    " head that is off has empty rows."
)


def pictures(question: Intervene, answer: Changed, model: str) -> list[Picture]:
    """Both translations, the candidates for the next token, and attention. `model` names the run and its checkpoint."""
    return [
        _translations(question, answer, model),
        *([_candidates(answer, answer.next, model)] if answer.next else []),
        _heatmap(question, answer, model),
    ]


def _translations(question: Intervene, answer: Changed, model: str) -> Picture:
    caption = [f"Active interventions: {answer.described}."]
    if answer.kept == 1:
        caption.append(
            "The first token is forced to be that of the target; the model writes the rest."
        )
    elif answer.kept:
        caption.append(
            f"The first {answer.kept} tokens are forced to be those of the target; the model writes the rest."
        )
    return Picture(
        "changed translation",
        f"{model}\ntranslations with and without interventions",
        both_translations(answer.before, answer.after),
        f"Without the change “{answer.before.text}”, with it “{answer.after.text}”",
        question.table(answer),
        question.finding(answer),
        " ".join(caption),
    )


def both_translations(before: Decoded, after: Decoded) -> ComparedTexts:
    """Without and with a change of the model; `after.log_prob` is the changed model's."""
    texts = {
        f"Without the change · log-probability {nats(before.log_prob)} nats": before.text,
        f"With the change · log-probability {nats(after.log_prob)} nats, by the changed model": after.text,
    }
    return ComparedTexts(texts, ("the new translation", "the old one"))


def _candidates(answer: Changed, found: Candidates, model: str) -> Picture:
    title = f"{model}\nCandidates for token {found.position + 1}, after “{found.prefix}”"
    best = found.tokens[int(found.after.argmax())]
    return Picture(
        "candidates",
        title,
        None,
        "Probabilities of the next token: most probable without the change"
        f" {found.tokens[0]}, with it {best}",
        candidates(answer),
        caption="The most probable tokens, without the change or with it.",
    )


def _heatmap(question: Intervene, answer: Changed, model: str) -> Picture:
    changed = question.map(answer)
    title = map_title(model, question.kind, f"{changed.name} · changed")
    labels = (changed.weights, changed.keys, changed.rows)
    is_finite = bool(np.isfinite(changed.weights).all())
    return Picture(
        "changed attention",
        title,
        heatmap_data(*labels, title=title, verb=changed.verb) if is_finite else None,
        f"Heatmap of {title.replace(chr(10), ', ')}",
        weights_table(changed),
        "" if is_finite else NOT_FINITE,
        SAME_TARGET,
        about=f"{model}\nActive interventions: {answer.described}.",
        vector=partial(svg.heatmap, *labels, verb=changed.verb) if is_finite else None,
    )

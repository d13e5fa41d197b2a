"""What a change in the model does: the pictures of `Intervene`, `Ablation`, `SentenceAblation` and `Patching`."""

from __future__ import annotations

from functools import partial

import numpy as np

from s2s.analysis import heads
from s2s.plots import svg
from s2s.plots.attention import heatmap_data, numbered
from s2s.plots.attention_view import map_title
from s2s.plots.picture import ComparedTexts, Picture
from s2s.plots.positions import paired_bars
from s2s.plots.tensor import signed_map
from s2s.questions import (
    Ablated,
    AblatedSentence,
    Ablation,
    Candidates,
    Changed,
    Intervene,
    Patched,
    Patching,
    SentenceAblation,
    Table,
    candidates,
    weights_table,
)
from s2s.runs import Decoded
from s2s.words import nats

NOT_FINITE = "There is no picture of the changed attention: its numbers are not finite."
SAME_TARGET = (
    "The target is forced to be the same as in the heatmap of the unchanged model, so that rows can be compared. A"
    " head that is off has empty rows."
)
MOST_DRAWN = 12  # tokens; the table has more
ROOM = 72  # pixels above a picture, for a title of three lines
WITHOUT, WITH = "without the change", "with the change"
TOKENS = (
    "Tokens of the references under teacher forcing, with how often they occur; those whose log-probabilities change"
    " most in sum, the largest loss first."
)
COLUMNS = (
    "Source",
    "Reference",
    "Without the change",
    "With the change",
    "Nats per token, without",
    "Nats per token, with",
    "chrF, without",
    "chrF, with",
)
SOURCES = "Vig et al. 2020; Meng et al. 2022; the metric: Zhang and Nanda 2024"
CAVEAT = (
    "Where the sources differ, a column names the token of A and that of B. A small effect of one head may mean that"
    " others do the same. Effects of different cells need not sum to 1, and some exceed 1 or fall below 0."
)


def pictures(question: Intervene, answer: Changed, model: str) -> list[Picture]:
    """Pictures: both translations, candidates for the next token, attention. `model` names run and checkpoint."""
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
    """The translations without and with a change of the model; `after.log_prob` is the changed model's."""
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


def ablation(question: Ablation, answer: Ablated, model: str) -> list[Picture]:
    where = f"{model}\n{answer.n:,} sentences: {answer.sample}, {answer.heads} changed"
    numbers = question.table(answer)
    return [
        Picture(
            "ablation",
            f"Loss and scores\n{where}",
            numbers,
            f"Loss and scores, {where.replace(chr(10), ', ')}",
            numbers,
            question.finding(answer),
            "Differences with their 95 % intervals, which resample sentences.",
        ),
        _tokens(answer, f"Tokens that change most\n{where}"),
        _sentences(answer, f"Sentences that change most\n{where}"),
    ]


def _tokens(answer: Ablated, title: str) -> Picture:
    rows = answer.tokens[:MOST_DRAWN]
    series = {
        WITHOUT: np.array([row.before for row in rows]),
        WITH: np.array([row.after for row in rows]),
    }
    labels = [f"{row.token} ×{row.n}" for row in rows]
    figure = paired_bars(labels, series, title=title, y_label="mean log-probability, nats")
    figure.update_layout(margin_t=ROOM)
    table = Table(
        ("token", "n", WITHOUT, WITH),
        [[row.token, row.n, row.before, row.after] for row in answer.tokens],
    )
    return Picture("tokens", title, figure, title.replace("\n", ", "), table, caption=TOKENS)


def _sentences(answer: Ablated, title: str) -> Picture:
    rows = [[*vars(one).values()] for one in answer.sentences]
    table = Table(COLUMNS, rows)
    about = f"The {len(rows)} sentences whose log-probability falls most per token of the reference; greedy decoding."
    return Picture("sentences", title, None, title.replace("\n", ", "), table, caption=about)


def of_sentence(question: SentenceAblation, answer: AblatedSentence, model: str) -> list[Picture]:
    """Pictures of both translations, then of the tokens of the old one."""
    finding, table = question.finding(answer), question.table(answer)
    title = f"{model}\ntranslations without and with the change"
    said = f"Without the change “{answer.before.text}”, with it “{answer.after.text}”"
    both = both_translations(answer.before, answer.after)
    found = [Picture("ablated translation", title, both, said, table, finding)]
    if not answer.tokens:
        return found
    title = f"Tokens of the old translation\n{model}\n{answer.before.source}"
    series = {WITHOUT: np.array(answer.without), WITH: np.array(answer.changed)}
    figure = paired_bars(answer.tokens, series, title=title, y_label="log-probability, nats")
    figure.update_layout(margin_t=ROOM)
    about = (
        f"The old translation under teacher forcing: {nats(sum(answer.without))} nats without the change,"
        f" {nats(sum(answer.changed))} with it."
    )
    alt = title.replace("\n", ", ")
    return [*found, Picture("ablated tokens", title, figure, alt, table, caption=about)]


def patching(question: Patching, answer: Patched, model: str) -> list[Picture]:
    row = heads.PATCHES[question.patch]
    a, b = answer.token_a, answer.token_b
    title = f"{model} · {row.label.lower()}\neffect on {a} − {b}, by layer and {answer.axis}"
    is_state = row.is_state
    columns = numbered(answer.columns) if is_state else answer.columns
    result = answer.result
    metric = (
        f"A: {answer.sources.first}. B: {answer.sources.second}. Metric: m = logit of {a} minus logit of {b} after"
        f" {answer.prefix}, also the difference of their log-probabilities. Run on A: {nats(result.own_a)} nats; run on"
        f" B: {nats(result.own_b)}. Effect = (m of B with the patch − m of B) / (m of A − m of B)."
    )
    figure = (
        signed_map(answer.effects, answer.rows, columns, title=title)
        if result.is_measurable
        else None
    )
    finding = question.finding(answer)
    return [
        Picture(
            "patching",
            title,
            figure,
            f"Heatmap: {title.replace(chr(10), ', ')}; {finding}",
            question.table(answer),
            finding,
            f"{metric} {row.about} {CAVEAT} ({SOURCES})",
        )
    ]

"""The pictures of `Ablation` and of `SentenceAblation`."""

from __future__ import annotations

import numpy as np

from s2s.plots.intervene_view import both_translations
from s2s.plots.picture import Picture
from s2s.plots.positions import paired_bars
from s2s.questions import Ablated, AblatedSentence, Ablation, SentenceAblation, Table
from s2s.words import nats

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


def pictures(question: Ablation, answer: Ablated, model: str) -> list[Picture]:
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
    """Both translations, then the tokens of the old one."""
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

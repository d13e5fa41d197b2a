"""The picture of `SameWord`."""

from __future__ import annotations

import numpy as np

from s2s.plots.picture import Picture
from s2s.plots.similarity import CosineSeries, similarity
from s2s.questions import Occurrence, SameWord, TwoOccurrences

THESE = "Thick: the two words with each other."
ELSEWHERE = "Dashed: each with itself after the same word in other sentences, so many times."
ANY = "Dotted: any two words of different sentences."
CAPTION = (
    "A cosine of 1 means that two states point the same way, 0 that they have nothing in common; at the embeddings only"
    " the word and its position count. “Translated as”: the word of the translation that attends most to it, mean of"
    " all heads of cross-attention. A cosine cannot say which of the differences the model uses."
)


def pictures(question: SameWord, answer: TwoOccurrences, model: str) -> list[Picture]:
    both = dict.fromkeys(f"“{each.word}”" for each in (answer.one, answer.other))
    words = f"{' and '.join(both)} in two sentences"
    title = f"{model}\nencoder · cosine after each layer\n{words}"
    rows = [CosineSeries(name, values.tolist()) for name, values in answer.series.items()]
    values = ", ".join(f"{value:.2f}".replace("-", "−") for value in answer.cosines)
    is_layer = question.layer.isdecimal() and int(question.layer) < len(answer.layers)
    layer = int(question.layer) if is_layer else None
    return [
        Picture(
            "same word",
            title,
            similarity(rows, answer.layers, title=title, chosen=layer),
            f"Lines: {title.replace(chr(10), ', ')}; {values}",
            question.table(answer),
            question.finding(answer),
            f"{_translated(answer.one)}; {_translated(answer.other)}. {_lines(answer)} {CAPTION}",
        )
    ]


def _lines(answer: TwoOccurrences) -> str:
    has_own = any(not np.isnan(each.elsewhere).all() for each in (answer.one, answer.other))
    has_any = not np.isnan(answer.baseline).all()
    return " ".join([THESE, *([ELSEWHERE] if has_own else []), *([ANY] if has_any else [])])


def _translated(each: Occurrence) -> str:
    return f"“{each.text}” → “{each.translation}”"

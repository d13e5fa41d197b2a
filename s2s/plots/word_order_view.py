"""The pictures of `WordOrder`: how much each output changes, and what a position does to an embedding."""

from __future__ import annotations

from s2s.config import POSITION_KINDS
from s2s.plots import theme
from s2s.plots.picture import Picture
from s2s.plots.positions import paired_bars
from s2s.questions import SwappedWords, WordOrder, added_table

CAPTION = (
    "Each bar is one token's output of the encoder, in one order and in the other: the largest difference of any of"
    " its numbers. A typical number is {size:.2g}. The weights are the same in both cases; a model trained without"
    " positions would have others. This model's positions: {label}."
)
ADDED = (
    "The angle between a token's embedding and the same embedding with its position added. After the addition,"
    " {n_found} of {n} are still nearest to their own embedding, of all in the vocabulary. A wide angle does not mean"
    " that the word is lost: word and position may use different directions."
)


def pictures(question: WordOrder, answer: SwappedWords, model: str) -> list[Picture]:
    effect = answer.effect
    one, other = (theme.shortened(word) for word in (answer.one, answer.other))
    title = f"{model}\n“{one}” and “{other}” swapped"
    both = {
        "with positions": effect.with_positions,
        "without positions": effect.without_positions,
    }
    found = [
        Picture(
            "word order",
            title,
            paired_bars(answer.tokens, both, title=title, y_label="largest change of an output"),
            f"Bars of two colors, how much each output changes: {title.replace(chr(10), ', ')}",
            question.table(answer),
            question.finding(answer),
            CAPTION.format(size=effect.size, label=POSITION_KINDS[answer.kind].label),
        )
    ]
    if answer.added is not None:
        table = added_table(answer)
        caption = ADDED.format(n_found=answer.n_found, n=len(answer.tokens))
        title = f"{model}\na position added to each embedding"
        found.append(Picture("added position", title, None, title, table, "", caption))
    return found

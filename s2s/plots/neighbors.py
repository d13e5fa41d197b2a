"""The table of `Neighbors`."""

from __future__ import annotations

from s2s.plots.picture import Picture
from s2s.questions import NearStates, Neighbors, layer_index, layer_name

CAPTION = (
    "A word's state is the mean over its tokens, a sentence's the mean over its words. At the embeddings only the word"
    " and its position count; the deeper the layer, the more a neighbor shares the context, too. Near means that this"
    " model treats them alike, not that they mean the same."
)


def pictures(question: Neighbors, answer: NearStates, model: str) -> list[Picture]:
    layer = layer_name(layer_index(question.layer, answer.n_layers), answer.n_layers)
    of = f"“{answer.of}”" if answer.of else "the sentence"
    title = f"{model}\nencoder · {layer} · nearest to {of}"
    n = answer.n_own + answer.n_others
    others = f" and {answer.n_others:,} others ({answer.others})" if answer.n_others else ""
    searched = (
        f"Searched {n:,} sentences with {answer.n_words:,} words: {answer.n_own:,} of the dataset that this run was"
        f" trained on{others}."
    )
    return [
        Picture(
            "neighbors",
            title,
            None,
            title.replace("\n", ", "),
            question.table(answer),
            question.finding(answer),
            f"{searched} {CAPTION}",
        )
    ]

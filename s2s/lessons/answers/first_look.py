"""What lesson 1 asks of the attention and the decoding of its own sentence."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.analysis import Weights
from s2s.config import UserError
from s2s.lessons.answers.translation import translated
from s2s.lessons.verdict import Answer, Context, Heads

ARTICLE, NOUN, ADJECTIVE = 0, 1, 2  # positions in `la maison rouge est vieille`
CLEARLY = 0.5  # of a head's weight
SLIGHTLY = 0.1


def attended_by_adjective(context: Context) -> int:
    """The position of the source token with the most cross-attention of the last layer, mean of its heads."""
    return int(_cross(context)[-1].mean(0)[ADJECTIVE].argmax())  # (heads, tgt_len, src_len)


def article_attends_to_noun(context: Context) -> Heads:
    """Cross-attention heads that give the noun most of their weight when the article before it is predicted."""
    cross = _cross(context)
    noun = int(cross[-1].mean(0)[NOUN].argmax())
    weights = cross[:, :, ARTICLE, noun]  # (layers, heads)
    found = {
        (layer + 1, head + 1): float(weights[layer, head])
        for layer in range(weights.shape[0])
        for head in range(weights.shape[1])
    }
    return Heads(
        frozenset(head for head, weight in found.items() if weight >= CLEARLY),
        frozenset(head for head, weight in found.items() if SLIGHTLY <= weight < CLEARLY),
        measured={head: f"a weight of {weight:.2f} there" for head, weight in found.items()},
    )


def _cross(context: Context) -> Weights:
    """Cross-attention of the step's own sentence: (layers, heads, tgt_len, src_len)."""
    own = context.at_start()
    cross = own.opened().attention(own.source, translated(own).text).cross
    if cross.shape[2] <= ADJECTIVE:
        raise UserError("The step's sentence is too short for this question; it needs three words.")
    return cross


def greedy_and_beam(context: Context) -> int:
    """0 where greedy search and beam search write the same translation, else 1."""
    own = context.at_start()
    greedy = own.opened().translate([own.source], "greedy")[0]
    return int(greedy.text != translated(own).text)


ANSWERS: Mapping[str, Answer] = MappingProxyType(
    {
        "attended_by_adjective": Answer(
            attended_by_adjective,
            "The source token with the largest cross-attention weight, mean of the last layer's heads.",
        ),
        "article_attends_to_noun": Answer(
            article_attends_to_noun,
            "Heads with at least half of their weight on the noun when the article is predicted.",
        ),
        "greedy_and_beam": Answer(
            greedy_and_beam, "Decodes the sentence with greedy search and with beam search."
        ),
    }
)

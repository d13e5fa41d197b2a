"""Generated parallel corpora, English to French and to Spanish, whose alignments and relations are known for certain.

Tables of words (nouns, adjectives, verbs) -> random trees that make sense (sample) -> both sides at once, with links
(realize, by way of english, french, spanish) -> written pairs (phrase) -> splits.

>>> generate("fr", "train")[0].tgt
'la maison rouge'
"""

from __future__ import annotations

from benchmarks.make.grammar.splits import SIZES, corpus
from s2s.data.pair import Pair

LANGUAGES = ("fr", "es")
SPLITS = ("train", "valid", "random", "unseen", "deep", "agreement", "banks")

__all__ = ["LANGUAGES", "SIZES", "SPLITS", "generate"]


def generate(language: str, split: str) -> tuple[Pair, ...]:
    """One split of the corpus from English to `language`: always the same pairs, in the same order."""
    return corpus(language)[split]

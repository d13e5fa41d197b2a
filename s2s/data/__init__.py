"""From a source to pairs: read, split and written out. Knows nothing of models."""

from s2s.data.corpus import Corpus, write_split
from s2s.data.pair import Gold, Link, Pair, Relation
from s2s.data.sources import SOURCES, absolute, load, splits
from s2s.data.split import TrainingPairs, load_pairs_for_training

__all__ = [
    "SOURCES",
    "Corpus",
    "Gold",
    "Link",
    "Pair",
    "Relation",
    "TrainingPairs",
    "absolute",
    "load",
    "load_pairs_for_training",
    "splits",
    "write_split",
]

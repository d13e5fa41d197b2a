"""What is stored, opened by whoever may: an id becomes a thing here alone. Locally there is one workspace."""

from s2s.data import saved_datasets
from s2s.library import rights, sharing
from s2s.library.opener import Library, made_by
from s2s.library.rights import Thing, Verb
from s2s.library.sharing import Sharing

__all__ = [
    "Library",
    "Sharing",
    "Thing",
    "Verb",
    "checkpoints",
    "guests",
    "made_by",
    "opener",
    "own",
    "rights",
    "sharing",
]

saved_datasets.open_by(lambda hash: Library().dataset(hash))

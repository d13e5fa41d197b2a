"""The trainers that ours is compared with: what each needs, and one update of it as a function that returns its real tokens."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType

from s2s.config import Recipe
from s2s.train import TrainingData

Update = Callable[[], int]  # one update; real source and target tokens

INSTALL = "pip install -r benchmarks/requirements.txt"


@dataclass(frozen=True)
class Peer:
    """One row: `module.function` makes its update, in a process of its own."""

    module: str
    function: str
    batches: str
    needs: tuple[str, ...] = ()
    install: str = INSTALL

    def make(self, recipe: Recipe, data: TrainingData) -> Update:
        """Its update for this recipe's shape on this text."""
        update: Update = getattr(import_module(f"benchmarks.peers.{self.module}"), self.function)(recipe, data)
        return update

    def missing(self) -> list[str]:
        """Packages that it needs and that are not here."""
        return [name for name in self.needs if importlib.util.find_spec(name) is None]


JOEY = ("joeynmt", "importlib_metadata", "matplotlib", "sentencepiece", "subword_nmt", "tensorboard")
OURS = MappingProxyType({"exact": Peer("ours", "exact", "ours"), "fast": Peer("ours", "fast", "ours")})
PEERS = MappingProxyType(
    {
        "transformers Marian": Peer("marian", "on_our_batches", "ours", ("transformers",)),
        "nn.Transformer": Peer("plain", "on_our_batches", "ours"),
        "nn.Transformer, tutorial": Peer("plain", "on_tutorial_batches", "64 sentences"),
        "JoeyNMT": Peer("joey", "its_own", "its own, 64", JOEY, f"{INSTALL} && pip install --no-deps joeynmt==2.3.0"),
    }
)

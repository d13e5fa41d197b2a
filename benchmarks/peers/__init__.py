"""The libraries that ours is compared with: what each requires, and how it is made.

A trainer does one update per call.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeVar

from s2s.config import Recipe
from s2s.training import TrainingData

Update = Callable[[], int]  # does one update; returns its real source and target tokens

INSTALL = "python -m benchmarks.install FOLDER"


@dataclass(frozen=True)
class Entrant:
    """A trainer or decoder, made by `module.function` in its own process."""

    module: str
    function: str
    library: str = field(kw_only=True)  # entrants of one library are settings of it
    needs: tuple[str, ...] = field(default=(), kw_only=True)

    def made(self, *arguments: Any) -> Any:
        """The result of its function."""
        return getattr(import_module(f"benchmarks.peers.{self.module}"), self.function)(*arguments)

    def missing(self) -> list[str]:
        """Required packages that are not installed."""
        return [name for name in self.needs if importlib.util.find_spec(name) is None]


@dataclass(frozen=True)
class Peer(Entrant):
    batches: str

    def make(self, recipe: Recipe, data: TrainingData) -> Update:
        """Its update function for a model of this recipe on these data."""
        update: Update = self.made(recipe, data)
        return update


Row = TypeVar("Row", bound=Entrant)


def present(rows: Mapping[str, Row]) -> dict[str, Row]:
    """The rows whose packages are installed; prints a sentence for each of the others."""
    found = {}
    for name, row in rows.items():
        if missing := row.missing():
            print(f"{name} is skipped; missing: {', '.join(missing)}. To install: {INSTALL}")
        else:
            found[name] = row
    return found


JOEY = (
    "joeynmt",
    "importlib_metadata",
    "matplotlib",
    "sentencepiece",
    "subword_nmt",
    "tensorboard",
)
MINE = "ours"
OURS = MappingProxyType(
    {
        "ours, exact": Peer("ours", "exact", "ours", library=MINE),
        "ours, fast": Peer("ours", "fast", "ours", library=MINE),
    }
)
PEERS = MappingProxyType(
    {
        "transformers' Marian, our batches": Peer(
            "marian", "on_our_batches", "ours", library="transformers", needs=("transformers",)
        ),
        "nn.Transformer, our batches": Peer(
            "plain", "on_our_batches", "ours", library="nn.Transformer"
        ),
        "nn.Transformer, a tutorial's 64 sentences": Peer(
            "plain", "on_tutorial_batches", "64 sentences", library="nn.Transformer"
        ),
        "JoeyNMT, its batches of 64 sentences": Peer(
            "joey", "of_sentences", "its own", library="JoeyNMT", needs=JOEY
        ),
        "JoeyNMT, its batches of 4,096 tokens": Peer(
            "joey", "of_tokens", "its own", library="JoeyNMT", needs=JOEY
        ),
    }
)

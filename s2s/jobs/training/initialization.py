"""Initialization from another run: which checkpoint, whether it is compatible, and its vocabulary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from s2s.config import Recipe, UserError, flat
from s2s.data import Pair
from s2s.library import Library
from s2s.library.checkpoints import find_checkpoint
from s2s.model import saved_steps, weights_path
from s2s.runs import RunFolder
from s2s.tokenizers import Tokenizer

# Settings of the model that change neither the shape nor the meaning of any weight.
FREE = (
    "model.dropout",
    "model.encoder.dropout",
    "model.decoder.dropout",
    "model.attention.dropout",
    "model.feed_forward.dropout",
)
SAMPLED = 500  # pairs whose unknown tokens are counted
MOST_UNKNOWN = 0.3  # of a side's tokens


@dataclass(frozen=True)
class InitialCheckpoint:
    """A checkpoint of a run, to start another one from. As text: `RUN@STEP`."""

    run: str
    step: int

    def __str__(self) -> str:
        return f"{self.run}@{self.step}"

    @property
    def folder(self) -> RunFolder:
        """The folder of the run. Raises UserError where it is gone."""
        return Library().run(self.run, "download")

    @property
    def weights(self) -> Path:
        """The checkpoint's file. Raises UserError where it is gone."""
        if self.step not in saved_steps(self.folder.checkpoints):
            raise UserError(
                f"The run `{self.run}` has no checkpoint of step {self.step} any more; choose another checkpoint."
            )
        return weights_path(self.folder.checkpoints, self.step)

    def tokenizers(self) -> tuple[Tokenizer, Tokenizer]:
        """The run's source and target tokenizer."""
        return self.folder.tokenizers()


def parse_checkpoint(text: str) -> InitialCheckpoint:
    """The checkpoint `RUN@STEP`, or the best one of `RUN`, a folder made absolute. Raises UserError without one."""
    named = find_checkpoint(text, verb="download")
    run = str(named.run)
    if named.folder.path == Path(run):
        run = str(named.folder.path.resolve())
    step = named.folder.best_or_newest_step() if named.step is None else named.step
    return InitialCheckpoint(run, step)


def check_compatible(given: InitialCheckpoint, recipe: Recipe) -> None:
    """Raises UserError where the recipe's model or tokenizer is not the run's."""
    own = flat(recipe)
    theirs = flat(given.folder.recipe())
    deciding = [
        key
        for key in own
        if key.startswith(("model.", "tokenizer."))
        and not key.startswith("model.init.")
        and key not in FREE
    ]
    if other := [key for key in deciding if own[key] != theirs[key]]:
        differences = ", ".join(
            f"`{key}` {own[key]} where it has {theirs[key]}" for key in other[:3]
        )
        more = f" and {len(other) - 3} more" if len(other) > 3 else ""
        raise UserError(
            f"The run `{given.run}` has another shape: {differences}{more}; use its recipe, or train from scratch."
        )


def check_vocabulary(given: InitialCheckpoint, pairs: Iterable[Pair]) -> str:
    """One sentence on how many tokens of a dataset are not in the run's vocabulary; empty where all are.

    Raises UserError for too many of them.
    """
    sides = zip(
        *((pair.src, pair.tgt) for pair, _ in zip(pairs, range(SAMPLED), strict=False)),
        strict=True,
    )
    worst = max(
        _unknown(tokenizer, texts)
        for tokenizer, texts in zip(given.tokenizers(), sides, strict=True)
    )
    if worst > MOST_UNKNOWN:
        share = f"{worst:.0%} of this dataset's tokens are not in the vocabulary of the run `{given.run}`"
        raise UserError(f"{share}; initialize from a run on similar data, or train from scratch.")
    return (
        f"{worst:.1%} of this dataset's tokens are not in the vocabulary it starts with; they become <unk>."
        if worst
        else ""
    )


def _unknown(tokenizer: Tokenizer, texts: Iterable[str]) -> float:
    ids = [token for row in tokenizer.encode_many(list(texts)) for token in row]
    return ids.count(tokenizer.unk_id) / max(1, len(ids))

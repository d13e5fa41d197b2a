"""How attention arises: one pair at the checkpoints of a run, and how sharp every head was at each."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from s2s.analysis import AttentionMap, HeadSelection, reduced
from s2s.config import UserError
from s2s.questions.attention_of import KIND_CHOICES, selection, weights_table
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have, are_held_out
from s2s.questions.question import RUN, Question, setting, subject, view
from s2s.questions.row_finding import row_finding
from s2s.questions.table import Table
from s2s.runs import AttentionHistory, RunFolder, SavedAttention, attention_history

FRAMES = 30  # of the animation, spread over the checkpoints
SHARPER = 0.9  # times the first entropy: a newest one below it has fallen clearly
NONE = (
    "No attention was saved while this run trained: it is a demo or was imported, was trained with an older version, or"
    " with `train.watch.attention` off. The Attention page shows its attention now."
)
NOT_SHARED = "The pair is of the run's dataset, which its owner has not shared; the curves are over all pairs."


@dataclass(frozen=True)
class AttentionByStep:
    """A fixed pair's attention at checkpoints that have the same tokens; `steps` are all that have it."""

    frames: tuple[SavedAttention, ...]
    steps: tuple[int, ...]
    history: AttentionHistory | None
    is_held_out: bool  # whether the pairs are not trained on
    note: str = ""  # why there is no pair

    @property
    def pairs(self) -> str:
        n = self.history.n_pairs if self.history else 0
        return f"{n} {'held-out' if self.is_held_out else 'training'} pairs"


class EntropyFacts(NamedTuple):
    """How sharp cross-attention was at the first and the newest step, in nats; the mean of all heads."""

    first_step: int
    last_step: int
    before: float
    after: float
    layer: int  # of the sharpest head, from 1
    head: int
    least: float


FINDINGS = (
    Finding(
        lambda facts: facts.after < SHARPER * facts.before,
        "Cross-attention became sharper: the mean entropy of its heads fell from {before:.3g} nats at step"
        " {first_step:,} to {after:.3g} at step {last_step:,}; the sharpest is layer {layer} head {head}"
        " ({least:.3g}).",
    ),
    Finding(
        lambda facts: facts.first_step < facts.last_step,
        "Cross-attention is hardly sharper than it was: the mean entropy of its heads was {before:.3g} nats at step"
        " {first_step:,} and is {after:.3g} at step {last_step:,}.",
    ),
)


@dataclass(frozen=True)
class AttentionOverTraining(Question[AttentionByStep]):
    """The attention of one fixed pair at a checkpoint, or at all of them, and the entropy of every head by step.

    `kind`, `layer` and `head` are those of `AttentionOf`.
    """

    name: ClassVar[str] = "attention-over-training"

    run: str = subject(RUN)
    at: str = setting(
        "",
        lambda step: not step or (step.isdecimal() and len(step) < 12),
        scope="run",
        label="Checkpoint",
        help="Give the step of a checkpoint; without one, the newest is shown.",
    )
    animated: bool = setting(
        False, label="Animate over training steps", help="Plays all checkpoints in order."
    )
    kind: str = view("cross", in_set=False, choices=KIND_CHOICES)
    layer: str = view("", in_set=False)
    head: str = view("", in_set=False)

    def ask(self, have: Have) -> AttentionByStep:
        """Read the saved attention. Raises UserError for a run that has saved none."""
        folder = have.folder(self.run)
        steps = attention_history.saved_steps(folder)
        history = attention_history.history(folder)
        if not steps and history is None:
            raise UserError(NONE)
        is_held_out = are_held_out(self.run)
        if not have.may_see_data(folder):
            return AttentionByStep((), (), history, is_held_out, NOT_SHARED)
        frames, note = self._frames(folder, steps) if steps else ((), "")
        return AttentionByStep(frames, tuple(steps), history, is_held_out, note)

    def _frames(
        self, folder: RunFolder, steps: list[int]
    ) -> tuple[tuple[SavedAttention, ...], str]:
        """The pair at the newest checkpoint, or at several for an animation; else a note on why it cannot be read."""
        try:
            shown = attention_history.load(folder, self.nearest(steps))
        except UserError as error:
            return (), str(error)
        if not self.animated:
            return (shown,), ""
        frames = []
        for step in spread(steps):
            with contextlib.suppress(UserError):  # it is left out
                saved = attention_history.load(folder, step)
                if (saved.source, saved.target) == (shown.source, shown.target):
                    frames.append(saved)
        return tuple(frames), ""

    def nearest(self, steps: Sequence[int]) -> int:
        """The step among `steps` that is shown: the nearest to the chosen one, by default the last."""
        return min(steps, key=lambda step: abs(step - int(self.at))) if self.at else steps[-1]

    def stamp(self, have: Have) -> Hashable:
        folder = have.folder(self.run)
        log = folder.path / "metrics.jsonl"
        size = log.stat().st_size if log.exists() else 0
        saved = sorted((folder.path / "attention").glob("step-*"))
        files = tuple((path.name, path.stat().st_mtime_ns) for path in saved)
        return str(folder.path), size, files, have.may_see_data(folder)

    def which(self, saved: SavedAttention) -> HeadSelection:
        """The selected layer and head, 0-based; None for the mean. Raises UserError for one that there is not."""
        shape = saved.attention.view(self.kind).weights.shape
        return selection(self.kind, self.layer, self.head, shape)

    def picture(self, saved: SavedAttention) -> AttentionMap:
        """The pair's attention map at one checkpoint."""
        return reduced(saved.attention, self.which(saved))

    def chosen(self, answer: AttentionByStep) -> tuple[int, int] | None:
        """Layer and head whose entropy curve is drawn thicker: the one head of cross-attention shown, else None."""
        which = self.which(answer.frames[0]) if answer.frames and self.kind == "cross" else None
        if which is None or which.layer is None or which.head is None:
            return None
        return which.layer, which.head

    def table(self, answer: AttentionByStep) -> Table:
        columns = ["step", "layer", "head", "entropy"]
        if (history := answer.history) is None:
            return Table(columns, [])
        values = [history.entropy, *([] if history.aer is None else [history.aer])]
        rows = [
            [
                int(history.steps[at]),
                layer + 1,
                head + 1,
                *(float(each[at, layer, head]) for each in values),
            ]
            for at, layer, head in np.ndindex(history.entropy.shape)
        ]
        return Table([*columns, *["alignment_error"] * (len(values) - 1)], rows)

    def pair_table(self, answer: AttentionByStep) -> Table:
        """The pair's map as a table; of several checkpoints one row per step and weight, positions from 1."""
        maps = {saved.step: self.picture(saved) for saved in answer.frames}
        if not self.animated:
            return weights_table(*maps.values())
        rows = [
            [
                step,
                row + 1,
                drawn.rows[row],
                key + 1,
                drawn.keys[key],
                float(drawn.weights[row, key]),
            ]
            for step, drawn in maps.items()
            for row, key in np.ndindex(drawn.weights.shape)
        ]
        return Table(["step", "position", "token", "key_position", "key", "weight"], rows)

    def finding(self, answer: AttentionByStep) -> str:
        history = answer.history
        if history is None or not np.isfinite(history.entropy[[0, -1]]).all():
            return ""
        return first(FINDINGS, _facts(history))

    def pair_finding(self, answer: AttentionByStep) -> str:
        """What the clearest row of the pair's map attends to, as a sentence."""
        return "" if self.animated else row_finding(self.picture(answer.frames[0]))


def _facts(history: AttentionHistory) -> EntropyFacts:
    steps, entropy = history.steps, history.entropy
    layer, head = map(int, np.unravel_index(int(entropy[-1].argmin()), entropy[-1].shape))
    return EntropyFacts(
        int(steps[0]),
        int(steps[-1]),
        float(entropy[0].mean()),
        float(entropy[-1].mean()),
        layer + 1,
        head + 1,
        float(entropy[-1].min()),
    )


def spread(steps: list[int]) -> list[int]:
    """At most FRAMES steps, evenly spread, the first and the last among them."""
    if len(steps) <= FRAMES:
        return steps
    return [steps[round(i * (len(steps) - 1) / (FRAMES - 1))] for i in range(FRAMES)]

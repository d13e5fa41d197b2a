"""The training curves of a run that grows, read as they grow. Knows nothing of screens."""

from __future__ import annotations

import json
import math
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

POINTS = 1500  # as many as a chart of a screen's width can show
WINDOW = 20.0  # seconds over which the speed is taken
FEW = 20  # steps since a pause that alone do not tell the pace
BLOCK = 1 << 20  # bytes read at once
VALID = (
    "loss",
    "perplexity",
    "token_accuracy",
    "bleu",
    "chrf",
    "memory",
)  # of a validation; the first three always
TAIL = 200  # bytes before the place reached, by which a file that was written anew is known


class LearningRateChange(NamedTuple):
    """From `step` on the peak `train.lr` is `lr`: somebody changed it while the run trained."""

    step: int
    lr: float
    time: float  # seconds since the epoch; 0 where it was not written


class StepTimes(NamedTuple):
    """What a run's steps take: updates, and between some of them a validation with all that comes with it."""

    update: float  # seconds
    validation: float  # seconds, sampling and saving included
    every: int  # steps from one validation to the next; 0 before there were two

    def seconds(self, step: int, steps: int) -> float:
        """From `step` to `steps`; the validation right after `step` has been."""
        left = max(0, steps - step)
        validations = (
            0
            if not (left and self.every)
            else steps // self.every - step // self.every + bool(steps % self.every)
        )
        return left * self.update + validations * self.validation


Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True)
class Curves:
    """What a run has logged; NaN where an older run didn't.

    `loss`, `rates`, `grad_norms` and `speeds` are means over buckets of steps where there are many; the newest step always stands
    alone, last. Nobody may write to the arrays: visitors share them.
    """

    steps: NDArray[np.int64]
    loss: NDArray[np.float32]  # nats a token
    rates: NDArray[np.float32]  # learning rate
    grad_norms: NDArray[np.float32]  # before clipping
    speeds: NDArray[np.float32]  # tokens a second of updates alone
    valid_steps: NDArray[np.int64]
    valid_loss: NDArray[np.float32]  # nats a token
    valid_perplexity: NDArray[np.float32]
    valid_token_accuracy: NDArray[np.float32]
    valid_bleu: NDArray[np.float32]  # 0 to 100
    valid_chrf: NDArray[np.float32]  # 0 to 100
    valid_memory: NDArray[np.float64]  # bytes resident
    changes: tuple[LearningRateChange, ...]
    step: int  # the newest; 0 before training
    lr: float | None
    grad_norm: float | None
    tokens_per_second: float | None  # of the last seconds, validation and saving included
    seconds_per_step: (
        float | None
    )  # validation and saving included, since training was last taken up
    step_times: StepTimes | None
    n_broken: int  # lines that could not be read: cut by a full disk, say

    def seconds_left(self, steps: int) -> float | None:
        """Until step `steps`, at the pace so far; None before there is one."""
        return None if self.step_times is None else self.step_times.seconds(self.step, steps)


class Metrics:
    """Follows a metrics.jsonl: each `read` costs as much as was written since the last. Visitors may share one."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self._state = _State()
        self._curves: Curves | None = None  # until something new is read
        self._offset = 0
        self._tail = b""

    def read(self) -> Curves:
        """All that is there now; a last line that is still being written is left for the next time."""
        with self._lock:
            try:
                with self.path.open("rb") as file:
                    self._follow(file)
            except FileNotFoundError:
                self._start_again()
            if self._curves is None:
                self._curves = self._state.curves()
            return self._curves

    def _start_again(self) -> None:
        self._state = _State()
        self._curves = None
        self._offset = 0
        self._tail = b""

    def _follow(self, file: BinaryIO) -> None:
        file.seek(self._offset - len(self._tail))
        if file.read(len(self._tail)) != self._tail:  # cut back for a resumed run, or another run's
            self._start_again()
            file.seek(0)
        rest = b""
        while block := file.read(BLOCK):
            whole, newline, rest = (rest + block).rpartition(b"\n")
            if newline:
                self._take(whole + newline)

    def _take(self, whole: bytes) -> None:
        self._curves = None
        for line in whole.splitlines():
            try:
                self._state.add(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
                self._state.n_broken += 1
        self._offset += len(whole)
        self._tail = (self._tail + whole)[-TAIL:]


class _State:
    """Sums over the lines so far."""

    def __init__(self) -> None:
        self.width = 1  # steps a bucket
        self.buckets: list[
            list[float]
        ] = []  # number of the bucket, lines, sums of step, loss, lr, grad_norm, tokens, seconds
        self.newest: Mapping[str, Any] | None = None
        self.valid: list[tuple[float, ...]] = []  # step, then as in VALID
        self.changes: list[LearningRateChange] = []
        self.window: deque[tuple[float, int]] = (
            deque()
        )  # time and tokens of the last seconds' steps
        self.clock = _Clock()
        self.n_broken = 0

    def add(self, line: Mapping[str, Any]) -> None:
        """One line; of a kind that is not known here, it is for other readers. One that lacks something raises, and changes nothing."""
        if line["kind"] == "valid":
            self._add_validation(line)
        elif line["kind"] == "train":
            self._add_step(line)
        elif line["kind"] == "change":
            self.changes.append(
                LearningRateChange(
                    int(line["step"]), float(line["lr"]), float(line.get("time", 0.0))
                )
            )

    def _add_validation(self, line: Mapping[str, Any]) -> None:
        time = float(line.get("time", self.clock.time))
        needed = [float(line[key]) for key in ("step", *VALID[:3])]
        self.valid.append((*needed, *(float(line.get(key, math.nan)) for key in VALID[3:])))
        self.clock.validated(time)

    def _add_step(self, line: Mapping[str, Any]) -> None:
        step = int(line["step"])
        loss = float(line["loss"])
        n_tokens = int(line["n_tokens"])
        seconds = float(line["seconds"])
        known = {key: float(line[key]) for key in ("lr", "grad_norm") if key in line}
        time = float(line.get("time", self.clock.time + seconds))  # older runs have no time of day
        if self.clock.stepped(step, time, seconds, is_first=bool(line.get("first"))):
            self.window.clear()
        self.window.append((time, n_tokens))
        while self.window[0][0] < time - WINDOW:
            self.window.popleft()
        self.newest = {
            "step": step,
            "sums": [
                1,
                step,
                loss,
                *(known.get(key, math.nan) for key in ("lr", "grad_norm")),
                n_tokens,
                seconds,
            ],
        }
        self.newest |= known
        self._pour(step, self.newest["sums"])

    def _pour(self, step: int, sums: list[float]) -> None:
        number = (step - 1) // self.width
        if self.buckets and self.buckets[-1][0] == number:
            self.buckets[-1][1:] = _added(self.buckets[-1][1:], sums)
        else:
            self.buckets.append([number, *sums])
        if len(self.buckets) == POINTS:  # one is kept for the newest step
            self._halve()

    def _halve(self) -> None:
        self.width *= 2
        joined: list[list[float]] = []
        for number, *sums in self.buckets:
            if joined and joined[-1][0] == number // 2:
                joined[-1][1:] = _added(joined[-1][1:], sums)
            else:
                joined.append([number // 2, *sums])
        self.buckets = joined

    def curves(self) -> Curves:
        """Arrays of their own, which nobody changes later."""
        sums = [bucket[1:] for bucket in self.buckets]
        newest = self.newest or {}
        if newest and sums[-1][0] > 1:
            sums.append(newest["sums"])
        lines, total, loss, rates, norms, tokens, seconds = (
            np.array(sums, np.float64).reshape(-1, 7).T
        )
        valid = np.array(self.valid, np.float64).reshape(-1, 1 + len(VALID)).T
        with np.errstate(divide="ignore", invalid="ignore"):
            speeds = np.where(seconds > 0, tokens / seconds, np.nan)
        return Curves(
            steps=_frozen((total / lines).astype(np.int64)),
            loss=_floats(loss / lines),
            rates=_floats(rates / lines),
            grad_norms=_floats(norms / lines),
            speeds=_floats(speeds),
            valid_steps=_frozen(valid[0].astype(np.int64)),
            valid_loss=_floats(valid[1]),
            valid_perplexity=_floats(valid[2]),
            valid_token_accuracy=_floats(valid[3]),
            valid_bleu=_floats(valid[4]),
            valid_chrf=_floats(valid[5]),
            valid_memory=_frozen(valid[6]),
            changes=tuple(self.changes),
            step=newest.get("step", 0),
            lr=newest.get("lr"),
            grad_norm=newest.get("grad_norm"),
            tokens_per_second=self._tokens_per_second(),
            seconds_per_step=self.clock.seconds_per_step(),
            step_times=self._pace(),
            n_broken=self.n_broken,
        )

    def _tokens_per_second(self) -> float | None:
        seconds = self.window[-1][0] - self.window[0][0] if self.window else 0.0
        return sum(tokens for _, tokens in list(self.window)[1:]) / seconds if seconds > 0 else None

    def _pace(self) -> StepTimes | None:
        seconds = self.clock.seconds()
        steps = sorted({int(row[0]) for row in self.valid})[-2:]
        return seconds and StepTimes(*seconds, every=steps[-1] - steps[0] if steps else 0)


@dataclass
class _Stint:
    """Training from where it was taken up to a pause, or till now. Times are in seconds."""

    since: float  # time of day
    steps_before: int
    steps: int = 0
    stepped_at: float = 0.0  # time of day of the newest step's end
    validating: float = 0.0
    n_validations: int = 0

    @property
    def updating(self) -> float:
        return max(0.0, self.stepped_at - self.since - self.validating)


class _Clock:
    """Where the time went: what lies between two stints counts for nothing."""

    def __init__(self) -> None:
        self.time = 0.0  # of the newest line
        self.stints: list[
            _Stint
        ] = []  # the newest and, as far as the pace needs them, those before
        self.is_validating = False

    def stepped(self, step: int, time: float, seconds: float, *, is_first: bool) -> bool:
        """Whether a stint begins here."""
        is_anew = is_first or not self.stints
        if is_anew:
            self.stints.append(_Stint(time - seconds, step - 1))
            self._forget()
        stint = self.stints[-1]
        if self.is_validating and not is_anew:
            stint.validating += max(0.0, time - seconds - stint.stepped_at)
            stint.n_validations += 1
        self.time = time
        stint.steps = step - stint.steps_before
        stint.stepped_at = time
        self.is_validating = False
        return is_anew

    def _forget(self) -> None:
        """Keep the newest stint, and before it those from the last long one on."""
        long = [i for i, stint in enumerate(self.stints[:-1]) if stint.steps >= FEW]
        self.stints = self.stints[long[-1] if long else 0 :][-FEW:]

    def validated(self, time: float) -> None:
        self.time = time
        self.is_validating = True

    def seconds_per_step(self) -> float | None:
        """All in all, in this stint."""
        if not self.stints or self.stints[-1].steps <= 0:
            return None
        return max(0.0, self.time - self.stints[-1].since) / self.stints[-1].steps

    def seconds(self) -> tuple[float, float] | None:
        """Of an update, and of a validation; a stint of few steps is taken together with those before."""
        if not self.stints or self.stints[-1].steps <= 0:
            return None
        newest = self.stints[-1]
        counted = [newest] if newest.steps >= FEW else self.stints
        update = sum(stint.updating for stint in counted) / sum(stint.steps for stint in counted)
        validated = (
            [newest]
            if newest.n_validations
            else [stint for stint in self.stints if stint.n_validations]
        )
        if validated:
            return update, sum(stint.validating for stint in validated) / sum(
                stint.n_validations for stint in validated
            )
        return update, max(
            0.0, self.time - newest.stepped_at
        ) if self.is_validating else 0.0  # as far as the first is


def _added(left: list[float], right: list[float]) -> list[float]:
    return [own + more for own, more in zip(left, right, strict=True)]


def _floats(values: NDArray[np.float64]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):  # the perplexity of a run that diverges
        return _frozen(values.astype(np.float32))


def _frozen(values: NDArray[Number]) -> NDArray[Number]:
    values.setflags(write=False)
    return values

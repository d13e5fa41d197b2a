"""The training curves of a run, read while its log grows. Knows nothing of screens."""

from __future__ import annotations

import json
import logging
import math
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

log = logging.getLogger(__name__)
POINTS = 1500  # as many as a chart as wide as the screen can show
WINDOW = 20.0  # seconds over which throughput is averaged
FEW = 20  # steps; fewer since a pause are too few to time
BLOCK = 1 << 20  # bytes read at once
VALID = (
    "loss",
    "perplexity",
    "token_accuracy",
    "bleu",
    "chrf",
    "memory",
    "exact_match",
)  # of a validation; the first three are always there
TAIL = 200  # last bytes read; if they changed, the file was rewritten


class LearningRateChange(NamedTuple):
    """A change while the run trained: from `step` on, the peak `train.lr` is `lr`."""

    step: int
    lr: float
    time: float  # seconds since the epoch; 0 if not logged


class StepTimes(NamedTuple):
    """How long the steps of a run take: updates, and the validations between some of them."""

    update: float  # seconds
    validation: float  # seconds, sampling and saving included
    every: int  # steps between validations; 0 before the second

    def seconds(self, step: int, steps: int) -> float:
        """Seconds from `step` to `steps`; the validation right after `step` is done."""
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
    """What a run has logged; NaN where an older run did not log a value.

    `loss`, `rates`, `grad_norms` and `speeds` are means over buckets of steps where there are many; the newest step is
    always on its own, last. The arrays are read-only: visitors share them.
    """

    steps: NDArray[np.int64]
    loss: NDArray[np.float32]  # nats per token
    rates: NDArray[np.float32]  # learning rate
    grad_norms: NDArray[np.float32]  # before clipping
    speeds: NDArray[np.float32]  # tokens per second, of updates only
    tokens: NDArray[np.float64]  # trained on up to `steps`, source and target
    minutes: NDArray[np.float64]  # of updates up to `steps`, without validation and pauses
    valid_steps: NDArray[np.int64]
    valid_loss: NDArray[np.float32]  # nats per token
    valid_perplexity: NDArray[np.float32]
    valid_token_accuracy: NDArray[np.float32]
    valid_bleu: NDArray[np.float32]  # 0 to 100
    valid_chrf: NDArray[np.float32]  # 0 to 100
    valid_memory: NDArray[np.float64]  # bytes resident
    valid_exact_match: NDArray[np.float32]  # percent
    valid_signatures: tuple[str, ...]  # of BLEU; "" where an older run did not log it
    changes: tuple[LearningRateChange, ...]
    step: int  # the newest; 0 before training
    lr: float | None
    grad_norm: float | None
    tokens_per_second: float | None  # over the last WINDOW seconds, validation and saving included
    # Validation and saving included, since training last started or resumed.
    seconds_per_step: float | None
    step_times: StepTimes | None
    n_broken: int  # unreadable lines, such as those truncated by a full disk; each is logged

    @property
    def signatures(self) -> tuple[str, ...]:
        """The signatures of the BLEU scores that were measured, each once."""
        measured = zip(self.valid_signatures, self.valid_bleu, strict=True)
        return tuple(dict.fromkeys(each for each, bleu in measured if math.isfinite(bleu)))

    def seconds_left(self, steps: int) -> float | None:
        """Seconds until step `steps`, at the speed so far; None before it is known."""
        return None if self.step_times is None else self.step_times.seconds(self.step, steps)

    def at_steps(self, values: NDArray[np.float64], steps: NDArray[Any]) -> NDArray[np.float64]:
        """The `values`, `tokens` or `minutes`, at any steps, interpolated; 0 at step 0."""
        known = np.concatenate([[0.0], values])
        found: NDArray[np.float64] = np.interp(steps, np.concatenate([[0.0], self.steps]), known)
        return found


class Metrics:
    """Follows a metrics.jsonl: each `read` parses only what was added since the last. Visitors may share one."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self._state = _State()
        self._curves: Curves | None = None  # None after new lines were read
        self._offset = 0
        self._tail = b""

    def read(self) -> Curves:
        """The curves of all lines written so far; an unfinished last line is left for the next read."""
        with self._lock:
            try:
                with self.path.open("rb") as file:
                    self._follow(file)
            except FileNotFoundError:
                self._reset()
            if self._curves is None:
                self._curves = self._state.curves()
            return self._curves

    def _reset(self) -> None:
        self._state = _State()
        self._curves = None
        self._offset = 0
        self._tail = b""

    def _follow(self, file: BinaryIO) -> None:
        file.seek(self._offset - len(self._tail))
        if file.read(len(self._tail)) != self._tail:  # truncated for a resumed run, or replaced
            self._reset()
            file.seek(0)
        rest = b""
        while block := file.read(BLOCK):
            complete, newline, rest = (rest + block).rpartition(b"\n")
            if newline:
                self._parse(complete + newline)

    def _parse(self, lines: bytes) -> None:
        self._curves = None
        for line in lines.splitlines():
            try:
                self._state.add(json.loads(line))
            except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
                self._state.n_broken += 1
                log.warning("%s: a broken line is left out (%r): %.80r", self.path, error, line)
        self._offset += len(lines)
        self._tail = (self._tail + lines)[-TAIL:]


class _State:
    """Sums over the lines so far."""

    def __init__(self) -> None:
        self.width = 1  # steps per bucket
        self.buckets: list[
            list[float]
        ] = []  # bucket number, count, sums of step, loss, lr, grad_norm, tokens, seconds
        self.newest: Mapping[str, Any] | None = None
        self.valid: list[tuple[float, ...]] = []  # step, then as in VALID
        self.signatures: list[str] = []  # of each validation
        self.changes: list[LearningRateChange] = []
        # Time and tokens of the last seconds' steps.
        self.window: deque[tuple[float, int]] = deque()
        self.clock = _Clock()
        self.n_broken = 0

    def add(self, line: Mapping[str, Any]) -> None:
        """Add one line; unknown kinds are for other readers. An incomplete line raises and changes nothing."""
        if not isinstance(line, dict):
            raise TypeError(f"an object is expected, not {type(line).__name__}")
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
        self.signatures.append(str(line.get("signature", "")))
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
        self._add_to_bucket(step, self.newest["sums"])

    def _add_to_bucket(self, step: int, sums: list[float]) -> None:
        number = (step - 1) // self.width
        if self.buckets and self.buckets[-1][0] == number:
            self.buckets[-1][1:] = _added(self.buckets[-1][1:], sums)
        else:
            self.buckets.append([number, *sums])
        if len(self.buckets) == POINTS:  # one is reserved for the newest step
            self._merge_buckets()

    def _merge_buckets(self) -> None:
        self.width *= 2
        joined: list[list[float]] = []
        for number, *sums in self.buckets:
            if joined and joined[-1][0] == number // 2:
                joined[-1][1:] = _added(joined[-1][1:], sums)
            else:
                joined.append([number // 2, *sums])
        self.buckets = joined

    def curves(self) -> Curves:
        """A snapshot: new read-only arrays."""
        sums = [bucket[1:] for bucket in self.buckets]
        newest = self.newest or {}
        if newest and sums[-1][0] > 1:
            sums.append(newest["sums"])
        lines, total, loss, rates, norms, tokens, seconds = (
            np.array(sums, np.float64).reshape(-1, 7).T
        )
        valid = np.array(self.valid, np.float64).reshape(-1, 1 + len(VALID)).T
        # a bucket stands at its mean step
        part = (lines + 1) / (2 * lines) if len(lines) else lines
        is_newest = bool(newest) and sums[-1] is newest["sums"]
        with np.errstate(divide="ignore", invalid="ignore"):
            speeds = np.where(seconds > 0, tokens / seconds, np.nan)
        return Curves(
            steps=_frozen((total / lines).astype(np.int64)),
            loss=_floats(loss / lines),
            rates=_floats(rates / lines),
            grad_norms=_floats(norms / lines),
            speeds=_floats(speeds),
            tokens=_frozen(_so_far(tokens, part, is_newest=is_newest)),
            minutes=_frozen(_so_far(seconds, part, is_newest=is_newest) / 60),
            valid_steps=_frozen(valid[0].astype(np.int64)),
            valid_loss=_floats(valid[1]),
            valid_perplexity=_floats(valid[2]),
            valid_token_accuracy=_floats(valid[3]),
            valid_bleu=_floats(valid[4]),
            valid_chrf=_floats(valid[5]),
            valid_memory=_frozen(valid[6]),
            valid_exact_match=_floats(valid[7]),
            valid_signatures=tuple(self.signatures),
            changes=tuple(self.changes),
            step=newest.get("step", 0),
            lr=newest.get("lr"),
            grad_norm=newest.get("grad_norm"),
            tokens_per_second=self._tokens_per_second(),
            seconds_per_step=self.clock.seconds_per_step(),
            step_times=self._step_times(),
            n_broken=self.n_broken,
        )

    def _tokens_per_second(self) -> float | None:
        seconds = self.window[-1][0] - self.window[0][0] if self.window else 0.0
        return sum(tokens for _, tokens in list(self.window)[1:]) / seconds if seconds > 0 else None

    def _step_times(self) -> StepTimes | None:
        seconds = self.clock.seconds()
        steps = sorted({int(row[0]) for row in self.valid})[-2:]
        return seconds and StepTimes(*seconds, every=steps[-1] - steps[0] if steps else 0)


@dataclass
class _Session:
    """Training from its start or resumption until a pause, or until now. Times in seconds."""

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
    """Times updates and validations; the time between two sessions does not count."""

    def __init__(self) -> None:
        self.time = 0.0  # of the newest line
        self.sessions: list[_Session] = []  # the newest, and those before it that timing needs
        self.is_validating = False

    def stepped(self, step: int, time: float, seconds: float, *, is_first: bool) -> bool:
        """Record a step. Returns whether a new session begins with it."""
        is_new = is_first or not self.sessions
        if is_new:
            self.sessions.append(_Session(time - seconds, step - 1))
            self._forget()
        session = self.sessions[-1]
        if self.is_validating and not is_new:
            session.validating += max(0.0, time - seconds - session.stepped_at)
            session.n_validations += 1
        self.time = time
        session.steps = step - session.steps_before
        session.stepped_at = time
        self.is_validating = False
        return is_new

    def _forget(self) -> None:
        long = [i for i, session in enumerate(self.sessions[:-1]) if session.steps >= FEW]
        self.sessions = self.sessions[long[-1] if long else 0 :][-FEW:]

    def validated(self, time: float) -> None:
        self.time = time
        self.is_validating = True

    def seconds_per_step(self) -> float | None:
        """Seconds per step of this session, everything included; None before it is known."""
        if not self.sessions or self.sessions[-1].steps <= 0:
            return None
        return max(0.0, self.time - self.sessions[-1].since) / self.sessions[-1].steps

    def seconds(self) -> tuple[float, float] | None:
        """Seconds per update and per validation; a session with few steps is averaged with those before it."""
        if not self.sessions or self.sessions[-1].steps <= 0:
            return None
        newest = self.sessions[-1]
        counted = [newest] if newest.steps >= FEW else self.sessions
        n_updates = sum(session.steps for session in counted)
        update = sum(session.updating for session in counted) / n_updates
        validated = (
            [newest]
            if newest.n_validations
            else [session for session in self.sessions if session.n_validations]
        )
        if validated:
            return update, sum(session.validating for session in validated) / sum(
                session.n_validations for session in validated
            )
        so_far = self.time - newest.stepped_at if self.is_validating else 0.0  # the first one
        return update, max(0.0, so_far)


def _so_far(
    values: NDArray[np.float64], part: NDArray[np.float64], *, is_newest: bool
) -> NDArray[np.float64]:
    if is_newest:
        buckets = values[:-1]
        return np.append(np.cumsum(buckets) - buckets * (1 - part[:-1]), buckets.sum())
    return np.cumsum(values) - values * (1 - part)


def _added(left: list[float], right: list[float]) -> list[float]:
    return [own + more for own, more in zip(left, right, strict=True)]


def _floats(values: NDArray[np.float64]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):  # perplexity of a diverging run
        return _frozen(values.astype(np.float32))


def _frozen(values: NDArray[Number]) -> NDArray[Number]:
    values.setflags(write=False)
    return values

"""The training curves of a run that grows, read as they grow. Knows nothing of screens."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

POINTS = 1500  # as many as a chart of a screen's width can show
WINDOW = 20.0  # seconds over which the speed is taken
BLOCK = 1 << 20  # bytes read at once
TAIL = 200  # bytes before the place reached, by which a file that was written anew is known


@dataclass(frozen=True)
class Curves:
    """What a run has logged. `loss` are means over buckets of steps where there are many; the newest step always stands alone, last."""

    steps: NDArray[np.int64]
    loss: NDArray[np.float32]  # nats a token
    valid_steps: NDArray[np.int64]
    valid_loss: NDArray[np.float32]  # nats a token
    valid_perplexity: NDArray[np.float32]
    valid_token_accuracy: NDArray[np.float32]
    step: int  # the newest; 0 before training
    lr: float | None
    grad_norm: float | None
    tokens_per_second: float | None
    seconds_per_step: float | None  # validation and saving included, since training was last taken up
    n_broken: int  # lines that could not be read: cut by a full disk, say

    def seconds_left(self, steps: int) -> float | None:
        """Until step `steps`, at the pace so far; None before there is one."""
        return None if self.seconds_per_step is None else max(0, steps - self.step) * self.seconds_per_step


class Metrics:
    """Follows a metrics.jsonl: each `read` costs as much as was written since the last. Visitors may share one."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self._state = _State()
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
            return self._state.curves()

    def _start_again(self) -> None:
        self._state, self._offset, self._tail = _State(), 0, b""

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
        self.buckets: list[list[float]] = []  # number of the bucket, lines, sum of steps, sum of losses
        self.newest: Mapping[str, Any] | None = None
        self.valid: list[tuple[int, float, float, float]] = []
        self.window: deque[tuple[float, int]] = deque()  # time and tokens of the last seconds' steps
        self.taken_up: tuple[float, int] | None = None  # time and step from which the pace is taken
        self.time = 0.0
        self.n_broken = 0

    def add(self, line: Mapping[str, Any]) -> None:
        """One line of either kind; others are for other readers. A line that lacks something raises, and changes nothing."""
        if line["kind"] == "valid":
            time = float(line.get("time", self.time))
            self.valid.append((int(line["step"]), float(line["loss"]), float(line["perplexity"]), float(line["token_accuracy"])))
            self.time = time
        elif line["kind"] == "train":
            self._add_step(line)

    def _add_step(self, line: Mapping[str, Any]) -> None:
        step, loss, n_tokens, seconds = int(line["step"]), float(line["loss"]), int(line["n_tokens"]), float(line["seconds"])
        newest = {"step": step, "loss": loss, **{key: float(line[key]) for key in ("lr", "grad_norm") if key in line}}
        self.time = float(line.get("time", self.time + seconds))  # older runs have no time of day
        if self.taken_up is None or line.get("first"):
            self.taken_up = (self.time - seconds, step - 1)
            self.window.clear()
        self.window.append((self.time, n_tokens))
        while self.window[0][0] < self.time - WINDOW:
            self.window.popleft()
        self.newest = newest
        self._pour(step, loss)

    def _pour(self, step: int, loss: float) -> None:
        number = (step - 1) // self.width
        if not self.buckets or self.buckets[-1][0] != number:
            self.buckets.append([number, 0, 0, 0.0])
        bucket = self.buckets[-1]
        bucket[1:] = [bucket[1] + 1, bucket[2] + step, bucket[3] + loss]
        if len(self.buckets) == POINTS:  # one is kept for the newest step
            self._halve()

    def _halve(self) -> None:
        self.width *= 2
        joined: list[list[float]] = []
        for number, *sums in self.buckets:
            if joined and joined[-1][0] == number // 2:
                joined[-1][1:] = [own + more for own, more in zip(joined[-1][1:], sums, strict=True)]
            else:
                joined.append([number // 2, *sums])
        self.buckets = joined

    def curves(self) -> Curves:
        """Arrays of their own, which nobody changes later."""
        points = [(total // lines, loss / lines) for _, lines, total, loss in self.buckets]
        if self.newest and self.buckets[-1][1] > 1:
            points.append((self.newest["step"], self.newest["loss"]))
        newest = self.newest or {}
        return Curves(
            steps=np.array([step for step, _ in points], np.int64),
            loss=_floats([loss for _, loss in points]),
            valid_steps=np.array([row[0] for row in self.valid], np.int64),
            valid_loss=_floats([row[1] for row in self.valid]),
            valid_perplexity=_floats([row[2] for row in self.valid]),
            valid_token_accuracy=_floats([row[3] for row in self.valid]),
            step=newest.get("step", 0),
            lr=newest.get("lr"),
            grad_norm=newest.get("grad_norm"),
            tokens_per_second=self._tokens_per_second(),
            seconds_per_step=self._seconds_per_step(),
            n_broken=self.n_broken,
        )

    def _tokens_per_second(self) -> float | None:
        seconds = self.window[-1][0] - self.window[0][0] if self.window else 0.0
        return sum(tokens for _, tokens in list(self.window)[1:]) / seconds if seconds > 0 else None

    def _seconds_per_step(self) -> float | None:
        if self.taken_up is None or self.newest is None:
            return None
        since, before = self.taken_up
        steps = self.newest["step"] - before
        return float(max(0.0, self.time - since) / steps) if steps > 0 else None


def _floats(values: list[float]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):  # the perplexity of a run that diverges
        return np.array(values, np.float64).astype(np.float32)

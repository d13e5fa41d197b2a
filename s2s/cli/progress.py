"""The progress of training, in a terminal."""

from __future__ import annotations

import math
import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # torch takes seconds to import; --help and mistakes should not
    from s2s.training import Event


MINUTE = 60.0  # seconds


def silence() -> None:
    """Discards further output, because nobody reads it anymore."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class ProgressLine:
    """Prints a line per validation and, on a terminal, the current step in between."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.tokens = 0
        self.seconds = 0.0
        self.done = 0
        self.loss = math.nan
        self.shown = 0.0
        self.told = -math.inf

    def show(self, event: Event) -> None:
        """Prints an event; training continues even if nobody reads the output."""
        try:
            self._show(event)
        except BrokenPipeError:
            silence()

    def tell(self, sentence: str) -> None:
        """Prints that training waits, at most once per minute; called by another thread."""
        if sentence and time.monotonic() - self.told >= MINUTE:
            self.told = time.monotonic()
            print(sentence, file=sys.stderr, flush=True)

    def _show(self, event: Event) -> None:
        from s2s.training import Planned, Sample, Step, Validation, Warned

        if isinstance(event, Step):
            self.tokens = self.tokens + event.n_tokens
            self.seconds = self.seconds + event.seconds
            self.done = self.done + 1
            self.loss = event.loss
            self._live(event.step)
        elif isinstance(event, Validation):
            trained = f"  loss {self.loss:.3f}" if self.done else ""
            valid = f"  valid {event.loss:.3f}  perplexity {event.perplexity:,.2f}  accuracy {event.token_accuracy:.1%}"
            print(f"step {event.step:,}{trained}{valid}{self._throughput(event.step)}", flush=True)
        elif isinstance(event, Planned):
            self.steps = event.steps
        elif isinstance(event, Sample):
            print(f"    {_short(event.source)} -> {_short(event.text)}", flush=True)
        elif isinstance(event, Warned):
            print(event.text, file=sys.stderr, flush=True)

    def _throughput(self, step: int) -> str:
        if not self.done:
            return ""
        left = (self.steps - step) * self.seconds / self.done
        return f"  {self.tokens / self.seconds:,.0f} tokens/s  {left:,.0f} s left"

    def _live(self, step: int) -> None:
        if sys.stdout.isatty() and time.monotonic() - self.shown > 0.5:
            self.shown = time.monotonic()
            print(
                f"step {step:,} of {self.steps:,}  loss {self.loss:.3f}{self._throughput(step)}   ",
                end="\r",
                flush=True,
            )


def _short(text: str, length: int = 100) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"

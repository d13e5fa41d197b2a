"""What a terminal shows of a training."""

from __future__ import annotations

import math
import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # torch takes seconds; --help and mistakes should not
    from s2s.train import Event


def silence() -> None:
    """Nobody reads stdout any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Progress:
    """A line at each validation; between them, on a terminal, how far it is."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.tokens = 0
        self.seconds = 0.0
        self.done = 0
        self.loss = math.nan
        self.shown = 0.0

    def show(self, event: Event) -> None:
        """Print what people want to see of an event; training goes on when nobody reads."""
        try:
            self._show(event)
        except BrokenPipeError:
            silence()

    def _show(self, event: Event) -> None:
        from s2s.train import Sample, Step, Validation, Warned

        if isinstance(event, Step):
            self.tokens = self.tokens + event.n_tokens
            self.seconds = self.seconds + event.seconds
            self.done = self.done + 1
            self.loss = event.loss
            self._live(event.step)
        elif isinstance(event, Validation):
            trained = f"  loss {self.loss:.3f}" if self.done else ""
            valid = f"  valid {event.loss:.3f}  perplexity {event.perplexity:,.2f}  accuracy {event.token_accuracy:.1%}"
            print(f"step {event.step:,}{trained}{valid}{self._pace(event.step)}", flush=True)
        elif isinstance(event, Sample):
            print(f"    {_short(event.source)} -> {_short(event.text)}", flush=True)
        elif isinstance(event, Warned):
            print(event.text, file=sys.stderr, flush=True)

    def _pace(self, step: int) -> str:
        if not self.done:
            return ""
        left = (self.steps - step) * self.seconds / self.done
        return f"  {self.tokens / self.seconds:,.0f} tokens/s  {left:,.0f} s left"

    def _live(self, step: int) -> None:
        if sys.stdout.isatty() and time.monotonic() - self.shown > 0.5:
            self.shown = time.monotonic()
            print(
                f"step {step:,} of {self.steps:,}  loss {self.loss:.3f}{self._pace(step)}   ",
                end="\r",
                flush=True,
            )


def _short(text: str, length: int = 100) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"

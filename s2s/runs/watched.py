"""A Stepper that says before each step that it takes one."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from s2s.decode import Stepper


class WatchedStepper:
    """The same numbers as the stepper that it is made of."""

    def __init__(self, stepper: Stepper, on_step: Callable[[], None]) -> None:
        self._stepper = stepper
        self._on_step = on_step
        self.start_id = stepper.start_id
        self.eos_id = stepper.eos_id
        self.first_id = stepper.first_id
        self.suppressed_ids = stepper.suppressed_ids
        self.sources = stepper.sources

    @property
    def states(self) -> Tensor:
        """(rows, d_model), on the CPU."""
        return self._stepper.states

    @states.setter
    def states(self, states: Tensor) -> None:
        self._stepper.states = states

    @property
    def n_rows(self) -> int:
        """How many rows there are now."""
        return self._stepper.n_rows

    @property
    def max_length(self) -> int | None:
        """Most tokens that a hypothesis may have; None = no limit."""
        return self._stepper.max_length

    def step(self, tokens: Tensor) -> Tensor:
        """The last token of each row (rows,) -> logits of the next (rows, vocab)."""
        self._on_step()
        return self._stepper.step(tokens)

    def reorder(self, rows: Tensor) -> None:
        """Row i becomes what row `rows[i]` was."""
        self._stepper.reorder(rows)

"""Steppers that wrap another one: to call a function before each step, or to end every target at the limit."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from s2s.decode import NEG_INF, Stepper


class WrappedStepper:
    """A stepper that wraps another one and gives the same numbers."""

    def __init__(self, stepper: Stepper) -> None:
        self._stepper = stepper
        self.start_id = stepper.start_id
        self.eos_id = stepper.eos_id
        self.first_id = stepper.first_id
        self.suppressed = stepper.suppressed
        self.suppressed_first = stepper.suppressed_first
        self.renormalizes = stepper.renormalizes
        self.forces_end = stepper.forces_end
        self.sources = stepper.sources

    @property
    def states(self) -> Tensor:
        """The states of the wrapped stepper: (rows, d_model), on the model's device."""
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
        return self._stepper.step(tokens)

    def reorder(self, rows: Tensor) -> None:
        """Row i becomes what row `rows[i]` was."""
        self._stepper.reorder(rows)


class WatchedStepper(WrappedStepper):
    """A stepper that calls `on_step` before each step."""

    def __init__(self, stepper: Stepper, on_step: Callable[[], None]) -> None:
        super().__init__(stepper)
        self._on_step = on_step

    def step(self, tokens: Tensor) -> Tensor:
        self._on_step()
        return super().step(tokens)


class EndingStepper(WrappedStepper):
    """A stepper that ends every target at the limit: as the last allowed token, `</s>` has probability 1, as with
    `forced_eos_token_id` of transformers.
    """

    def __init__(self, stepper: Stepper, limit: int) -> None:
        super().__init__(stepper)
        self._n_left = limit

    def step(self, tokens: Tensor) -> Tensor:
        logits = super().step(tokens)
        self._n_left -= 1
        if not self._n_left:
            logits.fill_(NEG_INF)
            logits[:, self.eos_id] = 0.0
        return logits

"""How far a training is: what its checkpoints say besides weights."""

from __future__ import annotations

from dataclasses import dataclass, replace

from s2s.training.events import Validation


@dataclass(frozen=True)
class Progress:
    """Where training stands after a step: enough to take the next one."""

    step: int = 0
    epoch: int = 0
    batch: int = 0  # batches of this epoch already used
    best_step: int = 0
    best_loss: float = float("inf")
    stale: int = 0  # validations since the best
    seconds: float = 0.0  # of the time budget that are used; 0 without one
    plan: tuple[tuple[int, int], ...] = ()  # from which step on which last step was planned
    observation: float = 0.0  # seconds of the newest validation, where time is limited
    sound_step: int = 0  # the newest one whose validation was better than guessing

    def validated(self, found: Validation, *, is_sound: bool) -> Progress:
        """The progress after a validation: the best so far or one more without improvement; `is_sound`: better than
        guessing.

        The first sound one after step 0, whose weights are never saved, is the best also where step 0's was better.
        """
        new = replace(self, stale=0 if found.is_best else self.stale + 1)
        if is_sound:
            new = replace(new, sound_step=self.step)
        is_first = is_sound and self.step > 0 and self.best_step == 0
        if found.is_best or is_first:
            new = replace(new, best_step=self.step, best_loss=found.loss)
        return new

    def averaged(self, found: Validation) -> Progress:
        """The progress after a mean has replaced this step's weights: the best, unless an earlier checkpoint has a
        lower loss.
        """
        if 0 < self.best_step < self.step and self.best_loss < found.loss:
            return self
        return replace(self, best_step=self.step, best_loss=found.loss)

"""Which pairs validate a run: held-out ones, or its training pairs where the dataset is too small to hold any out."""

from __future__ import annotations

from s2s.ui.kit import cached


def are_held_out(run_id: str) -> bool:
    """Whether a run is validated on pairs that it does not train on."""
    return not any("nothing is held out" in note for note in cached.run_notes(run_id))


def worded_for(run_id: str, text: str) -> str:
    """A text about held-out pairs, corrected where a run has none."""
    if are_held_out(run_id) or "held-out" not in text.lower():
        return text
    corrected = text.replace("Held-out", "Training").replace("held-out", "training")
    return f"{corrected} The dataset is too small to hold out any pairs."

"""The references of an evaluation: where sentences have several, what is computed from the first one only says so."""

from __future__ import annotations

from collections.abc import Sequence

from s2s import settings
from s2s.runs import evaluations
from s2s.ui.kit import cached

FIRST_ONLY = "Of the first reference of each sentence; the others do not count here."


def of_sentences(evaluation: str) -> Sequence[tuple[str, ...]]:
    """All references of each sentence. Shared between visitors: do not modify."""
    evaluations.folder(evaluation)  # asked each time: they may have been read for another visitor
    return _read(str(settings.home()), evaluation)


@cached.shared(max_entries=8, show_spinner=False)
def _read(home: str, evaluation: str) -> Sequence[tuple[str, ...]]:
    return evaluations.folder(evaluation).references()


def has_several(evaluation: str) -> bool:
    """Whether any sentence has more than one reference. Only once its test set is read."""
    return any(len(each) > 1 for each in of_sentences(evaluation))


def note(evaluation: str, text: str) -> str:
    """A sentence that holds where there are several references, with a space before it; else nothing."""
    return f" {text}" if has_several(evaluation) else ""

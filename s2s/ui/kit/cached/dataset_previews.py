"""The visitor's datasets, and a preview of each."""

from __future__ import annotations

import time

from s2s import settings
from s2s.config import UserError, asker
from s2s.data import (
    Preview,
    SavedDataset,
    load_preview,
    profile_of,
    require_readable,
    saved_datasets,
)
from s2s.library.own import list_datasets
from s2s.ui.kit.cached.shared import shared


def datasets() -> list[SavedDataset]:
    """The visitor's own saved datasets, newest first."""
    return list_datasets(asker.current())


def dataset_name(spec: str) -> str:
    """The name of a saved dataset; for any other, its SPEC."""
    return saved_datasets.name_of(spec)


def preview(spec: str) -> Preview:
    """The size, lengths and first pairs of a dataset. Raises UserError for one that cannot be read."""
    require_readable(spec)
    return _preview(str(settings.home()), spec)


@shared(max_entries=16, show_spinner="Reading the dataset …")
def _preview(home: str, spec: str) -> Preview:
    if not spec.startswith("corpus:"):
        return load_preview(spec)
    profile = profile_of(spec)  # made by a process of its own: this one never holds the dataset
    if (known := profile.result("preview")) is None:
        profile.start(("preview",))
        while not (state := profile.state()).is_over:
            time.sleep(0.05)
        known = profile.result("preview")
        if known is None:
            raise UserError(state.error)
    return Preview.read(known)

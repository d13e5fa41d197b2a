"""The page Why each word."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from s2s.ui.steps.next_token import show_next_token
from s2s.ui.steps.page import AskedSearch, ask
from s2s.ui.steps.reference import keep_reference, show_reference
from s2s.ui.steps.samples import show_samples
from s2s.ui.steps.tree import show_tree
from s2s.ui.steps.view_state import STATE

# A slug is stored in links, as `view` in `set`: if you rename one, keep reading the old one.
TABS: Mapping[str, Callable[[AskedSearch], None]] = MappingProxyType(
    {
        "tree": show_tree,
        "next": show_next_token,
        "reference": show_reference,
        "samples": show_samples,
    }
)


def show(asked: AskedSearch) -> None:
    """Draw the chosen tab."""
    keep_reference(asked.run, asked.text)
    TABS[STATE.now.view](asked)

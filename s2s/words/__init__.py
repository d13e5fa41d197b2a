"""The glossary, the names of the numbers on the screens, and how numbers and lists of names are written."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from s2s.words.numbers import (
    FRACTIONS,
    NUMBER_NAMES,
    MetricName,
    duration,
    fine_percent,
    format_value,
    four_digits,
    listed,
    nats,
    percent,
    significant,
    smoothing_note,
)

if TYPE_CHECKING:
    from s2s.words.glossary import GLOSSARY, MEANT_ON, SEEN_IN, TOPICS, Term, forms

__all__ = [
    "FRACTIONS",
    "GLOSSARY",
    "MEANT_ON",
    "NUMBER_NAMES",
    "SEEN_IN",
    "TOPICS",
    "MetricName",
    "Term",
    "duration",
    "fine_percent",
    "forms",
    "four_digits",
    "listed",
    "nats",
    "percent",
    "significant",
    "smoothing_note",
]


def __getattr__(name: str) -> Any:
    """Load the glossary when it is first asked for: most who import names of numbers don't need it."""
    if name not in __all__:
        raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
    return getattr(importlib.import_module("s2s.words.glossary"), name)

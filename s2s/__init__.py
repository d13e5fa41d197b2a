"""The way of a sentence.

A source (`data`) gives pairs; a tokenizer (`tokenizers`) turns them into ids; batches of ids go through the transformer
(`model`); the loop (`train`) turns losses into weights; a folder (`runs`) stores them; search (`decode`) generates a
target token by token; `analysis` looks inside the model; `plots` draws the result; `ui` shows it on a page; `share`
makes the page a link.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from s2s.config import PRESETS, Recipe, UserError
    from s2s.runs import Run, load

__all__ = ["PRESETS", "Recipe", "Run", "UserError", "load"]

_HOMES = {
    "PRESETS": "s2s.config",
    "Recipe": "s2s.config",
    "Run": "s2s.runs",
    "UserError": "s2s.config",
    "load": "s2s.runs",
}


def __getattr__(name: str) -> Any:
    """Public names are imported when first used: `import s2s` costs no torch."""
    if name not in _HOMES:
        raise AttributeError(f"module `s2s` has no attribute `{name}`")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)

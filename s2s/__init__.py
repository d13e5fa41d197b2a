"""The way of a sentence.

A source (`data`) gives pairs; a tokenizer (`tokenizers`) turns them into ids; batches of ids go through the transformer
(`model`); the loop (`training`) turns losses into weights; a folder (`runs`) stores them; search (`decode`) generates a
target token by token; `analysis` looks inside the model; `plots` draws the result; `ui` shows it on a page; `links`
makes the page a link.
"""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from s2s.api import Run, ask, load, mean_and_spread, train
    from s2s.config import PRESETS, Recipe, UserError
    from s2s.data import Corpus

__all__ = [
    "PRESETS",
    "Corpus",
    "Recipe",
    "Run",
    "UserError",
    "ask",
    "load",
    "mean_and_spread",
    "train",
]

# Threads of torch sleep while they wait for each other, unless the environment says otherwise; it is read when torch is
# imported. Beside other programs, two threads that spin instead trained at 300 tokens per second, these at 9,700. Only
# a training that adapts their number lets them spin: see `settings.for_threads`.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

_HOMES = {
    "Corpus": "s2s.data",
    "PRESETS": "s2s.config",
    "Recipe": "s2s.config",
    "Run": "s2s.api",
    "UserError": "s2s.config",
    "ask": "s2s.api",
    "load": "s2s.api",
    "mean_and_spread": "s2s.api",
    "train": "s2s.api",
}


def __getattr__(name: str) -> Any:
    """Public names are imported when first used: `import s2s` costs no torch."""
    if name not in _HOMES:
        message = f"module `s2s` has no attribute `{name}`"
        raise AttributeError(message, name=name, obj=sys.modules[__name__])
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    folders = {name for name, value in globals().items() if isinstance(value, ModuleType)}
    ours = {name for name in folders if f"{__name__}.{name}" in sys.modules}
    return sorted({*__all__, *ours, *(name for name in globals() if name.startswith("__"))})

"""The datasets that ship with the program: those that are built in and those that are generated."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.data import BUILTINS, SYNTHETIC, is_for_tests

DEFAULT_DATASET = "builtin:en-fr"
# from the SPEC of a dataset that can be trained on to its summary
SHIPPED_DATASETS: Mapping[str, str] = MappingProxyType(
    {
        f"{kind}:{name}": row.summary
        for kind, rows in (("builtin", BUILTINS), ("synthetic", SYNTHETIC))
        for name, row in rows.items()
        if not is_for_tests(f"{kind}:{name}")
    }
)

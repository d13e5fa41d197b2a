"""Data that is shipped beside the code, as TOML, which people edit."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any


def shipped(module: str, name: str) -> dict[str, Any]:
    """The file `name` in the folder of a module, which gives its `__file__`."""
    return tomllib.loads((Path(module).parent / name).read_text(encoding="utf-8"))

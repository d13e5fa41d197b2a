"""The program's name and version, and where it cannot run. Python 3.8 can read this file, to say what is wrong."""

from __future__ import annotations

import os
import re
import sys
from functools import lru_cache
from importlib import metadata
from pathlib import Path

# What pip installs, and what Home and README say; `s2s`, the module and the command, is there another project's.
NAME = "seq2seq-lab"
PROJECT = Path(__file__).parents[1] / "pyproject.toml"

# The bounds of pyproject.toml.
PYTHON = (3, 11)
TORCH = (2, 13)
TORCH_BELOW = 3
STORE = (
    "`S2S_STORE` is set, and everything is in the folder of S2S_HOME now, which all machines share: copy the bucket to"
    ' it with the version of s2s that wrote it (docs/hosting.md, "On several machines", has the command), then unset'
    " S2S_STORE."
)


@lru_cache(maxsize=1)
def version() -> str:
    """The version of the installed program, or of pyproject.toml if it runs from the project's folder."""
    try:
        return metadata.version(NAME)
    except metadata.PackageNotFoundError:
        import tomllib

        about = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
        return str(about["project"]["version"])


def unsupported() -> str:
    """A sentence where this Python, the installed torch or a setting is not one that the program runs with; else "".

    Reads torch's version without importing it.
    """
    if sys.version_info[:2] < PYTHON:
        return (
            f"This is Python {_text(sys.version_info[:3])}; s2s needs Python {_text(PYTHON)} or newer: create an"
            " environment with one, and install s2s there."
        )
    needed = (
        f"s2s needs torch {_text(TORCH)} or newer, and below {TORCH_BELOW}: install one of these in this"
        " environment."
    )
    try:
        found = metadata.version("torch")
    except metadata.PackageNotFoundError:
        return f"torch is not installed; {needed}"
    numbers = tuple(int(number) for number in re.findall(r"\d+", found)[:2])
    if not TORCH <= numbers < (TORCH_BELOW,):
        return f"torch {found} is installed; {needed}"
    return STORE if os.environ.get("S2S_STORE", "").strip() else ""


def _text(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers))

"""The figures' library as a file has it: the code that plotly ships, in a form that a browser starts in a third of
the time.

A browser reads functions within functions once per level, so the two around everything go; it reads a text of one-byte
characters faster; and the kinds of traces that no figure has are not started. Knows nothing of pages.
"""

from __future__ import annotations

import base64
import functools
import gzip
import re
from pathlib import Path

import plotly

PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
BEGIN = '"use strict";var Plotly=('
END = "window.Plotly = Plotly;"
MODULE = re.compile(r"\b(\w+)=\w+\(\([\w,]*\)=>\{")  # where one begins
REGISTER = re.compile(r"\.register\(\[((?:\w+\(\),)+\w+\(\))\]\)")
BASIC = "scatter"  # the kind that is always there
SPAN = 2000  # characters within which a module says its name


@functools.lru_cache(8)
def source(kinds: frozenset[str]) -> str:
    """The part of Plotly's script that draws these kinds of traces, such as `bar`.

    Raises ValueError for another kind, and where plotly's file is not written as expected.
    """
    shipped = PLOTLY.read_text(encoding="utf-8")
    start, end = shipped.index(BEGIN), shipped.rindex(END)
    license = shipped[: shipped.index("*/") + 2]
    code = re.sub(
        r"[^\x00-\xff]", lambda found: f"\\u{ord(found[0]):04x}", license + shipped[start:end]
    )
    modules = max(REGISTER.finditer(code), key=lambda found: len(found[0]))
    every = modules[1].split(",")
    needed = {kind: f"{_module(code, kind)}()" for kind in sorted(kinds - {BASIC})}
    if unknown := [kind for kind, module in needed.items() if module not in every]:
        raise ValueError(
            f"plotly's file has no module of the traces {unknown} where it is looked for"
        )
    at = modules.start(1)
    return code[:at] + ",".join(needed.values()) + code[at + len(modules[1]) :]


@functools.lru_cache(8)
def packed(kinds: frozenset[str]) -> str:
    return base64.b64encode(gzip.compress(source(kinds).encode(), 9, mtime=0)).decode()


def _module(code: str, kind: str) -> str:
    trace = _before(code, f'moduleType:"trace",name:"{kind}"')
    return _before(code, f".exports={trace}()}}") if trace else ""


def _before(code: str, words: str) -> str:
    at = code.find(words)
    found = list(MODULE.finditer(code, max(0, at - SPAN), at)) if at > 0 else []
    return found[-1][1] if found else ""

"""Words on our screens: those of other people are shown as they stand, never run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

JOINER = "\u2060"  # invisible, no width, never a line's end


def plain(text: str) -> str:
    r"""Markdown that shows `text` and nothing else: `*x*` -> `\*x\*`.

    A backslash does not stop `:material/x:` or an emoji's `:name:`; an invisible joiner after the colon does.
    """
    return _escaped(" ".join(text.split()))


def _escaped(text: str) -> str:
    return re.sub(r"([!-/;-@\[-`{-~])", r"\\\1", text).replace(":", f":{JOINER}")


def as_markdown(sentence: str) -> str:
    """One of our own sentences, which may quote a visitor: what stands in backticks is set as code, the rest is `plain`."""
    parts = re.split(r"`([^`]*[^`\s][^`]*)`", " ".join(sentence.split()))
    return "".join(f"`{part}`" if i % 2 else _escaped(part) for i, part in enumerate(parts))


def unique_names(names: Mapping[str, str]) -> dict[str, str]:
    """The same names, but for those that stand for several keys: they get the key's end. (A widget's options travel by name.)"""
    often = Counter(names.values())
    return {
        key: name if often[name] == 1 else f"{name} · {key[-4:]}" for key, name in names.items()
    }


def shortened(text: str, length: int = 40) -> str:
    """So many characters at most, the last one `…` where some are missing."""
    return text if len(text) <= length else text[: length - 1] + "…"


def duration(seconds: float) -> str:
    """`95` -> `2 min`."""
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    hours = seconds / 3600
    return f"{hours:.1f} h" if hours < 48 else f"{hours / 24:,.0f} days"

"""Text for the screen: what visitors wrote is shown literally, never interpreted."""

from __future__ import annotations

import re
from types import MappingProxyType

from s2s import config
from s2s.reports.differences import highlighted
from s2s.words import GLOSSARY

PLAIN = MappingProxyType({row.term: row.plain for row in GLOSSARY})
JOINER = "\u2060"  # invisible, without width, and no line breaks at it
LONGEST = 300  # characters of a cell
MARGIN = 40  # characters beyond twice the reference's length: early translations never end
PLAIN = MappingProxyType({row.term: row.plain for row in GLOSSARY})


def plain(text: str) -> str:
    r"""Markdown that shows `text` literally: `*x*` -> `\*x\*`.

    A backslash does not stop `:material/x:` or an emoji's `:name:`; an invisible joiner after the colon does.
    """
    return _escaped(" ".join(text.split()))


def _escaped(text: str) -> str:
    return re.sub(r"([!-/;-@\[-`{-~])", r"\\\1", text).replace(":", f":{JOINER}")


def as_markdown(sentence: str) -> str:
    """One of our own sentences, which may quote a visitor: what is in backticks becomes code, the rest is `plain`."""
    parts = re.split(r"`([^`]*[^`\s][^`]*)`", " ".join(sentence.split()))
    return "".join(f"`{part}`" if i % 2 else _escaped(part) for i, part in enumerate(parts))


def note_markdown(note: str) -> str:
    """The note of a lesson: paragraphs, lists, **bold**, *italics* and `code`; everything else is shown literally."""
    return "\n".join(map(_note_line, note.splitlines()))


def _note_line(line: str) -> str:
    found = re.match(r"(\s*(?:[-*]|\d{1,3}\.)\s+)?(.*)", line)
    marker, text = found.groups() if found else ("", line)
    parts = re.split(r"(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*)", text)
    return (marker or "") + "".join(
        _marked(part) if i % 2 else _escaped(part) for i, part in enumerate(parts)
    )


def _marked(part: str) -> str:
    if part.startswith("`"):
        return part
    mark = "**" if part.startswith("**") else "*"
    return f"{mark}{_escaped(part[len(mark) : -len(mark)])}{mark}"


def shortened(text: str, length: int = 40) -> str:
    """The text in at most `length` characters, the last one `…` where some are missing."""
    return config.shortened(text, length)


def turn(before: int | None, seconds: float | None) -> str:
    """A phrase about where a job stands in the queue: `3 ahead of it, starts in about 4 minutes`."""
    ahead = f"{before} ahead of it" if before else "next to start"
    if seconds is None:
        return ahead
    if seconds < 60:
        return f"{ahead}, starts within a minute"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{ahead}, starts in about {minutes} minute{'s' * (minutes != 1)}"
    return f"{ahead}, starts in about {round(minutes / 60)} hours"


def file_name(title: str) -> str:
    """A title as a file's name: letters, digits and hyphens."""
    return re.sub(r"[^\w-]+", "-", title).strip("-")


def definitions(*terms: str) -> str:
    """The glossary's plain sentences for the help of a widget. Raises KeyError for a term that it has not."""
    return "\n\n".join(f"**{term}**: {PLAIN[term]}" for term in terms)


def against_reference(text: str, reference: str, longest: int = LONGEST) -> str:
    """A table cell: a translation as HTML, truncated, with its differences from the reference marked.

    Both texts are truncated alike, to `longest` characters, where the reference has more; else words that only one kept
    would look missing.
    """
    most = longest if len(reference) > longest else 2 * len(reference) + MARGIN
    reference = shortened(reference, longest).strip()
    text = shortened(text, most).strip()
    shown, _ = highlighted(text, reference)
    return shown if text else f"(nothing) {shown}".rstrip()

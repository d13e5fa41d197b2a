"""One HTML file that opens anywhere: light and dark, on paper, without a network. Knows nothing of runs or pages.

Every function takes plain text and escapes it, except for what is called `body`, `svg` or `html`.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path

from s2s.plots.svg_sheet import visible_controls
from s2s.versions import NAME, version

STYLE = Path(__file__).with_name("document.css").read_text(encoding="utf-8")


def page(
    title: str,
    body: str,
    *,
    scripts: Sequence[str] = (),
    allowed: Sequence[str] = (),
    style: str = "",
) -> str:
    """The whole HTML file. Its policy allows no connection, and only these scripts: nothing else in `body` runs.

    `allowed` are further scripts, which one of `scripts` adds to the page.
    """
    hashes = " ".join(map(_hash, (*scripts, *allowed))) or "'none'"
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:;"
        f" base-uri 'none'; form-action 'none'; script-src {hashes}"
    )
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="generator" content="{NAME} {version()}"><meta name="color-scheme" content="light dark">'
    )
    own = "".join(f"<script>{script}</script>" for script in scripts)
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<title>{text(title)}</title>'
        f"<style>{STYLE}{style}</style></head>\n<body><main>{body}</main>\n{own}</body></html>\n"
    )


@functools.lru_cache(8)
def _hash(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def header(title: str, subtitle: str, made: str, link: str = "") -> str:
    """The title, a line below it, when and by which version it was made, and the link that opens it."""
    about = f"<p>{text(subtitle)}</p>" if subtitle else ""
    where = (
        f' <a href="{text(link)}">Open it</a>, where that server can be reached.' if link else ""
    )
    return (
        f"<header><h1>{text(title)}</h1>{about}<p><small>{text(made)}.{where}</small></p></header>"
    )


def made_at(moment: datetime | None = None) -> str:
    """When and by which version a file was made: `Made with seq2seq-lab 0.1.0 on 2026-03-01 at 12:00 UTC`."""
    when = (moment or datetime.now(UTC)).astimezone(UTC)
    return f"Made with {NAME} {version()} on {when:%Y-%m-%d} at {when:%H:%M} UTC"


def text(words: object) -> str:
    """Text escaped for an HTML element or attribute; control characters become visible symbols."""
    return escape(visible_controls(str(words)))


def section(title: str, *html: str) -> str:
    """A heading with HTML below it."""
    return f"<section><h2>{text(title)}</h2>{''.join(html)}</section>"


def paragraph(words: str, kind: str = "") -> str:
    return f"<p{f' class={kind}' if kind else ''}>{text(words)}</p>"


def figure(svg: str, caption: str = "", *, is_on_white: bool = False) -> str:
    """An SVG figure with its caption; `is_on_white` keeps its light background in a dark scheme."""
    below = f"<figcaption>{text(caption)}</figcaption>" if caption else ""
    kind = "white" if is_on_white else "plain"
    return f'<figure class="{kind}">{svg}{below}</figure>'


def facts(rows: Mapping[str, str]) -> str:
    """A list of names with their values, one row each; those without a value are left out."""
    cells = (
        f'<tr><th scope="row">{text(name)}</th><td><bdi>{text(value)}</bdi></td></tr>'
        for name, value in rows.items()
        if value
    )
    return f'<table class="facts">{"".join(cells)}</table>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """A table with columns of texts; a cell that is a number is set on the right."""
    columns = "".join(f'<th scope="col">{text(name)}</th>' for name in head)
    lines = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    named = f"<caption>{text(caption)}</caption>" if caption else ""
    return (
        f'<div class="scroll"><table>{named}<thead><tr>{columns}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>"
    )


def _cell(value: str) -> str:
    is_number = value[:1] in "+-−.0123456789" and any(map(str.isdigit, value)) and len(value) < 24
    kind = ' class="number"' if is_number else ""
    return f"<td{kind}><bdi>{text(value)}</bdi></td>"


def code(words: str) -> str:
    """Preformatted text."""
    lines = "\n".join(map(visible_controls, words.split("\n")))
    return f"<pre><code>{escape(lines)}</code></pre>"


def folded(summary: str, *html: str) -> str:
    """A section that opens by a click, and is always open on paper."""
    return f"<details><summary>{text(summary)}</summary>{''.join(html)}</details>"

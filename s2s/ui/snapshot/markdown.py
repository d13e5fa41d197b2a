"""Markdown as HTML: what the pages write of it, and nothing else. Whatever it does not know stays text."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from types import MappingProxyType

from s2s.plots.svg_sheet import visible_controls
from s2s.ui.kit.text import JOINER

LITERAL = re.compile(r"\\([!-/:-@\[-`{-~])")
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
ICON = re.compile(r":material/\w+:\s?")
FORMULA = re.compile(r"\$\$?([^$\n]+?)\$\$?")
LINK = re.compile(r"\[([^\[\]]*)\]\((\S+?)\)")
WEB = re.compile(r"https?://[^\s\"'<>]+")
DIRECTIVE = re.compile(r":([a-z]+)(?:-(?:badge|background))?\[([^\[\]]*)\]")
RULE = re.compile(r"\|?[\s:|-]*-[\s:|-]*")
ITEM = re.compile(r"(?:[-*]|\d+\.)\s+")
SHELVED = "\ue000"  # stands for a part that is finished, with its number between two of them
SPANS: MappingProxyType[str, str] = MappingProxyType(
    {r"\*\*(.+?)\*\*": "strong", r"\*(.+?)\*": "em"}
)


def inline(text: str) -> str:
    """One paragraph: emphasis, code, formulas (as written) and links to other sites."""
    parts: list[str] = []

    def shelve(html: str) -> str:
        parts.append(html)
        return f"{SHELVED}{len(parts) - 1}{SHELVED}"

    def shelving(make: Callable[[re.Match[str]], str]) -> Callable[[re.Match[str]], str]:
        return lambda found: shelve(make(found))

    text = text.replace(SHELVED, "").replace(JOINER, "")
    text = LITERAL.sub(shelving(lambda found: escape(found[1])), text)
    text = CODE.sub(shelving(lambda found: f"<code>{_text(found[2].strip())}</code>"), text)
    text = FORMULA.sub(shelving(lambda found: f"<code>{_text(found[1].strip())}</code>"), text)
    text = ICON.sub("", text)
    text = _text(text)
    text = LINK.sub(lambda found: _link(found[1], found[2]), text)
    text = DIRECTIVE.sub(r'<span class="badge">\2</span>', text)
    for pattern, tag in SPANS.items():
        text = re.sub(pattern, rf"<{tag}>\1</{tag}>", text, flags=re.DOTALL)
    while SHELVED in text:
        text = re.sub(f"{SHELVED}(\\d+){SHELVED}", lambda found: parts[int(found[1])], text)
    return text


def _text(text: str) -> str:
    return escape(visible_controls(text.replace("\n", " ")))


def _link(words: str, address: str) -> str:
    if not WEB.fullmatch(address):
        return words
    return f'<a href="{address}" rel="noreferrer">{words}</a>'


def to_html(text: str) -> str:
    """Paragraphs, headings, lists, tables and blocks of code."""
    blocks = re.split(r"\n\s*\n", text.strip())
    return "".join(_block(block) for block in blocks if block.strip())


def _block(block: str) -> str:
    lines = [line.rstrip("\n") for line in block.strip("\n").split("\n")]
    if lines[0].lstrip().startswith("```"):
        code = "\n".join(line for line in lines if not line.lstrip().startswith("```"))
        return f"<pre><code>{escape(code)}</code></pre>"
    if heading := re.match(r"(#{1,6})\s+(.*)", lines[0]):
        rest = _block("\n".join(lines[1:])) if lines[1:] else ""
        return f"<h3>{inline(heading[2])}</h3>{rest}"
    if len(lines) > 1 and "|" in lines[0] and RULE.fullmatch(lines[1].strip()):
        return _table([lines[0], *lines[2:]])
    if all(ITEM.match(line.lstrip()) for line in lines):
        tag = "ol" if lines[0].lstrip()[0].isdigit() else "ul"
        items = "".join(
            f"<li>{inline(ITEM.sub('', line.lstrip(), count=1))}</li>" for line in lines
        )
        return f"<{tag}>{items}</{tag}>"
    broken = (
        "  \n".join(lines).split("  \n") if any(line.endswith("  ") for line in lines) else [block]
    )
    return f"<p>{'<br>'.join(inline(part.strip()) for part in broken if part.strip())}</p>"


def _table(lines: list[str]) -> str:
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    head, *body = rows
    cells = "".join(f"<th>{inline(cell)}</th>" for cell in head)
    rest = "".join(
        f"<tr>{''.join(f'<td>{inline(cell)}</td>' for cell in row)}</tr>" for row in body
    )
    return f"<table><tr>{cells}</tr>{rest}</table>"

"""HTML of ours with only the tags and attributes that show something: nothing that runs, loads or covers the page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from html.parser import HTMLParser

from s2s.plots.svg_sheet import visible_controls

VOID = frozenset({"br", "hr", "col", "wbr"})
TAGS = VOID | frozenset(
    "b bdi bdo big blockquote caption cite code colgroup dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5"
    " h6 i ins kbd li mark ol p pre q s section small span strong sub summary sup table tbody td tfoot th thead tr u"
    " ul var svg g path rect circle ellipse line polyline polygon text tspan title desc".split()
)
DROPPED = frozenset(
    "script style template iframe object embed noscript textarea select button form math".split()
)
ATTRIBUTES = frozenset(
    "class dir lang title style colspan rowspan scope open role aria-label aria-hidden data-of start"
    " viewbox width height x y x1 x2 y1 y2 cx cy r rx ry dx dy d points transform fill stroke stroke-width"
    " stroke-dasharray stroke-linecap stroke-linejoin opacity fill-opacity font-size font-weight text-anchor"
    " dominant-baseline preserveaspectratio".split()
)
CASED = {"viewbox": "viewBox", "preserveaspectratio": "preserveAspectRatio"}
UNSAFE_STYLE = ("url", "@", "\\", "position", "expression", "image", "behavior", "/*")


class _Cleaner(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out: list[str] = []
        self.open: list[str] = []
        self.dropping: list[str] = []

    def handle_starttag(self, tag: str, attributes: Sequence[tuple[str, str | None]]) -> None:
        if tag in DROPPED or self.dropping:
            self.dropping += [tag] if tag in DROPPED else []
            return
        if tag not in TAGS:
            return
        self.out.append(f"<{tag}{''.join(map(_attribute, attributes))}>")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: Sequence[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.dropping:
            if self.dropping[-1] == tag:
                self.dropping.pop()
            return
        if tag not in self.open:
            return
        while self.open:
            last = self.open.pop()
            self.out.append(f"</{last}>")
            if last == tag:
                return

    def handle_data(self, data: str) -> None:
        if not self.dropping:
            lines = data.split("\n")
            self.out.append("\n".join(escape(visible_controls(line)) for line in lines))


def _attribute(pair: tuple[str, str | None]) -> str:
    name, value = pair[0], pair[1] or ""
    is_unsafe = name == "style" and any(word in value.lower() for word in UNSAFE_STYLE)
    if name not in ATTRIBUTES or is_unsafe or "url(" in value.lower():
        return ""
    return f' {CASED.get(name, name)}="{escape(visible_controls(value))}"'


def clean(html: str) -> str:
    """The same HTML without what is not allowed; every element that is left open is closed."""
    cleaner = _Cleaner()
    cleaner.feed(html)
    cleaner.close()
    return "".join([*cleaner.out, *(f"</{tag}>" for tag in reversed(cleaner.open))])

"""What a browser would take for markup or Markdown in what a page sends it."""

import re
from collections.abc import Iterator
from typing import Any

from streamlit.testing.v1 import AppTest

HTML = re.compile(r"<img/src|<a/href|<script>alert")
MARKDOWN = re.compile(
    r"(?<!\\)\]\(http://evil|:material/bug_report|(?<!\\):red\[|(?<!\\)\$x\^|(?<![\\*])\*\*b"
)
# What the browser shows as it is: what widgets hold, ids, tables, source code, and the data of components.
LITERAL = re.compile(
    r"(id|key|value|default|options|placeholder|file_name|url|alt|accessible_label|string_data|json|spec|columns)$"
)
CODE = re.compile(r"`[^`\n]*`")


def _strings(message: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """The names and values of all texts in what the browser is sent."""
    for field, value in message.ListFields():
        each = [value] if isinstance(value, str | bytes) or hasattr(value, "ListFields") else value
        for one in each if isinstance(each, list) or hasattr(each, "__iter__") else ():
            if hasattr(one, "ListFields"):
                yield from _strings(one, field.name)
            elif isinstance(one, str):
                yield field.name, one


def interpreted(screen: AppTest) -> list[str]:
    """What a browser would take for markup or Markdown."""
    found = []
    for element in screen._tree:
        proto = getattr(element, "proto", None)
        kind = type(proto).__name__
        for name, text in _strings(proto) if hasattr(proto, "ListFields") else ():
            if kind == "PlotlyChart" and name == "spec":  # which reads some HTML
                found += [text[:200]] if HTML.search(text) else []
            elif not LITERAL.search(name) and kind not in ("Code", "BidiComponent"):
                is_wrong = HTML.search(text) or (
                    kind != "Html" and MARKDOWN.search(CODE.sub("", text))
                )
                found += [f"{kind}.{name}: {text[:200]}"] if is_wrong else []
    return found

"""What a script run has sent to the browser: the elements of the page as a tree, whatever function drew them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from s2s.ui.streamlit_parts import (
    Block,
    Element,
    ForwardMsg,
    ScriptRunContext,
    WidgetState,
    get_script_run_ctx,
)

KEY = "page record"  # in the session: that of the newest run
MAIN = 0  # the first index of a path: the page, without the sidebar


@dataclass
class Node:
    """A block with what is in it, or an element."""

    block: Block | None = None
    element: Element | None = None
    children: list[Node] = field(default_factory=list)


class PageRecord:
    """The newest element at each path of the page."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, ...], Block | Element] = {}

    def add(self, message: ForwardMsg) -> None:
        """Takes note of a message to the browser; all but those that draw something on the page are passed over."""
        path = tuple(message.metadata.delta_path)
        if not message.HasField("delta") or path[:1] != (MAIN,):
            return
        kind = message.delta.WhichOneof("type")
        if kind == "add_block":
            self._found[path] = message.delta.add_block
        elif kind == "new_element":
            self._clear(path)  # what was in a block that has become an element
            self._found[path] = message.delta.new_element

    def _clear(self, path: tuple[int, ...]) -> None:
        if isinstance(self._found.get(path), Block):
            inside = [each for each in self._found if each[: len(path)] == path]
            for each in inside:
                del self._found[each]

    def tree(self) -> list[Node]:
        """Everything on the page, from top to bottom."""
        roots: list[Node] = []
        nodes: dict[tuple[int, ...], Node] = {}
        for path in sorted(self._found.copy()):
            found = self._found[path]
            node = Node(block=found) if isinstance(found, Block) else Node(element=found)
            nodes[path] = node
            parent = nodes.get(path[:-1])
            (parent.children if parent else roots).append(node)
        return roots


def begin_record() -> None:
    """From now on, what this run of the script draws is recorded for the Share button, which is drawn last."""
    context = get_script_run_ctx()
    if context is None:
        return
    record = PageRecord()
    own = context

    def enqueue(message: ForwardMsg) -> None:
        record.add(message)
        ScriptRunContext.enqueue(own, message)

    context.enqueue = enqueue  # type: ignore[method-assign,assignment]
    st.session_state[KEY] = record


def forget_record() -> None:
    """What this run of the script draws is not recorded: the page shows Pictures alone."""
    st.session_state.pop(KEY, None)


@contextlib.contextmanager
def unrecorded() -> Iterator[None]:
    """What is drawn meanwhile is not recorded."""
    context = get_script_run_ctx()
    recording = vars(context).pop("enqueue", None) if context else None
    try:
        yield
    finally:
        if context and recording:
            context.enqueue = recording  # type: ignore[method-assign]


def values_of(nodes: Sequence[Node]) -> dict[str, Any]:
    context = get_script_run_ctx()
    states = context.session_state.get_widget_states() if context else []
    chosen = {state.id: labels for state in states if (labels := _labels(state)) is not None}
    found = {}
    for widget in _widgets(nodes):
        if (key := key_of(widget.id)) and key in st.session_state:
            value = st.session_state[key]
            found[widget.id] = _shown(widget, value, chosen.get(widget.id))
    return found


def _widgets(nodes: Sequence[Node]) -> Iterator[Any]:
    for node in nodes:
        if node.element is not None:
            element = getattr(node.element, str(node.element.WhichOneof("type")))
            if hasattr(element, "id"):
                yield element
        yield from _widgets(node.children)


def _labels(state: WidgetState) -> list[str] | None:
    if state.HasField("string_value"):
        return [state.string_value]
    return [*state.string_array_value.data] if state.HasField("string_array_value") else None


def _shown(widget: Any, value: Any, chosen: list[str] | None) -> Any:
    options = [getattr(option, "content", option) for option in getattr(widget, "options", ())]
    if not options or not hasattr(widget, "set_value"):  # a menu shows no choice
        return value
    if widget.set_value:
        raw = widget.raw_values if hasattr(widget, "raw_values") else widget.raw_value
        return raw if isinstance(raw, str) else [*raw]
    if chosen is not None:
        return chosen
    default = widget.default
    if isinstance(default, int):  # of one option, and it may have none
        default = [default] if widget.HasField("default") else []
    return [options[int(index)] for index in default]


def key_of(id: str) -> str:
    """The key that a widget or container was given: `$$ID-0f…-src` -> `src`; empty for one without."""
    prefix, _, rest = id.partition("-")
    key = rest.partition("-")[2]
    return key if prefix == "$$ID" and key != "None" else ""

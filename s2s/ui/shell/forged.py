"""Widget values that no page has offered, which a program that is no browser may send.

They are dropped before a page or a callback reads them: what the widget had before stays, and a notice says so.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from s2s.ui.kit import pickers
from s2s.ui.kit.pickers import NOTICES
from s2s.ui.streamlit_parts import (
    Serialized,
    SessionState,
    WidgetMetadata,
    WidgetState,
    WidgetStates,
    unpack_widget_state_value,
)

REFUSED = "What was chosen is not offered here, or no longer; what was there before stays."
NUMBERS = {"int_value", "double_value"}  # a browser sends whole ones as the former
UPLOADS = ("file_uploader_state_value", "chat_input_value")  # to read one takes its files


def refuse_forged_values() -> None:
    """Refuse, in every session, widget values that no browser could have sent."""
    arrive: Callable[..., Any] = SessionState.on_script_will_rerun
    register: Callable[..., Any] = SessionState.register_widget

    @functools.wraps(arrive)
    def arriving(session: SessionState, given: WidgetStates | None, **more: Any) -> Any:
        drawn = session._new_widget_state.widget_metadata
        sent = given.widgets if given else ()
        kept = [one for one in sent if not is_forged(drawn.get(one.id), one, has_options=True)]
        if len(kept) < len(sent):
            given = WidgetStates(widgets=kept)
            _say()
        return arrive(session, given, **more)

    @functools.wraps(register)
    def registering(session: SessionState, metadata: WidgetMetadata[Any], key: str | None) -> Any:
        states = session._new_widget_state.states
        sent = states.get(metadata.id)
        if isinstance(sent, Serialized) and is_forged(metadata, sent.value):
            del states[metadata.id]
            _say()
        return register(session, metadata, key)

    SessionState.on_script_will_rerun = arriving  # type: ignore[method-assign,assignment]
    SessionState.register_widget = registering  # type: ignore[method-assign,assignment]


def is_forged(
    metadata: WidgetMetadata[Any] | None, sent: WidgetState, *, has_options: bool = False
) -> bool:
    """Whether a widget cannot have this value; False for a widget not drawn yet.

    `has_options`: whether the browser has seen the options of which it sends one.
    """
    field = sent.WhichOneof("value")
    if metadata is None or field is None:
        return False
    if field != metadata.value_type and {field, metadata.value_type} != NUMBERS:
        return True
    if field in UPLOADS:
        return False
    try:
        value = unpack_widget_state_value(sent)
        read = metadata.deserializer(value)
    except Exception:  # of whatever kind: no page has sent that
        return True
    if has_options and metadata.formatted_options is not None:
        chosen = {value} if isinstance(value, str) else {*value}
        return not chosen <= {*metadata.formatted_options}
    return isinstance(read, Mapping) and "selection" in read and not _is_selection(read)


def _is_selection(read: Mapping[str, Any]) -> bool:
    selection = read["selection"]
    if not isinstance(selection, Mapping):
        return False
    rows = selection.get("rows", [])
    points = selection.get("points", [])
    return (
        isinstance(rows, list)
        and all(type(row) is int and row >= 0 for row in rows)
        and isinstance(points, list)
        and all(isinstance(point, Mapping) for point in points)
    )


def _say() -> None:
    if all(notice.sentence != REFUSED for notice in st.session_state.get(NOTICES, [])):
        pickers.notify(REFUSED)

"""Values in the address that belong to no single widget: `c1`, `set`, `tgt`. Bound widgets read and write their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qs, parse_qsl, urlencode

import streamlit as st

from s2s.links.share import MAX_LENGTH, pack, printable
from s2s.ui.streamlit_parts import get_script_run_ctx

BOUND = ("run", "src", "layer", "head", "kind")  # to widgets
UNREAD = "\0"  # as a mark: whatever the address has is new
LANGUAGES = ("src_lang", "tgt_lang")  # in `set`: the frame's, on every page
ADDED = "added to set"  # in the session
BARE = "without a view"  # whether the address said nothing but the run when the page was opened


def read(key: str) -> str | None:
    """A new value in the address, from a link or after Back; None where it has not changed.

    It is empty after Back to an address without such a value.
    """
    given = fresh(key)
    if given is not None:
        st.session_state[_mark(key)] = st.query_params.get(key)
    return given


def fresh(key: str) -> str | None:
    """A new value in the address, as `read` returns it, without marking it as read."""
    given = st.query_params.get(key)
    if given == st.session_state.get(_mark(key)):
        return None
    return printable(given or "")[:MAX_LENGTH]


def read_again(key: str) -> None:
    """Treat a field of the address as new; if it is missing, its default counts."""
    st.session_state[_mark(key)] = UNREAD


def add_to_set(values: Mapping[str, str]) -> None:
    """Make every `set` written from now on carry these values, too."""
    st.session_state[ADDED] = pack(values)


def with_added(packed: str) -> str:
    """A link's `set` with the values of `add_to_set`, unless it names languages itself."""
    added = "" if any(f"{key}:" in packed for key in LANGUAGES) else st.session_state.get(ADDED)
    return ",".join(filter(None, (packed, added)))


def write(key: str, value: str, default: str = "") -> None:
    """Keeps a value in the session, and in the address unless it is the default."""
    if key == "set":
        value = with_added(value)
    st.session_state[key] = value
    written = None if value == default else value
    if st.query_params.get(key) != written:
        if written is None:
            del st.query_params[key]
        else:
            st.query_params[key] = written
    st.session_state[_mark(key)] = written


def keep_typed(key: str, text: str, default: str) -> None:
    """Correct the address that the browser sends along with a text typed in a live widget.

    It may be that of the text before, which whatever is written later would bring back.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context and text not in (default, st.query_params.get(key)):
        with context.session_state.query_params() as params:
            params.set_corrected_value(key, text, "string_value")


def turn_page(url_path: str, keys: Sequence[str]) -> bool:
    """Note which page is open, and keep what the browser drops from the address. Returns whether the page is new."""
    if st.session_state.get("page") == url_path:
        return False
    st.session_state["page"] = url_path
    _restore()
    st.session_state["set"] = st.query_params.get("set", "")  # not that of the page before
    st.session_state["no link"] = ""
    st.session_state[BARE] = not any(key in st.query_params for key in keys if key != "run")
    if "src" in st.session_state and "src" not in st.query_params:
        # without this, a sentence from the first address that nobody edited would be dropped
        st.session_state["src"] = st.session_state["src"]
    for key in keys:
        st.session_state.pop(_mark(key), None)
    return True


def is_bare() -> bool:
    """Whether this page was opened by an address that says nothing but the run, like the menu's addresses."""
    return bool(st.session_state.get(BARE))


def open_view(keys: Sequence[str], values: Mapping[str, str]) -> None:
    """Show exactly these values when the page is next drawn; what they do not say is at its default, except the run.

    Call this before the page's widgets are drawn, on the page itself.
    """
    for key in keys:
        value = values.get(key)
        if key not in BOUND:
            if value is not None:
                st.query_params[key] = value
            elif key in st.query_params:
                del st.query_params[key]
            st.session_state[_mark(key)] = UNREAD
        elif value is not None:
            st.session_state[key] = value
        elif key != "run":
            st.session_state.pop(key, None)


def view_values(keys: Sequence[str]) -> dict[str, str]:
    """What is on the screen, as links say it."""
    values = {key: printable(str(st.session_state.get(key) or "")) for key in keys}
    if not values.get("src", "shown"):
        values["tgt"] = ""  # of the sentence that was here
    return {key: value for key, value in values.items() if value or key == "src"}


def is_history_navigation() -> bool:
    """Whether this run of the script answers Back or Forward."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and context.is_history_navigation


def go_back_to(key: str, value: str) -> None:
    """After Back or Forward, set a widget that the address does not mention to this value instead of its default."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or not is_history_navigation() or key in st.query_params:
        return
    values = parse_qsl(context.query_string, keep_blank_values=True)
    with context.session_state.query_params() as params:
        params.set_initial_query_params(urlencode([*values, (key, value)]))


def _restore() -> None:
    """Put back into the address what Streamlit has dropped after a link, Back or Forward to another page: values of
    widgets of the page before, such as the sentence, which this page is to show.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return
    for key, values in parse_qs(context.query_string, keep_blank_values=True).items():
        if key not in st.query_params:
            st.query_params[key] = values[-1]
    with context.session_state.query_params() as params:
        params.set_initial_query_params(
            context.query_string
        )  # from which widgets take their values


def _mark(key: str) -> str:
    return f"{key} in the address"

"""Any config as widgets: one per setting, with its range and help, and errors under the widget they are about."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

from s2s.config import (
    Config,
    LaterError,
    SettingInfo,
    UserError,
    flat,
    override,
    settings_of,
    values_of_texts,
)
from s2s.ui.kit.text import as_markdown, plain
from s2s.ui.streamlit_parts import UploadedFile

MAX_INTEGER = 2**53 - 1  # that a browser represents exactly
T = TypeVar("T")
START = "start"  # after the prefix of widgets: the values that they started with
R = TypeVar("R")


def inputs(
    config: Config, keys: Collection[str], prefix: str, *, wrong: UserError | None = None
) -> None:
    """Draw a widget per dotted key; its value is in the session under `prefix + key`."""
    rows = settings_of(type(config))
    values = flat(config)
    blamed = blamed_key(wrong, keys) if wrong else None
    for key in keys:
        st.session_state.setdefault(prefix + key, values[key])
        _input(key, rows[key], prefix + key)
        if wrong and key == blamed:
            show_error(wrong)


def or_raise(answer: T | str) -> T:
    """A cached answer; where an error was cached, it is raised."""
    if isinstance(answer, str):
        raise UserError(answer)
    return answer


def show_error(wrong: UserError) -> None:
    """Draw the error as one sentence."""
    st.error(as_markdown(str(wrong)), icon=":material/error:")


def blamed_key(wrong: UserError, keys: Collection[str]) -> str | None:
    """The first of `keys` that an error names in backticks, in full or by its last part."""
    named = re.findall(r"`([\w.]+)`", str(wrong))
    return next(
        (key for name in named for key in keys if key == name or key.endswith(f".{name}")), None
    )


def restart(config: Config, prefix: str, keys: Collection[str] = ()) -> None:
    """Reset widgets that nobody has changed to the values of another run's `config`."""
    now = {key: value for key, value in flat(config).items() if not keys or key in keys}
    before = st.session_state.get(prefix + START, now)
    st.session_state[prefix + START] = now
    if before == now:  # what is written replaces what somebody is typing
        return
    for key, value in now.items():
        if st.session_state.get(prefix + key, value) == before.get(key, value):
            st.session_state[prefix + key] = value


def fill(config: Config, keys: Collection[str], prefix: str) -> None:
    """Writes a config's values into the widgets."""
    st.session_state.pop(prefix + START, None)
    values = flat(config)
    for key in keys:
        st.session_state[prefix + key] = values[key]


def changes(config: Config, keys: Collection[str], prefix: str) -> dict[str, Any]:
    """The widgets' values that differ from the config."""
    defaults = flat(config)
    values = {key: st.session_state.get(prefix + key, defaults[key]) for key in keys}
    return {key: value for key, value in values.items() if value != defaults[key]}


def to_address(settings: Mapping[str, Any]) -> dict[str, str]:
    """Values as strings for an address: strings unchanged, the rest as JSON."""
    return {
        key: value if isinstance(value, str) else json.dumps(value)
        for key, value in settings.items()
    }


def from_address(config: Config, given: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """The changes that an address makes to a config, and a sentence for each setting that cannot be used."""
    refused = values_of_texts(type(config), given)
    if why_not(config, refused) is None:  # together: some settings depend on each other
        return refused, []
    good: dict[str, Any] = {}
    while fitting := [
        key for key, value in refused.items() if why_not(config, good | {key: value}) is None
    ]:
        good[fitting[0]] = refused.pop(fitting[0])
    return good, [
        f"The link's {key} cannot be used: {why_not(config, good | {key: value})}"
        for key, value in refused.items()
    ]


def why_not(config: Config, changes: Mapping[str, Any]) -> UserError | None:
    """The error of these changes together; None where they are valid."""
    try:
        override(config, changes)
    except UserError as wrong:
        return wrong
    return None


def _input(key: str, setting: SettingInfo, widget: str) -> None:
    help = _help(key, setting)
    kinds = set(setting.types)
    if setting.choices:
        options = [*([False, True] if bool in kinds else []), *setting.choices]
        st.selectbox(
            setting.label,
            options,
            format_func=_name,
            key=widget,
            help=help,
            persist_state="session",
        )
    elif kinds == {bool}:
        st.toggle(setting.label, key=widget, help=help, persist_state="session")
    elif kinds == {str}:
        st.text_input(setting.label, key=widget, help=help, persist_state="session")
    else:
        _number(key, setting, widget)


def _number(key: str, setting: SettingInfo, widget: str) -> None:
    kind = float if float in setting.types else int
    held = st.session_state[widget]
    if isinstance(held, int) and kind is float:
        st.session_state[widget] = float(held)
    st.number_input(
        setting.label,
        min_value=None if setting.low is None else kind(setting.low),
        max_value=None if setting.high is None else kind(min(setting.high, MAX_INTEGER)),
        step=_stride(held or 0.0) if kind is float else 1,
        format="%g" if kind is float else None,
        placeholder="automatic" if type(None) in setting.types else None,
        key=widget,
        help=_help(key, setting),
        persist_state="session",
    )


def _stride(value: float) -> float:
    return 10.0 ** (math.floor(math.log10(abs(value))) - 1) if value else 0.01


def _help(key: str, setting: SettingInfo) -> str:
    return f"{plain(f'{setting.help}{_span(setting)}')}  \n`{key}`"


def _span(setting: SettingInfo) -> str:
    if setting.high is not None:
        return f" From {setting.low:,} to {setting.high:,}."
    if setting.low is not None:
        return f" At least {setting.low:,}."
    return ""


def _name(option: Any) -> str:
    return json.dumps(option) if isinstance(option, bool) else str(option)


def read_once(
    name: str,
    files: Sequence[UploadedFile],
    read: Callable[..., R],
    *settings: object,
) -> R:
    """What `read` makes of uploaded files; each upload is read once per session. Raises its UserError each time."""
    asked = ([file.file_id for file in files], settings)
    key = f"read {name}"
    if st.session_state.get(key, (None,))[0] != asked:
        try:
            found: R | UserError = read([(file.name, file.getvalue()) for file in files], *settings)
        except LaterError:
            raise
        except UserError as error:
            found = error
        st.session_state[key] = (asked, found)
    _, found = st.session_state[key]
    if isinstance(found, UserError):
        raise found
    return found

"""What the Positions page shows: a view, one encoding or two side by side, and their settings; and its link."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import streamlit as st

from s2s.config import POSITION_KINDS, Config, UserError, flat, keys, override
from s2s.jobs import ExtrapolationSettings
from s2s.links import share
from s2s.questions import WordOrder
from s2s.runs import Run
from s2s.ui.kit import ViewState, cached, field, forms, pickers, vocabulary
from s2s.ui.positions.settings import PositionSettings

PREFIX = "positions "  # how the keys of the settings' widgets begin


@dataclass(frozen=True)
class PositionsView:
    """What the link's `set` holds besides settings."""

    view: str = field("model")
    encoding: str = field("sinusoidal")
    beside: str = field("")
    score: str = field("digits")


STATE = ViewState("positions", PositionsView, WordOrder)


@dataclass(frozen=True)
class EncodingRequest:
    """What a picture shows, and of which run where it needs one."""

    settings: PositionSettings
    run: Run


def read_link() -> None:
    """Take what a link newly says; what it says of unknown settings is reported."""
    said = share.unpack(st.query_params.get("set", ""))
    given = STATE.from_url()
    if given is None:
        return
    if "encoding" in said and "view" not in said:
        STATE.show(view="matrix")
    for default in (ExtrapolationSettings(), PositionSettings()):
        every = keys(type(default))
        found, lost = forms.from_address(
            default, {name: given.pop(name) for name in every if name in given}
        )
        for sentence in lost:
            pickers.notify(sentence)
        forms.fill(override(default, found), every, PREFIX)
    for name in given:
        pickers.notify(f"The link's {name[:40]} means nothing on this page.")


def current_run() -> Run:
    """The run that the picker has chosen."""
    return cached.open_run(st.session_state["run"])


def keep_sentence() -> None:
    """For views without a sentence box: their links carry the sentence, too."""
    first_example = next(iter(vocabulary.of(current_run()).examples), "")
    st.session_state.setdefault("src", st.query_params.get("src", first_example))


def encodings() -> tuple[str, ...]:
    """The chosen one, and the one beside it if any."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls encodings"):
        names = {kind: row.label for kind, row in POSITION_KINDS.items()}
        first = STATE.choice("encoding", "Encoding", names, width=220)
        others = {kind: name for kind, name in names.items() if kind != first}
        if STATE.now.beside == first:
            STATE.show(beside="")
        beside = STATE.choice(
            "beside", "Compare with", {"": "no other encoding", **others}, width=220
        )
    return (first, beside) if beside else (first,)


def settings_form(names: Collection[str]) -> PositionSettings | None:
    """Widgets for these settings, the others at their defaults; None where one is wrong, which is said below it."""
    default = PositionSettings()
    shown = [name for name in keys(PositionSettings) if name in names]
    changes = forms.changes(default, shown, PREFIX)
    wrong = forms.why_not(default, changes)
    settings = default if wrong else override(default, changes)
    if "offset" in names and settings.offset >= settings.length:
        wrong = UserError(
            f"`offset` {settings.offset} leads beyond {settings.length} positions; give at most {settings.length - 1}."
        )
    if shown:
        with (
            st.container(key="controls settings"),
            st.grid(6, min_column_width=130),
        ):
            forms.inputs(default, shown, PREFIX, wrong=wrong)
    return None if wrong else settings


def write_to_url(config: Config, names: Sequence[str]) -> None:
    """Write the link, with these settings of a config."""
    default = type(config)()
    STATE.write_to_url(_address_values(config, names), _address_values(default, names))


def _address_values(config: Config, names: Sequence[str]) -> dict[str, str]:
    return forms.to_address({name: value for name, value in flat(config).items() if name in names})


def summary(kind: str) -> str:
    """What the encoding does, and its source."""
    row = POSITION_KINDS[kind]
    return f"{row.summary} {row.source}." if row.source else row.summary

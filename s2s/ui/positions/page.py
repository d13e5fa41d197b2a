"""What Positions asks: which view, which encodings, and all else in Settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from s2s.config import POSITION_KINDS
from s2s.links import share
from s2s.questions import (
    RANGES,
    SHOWN,
    Extrapolation,
    PositionKinds,
    WordOrder,
    options,
)
from s2s.questions.views import tabs, view_of
from s2s.runs import Run
from s2s.ui.kit import ViewState, cached, field, pickers, settings_box, show, vocabulary
from s2s.ui.positions import extrapolation, word_order

IN_ROW = {
    "rotation": ("offset",),
    "waves": ("pair",),
}  # settings that stand above the answer


@dataclass(frozen=True)
class PositionsView:
    """The fields of Positions' link that no question declares."""

    view: str = field("model")
    beside: str = field("")


STATE = ViewState("positions", PositionsView, WordOrder, PositionKinds, Extrapolation)


def labels() -> dict[str, str]:
    """The labels of the page's tabs, by their slugs in links."""
    named = {slug: row.label for slug, row in tabs("positions").items()}
    return {"model": named["model"], **SHOWN, "longer": named["longer"]}


def show_page() -> None:
    """Draw the tabs, and the chosen one."""
    _read_link()
    view = STATE.segments("view", "View", labels(), label_visibility="collapsed")
    run = cached.open_run(st.session_state["run"])
    if view != "model":  # without a sentence box; its link carries the sentence, too
        first_example = next(iter(vocabulary.of(run).examples), "")
        st.session_state.setdefault("src", st.query_params.get("src", first_example))
    if view == "model":
        word_order.show(STATE)
    elif view == "longer":
        extrapolation.show(STATE, run)
    else:
        _show_kinds(view, run)


def _read_link() -> None:
    said = share.unpack(st.query_params.get("set", ""))
    given = STATE.from_url()
    if given is None:
        return
    if "encoding" in said and "view" not in said:
        STATE.show(view="matrix")
    for name in given:
        pickers.notify(f"The link's {name[:40]} means nothing on this page.")


def _show_kinds(view: str, run: Run) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="encodings"):
        kinds = _encodings()
        asked = [_question(kind, view, run) for kind in kinds]
        used = [
            row.name
            for row in PositionKinds.declared()
            if any(row.name in each.used for each in asked)
        ]
        above = [name for name in IN_ROW.get(view, ()) if name in used]
        for name in above:
            _draw(name, width=150)
        below = [name for name in used if name not in above]
        if below:
            with settings_box(run, {_named(name): _is_changed(name) for name in below}):
                for name in below:
                    _draw(name, width=260)
    with st.container(key="answer", border=True), st.container(key="side by side"):
        columns = st.columns(len(kinds), gap="medium")
    for column, kind in zip(columns, kinds, strict=True):
        question = _question(kind, view, run)
        answer = cached.SCREEN.answer(question)
        model = cached.model_name(run) if question.run else ""
        with column:
            for picture in view_of(question).pictures(question, answer, model):
                show(picture, question, answer)


def _encodings() -> tuple[str, ...]:
    first = STATE.draw("encoding", label_visibility="collapsed", width=180)
    others = {kind: f"beside {row.label}" for kind, row in POSITION_KINDS.items() if kind != first}
    if STATE.now.beside == first:
        STATE.show(beside="")
    beside = STATE.choice(
        "beside",
        "Compare with",
        {"": "compare with none", **others},
        label_visibility="collapsed",
        width=190,
    )
    return (first, beside) if beside else (first,)


def _question(kind: str, view: str, run: Run) -> PositionKinds:
    is_learned = POSITION_KINDS[kind].table and run.recipe.model.positions.kind == kind
    question = PositionKinds(kind, cached.named(run) if is_learned else "", view)
    given: dict[str, Any] = {name: STATE.value(name) for name in question.used}
    return PositionKinds(kind, question.run, view, **given)


def _draw(name: str, **look: Any) -> None:
    if name in RANGES:
        low, high = RANGES[name]
        look |= {"low": low, "high": high}
    STATE.draw(name, **look)


def _is_changed(name: str) -> bool:
    return bool(STATE.shown(name) != getattr(PositionKinds(), name))


def _named(name: str) -> str:
    row = next(row for row in PositionKinds.declared() if row.name == name)
    value = STATE.shown(name)
    if row.metadata["choices"]:
        return options(row.metadata["choices"]).get(str(value), str(value))
    return f"{row.metadata['label'].lower()} {value}"

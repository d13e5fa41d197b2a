"""What draws the tabs of Attention: most of them need nothing but their question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import streamlit as st

from s2s.questions import KIND_NAMES, Question, options
from s2s.questions.views import tabs
from s2s.ui.attention import alignment, heatmap, intervention, lines
from s2s.ui.attention.asked import Asked
from s2s.ui.attention.view_state import STATE
from s2s.ui.kit import cached, show_all
from s2s.words import listed

# tabs with controls that no declaration draws
SPECIAL: Mapping[str, Callable[[Asked], None]] = MappingProxyType(
    {
        "map": heatmap.show,
        "lines": lines.show,
        "alignment": alignment.show,
        "change": intervention.show,
    }
)


def show(asked: Asked) -> None:
    """Draw the chosen tab."""
    slug = STATE.now.view
    with asked.beside:
        intervention.remind(slug)
    if slug in SPECIAL:
        SPECIAL[slug](asked)
        return
    view = tabs("attention")[slug]
    if asked.question.kind not in kinds(view.question):
        only = listed([KIND_NAMES[kind] for kind in kinds(view.question)])
        st.info(f"{view.label} is about {only} only.", icon=":material/info:")
        first = kinds(view.question)[0]
        st.button(
            f"Show {KIND_NAMES[first]}",
            on_click=lambda: st.session_state.update(kind=first),
            icon=":material/swap_horiz:",
        )
        return
    question = STATE.question(view.question, **_given(view.question, asked))
    answer = cached.SCREEN.answer(question)
    show_all(question, answer, asked.model)


def kinds(question: type[Question[Any]]) -> list[str]:
    """The kinds of attention that a question can be asked about."""
    row = next(row for row in question.declared() if row.name == "kind")
    return [*options(row.metadata["choices"])]


def _given(kind: type[Question[Any]], asked: Asked) -> dict[str, Any]:
    shared = asked.question.shared_with(kind)
    own = [row.name for row in kind.declared() if row.name not in shared and row.metadata["label"]]
    with asked.beside, st.container(horizontal=True, vertical_alignment="bottom"):
        drawn = {name: STATE.draw(name) for name in own}
    return shared | drawn

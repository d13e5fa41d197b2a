"""Well-known published models, to choose from."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from s2s.pretrained import FAMILIES, MODELS, KnownModel
from s2s.settings import limits
from s2s.ui.kit import plain

TOO_LARGE = "Too large for this server."


def gallery(choose: Callable[[str], None], *, is_open: bool) -> None:
    """Draw a card for each model; its button calls `choose` with the name."""
    most = limits().model_parameters
    box = st.expander("Well-known models", expanded=is_open, icon=":material/apps:")
    with box, st.grid(4, min_column_width=260, border=True) as grid:
        for row in MODELS.values():
            with grid.cell():
                _card(
                    row,
                    is_too_large=most is not None and row.parameters * 1e6 > most,
                    choose=choose,
                )


def facts(row: KnownModel) -> str:
    """Size, languages, license and family of a published model, for a caption."""
    family = FAMILIES[row.family].label
    return f"{row.parameters:g} M parameters · {row.languages} · license: {row.license} · {family}"


def _card(row: KnownModel, *, is_too_large: bool, choose: Callable[[str], None]) -> None:
    st.markdown(f"**{plain(row.name)}**")
    st.caption(f"{plain(facts(row))}  \n{row.summary}")
    st.button(
        "Choose",
        key=f"choose {row.name}",
        on_click=choose,
        args=(row.name,),
        disabled=is_too_large,
        help=TOO_LARGE if is_too_large else None,
    )

"""The views of Positions, as data: what draws each encoding, with which settings, or why there is no picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import streamlit as st

from s2s.config import POSITION_KINDS
from s2s.ui.positions import (
    distance,
    extrapolation,
    matrix,
    reproduce,
    request,
    rotation,
    waves,
    word_order,
)
from s2s.ui.positions.request import STATE, EncodingRequest


class EncodingPicture(NamedTuple):
    """What draws an encoding, and the settings that change the picture."""

    show: Callable[[EncodingRequest], None]
    settings: tuple[str, ...]


class PositionsPanel(NamedTuple):
    """One view: its label, and what draws it."""

    label: str
    show: Callable[[], None]


WAVES = ("length", "d_model", "base", "layout")
ROTARY = ("length", "d_head", "base", "layout")
BUCKETS = ("length", "buckets", "max_distance")
PICTURES: Mapping[str, Mapping[str, EncodingPicture]] = MappingProxyType(
    {
        "matrix": {
            "sinusoidal": EncodingPicture(matrix.sinusoidal, WAVES),
            "learned": EncodingPicture(matrix.learned, ("length",)),
            "rotary": EncodingPicture(matrix.rotary, ROTARY),
            "alibi": EncodingPicture(matrix.alibi, ("length", "heads")),
            "relative": EncodingPicture(matrix.relative, BUCKETS),
        },
        "waves": {
            "sinusoidal": EncodingPicture(waves.sinusoidal, (*WAVES, "pair")),
            "learned": EncodingPicture(waves.learned, ("length",)),
            "rotary": EncodingPicture(waves.rotary, (*ROTARY, "pair")),
        },
        "distance": {
            "sinusoidal": EncodingPicture(
                distance.sinusoidal, ("length", "d_model", "base", "measure")
            ),
            "learned": EncodingPicture(distance.learned, ("length", "measure")),
            "rotary": EncodingPicture(distance.rotary, ("length", "d_head", "base", "vectors")),
            "alibi": EncodingPicture(distance.alibi, ("length", "heads")),
            "relative": EncodingPicture(distance.relative, BUCKETS),
        },
        "rotation": {
            "sinusoidal": EncodingPicture(rotation.sinusoidal, (*WAVES, "pair", "offset")),
            "rotary": EncodingPicture(rotation.rotary, (*ROTARY, "pair", "offset")),
        },
    }
)
NO_POSITIONS = (
    "Without positions there is nothing to draw. In a model shows what that does to a sentence."
)
NO_VECTORS = (
    "This encoding has no vectors, so there are no waves: it adds a number for each distance, which Matrix and"
    " Distance show."
)
NO_PICTURE = "No picture of this encoding is drawn here; the view In a model shows what it does to a sentence."
ABSENT: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("waves", "alibi"): NO_VECTORS,
        ("waves", "relative"): NO_VECTORS,
        ("rotation", "learned"): (
            "Learned vectors are independent of each other: no single rotation maps every position to the next."
        ),
        ("rotation", "alibi"): (
            "Nothing is rotated here: a number that falls with distance is added to each score."
        ),
        ("rotation", "relative"): (
            "Nothing is rotated here: a learned score for each bucket of distances is added."
        ),
    }
)


def show_encodings(view: str) -> None:
    """One encoding, or two side by side, with the settings that they use."""
    request.keep_sentence()
    kinds = request.encodings()
    pictures = PICTURES[view]
    names = {name for kind in kinds if kind in pictures for name in pictures[kind].settings}
    settings = request.settings_form(names)
    if settings is None:
        return
    request.write_to_url(settings, sorted(names))
    with st.container(key="side by side"):
        columns = st.columns(len(kinds), gap="medium")
    for column, kind in zip(columns, kinds, strict=True):
        with column, st.container(border=True):
            st.subheader(POSITION_KINDS[kind].label, anchor=False)
            st.caption(request.summary(kind))
            if kind in pictures:
                pictures[kind].show(EncodingRequest(settings, request.current_run()))
            else:
                usual = NO_PICTURE if POSITION_KINDS[kind].acts_on else NO_POSITIONS
                why = ABSENT.get((view, kind), usual)
                st.info(why, icon=":material/do_not_disturb_on:")
    shown = [kind for kind in kinds if kind in pictures]
    reproduce.encodings(view, shown, EncodingRequest(settings, request.current_run()))


# In this order; a slug stands in links, as `view` of `set`: a rename keeps the old one working.
PANELS: Mapping[str, PositionsPanel] = MappingProxyType(
    {
        "model": PositionsPanel("Why positions", word_order.show),
        "matrix": PositionsPanel("Matrix", partial(show_encodings, "matrix")),
        "waves": PositionsPanel("Waves", partial(show_encodings, "waves")),
        "distance": PositionsPanel("Distance", partial(show_encodings, "distance")),
        "rotation": PositionsPanel("Rotation", partial(show_encodings, "rotation")),
        "longer": PositionsPanel("Beyond training length", extrapolation.show),
    }
)


def show() -> None:
    """The buttons to choose a view, and the chosen one."""
    request.read_link()
    labels = {slug: panel.label for slug, panel in PANELS.items()}
    view = STATE.segments("view", "View", labels, label_visibility="collapsed")
    PANELS[view].show()

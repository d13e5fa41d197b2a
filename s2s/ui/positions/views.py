"""The views of Positions, as data: for each encoding what draws it and which settings it has, or why there is no picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import streamlit as st

from s2s.ui.positions import extrapolation, in_a_model, pictures, request
from s2s.ui.positions.request import NAMES, Asked


class Picture(NamedTuple):
    """What draws it, and the settings that change it."""

    show: Callable[[Asked], None]
    settings: tuple[str, ...]


class View(NamedTuple):
    """One row: its name for people, and what draws it."""

    label: str
    show: Callable[[], None]


WAVES = ("length", "d_model", "base", "layout")
TURNED = ("length", "d_head", "base", "layout")
BUCKETS = ("length", "buckets", "max_distance")
PICTURES: Mapping[str, Mapping[str, Picture]] = MappingProxyType(
    {
        "matrix": {
            "sinusoidal": Picture(pictures.sinusoidal_matrix, WAVES),
            "learned": Picture(pictures.learned_matrix, ("length",)),
            "rotary": Picture(pictures.rotary_matrix, TURNED),
            "alibi": Picture(pictures.alibi_matrix, ("length", "heads")),
            "relative": Picture(pictures.relative_matrix, BUCKETS),
        },
        "waves": {
            "sinusoidal": Picture(pictures.sinusoidal_waves, (*WAVES, "pair")),
            "learned": Picture(pictures.learned_waves, ("length",)),
            "rotary": Picture(pictures.rotary_waves, (*TURNED, "pair")),
        },
        "distance": {
            "sinusoidal": Picture(
                pictures.sinusoidal_distance, ("length", "d_model", "base", "measure")
            ),
            "learned": Picture(pictures.learned_distance, ("length", "measure")),
            "rotary": Picture(pictures.rotary_distance, ("length", "d_head", "base", "vectors")),
            "alibi": Picture(pictures.alibi_distance, ("length", "heads")),
            "relative": Picture(pictures.relative_distance, BUCKETS),
        },
        "rotation": {
            "sinusoidal": Picture(pictures.sinusoidal_rotation, (*WAVES, "pair", "offset")),
            "rotary": Picture(pictures.rotary_rotation, (*TURNED, "pair", "offset")),
        },
    }
)
NO_ORDER = "Without positions nothing depends on the place, so there is nothing to draw. In a model shows what that does to a sentence."
NO_VECTORS = "There are no vectors here, and so no waves: what is added is a number for each distance. Matrix and Distance show it."
ABSENT: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("waves", "alibi"): NO_VECTORS,
        ("waves", "relative"): NO_VECTORS,
        (
            "rotation",
            "learned",
        ): "Each learned vector stands for itself: no one turn leads from every place to the next.",
        (
            "rotation",
            "alibi",
        ): "Nothing turns here: a number that falls with distance is added to each score.",
        (
            "rotation",
            "relative",
        ): "Nothing turns here: each bucket of distances has a learned score that is added.",
    }
)


def side_by_side(view: str) -> None:
    """One encoding, or two beside each other, with the settings that mean something."""
    request.keep_sentence()
    kinds = request.encodings()
    drawn = PICTURES[view]
    names = {name for kind in kinds if kind in drawn for name in drawn[kind].settings}
    settings = request.settings(names)
    if settings is None:
        return
    request.hold({}, settings, sorted(names))
    for place, kind in zip(st.columns(len(kinds), gap="medium"), kinds, strict=True):
        with place, st.container(border=True):
            st.subheader(NAMES[kind], anchor=False)
            st.caption(request.summary(kind))
            if kind in drawn:
                drawn[kind].show(Asked(settings, request.run()))
            else:
                st.info(ABSENT.get((view, kind), NO_ORDER), icon=":material/do_not_disturb_on:")


# In this order; a slug stands in links, as `view` of `set`: a rename keeps the old one working.
VIEWS: Mapping[str, View] = MappingProxyType(
    {
        "matrix": View("Matrix", partial(side_by_side, "matrix")),
        "waves": View("Waves", partial(side_by_side, "waves")),
        "distance": View("Distance", partial(side_by_side, "distance")),
        "rotation": View("Rotation", partial(side_by_side, "rotation")),
        "model": View("In a model", in_a_model.show),
        "longer": View("Longer than trained", extrapolation.show),
    }
)

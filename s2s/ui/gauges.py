"""The newest numbers of a training, those first that a newcomer asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from s2s.runs.metrics import Curves

NONE = "–"
WIDTH = 130  # pixels that a number needs


class Gauge(NamedTuple):
    """A number in a word, and what it says."""

    label: str
    value: str
    help: str


def gauges(curves: Curves) -> None:
    """Five to see, the rest behind a click."""
    _grid(first(curves))
    with st.expander("More numbers", icon=":material/speed:"):
        _grid(rest(curves))


def first(curves: Curves) -> list[Gauge]:
    """Whether it learns."""
    has_scores = newest(curves.valid_bleu) is not None
    return [
        Gauge("Training loss", _figure(newest(curves.loss), ".3f"), "Nats a target token, of the newest batch, without smoothing."),
        Gauge("Validation loss", _figure(newest(curves.valid_loss), ".3f"), "Nats a target token, on the held-out pairs."),
        Gauge(
            "Perplexity",
            _figure(newest(curves.valid_perplexity), ",.2f"),
            "e to the validation loss: among how many words it wavers.",
        ),
        Gauge(
            "Accuracy",
            _figure(newest(curves.valid_token_accuracy), ".1%"),
            "Held-out tokens that it ranks first, given those before.",
        ),
        *([Gauge("BLEU", _figure(newest(curves.valid_bleu), ".1f"), BLEU)] if has_scores else []),
    ]


def rest(curves: Curves) -> list[Gauge]:
    """How it goes on."""
    memory = newest(curves.valid_memory)
    return [
        Gauge("chrF", _figure(newest(curves.valid_chrf), ".1f"), CHRF),
        Gauge("Learning rate", _figure(curves.lr, ".2e"), "How far the newest step moved the weights; the schedule raises and lowers it."),
        Gauge(
            "Gradient norm",
            _figure(curves.grad_norm, ".3g"),
            "How steep the loss was at the newest step, before clipping. Where it climbs and stays up, lower the learning rate.",
        ),
        Gauge(
            "Tokens/s",
            _figure(curves.tokens_per_second, ",.0f"),
            "Tokens learnt from in a second, over the last 20 seconds, validation and saving included.",
        ),
        Gauge("Memory", NONE if memory is None else f"{memory / 1e6:,.0f} MB", "What the training process held at the newest validation."),
    ]


BLEU = (
    "From 0 to 100: words and word groups that greedy translations share with the references, over some held-out pairs"
    " (train.watch.scores). Higher is better."
)
CHRF = "From 0 to 100: as BLEU, for groups of letters; it sees sense emerge earlier."


def newest(values: NDArray[np.floating]) -> float | None:
    """The last number; None where there is none."""
    known = values[~np.isnan(values)]
    return float(known[-1]) if len(known) else None


def _figure(value: float | None, form: str) -> str:
    return NONE if value is None else f"{value:{form}}"


def _grid(row: Sequence[Gauge]) -> None:
    with st.grid(len(row), min_column_width=WIDTH):
        for gauge in row:
            st.metric(gauge.label, gauge.value, help=gauge.help)

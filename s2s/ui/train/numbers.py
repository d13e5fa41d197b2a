"""The newest numbers of a training, those first that a newcomer asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from s2s.runs import Curves
from s2s.ui.kit.validation_pairs import worded_for

NONE = "–"
WIDTH = 130  # pixels that a number needs


class Gauge(NamedTuple):
    """A number in a word, and what it says."""

    label: str
    value: str
    help: str
    when: str = ""  # where it is not of the newest step


def gauges(run_id: str, curves: Curves) -> None:
    """Five to see, the rest behind a click."""
    _grid(run_id, first(curves))
    with st.expander("More numbers", icon=":material/speed:"):
        _grid(run_id, rest(curves))


def first(curves: Curves) -> list[Gauge]:
    """Whether it learns."""
    has_scores = newest(curves.valid_bleu) is not None
    loss_at = when(curves, curves.valid_loss)
    return [
        Gauge(
            "Training loss",
            _figure(newest(curves.loss), ".3f"),
            "Nats a target token, of the newest batch, without smoothing.",
        ),
        Gauge(
            "Validation loss",
            _figure(newest(curves.valid_loss), ".3f"),
            "Nats a target token, on the held-out pairs.",
            loss_at,
        ),
        Gauge(
            "Perplexity",
            _figure(newest(curves.valid_perplexity), ",.2f"),
            "e to the validation loss: among how many words it wavers.",
            loss_at,
        ),
        Gauge(
            "Accuracy",
            _figure(newest(curves.valid_token_accuracy), ".1%"),
            "Held-out tokens that it ranks first, given those before.",
            loss_at,
        ),
        *([_score("BLEU", curves, curves.valid_bleu, BLEU)] if has_scores else []),
    ]


def rest(curves: Curves) -> list[Gauge]:
    """How it goes on."""
    memory = newest(curves.valid_memory)
    return [
        _score("chrF", curves, curves.valid_chrf, CHRF),
        Gauge(
            "Learning rate",
            _figure(curves.lr, ".2e"),
            "How far the newest step moved the weights; the schedule raises and lowers it.",
        ),
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
        Gauge(
            "Memory",
            NONE if memory is None else f"{memory / 1e6:,.0f} MB",
            "What the training process held at the newest validation.",
        ),
    ]


BLEU = (
    "From 0 to 100: words and word groups that greedy translations share with the references, over some held-out pairs"
    " (train.watch.scores). Higher is better."
)
CHRF = "From 0 to 100: as BLEU, for groups of letters; it sees sense emerge earlier."


SHORT = " Where references are shorter than four words, BLEU is about 0 although all may be right; chrF tells more."
# from which on a BLEU of 0 says nothing of the model
HIGH_CHRF = 50.0
HIGH_ACCURACY = 0.9


def _score(label: str, curves: Curves, values: NDArray[np.floating], help: str) -> Gauge:
    return Gauge(
        label,
        _figure(newest(values), ".1f"),
        help + (SHORT if is_short(curves) else ""),
        when(curves, values),
    )


def is_short(curves: Curves) -> bool:
    """Whether BLEU misleads: it is about 0, and the other scores are high."""
    bleu, chrf, accuracy = (
        newest(values)
        for values in (curves.valid_bleu, curves.valid_chrf, curves.valid_token_accuracy)
    )
    return (
        bleu is not None
        and bleu < 1
        and ((chrf or 0) >= HIGH_CHRF or (accuracy or 0) >= HIGH_ACCURACY)
    )


def when(curves: Curves, values: NDArray[np.floating]) -> str:
    """`at step 50`, where the last number of a validation is more than a step old; else empty."""
    known = curves.valid_steps[~np.isnan(values)]
    return f"at step {known[-1]:,}" if len(known) and curves.step - known[-1] > 1 else ""


def newest(values: NDArray[np.floating]) -> float | None:
    """The last number; None where there is none."""
    known = values[~np.isnan(values)]
    return float(known[-1]) if len(known) else None


def _figure(value: float | None, form: str) -> str:
    return NONE if value is None else f"{value:{form}}"


def _grid(run_id: str, row: Sequence[Gauge]) -> None:
    with st.grid(len(row), min_column_width=WIDTH):
        for gauge in row:
            help = worded_for(run_id, gauge.help)
            st.metric(
                gauge.label,
                gauge.value,
                gauge.when or None,
                delta_color="off",
                delta_arrow="off",
                help=help,
            )

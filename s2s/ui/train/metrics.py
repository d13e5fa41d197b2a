"""The newest metrics of a run: first those that show whether it learns, then the rest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from s2s.plots import training_view
from s2s.runs import Curves
from s2s.scores import METRIC_NAMES
from s2s.ui.kit.training_curves import worded_for

NOT_LOGGED = "–"
WIDTH = 130  # pixels that a metric needs
SHORT = (
    " Where references are shorter than four words, BLEU is near 0 even if all outputs are right; rely on exact"
    " match and chrF."
)
# A BLEU below 1 says nothing of the model where one of these is reached.
HIGH_CHRF = 50.0
HIGH_ACCURACY = 0.9


class Metric(NamedTuple):
    """One metric on the page: label, value and help."""

    label: str
    value: str
    help: str
    step: str = ""  # which step it belongs to, unless that is the newest


def panel(run_id: str, curves: Curves) -> None:
    """Draw the main metrics, and the rest in an expander."""
    _grid(run_id, main(curves))
    with st.expander("More metrics", icon=":material/speed:"):
        _grid(run_id, more(curves))


def main(curves: Curves) -> list[Metric]:
    """The main metrics: losses, perplexity, accuracy, and BLEU once it has been measured; exact match where BLEU
    misleads.
    """
    step = step_of(curves, curves.valid_loss)
    ppl = METRIC_NAMES["perplexity"]
    found = [
        _metric("train_loss", newest(curves.loss), ".3f"),
        _metric("valid_loss", newest(curves.valid_loss), ".3f", step),
        Metric(ppl.label, perplexity(newest(curves.valid_perplexity)), ppl.help, step),
        _metric("token_accuracy", newest(curves.valid_token_accuracy), ".1%", step),
    ]
    if newest(curves.valid_bleu) is not None:
        found.append(_scores(curves)[0])
    return found


def more(curves: Curves) -> list[Metric]:
    """The metrics in the expander: the other scores, and what tells how training proceeds."""
    memory = newest(curves.valid_memory)
    return [
        *_scores(curves)[1:],
        _metric("lr", curves.lr, ".2e"),
        _metric("grad_norm", curves.grad_norm, ".3g"),
        _metric("tokens_per_second", curves.tokens_per_second, ",.0f"),
        _metric("memory", None if memory is None else memory / 1e6, ",.0f", unit=" MB"),
    ]


def _metric(key: str, value: float | None, form: str, step: str = "", *, unit: str = "") -> Metric:
    name = METRIC_NAMES[key]
    shown = NOT_LOGGED if value is None else f"{value:{form}}{unit}"
    return Metric(name.label, shown, name.help, step)


def _scores(curves: Curves) -> list[Metric]:
    bleu = _score("bleu", curves, curves.valid_bleu)
    if signature := next(filter(None, reversed(curves.valid_signatures)), ""):
        bleu = bleu._replace(help=f"{bleu.help} Signature: {signature}")
    chrf = _score("chrf", curves, curves.valid_chrf)
    if newest(curves.valid_exact_match) is None:
        return [chrf, bleu] if is_short(curves) else [bleu, chrf]
    exact = _score("exact_match", curves, curves.valid_exact_match, unit="%")
    return [exact, chrf, bleu] if is_short(curves) else [bleu, chrf, exact]


def _score(key: str, curves: Curves, values: NDArray[np.floating], *, unit: str = "") -> Metric:
    score = _metric(key, newest(values), ".1f", step_of(curves, values), unit=unit)
    return score._replace(
        help=score.help + training_view.SCORED + (SHORT if is_short(curves) else "")
    )


def perplexity(value: float | None) -> str:
    """A perplexity as text: `7.25`, `12,345`; a large one in powers of ten, which fits into its card."""
    if value is None:
        return NOT_LOGGED
    if math.isinf(value):
        return "> 1e38"
    if value >= 100_000:
        return f"{value:.1e}".replace("e+0", "e").replace("e+", "e")
    return f"{value:,.0f}" if value >= 1000 else f"{value:,.2f}"


def is_short(curves: Curves) -> bool:
    """Whether BLEU misleads: it is near 0, although chrF or token accuracy is high."""
    bleu = newest(curves.valid_bleu)
    chrf = newest(curves.valid_chrf) or 0
    accuracy = newest(curves.valid_token_accuracy) or 0
    return bleu is not None and bleu < 1 and (chrf >= HIGH_CHRF or accuracy >= HIGH_ACCURACY)


def step_of(curves: Curves, values: NDArray[np.floating]) -> str:
    """When a metric was measured: `at step 50`, where the newest value of a validation is more than one step old; else
    empty.
    """
    known = curves.valid_steps[~np.isnan(values)]
    return f"at step {known[-1]:,}" if len(known) and curves.step - known[-1] > 1 else ""


def newest(values: NDArray[np.floating]) -> float | None:
    """The last value that is not NaN; None where there is none."""
    known = values[~np.isnan(values)]
    return float(known[-1]) if len(known) else None


def _grid(run_id: str, metrics: Sequence[Metric]) -> None:
    with st.grid(len(metrics), min_column_width=WIDTH):
        for metric in metrics:
            st.metric(
                metric.label,
                metric.value,
                metric.step or None,
                delta_color="off",
                delta_arrow="off",
                help=worded_for(run_id, metric.help),
            )

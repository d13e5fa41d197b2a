"""Many sentences with and without interventions: loss, scores, the tokens and the sentences that change most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from s2s import plots
from s2s.runs import Sentences
from s2s.ui.heads.picture import download, draw
from s2s.ui.heads.request import HeadsRequest
from s2s.ui.kit import Card, cards

MOST_DRAWN = 12  # tokens; the table has more
METRICS = {"bleu": "BLEU", "chrf": "chrF"}
COLUMNS = {
    "src": "Source",
    "reference": "Reference",
    "before": "Without the change",
    "after": "With the change",
    "log_prob_before": "Nats per token, without",
    "log_prob_after": "Nats per token, with",
    "chrf_before": "chrF, without",
    "chrf_after": "chrF, with",
}


def show(request: HeadsRequest, sample: Sentences, found: Mapping[str, Any]) -> None:
    """Numbers, then tokens, then sentences."""
    cards(_cards(found))
    where = f"{request.title}\n{found['n']:,} sentences, {sample.name}, {found['n_heads']} heads changed"
    _tokens(found, f"Tokens that change most\n{where}")
    title = f"Sentences that change most\n{where}"
    frame = pd.DataFrame(found["sentences"]).rename(columns=COLUMNS)
    st.dataframe(frame, hide_index=True, alt=title.replace("\n", ", "), key="ablated sentences")
    st.caption(
        f"The {len(frame)} sentences whose log-probability falls most per token of the reference; greedy decoding."
    )
    download(frame, "Sentences (CSV)", title)


def _cards(found: Mapping[str, Any]) -> list[Card]:
    loss = found["loss"]
    rows = [
        Card(
            "Loss",
            f"{loss['after']:.3f}",
            f"nats per token; without the change {loss['before']:.3f}."
            f" {_change(loss['after'] - loss['before'], loss['low'], loss['high'], 3)}",
        )
    ]
    for metric, name in METRICS.items():
        score = found["scores"][metric]
        rows.append(
            Card(
                name,
                f"{score['after']:.1f}",
                f"without the change {score['before']:.1f}."
                f" {_change(score['difference'], score['low'], score['high'], 1)}",
            )
        )
    changed = f"{found['n_changed']:,} of {found['n']:,}"
    return [*rows, Card("Other translations", changed, "greedy decoding")]


def _change(value: float, low: float, high: float, digits: int) -> str:
    """`+0.537, 95 % interval 0.455 to 0.631`."""
    text = f"{value:+.{digits}f}, 95 % interval {low:.{digits}f} to {high:.{digits}f}"
    return text.replace("-", "−")


def _tokens(found: Mapping[str, Any], title: str) -> None:
    rows = found["tokens"][:MOST_DRAWN]
    series = {
        "without the change": np.array([row["before"] for row in rows]),
        "with the change": np.array([row["after"] for row in rows]),
    }
    labels = [f"{row['token']} ×{row['n']}" for row in rows]
    figure = plots.paired_bars(labels, series, title=title, y_label="mean log-probability, nats")
    draw(figure, title)
    st.caption(
        "Tokens of the references under teacher forcing, with how often they occur; those whose log-probabilities"
        " change most in sum, the largest loss first."
    )
    download(pd.DataFrame(found["tokens"]), "Tokens (CSV)", title)

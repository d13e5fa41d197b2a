"""One next-token distribution with the cuts of all filters: the sliders, the bars, the table."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from torch import Tensor

from s2s import plots
from s2s.config import override, settings_of
from s2s.decode import (
    FILTERS,
    FilterEffect,
    Truncation,
    TruncationReport,
    inspect_truncation,
    is_filter_set,
)
from s2s.plots import FilterResult, fine_percent
from s2s.runs import Run
from s2s.ui.kit import cached, forms, pickers
from s2s.ui.kit.captions import file_name
from s2s.ui.kit.charts import chart
from s2s.ui.kit.text import plain
from s2s.ui.steps import request
from s2s.ui.steps.request import OWN

# What the filters stand at before anybody moves them, about as their papers use them. Links leave out what stands here: never change it.
START = Truncation(
    top_h=0.4,
    top_k=10,
    top_p=0.95,
    min_p=0.05,
    typical_p=0.95,
    epsilon_cutoff=0.0009,
    eta_cutoff=0.0009,
)
HEAT = "temperature"
SETTINGS = ("temperature", *FILTERS)
NAME = (
    "ruler_"  # how their names begin in a link, beside a strategy's own settings of the same names
)
# ends of the slider
COOLEST = 0.1
HOTTEST = 3.0
BARS = 15
ALL = "all together"
LOG = f"{NAME}log"


def show(run: Run, tokens: Sequence[str], at: int, log_probs: Tensor) -> None:
    """What may stand at a place, from 0, of a target with these tokens; (vocab,) nats."""
    config = _start()
    _heat(config)
    place = st.container(key="ruler")
    st.markdown("**The filters**, each by itself and all one after the other, in this order:")
    with st.grid(4, min_column_width=140, vertical_alignment="bottom"):
        forms.inputs(
            config, list(FILTERS), OWN + NAME
        )  # FILTERS stand in the order in which they apply
    changes = forms.changes(START, SETTINGS, OWN + NAME)
    said = forms.to_address(changes)
    scale = {LOG: "true" if st.session_state[OWN + LOG] else ""}
    request.remember(**{NAME + name: said.get(name, "") for name in SETTINGS}, **scale)
    config = override(START, changes)
    measured = inspect_truncation(log_probs, config)
    names = run.tgt_tokenizer.tokens(range(len(log_probs)))
    title = _title(run, tokens, at, config)
    with place:
        _picture(measured, config, names, title)
    _table(measured, config)
    make = partial(numbers, measured, config, names, log_probs)
    st.download_button(
        "Numbers (CSV)",
        make,
        f"{file_name(title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def _start() -> Truncation:
    """What a link says, or the usual; what it cannot mean is said."""
    held = st.session_state.get(request.SAID, {})
    given = {name: held[NAME + name] for name in SETTINGS if NAME + name in held}
    changes, lost = forms.from_address(START, given)
    for why in lost:
        pickers.notify(why)
    return override(START, changes)


def _heat(config: Truncation) -> None:
    """The slider; a link may say more than it can."""
    key = OWN + NAME + HEAT
    wanted = float(st.session_state.get(key, config.temperature))
    if not COOLEST <= wanted <= HOTTEST:
        pickers.notify(
            f"The ruler's temperature goes from {COOLEST:g} to {HOTTEST:g}; {wanted:g} is beyond."
        )
    st.session_state[key] = min(HOTTEST, max(COOLEST, wanted))
    help = plain(settings_of(Truncation)[HEAT].help)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.slider(
            HEAT,
            COOLEST,
            HOTTEST,
            step=0.05,
            key=key,
            help=help,
            persist_state="session",
            width=480,
        )
        st.session_state.setdefault(
            OWN + LOG, bool(st.session_state.get(request.SAID, {}).get(LOG))
        )
        st.toggle(
            "Logarithmic bars",
            key=OWN + LOG,
            help="Shows the improbable ones, too.",
            persist_state="session",
        )


def _title(run: Run, tokens: Sequence[str], at: int, config: Truncation) -> str:
    """Run, checkpoint, place, temperature."""
    before = " ".join(tokens[max(0, at - 3) : at])
    after = f"after “{'… ' * (at > 3)}{before}”" if before else "the first"
    where = (
        f"{cached.title(run.folder.id)} · step {run.step:,} · temperature {config.temperature:g}"
    )
    return f"{where}\nplace {at + 1} of {len(tokens)}, {after}"


def _picture(
    measured: TruncationReport, config: Truncation, names: Sequence[str], title: str
) -> None:
    is_log = st.session_state[OWN + LOG]
    top = measured.order[:BARS].tolist()
    shares = measured.log_probs.exp()
    bars = [(names[token], float(shares[token])) for token in top]
    rest = len(names) - len(top)
    others = (rest, max(0.0, 1.0 - sum(share for _, share in bars)) if rest else 0.0)
    lines = [_cut(name, left, top) for name, left in _shown(measured, config).items()]
    figure = plots.truncation(bars, others, lines, title=title, is_log=is_log)
    alt = ", ".join(f"{name} {fine_percent(share)}" for name, share in bars[:5])
    chart(
        figure,
        alt=f"Bars of the next token's probabilities, {title.replace(chr(10), ', ')}: {alt}",
        file_name=file_name(title),
    )
    st.caption(plots.PLOTS["truncation"].caption)
    before = measured.entropy
    after = measured.together.entropy
    st.markdown(
        f"Entropy {before:.2f} nats: as undecided as among {math.exp(before):.1f} equally probable tokens. Of what all the filters leave"
        f" together: {after:.2f} nats, {math.exp(after):.1f} tokens."
    )


def _shown(measured: TruncationReport, config: Truncation) -> dict[str, FilterEffect]:
    """The filters that are set, and all of them."""
    return {name: left for name, left in measured.alone.items() if is_filter_set(config, name)} | {
        ALL: measured.together
    }


def _cut(name: str, left: FilterEffect, top: Sequence[int]) -> FilterResult:
    stays = left.stays[list(top)].tolist()
    return FilterResult(name, stays, left.n - sum(stays), left.rank, left.threshold)


def _table(measured: TruncationReport, config: Truncation) -> None:
    """What each filter would leave."""
    rows = [
        _row(name, left, config)
        for name, left in [*measured.alone.items(), (ALL, measured.together)]
    ]
    st.dataframe(
        pd.DataFrame(rows), hide_index=True, alt="What each filter would leave", key="cuts"
    )


def _row(name: str, left: FilterEffect, config: Truncation) -> dict[str, Any]:
    is_on = name == ALL or is_filter_set(config, name)
    value = "" if name == ALL else f"{getattr(config, name):g}" if is_on else "off"
    return {
        "filter": name,
        "value": value,
        "tokens left": left.n,
        "probability left": fine_percent(left.mass),
        "entropy left (nats)": f"{left.entropy:.2f}",
        "cut": _where(left),
    }


def _where(left: FilterEffect) -> str:
    if bool(left.stays.all()):
        return "keeps all"
    if left.threshold is not None:
        return f"what has less than {fine_percent(left.threshold)} goes"
    if left.rank is None:
        return "not in one line: it leaves out tokens that are more probable than some it keeps"
    return f"after the {left.rank:,} most probable" if left.rank > 1 else "after the most probable"


def numbers(
    measured: TruncationReport, config: Truncation, names: Sequence[str], log_probs: Tensor
) -> str:
    """One row a token of the vocabulary, the most probable first; a column a filter, 1 where it stays."""
    shown = _shown(measured, config)
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(
        [
            "rank",
            "id",
            "token",
            "log_prob",
            "log_prob_at_temperature",
            "probability_at_temperature",
            *shown,
        ]
    )
    stays = {name: left.stays.tolist() for name, left in shown.items()}
    raw = log_probs.tolist()
    warm = measured.log_probs.tolist()
    for rank, token in enumerate(measured.order.tolist(), 1):
        values = [f"{raw[token]:.6f}", f"{warm[token]:.6f}", f"{math.exp(warm[token]):.8f}"]
        rows.writerow(
            [
                rank,
                token,
                plots.csv_cell(names[token]),
                *values,
                *(int(stays[name][token]) for name in shown),
            ]
        )
    return out.getvalue()

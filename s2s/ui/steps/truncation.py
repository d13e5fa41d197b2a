"""The truncation inspector: one next-token distribution, and which tokens each filter keeps."""

from __future__ import annotations

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
from s2s.files import csv_writer
from s2s.plots import FilterResult, fine_percent
from s2s.runs import Run
from s2s.ui.kit import cached, chart, file_name, forms, pickers, plain
from s2s.ui.steps.view_state import STATE

# Initial values, about as the filters' papers use them. Links leave out what is equal to them: never change one.
START = Truncation(
    top_h=0.4,
    top_k=10,
    top_p=0.95,
    min_p=0.05,
    typical_p=0.95,
    epsilon_cutoff=0.0009,
    eta_cutoff=0.0009,
)
TEMPERATURE = "temperature"
SETTINGS = (TEMPERATURE, *FILTERS)
FIELD = "filter_"  # how the settings' names begin in the view state
PREFIX = f"{STATE.page} {FIELD}"  # and how their widgets' keys do
# ends of the slider
MIN_TEMPERATURE = 0.1
MAX_TEMPERATURE = 3.0
N_BARS = 15
ALL = "all together"


def show(run: Run, tokens: Sequence[str], position: int, log_probs: Tensor) -> None:
    """The candidates at a position, from 0, of a target with these tokens; `log_probs` (vocab,) in nats."""
    start = _start()
    _temperature_slider(start)
    picture = st.container(key="ruler")
    st.markdown("**Filters**, each alone and all in this order:")
    with st.grid(4, min_column_width=140, vertical_alignment="bottom"):
        forms.inputs(start, list(FILTERS), PREFIX)  # FILTERS are in the order in which they apply
    changes = forms.changes(START, SETTINGS, PREFIX)
    written = forms.to_address(changes)
    STATE.remember(**{FIELD + name: written.get(name, "") for name in SETTINGS})
    config = override(START, changes)
    measured = inspect_truncation(log_probs, config)
    names = run.tgt_tokenizer.tokens(range(len(log_probs)))
    title = _title(run, tokens, position, config)
    with picture:
        _bars(measured, config, names, title)
    _table(measured, config)
    st.download_button(
        "Download data (CSV)",
        partial(tokens_csv, measured, config, names, log_probs),
        f"{file_name(title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def _start() -> Truncation:
    """The settings of the view state; those that are impossible are reported and left out."""
    state = vars(STATE.now)
    given = {name: state[FIELD + name] for name in SETTINGS if state[FIELD + name]}
    changes, problems = forms.from_address(START, given)
    for problem in problems:
        pickers.notify(problem)
    return override(START, changes)


def _temperature_slider(start: Truncation) -> None:
    """A link may ask for more than the slider can show."""
    key = PREFIX + TEMPERATURE
    wanted = float(st.session_state.get(key, start.temperature))
    if not MIN_TEMPERATURE <= wanted <= MAX_TEMPERATURE:
        pickers.notify(
            f"The temperature goes from {MIN_TEMPERATURE:g} to {MAX_TEMPERATURE:g}; {wanted:g} is beyond."
        )
    st.session_state[key] = min(MAX_TEMPERATURE, max(MIN_TEMPERATURE, wanted))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.slider(
            TEMPERATURE,
            MIN_TEMPERATURE,
            MAX_TEMPERATURE,
            step=0.05,
            key=key,
            help=plain(settings_of(Truncation)[TEMPERATURE].help),
            persist_state="session",
            width=480,
        )
        _log_toggle()


def _log_toggle() -> None:
    key = STATE.key("log_scale")
    st.session_state.setdefault(key, bool(STATE.now.log_scale))
    is_log = st.toggle(
        "Logarithmic bars", key=key, help="Shows improbable tokens, too.", persist_state="session"
    )
    STATE.remember(log_scale="true" if is_log else "")


def _title(run: Run, tokens: Sequence[str], position: int, config: Truncation) -> str:
    """Run, checkpoint, temperature, position."""
    prefix = " ".join(tokens[max(0, position - 3) : position])
    after = f"after “{'… ' * (position > 3)}{prefix}”" if prefix else "the first"
    name = cached.model_name(run)
    return f"{name} · temperature {config.temperature:g}\nposition {position + 1} of {len(tokens)}, {after}"


def _bars(measured: TruncationReport, config: Truncation, names: Sequence[str], title: str) -> None:
    top = measured.order[:N_BARS].tolist()
    probabilities = measured.log_probs.exp()  # (vocab,)
    bars = [(names[token], float(probabilities[token])) for token in top]
    n_rest = len(names) - len(top)
    rest = max(0.0, 1.0 - sum(probability for _, probability in bars)) if n_rest else 0.0
    lines = [_filter_result(name, left, top) for name, left in _active(measured, config).items()]
    figure = plots.truncation(
        bars, (n_rest, rest), lines, title=title, is_log=bool(STATE.now.log_scale)
    )
    best = ", ".join(f"{name} {fine_percent(probability)}" for name, probability in bars[:5])
    chart(
        figure,
        alt=f"Bars of the next token's probabilities, {title.replace(chr(10), ', ')}: {best}",
        file_name=file_name(title),
    )
    st.caption(plots.PLOTS["truncation"].caption)
    st.markdown(entropy_sentence(measured.entropy, measured.together.n, measured.together.entropy))


def entropy_sentence(before: float, n_left: int, after: float) -> str:
    """Entropies in nats, without filters and after all of them."""
    start = f"Entropy {before:.2f} nats: as uncertain as {math.exp(before):.1f} equally probable tokens."
    if n_left == 1:
        return f"{start} After all filters: one token, entropy 0."
    return f"{start} After all filters: {n_left:,} tokens, entropy {after:.2f} nats ({math.exp(after):.1f} tokens)."


def _active(measured: TruncationReport, config: Truncation) -> dict[str, FilterEffect]:
    """The filters that are set, and all together."""
    active = {name: left for name, left in measured.alone.items() if is_filter_set(config, name)}
    return active | {ALL: measured.together}


def _filter_result(name: str, left: FilterEffect, top: Sequence[int]) -> FilterResult:
    kept = left.stays[list(top)].tolist()
    return FilterResult(name, kept, left.n - sum(kept), left.rank, left.threshold)


def _table(measured: TruncationReport, config: Truncation) -> None:
    """What each filter alone, and all together, would keep."""
    results = [*measured.alone.items(), (ALL, measured.together)]
    st.dataframe(
        pd.DataFrame([_row(name, left, config) for name, left in results]),
        hide_index=True,
        column_config={
            "probability left": st.column_config.NumberColumn(format="percent"),
            "entropy left (nats)": st.column_config.NumberColumn(format="%.2f"),
        },
        alt="What each filter would keep",
        key="cuts",
    )


def _row(name: str, left: FilterEffect, config: Truncation) -> dict[str, Any]:
    return {
        "filter": name,
        "value": "" if name == ALL else _value(config, name),
        "tokens left": left.n,
        "probability left": left.mass,
        "entropy left (nats)": left.entropy,
        "threshold": _threshold(left),
    }


def _value(config: Truncation, name: str) -> str:
    return f"{getattr(config, name):g}" if is_filter_set(config, name) else "off"


def _threshold(left: FilterEffect) -> str:
    """What this filter removes."""
    if bool(left.stays.all()):
        return "keeps all"
    if left.threshold is not None:
        return f"removes tokens below {fine_percent(left.threshold)}"
    if left.rank is None:
        return "no single threshold: it removes tokens that are more probable than some it keeps"
    if left.rank == 1:
        return "keeps the most probable"
    return f"keeps the {left.rank:,} most probable"


def tokens_csv(
    measured: TruncationReport, config: Truncation, names: Sequence[str], log_probs: Tensor
) -> str:
    """One line per token, the most probable first; one column per filter, 1 where it keeps the token."""
    active = _active(measured, config)
    kept = {name: left.stays.tolist() for name, left in active.items()}
    raw = log_probs.tolist()
    tempered = measured.log_probs.tolist()
    out = io.StringIO()
    rows = csv_writer(out)
    at_temperature = ["log_prob_at_temperature", "probability_at_temperature"]
    rows.writerow(["rank", "id", "token", "log_prob", *at_temperature, *active])
    for rank, token in enumerate(measured.order.tolist(), 1):
        probability = math.exp(tempered[token])
        numbers = [raw[token], tempered[token], probability]
        flags = [int(kept[name][token]) for name in active]
        rows.writerow([rank, token, names[token], *numbers, *flags])
    return out.getvalue()

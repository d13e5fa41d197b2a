"""The finished hypotheses of a search, ranked by any length penalty without decoding again."""

from __future__ import annotations

import streamlit as st

from s2s.config import override
from s2s.decode import BeamConfig, SearchTree, rerank, score_unit
from s2s.ui.kit import nats, plain
from s2s.ui.steps.request import StepsRequest, search_with
from s2s.ui.steps.view_state import FORMULAS, STATE

LOW = -2.0
HIGH = 4.0
STRIDE = 0.1


def show(request: StepsRequest, tree: SearchTree) -> None:
    """The table, and for scores with a length penalty a slider."""
    _, config = request.run.configured(request.strategy, request.settings)
    with st.container(border=True):
        st.subheader("Finished hypotheses, best first", anchor=False)
        if isinstance(config, BeamConfig):
            _ranked(request, tree, config)
        else:
            _table(request, tree, _by_score(tree), None, unit=score_unit(config))


def _by_score(tree: SearchTree) -> list[tuple[int, float]]:
    """Nodes and scores, best first; those without a score are left out."""
    scored = [(number, tree.nodes[number].score) for number in tree.finished]
    known = [(number, score) for number, score in scored if score is not None]
    return sorted(known, key=lambda pair: pair[1], reverse=True)


def _ranked(request: StepsRequest, tree: SearchTree, config: BeamConfig) -> None:
    st.caption(
        "Score = log-probability / length^`length_penalty`: 0 favors short outputs, larger values longer ones. The"
        " slider re-ranks these hypotheses; nothing is decoded again."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        penalty = _penalty_slider(config)
        formula = _formula_picker(config)
    other = override(config, {"length_penalty": penalty, "length_formula": formula})
    if other != config:
        _new_first(request, tree, config, other)
    _table(request, tree, rerank(tree, other), config, unit=score_unit(other))
    if other != config:
        st.caption(
            "Decoding again with this setting may find other hypotheses: it affects when the search stops and which"
            " finished hypotheses are kept."
        )
        st.button(
            "Decode with this setting",
            icon=":material/replay:",
            on_click=_decode,
            args=(request.strategy, penalty, formula),
            key="decode so",
        )


def _penalty_slider(config: BeamConfig) -> float:
    default = config.length_penalty
    low = min(LOW, default)
    high = max(HIGH, default)
    key = STATE.key("rank_penalty")
    if key not in st.session_state:
        st.session_state[key] = min(max(float(STATE.now.rank_penalty or default), low), high)
    value = float(
        st.slider("length_penalty", low, high, step=STRIDE, key=key, persist_state="session")
    )
    STATE.remember(rank_penalty="" if value == default else f"{value:g}")
    return value


def _formula_picker(config: BeamConfig) -> str:
    key = STATE.key("rank_formula")
    st.session_state.setdefault(key, STATE.now.rank_formula or config.length_formula)
    chosen = st.segmented_control(
        "length_formula",
        FORMULAS,
        required=True,
        key=key,
        persist_state="session",
        help="power: length^p. gnmt: ((5 + length) / 6)^p, which changes less with length.",
    )
    formula = chosen or config.length_formula
    STATE.remember(rank_formula="" if formula == config.length_formula else formula)
    return formula


def _new_first(
    request: StepsRequest, tree: SearchTree, config: BeamConfig, other: BeamConfig
) -> None:
    """Whether the other setting changes the first hypothesis."""
    before = rerank(tree, config)[0][0]
    after = rerank(tree, other)[0][0]
    text = plain(_text(request, tree, after))
    if before == after:
        st.markdown(f":material/check: With this setting *{text}* stays first.")
    else:
        st.markdown(f":material/swap_vert: With this setting *{text}* would be first.")


def _table(
    request: StepsRequest,
    tree: SearchTree,
    ranked: list[tuple[int, float]],
    config: BeamConfig | None,
    *,
    unit: str,
) -> None:
    """`config`: that of the search, if its ranking is to be compared; `unit` of the scores."""
    named = f"score ({unit})"
    as_decoded = rerank(tree, config) if config else []
    ranks_before = {number: rank for rank, (number, _) in enumerate(as_decoded, 1)}
    rows = []
    for rank, (number, score) in enumerate(ranked, 1):
        node = tree.nodes[number]
        row = {
            "rank": rank,
            named: score,
            "text": _text(request, tree, number),
            "tokens": node.step,
            "log-probability": node.total,
        }
        if config:
            row["as decoded"] = _rank_change(rank, ranks_before[number])
        else:
            row["times drawn"] = node.count
        rows.append(row)
    best = f"first: score {nats(ranked[0][1])}" if ranked else "none"
    st.dataframe(
        rows,
        hide_index=True,
        column_config={
            "text": st.column_config.TextColumn(width="large"),
            "rank": st.column_config.NumberColumn(width=50),
            named: st.column_config.NumberColumn(
                format="%.4g"
            ),  # a large penalty makes small scores
            "log-probability": st.column_config.NumberColumn(format="%.3f"),
        },
        key="steps ranking",
        alt=f"{len(rows)} finished hypotheses, {best}",
    )


def _rank_change(rank: int, before: int) -> str:
    """`▲ 3` for a hypothesis that was third and ranks higher now."""
    if rank == before:
        return str(before)
    return f"{'▲' if rank < before else '▼'} {before}"


def _text(request: StepsRequest, tree: SearchTree, number: int) -> str:
    return request.run.tgt_tokenizer.decode(tree.ids(number)) or "(nothing)"


def _decode(strategy: str, penalty: float, formula: str) -> None:
    search_with(strategy, length_penalty=penalty, length_formula=formula)

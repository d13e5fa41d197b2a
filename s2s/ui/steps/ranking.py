"""The finished hypotheses of a search, ranked by any length penalty without decoding again."""

from __future__ import annotations

import streamlit as st

from s2s.config import override
from s2s.decode import TRUNCATED, BeamConfig, EndedHypothesis, SearchTree, rerank, score_unit
from s2s.reports import TableColumn, html_table
from s2s.reports.differences import legend
from s2s.ui.kit import four_digits, highlighted, length_penalty, plain
from s2s.ui.kit.length_penalty import Finished
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
            _beside_penalty(request, tree, config)
            _ranked(request, tree, config)
        else:
            _table(request, tree, _by_score(tree), None, unit=score_unit(config))


def _by_score(tree: SearchTree) -> list[tuple[int, float]]:
    """Nodes and scores, best first; those without a score are left out."""
    scored = [(number, tree.nodes[number].score) for number in tree.finished]
    known = [(number, score) for number, score in scored if score is not None]
    return sorted(known, key=lambda pair: pair[1], reverse=True)


def _ranked(request: StepsRequest, tree: SearchTree, config: BeamConfig) -> None:
    about = st.container()  # written when the formula is known
    with st.container(horizontal=True, vertical_alignment="bottom"):
        penalty = _penalty_slider(config)
        formula = _formula_picker(config)
    other = override(config, {"length_penalty": penalty, "length_formula": formula})
    base = "length" if formula == "power" else "((5 + length) / 6)"
    about.caption(
        f"Score = log-probability / {base}^`length_penalty`: 0 favors short outputs, larger values longer ones. The"
        " slider re-ranks these hypotheses; nothing is decoded again."
    )
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


def _beside_penalty(request: StepsRequest, tree: SearchTree, config: BeamConfig) -> None:
    """Near the strategy: where the length penalty changes which hypothesis is the first."""
    ranked = [number for number, _ in rerank(tree, config)]
    ended = [
        EndedHypothesis(tree.nodes[number].total, tree.nodes[number].step) for number in ranked
    ]
    texts = [_text(request, tree, number) for number in ranked]

    def decode(penalty: float) -> None:
        search_with(request.strategy, length_penalty=penalty)

    with request.beside_penalty:
        length_penalty.show(Finished(config, texts, ended), "steps", decode)


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
    as_decoded = rerank(tree, config) if config else []
    ranks_before = {number: rank for rank, (number, _) in enumerate(as_decoded, 1)}
    columns = (
        TableColumn("rank", "4rem"),
        TableColumn("text", "38%"),
        TableColumn("tokens, with </s>"),
        TableColumn("log-probability (nats)"),
        TableColumn(f"score ({unit})"),
        TableColumn("as decoded" if config else "times drawn"),
    )
    texts = [_text(request, tree, number) for number, _ in ranked]
    rows = []
    for rank, (number, score) in enumerate(ranked, 1):
        node = tree.nodes[number]
        text, _ = highlighted(texts[rank - 1], texts[0] if rank > 1 else None)
        rows.append(
            (
                str(rank),
                text,
                str(node.step) + (" (truncated: no &lt;/s&gt;)" * (node.state == TRUNCATED)),
                four_digits(node.log_prob),
                four_digits(score),
                _rank_change(rank, ranks_before[number]) if config else str(node.count),
            )
        )
    note = legend("the hypothesis", "the first one") if len(rows) > 1 else ""
    st.html(f"{html_table(columns, rows)}{note}")


def _rank_change(rank: int, before: int) -> str:
    """`▲ 3` for a hypothesis that was third and ranks higher now."""
    if rank == before:
        return str(before)
    return f"{'▲' if rank < before else '▼'} {before}"


def _text(request: StepsRequest, tree: SearchTree, number: int) -> str:
    return request.run.tgt_tokenizer.decode(tree.ids(number)) or "(nothing)"


def _decode(strategy: str, penalty: float, formula: str) -> None:
    search_with(strategy, length_penalty=penalty, length_formula=formula)

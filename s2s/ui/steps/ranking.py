"""The finished hypotheses of a search, ranked by any length penalty without decoding again."""

from __future__ import annotations

import math

import streamlit as st

from s2s.config import override
from s2s.decode import BeamConfig, SearchTree, rerank
from s2s.ui.kit.captions import nats
from s2s.ui.kit.text import plain
from s2s.ui.steps import request
from s2s.ui.steps.request import OWN, Asked

PENALTY = OWN + "rank_penalty"
FORMULA = OWN + "rank_formula"
LOW = -2.0
HIGH = 4.0
STRIDE = 0.1
FORMULAS = ("power", "gnmt")


def show(asked: Asked, tree: SearchTree) -> None:
    """The table, and where scores are divided by the length a slider."""
    _, config = asked.run.configured(asked.strategy, asked.settings)
    with st.container(border=True):
        st.subheader("What ended, best first", anchor=False)
        if isinstance(config, BeamConfig):
            _ranked(asked, tree, config)
        else:
            scored = [(number, tree.nodes[number].score) for number in tree.finished]
            known = sorted(
                ((number, score) for number, score in scored if score is not None),
                key=lambda pair: pair[1],
                reverse=True,
            )
            _table(asked, tree, known, None)


def _ranked(asked: Asked, tree: SearchTree, config: BeamConfig) -> None:
    st.caption(
        "A finished text's score is its log-probability divided by its length to the power of `length_penalty`: at 0 short texts win,"
        " further up longer ones. Moving the slider only ranks these texts anew; nothing is decoded."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        penalty = _slider(asked, config)
        formula = _formula(asked, config)
    other = override(config, {"length_penalty": penalty, "length_formula": formula})
    ranked = rerank(tree, other)
    _verdict(asked, tree, config, other)
    _table(asked, tree, ranked, config)
    if other != config:
        st.caption(
            "Decoding again with this setting may find others: it decides how long the search goes on, and which finished texts stay."
        )
        st.button(
            "Decode with this setting",
            icon=":material/replay:",
            on_click=_decode,
            args=(asked.strategy, penalty, formula),
            key="decode so",
        )


def _slider(asked: Asked, config: BeamConfig) -> float:
    low = min(LOW, config.length_penalty)
    high = max(HIGH, config.length_penalty)
    if PENALTY not in st.session_state:
        st.session_state[PENALTY] = _number(
            asked.said.get("rank_penalty", ""), config.length_penalty, (low, high)
        )
    value = st.slider(
        "length_penalty", low, high, step=STRIDE, key=PENALTY, persist_state="session"
    )
    request.remember(rank_penalty="" if value == config.length_penalty else f"{value:g}")
    return float(value)


def _number(given: str, usual: float, span: tuple[float, float]) -> float:
    try:
        value = float(given)
    except ValueError:
        return usual
    return usual if math.isnan(value) else min(max(value, span[0]), span[1])


def _formula(asked: Asked, config: BeamConfig) -> str:
    given = st.session_state.setdefault(
        FORMULA, asked.said.get("rank_formula", config.length_formula)
    )
    if given not in FORMULAS:
        st.session_state[FORMULA] = config.length_formula
    help = "power: length^p. gnmt: ((5 + length) / 6)^p, which changes less from length to length."
    chosen = st.segmented_control(
        "length_formula", FORMULAS, required=True, key=FORMULA, persist_state="session", help=help
    )
    value = chosen or config.length_formula
    request.remember(rank_formula="" if value == config.length_formula else value)
    return value


def _verdict(asked: Asked, tree: SearchTree, config: BeamConfig, other: BeamConfig) -> None:
    """Whether the first changes."""
    before = rerank(tree, config)[0][0]
    after = rerank(tree, other)[0][0]
    if other == config:
        return
    text = plain(_text(asked, tree, after))
    if before == after:
        st.markdown(f":material/check: With this setting *{text}* stays first.")
    else:
        st.markdown(f":material/swap_vert: With this setting *{text}* would be first.")


def _table(
    asked: Asked, tree: SearchTree, ranked: list[tuple[int, float]], config: BeamConfig | None
) -> None:
    before = (
        {number: place for place, (number, _) in enumerate(rerank(tree, config), 1)}
        if config
        else {}
    )
    rows = []
    for place, (number, score) in enumerate(ranked, 1):
        node = tree.nodes[number]
        row = {
            "place": place,
            "score": score,
            "text": _text(asked, tree, number),
            "tokens": node.step,
            "log-probability": node.total,
        }
        rows.append(
            row
            | (
                {"as decoded": _moved(place, before[number])}
                if config
                else {"times drawn": node.count}
            )
        )
    numbers = {
        name: st.column_config.NumberColumn(format="%.3f") for name in ("log-probability", "score")
    }
    look = {
        "text": st.column_config.TextColumn(width="large"),
        "place": st.column_config.NumberColumn(width=50),
    }
    first = f"first: score {nats(ranked[0][1])}" if ranked else "none"
    st.dataframe(
        rows,
        hide_index=True,
        column_config=look | numbers,
        key="steps ranking",
        alt=f"{len(rows)} finished texts, {first}",
    )


def _moved(place: int, before: int) -> str:
    """`▲ 3` for what was third and stands higher now."""
    sign = "▲ " if place < before else "▼ " if place > before else ""
    return f"{sign}{before}"


def _text(asked: Asked, tree: SearchTree, number: int) -> str:
    return asked.run.tgt_tokenizer.decode(tree.ids(number)) or "(nothing)"


def _decode(strategy: str, penalty: float, formula: str) -> None:
    request.search_with(strategy, length_penalty=penalty, length_formula=formula)

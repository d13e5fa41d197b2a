"""The search tree: every step of the search, a token's alternatives, and the ranking of the finished hypotheses."""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go
import streamlit as st

from s2s.decode import BeamConfig
from s2s.plots import Picture, drawn_nodes
from s2s.questions import FORMULAS, PRUNED_SHOWN, Searched, WhyEachWord, ranking
from s2s.questions.views import view_of
from s2s.ui.kit import cached, clickable_chart, file_name, pickers, show
from s2s.ui.shell import page_link
from s2s.ui.steps.page import AskedSearch, search_with
from s2s.ui.steps.view_state import STATE

# pixels of the window that a tree cannot use: beside an open sidebar, which stands from WIDE on, and without one
WIDE = 767
BESIDE_WIDE = 430
BESIDE = 70
MOST_THAT_FIT = 10  # steps
LOW, HIGH, STRIDE = -2.0, 4.0, 0.1  # of the length penalty's slider
NODE = STATE.key("node")


def show_tree(asked: AskedSearch) -> None:
    """Draw the tree; below it one token's alternatives, and the finished hypotheses."""
    answer = cached.SCREEN.answer(asked.question(WhyEachWord))
    asked.write(answer.text)
    _drop_unknown_node(answer)
    with st.container(key="answer", border=True):
        top = st.container()
        _what_to_draw(asked, answer)
    middle, bottom = st.container(border=True), st.container(border=True)
    bottom.markdown("**Finished hypotheses, best first**")
    if isinstance(answer.config, BeamConfig):
        with bottom, st.container(horizontal=True, vertical_alignment="bottom"):
            _ranking_controls(answer.config)
    question = asked.question(WhyEachWord)
    pictures = view_of(question).pictures(question, answer, asked.model)
    with top:
        show(pictures[0], question, answer, draw=partial(_chart, pictures[0], answer))
    if len(pictures) == 1:
        return
    with middle:
        _node_picker(question, answer)
        show(pictures[1], question, answer)
    with bottom:
        show(pictures[2], question, answer)
        _decode_buttons(asked.strategy, ranking.ranking(question, answer), answer)


def _what_to_draw(asked: AskedSearch, answer: Searched) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if answer.tree.is_complete:
            STATE.segments("pruned", STATE.label("pruned"), PRUNED_SHOWN)
        if answer.tree.n_steps > MOST_THAT_FIT:
            STATE.draw("whole")
        page_link(
            "attention", "Attention", step=str(asked.run.step), src=asked.text, tgt=answer.text
        )


def _chart(picture: Picture, answer: Searched) -> None:
    if not answer.best_path or not isinstance(picture.figure, go.Figure):
        return
    width = picture.figure.layout.width
    with st.container(key="treescroll"):
        st.html(
            "<style>:is(.st-key-steps-tree-chart, .st-key-steps-tree-chart-and-touch)"
            f" {{ min-width: {width}px; max-width: none; }}</style>"
        )
        clickable_chart(
            picture.figure,
            alt=picture.alt,
            file_name=file_name(picture.title),
            key="steps tree chart",
            on_pick=_pick,
        )
    fits = f"(min-width: {width + BESIDE_WIDE}px), (max-width: {WIDE}px) and (min-width: {width + BESIDE}px)"
    st.html(
        f"<style>@media {fits} {{ .st-key-treehint {{ display: none; }} }}</style>", width="content"
    )
    with st.container(key="treehint"):
        st.caption(":material/swipe: Scroll the tree sideways to see all of it.")


def _pick(number: object) -> None:
    node = number[0] if isinstance(number, list) and number else number
    if isinstance(node, int) and node:
        STATE.show(node=str(node))


def _drop_unknown_node(answer: Searched) -> None:
    given = STATE.value("node")
    if given and not (given.isdecimal() and 0 < int(given) < len(answer.tree.nodes)):
        pickers.notify(
            f"This search has no node {given[:20]}; the token that the model was least certain of is chosen instead."
        )
        STATE.remember(node="")


def _node_picker(question: WhyEachWord, answer: Searched) -> None:
    nodes = answer.tree.nodes
    labels = {
        node.number: f"step {node.step} · {answer.token(node.number)} · {nodes[node.number].state}"
        for node in drawn_nodes(question, answer)
        if node.number
    }
    st.session_state[NODE] = chosen = question.inspected(answer)
    labels.setdefault(chosen, f"step {nodes[chosen].step} · {answer.token(chosen)}")
    st.selectbox(
        "Press a token in the tree, or choose it here",
        list(labels),
        format_func=labels.__getitem__,
        key=NODE,
        on_change=lambda: STATE.remember(node=str(st.session_state[NODE])),
        width=340,
    )


def _ranking_controls(config: BeamConfig) -> None:
    low, high = min(LOW, config.length_penalty), max(HIGH, config.length_penalty)
    key = STATE.key("rank_penalty")
    if key not in st.session_state:
        given = float(STATE.value("rank_penalty") or config.length_penalty)
        st.session_state[key] = min(max(given, low), high)
    label = STATE.label("rank_penalty")
    penalty = float(
        st.slider(label, low, high, step=STRIDE, key=key, persist_state="session", width=420)
    )
    formulas = {name: name for name in FORMULAS}
    formula = STATE.segments(
        "rank_formula", STATE.label("rank_formula"), formulas, default=config.length_formula
    )
    STATE.remember(
        rank_penalty="" if penalty == config.length_penalty else f"{penalty:g}",
        rank_formula="" if formula == config.length_formula else formula,
    )


def _decode_buttons(strategy: str, found: ranking.Ranking, answer: Searched) -> None:
    config = found.config
    if not isinstance(config, BeamConfig):
        return
    offered = [(penalty, config.length_formula) for penalty in found.other_winners]
    if config != answer.config:
        offered = [(config.length_penalty, config.length_formula)]
    with st.container(horizontal=True, gap="small"):
        for number, (penalty, formula) in enumerate(offered):
            st.button(
                f"Decode with length_penalty {penalty:g}".replace("-", "−"),
                key=f"decode so {number}",
                icon=":material/replay:",
                on_click=partial(
                    search_with, strategy, length_penalty=penalty, length_formula=formula
                ),
            )

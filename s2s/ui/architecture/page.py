"""The page Architecture: the controls for a model (a run's or a preset's) and a batch; and what draws the answer."""

from __future__ import annotations

import html
import itertools
from functools import partial
from typing import Any

import streamlit as st

from s2s.config import PRESETS
from s2s.plots import Diagram, Picture
from s2s.questions import CostGrowth, Costs, Masks, ModelCosts, Question, T5Sizes, costs
from s2s.questions.views import view_of
from s2s.runs import Run
from s2s.ui.architecture.view_state import STATE, TABS
from s2s.ui.canvas import diagram
from s2s.ui.kit import cached, pickers, sentence_row, settings_box, show_all, vocabulary
from s2s.ui.kit.pictures import show as show_picture
from s2s.ui.streamlit_parts import DeltaGenerator

SIZES = {"batch": "sentences", "src_len": "source tokens", "tgt_len": "target tokens"}
DEFAULT = Costs()


def show() -> None:
    """Draw the controls in one row, and the answer of the chosen tab."""
    STATE.from_url()
    run = cached.open_run(st.session_state["run"])
    # Only Masks has a sentence box, but a link's sentence is kept in every tab.
    example = next(iter(vocabulary.of(run).examples), "")
    st.session_state.setdefault("src", st.query_params.get("src", example))
    controls = st.container(horizontal=True, vertical_alignment="bottom", key="view row")
    with controls:
        labels = {slug: row.label for slug, row in TABS.items()}
        view = STATE.segments("view", "View", labels, label_visibility="collapsed")
    kind = TABS[view].question
    if kind is Masks:
        _show_masks(controls)
    elif kind is T5Sizes:
        with controls:
            STATE.draw("size", width=140)
        _answer(STATE.question(T5Sizes), "")
    else:
        _show_model(run, kind, controls)


def select_component(name: str) -> None:
    """Show another component when the page is next drawn: for callbacks."""
    STATE.remember(component=name)


def _show_masks(controls: DeltaGenerator) -> None:
    row = sentence_row("its masks")
    if row.text:
        with controls:
            STATE.draw("masks", width=190, label_visibility="collapsed")
        _answer(STATE.question(Masks, run=cached.named(row.best), text=row.text), "", row.best)


def _show_model(run: Run, kind: type[Question[Any]], controls: DeltaGenerator) -> None:
    names = {
        costs.THIS_RUN: f"this run: {cached.title(run.folder.id)}",
        **{name: name for name in PRESETS},
    }
    with controls, st.container(horizontal=True, vertical_alignment="bottom", key="controls model"):
        model = STATE.draw("model", names, width=180)
        if kind is Costs:
            STATE.draw("other", {costs.NO_MODEL: "no other model", **names}, width=180)
        else:
            STATE.draw("cost", width=190)
            STATE.draw("vary", width=176)
        changed = {
            f"{STATE.shown(name)} {said}": STATE.shown(name) != getattr(DEFAULT, name)
            for name, said in SIZES.items()
        }
        box = settings_box(run, changed)
    longest = (
        run.recipe if model == costs.THIS_RUN else PRESETS[model].recipe
    ).model.positions.longest
    with box:
        limits = (costs.MAX_SENTENCES, *[min(longest or costs.MAX_TOKENS, costs.MAX_TOKENS)] * 2)
        for name, most in zip(SIZES, limits, strict=True):
            STATE.draw(name, low=1, high=most, widget=st.slider, width=240)
    given = {"run": cached.named(run)} if costs.THIS_RUN in (model, STATE.value("other")) else {}
    _answer(STATE.question(kind, **given), model, run if given else None)


def _answer(question: Question[Any], model: str, run: Run | None = None) -> None:
    answer = cached.SCREEN.answer(question)
    name = cached.model_name(run) if run else ""
    if isinstance(question, Costs):
        _show_costs(question, answer, name)
    elif isinstance(question, CostGrowth | T5Sizes | Masks):
        show_all(question, answer, name)


def _show_costs(question: Costs, answer: ModelCosts, model: str) -> None:
    if not question.is_part(answer):
        pickers.notify(
            f"This model has no component {question.component[:40]}; the whole model is shown instead."
        )
        STATE.remember(component="")
    whole, part, *rest = view_of(question).pictures(question, answer, model)
    with st.container(key="answer", border=True):
        left, right = st.columns([3, 2], gap="medium")
        with left, st.container(key="diagram"):
            show_picture(whole, question, answer, draw=partial(_diagram, whole))
        with right, st.container(key="part"):
            show_picture(part, question, answer, draw=partial(_card, part))
    *rest, folded = rest
    for picture in rest:
        with st.container(border=True):
            show_picture(picture, question, answer)
    with st.expander(folded.title.splitlines()[-1].capitalize(), icon=":material/grid_on:"):
        show_picture(folded, question, answer)


def _diagram(picture: Picture) -> None:
    if isinstance(picture.figure, Diagram):
        diagram(picture.figure, key="model diagram", on_pick=select_component)


def _card(picture: Picture) -> None:
    st.subheader(picture.title.splitlines()[-1], anchor=False)
    for title, rows in itertools.groupby(picture.table.rows, key=lambda row: row[0]):
        cells = "".join(
            f"<tr><th>{html.escape(what)}</th><td>{html.escape(size)}</td></tr>"
            for _, what, size in rows
        )
        st.html(f'<div class="parts"><p>{html.escape(title)}</p><table>{cells}</table></div>')

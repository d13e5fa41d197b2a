"""How a step is laid out: pictures on the left, words and the map on the right; on a phone the pictures come first."""

from __future__ import annotations

import html
from dataclasses import replace
from functools import partial
from types import MappingProxyType

import streamlit as st

from s2s.config import UserError
from s2s.faults import fault_of
from s2s.links import share
from s2s.plots import diagram_of
from s2s.questions import Costs, Table, Walked, costs
from s2s.questions.views import view_of
from s2s.runs import Run
from s2s.scores import Scoring
from s2s.ui.canvas import diagram
from s2s.ui.kit import as_markdown, cached, score_counts
from s2s.ui.kit.pictures import show as show_picture
from s2s.ui.shell import page_link
from s2s.ui.walkthrough import another_target
from s2s.ui.walkthrough.code import excerpt
from s2s.ui.walkthrough.request import STATE, AskedStep, go_to
from s2s.ui.walkthrough.step import WalkthroughStep
from s2s.ui.walkthrough.steps import STEPS, WHERE


def show(asked: AskedStep) -> None:
    """Draw the pictures of a step, and its explanation."""
    with asked.pictures, st.container(border=True, key="answer"):
        try:
            answer = cached.SCREEN.answer(asked.question)
        except UserError as error:  # the other steps can be shown
            st.info(as_markdown(str(error)), icon=":material/block:")
        else:
            _show_pictures(asked, answer)
    with asked.explanation, st.container(border=True):
        _explain(asked.step, asked.run)
        _map(asked.run)


def _show_pictures(asked: AskedStep, answer: Walked) -> None:
    question = asked.question
    pictures = view_of(question).pictures(question, answer, cached.model_name(asked.run))
    columns = None
    if asked.step.is_wide:
        with st.container(key="side by side"):
            columns = st.columns(len(pictures) // 2)
    for number, picture in enumerate(pictures):
        place = columns[number // 2] if columns else st.container()
        with place, st.container(key=f"walk picture {number + 1}"):  # a lesson may hide it
            own = DRAWN.get(question.step)
            show_picture(
                picture, question, answer, draw=partial(own, picture.table, answer) if own else None
            )
    if answer.loss is not None:
        with asked.settings:
            another_target.show(asked.run, question.text, answer.loss)
    if question.step == "counted":
        page_link("evaluate", "Score a whole test set")


def _chips(table: Table, answer: Walked) -> None:
    is_ids = STATE.now.step == "ids"
    spans = (
        f"<span><b><bdi>{html.escape(token)}</bdi></b><small>{number if is_ids else ''}</small></span>"
        for token, number in table.rows
    )
    st.html(f'<div class="tokens">{"".join(spans)}</div>')


def _side_by_side(table: Table, answer: Walked) -> None:
    rows = []
    for position, forced_reads, predicted, correct, free_reads, chosen in table.rows:
        cells = [html.escape(str(text)) for text in (position, forced_reads, predicted, correct)]
        cells += [_marked(free_reads, forced_reads), _marked(chosen, correct)]
        named = zip(table.columns, cells, strict=True)
        row = "".join(f'<td dir="auto" data-of="{name}">{cell}</td>' for name, cell in named)
        rows.append(f"<tr>{row}</tr>")
    head = "".join(f'<th scope="col">{name}</th>' for name in table.columns)
    st.html(f'<div class="samples wide"><table><tr>{head}</tr>{"".join(rows)}</table></div>')


def _marked(text: str, other: str) -> str:
    return html.escape(text) if text == other else f"<u>{html.escape(text)}</u>"


def _counts(table: Table, answer: Walked) -> None:
    if answer.loss and answer.loss.is_reference:
        written = answer.own.text if answer.own else ""
        score_counts.panel(written, answer.loss.forced.text, Scoring())


# What only this page can draw.
DRAWN = MappingProxyType(
    {"pieces": _chips, "ids": _chips, "forcing": _side_by_side, "counted": _counts}
)


def _explain(step: WalkthroughStep, run: Run) -> None:
    st.subheader(step.title, anchor=False)
    if fault := fault_of(run.recipe.train.fault):
        what = (
            "Where a formula has that term, this run leaves it out; the pictures show what it computes."
            if fault.is_outside_weights
            else "It acted while the run was trained, not now: the pictures show how the run translates."
        )
        st.warning(
            f"This run has a fault, made on purpose: {as_markdown(fault.title)}. {what}",
            icon=":material/bug_report:",
        )
    for text in step.explanation(run):
        st.markdown(text)
    st.latex(step.formula(run))
    with st.expander("Source code", icon=":material/code:"):
        for code in step.code(run):
            part = excerpt(code)
            st.caption(f"`{part.file}`, from line {part.start}")
            st.code(part.text, language="python")


def _map(run: Run) -> None:
    answer = cached.SCREEN.answer(Costs(cached.named(run)))
    components = answer.model.components
    drawing = diagram_of(components, is_pre=run.recipe.model.norm.place == "pre")
    where = WHERE.get(STATE.now.step, "")
    boxes = {box.name for box in drawing.boxes}
    while where not in boxes:  # a part that this model does not have
        where = where.rpartition(".")[0]
    parts = {"encoder": "Encoder", "decoder": "Decoder"}
    stack = parts.get(where.partition(".")[0], "")
    said = " · ".join(dict.fromkeys(filter(None, (stack, costs.label_of(components, where)))))
    st.markdown(f"**Where in the model:** {said}")
    with st.container(width=300, key="walk map"):
        diagram(replace(drawing, chosen=where), key="map", on_pick=_open_first_of)
    shown = share.pack({"part": where} if where else {})
    page_link("architecture", "Its weights and shapes", **({"set": shown} if shown else {}))


def _open_first_of(where: str) -> None:
    for slug in STEPS:
        there = WHERE.get(slug, "")
        if there == where or there.startswith(f"{where}."):
            go_to(slug)
            return

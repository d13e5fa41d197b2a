"""The view Roles: what each head does over many sentences, which relations it finds, and how that arose."""

from __future__ import annotations

from types import MappingProxyType

import streamlit as st

from s2s.analysis import heads
from s2s.config import UserError
from s2s.jobs import head_roles_history
from s2s.questions import (
    INDUCTION,
    KIND_NAMES,
    PARTS,
    RELATIONS,
    ROLES,
    HeadRoles,
    Roles,
    RolesOverTraining,
)
from s2s.questions.views import view_of
from s2s.ui.heads.experiment_panel import measured
from s2s.ui.heads.page import HeadsPage, HeadsSample, sample
from s2s.ui.heads.view_state import STATE
from s2s.ui.kit import as_markdown, show, show_all
from s2s.ui.shell import page_link
from s2s.ui.streamlit_parts import DeltaGenerator

TRAINING = "training"  # a part that is another question
LABELS = MappingProxyType({**PARTS, TRAINING: "Over training"})
IN_ROW = MappingProxyType({"label_visibility": "collapsed", "width": 260})


def show_view(page: HeadsPage) -> None:
    """Draw the chosen part of the view, over the chosen sentences."""
    with page.row:
        part = STATE.choice("part", "Part", LABELS, label_visibility="collapsed", width=220)
        place = st.container(horizontal=True, width="content")
    chosen = sample(page)
    if part == TRAINING:
        _over_training(chosen, place)
        return
    answer = measured(STATE.question(HeadRoles, **chosen.asked, part=part))
    if answer is None:
        return
    if why := answer.notes.get(part):
        st.info(as_markdown(why), icon=":material/info:")
        return
    if part == RELATIONS:
        names = {one.direction: heads.DIRECTIONS[one.direction].label for one in answer.relations}
        with place:
            STATE.draw("relation", names, default=answer.default_relation, **IN_ROW)
    elif part == INDUCTION:
        with place:
            STATE.draw("score", answer.scores, default=next(iter(answer.scores)), **IN_ROW)
    _show(chosen, answer, part)


def _show(chosen: HeadsSample, answer: Roles, part: str) -> None:
    with st.container(key="answer", border=True):
        first = st.container()
        if part == ROLES:
            _head(chosen, answer)
        question = STATE.question(HeadRoles, **chosen.asked, part=part)
        drawn, *more = view_of(question).pictures(question, answer, chosen.model)
        with first:
            show(drawn, question, answer)
        for picture in more[:1]:
            show(picture, question, answer)
    for picture in more[1:]:
        with st.expander("As a table", icon=":material/table:"):
            show(picture, question, answer)


def _head(chosen: HeadsSample, answer: Roles) -> None:
    options = {
        f"{kind}.{layer + 1}.{head + 1}": f"{KIND_NAMES[kind]}, layer {layer + 1}, head {head + 1}"
        for kind, found in answer.kinds.items()
        for layer in range(found.role.shape[0])
        for head in range(found.role.shape[1])
    }
    with st.container(horizontal=True, vertical_alignment="bottom", key="chosen head"):
        head = STATE.draw("head", options, default=next(iter(options)), width=360)
        kind, layer, number = head.split(".")
        where = {"step": str(chosen.run.step), "kind": kind, "layer": layer, "head": number}
        page_link("attention", "See its weights in a sentence", **where)


def _over_training(chosen: HeadsSample, place: DeltaGenerator) -> None:
    try:
        head_roles_history.checkpoints(chosen.run.folder)
        refusal = ""
    except UserError as why:
        refusal = as_markdown(str(why))
    question = STATE.question(RolesOverTraining, **chosen.asked)
    answer = measured(question, refusal=refusal)
    if answer is None:
        return
    with place:
        kinds = {kind: KIND_NAMES[kind] for kind in answer.checkpoints[0].kinds}
        kind = STATE.draw("kind", kinds, default=next(iter(kinds)), **IN_ROW)
        strengths = answer.checkpoints[0].kinds[kind].strengths
        roles = {slug: heads.CORPUS_ROLES[slug].label for slug in strengths}
        STATE.draw("role", roles, default=answer.most_changed(kind), **IN_ROW)
    question = STATE.question(RolesOverTraining, **chosen.asked)
    show_all(question, answer, chosen.model)

"""The next token: the candidates at each position of a target, and what follows if another one is forced."""

from __future__ import annotations

import html
from dataclasses import replace
from functools import partial

import streamlit as st

from s2s.config import override, settings_of
from s2s.decode import FILTERS, Truncation
from s2s.plots import Picture
from s2s.questions import NextCandidates, NextToken, next_token
from s2s.questions.views import view_of
from s2s.ui.kit import cached, chart, file_name, forms, pickers, plain, show
from s2s.ui.kit.candidates import candidates_strip, with_usable_words
from s2s.ui.steps.page import AskedSearch
from s2s.ui.steps.view_state import STATE
from s2s.words import fine_percent

POSITION = STATE.key("at")
PREFIX = f"{STATE.page} {next_token.FIELD}"  # how the widgets' keys of the filters begin
N_BUTTONS = 6  # candidates that a press writes


def show_next_token(asked: AskedSearch) -> None:
    """Draw the translation token by token; for one position the candidates, the distribution and the filters."""
    question = _usable(asked.question(NextToken))
    answer = cached.SCREEN.answer(question)
    asked.write(answer.found.text)
    wide, narrow = st.columns([3, 2], gap="medium")
    with narrow, st.container(border=True):
        _candidate_buttons(answer)
        _filters()
    question = replace(asked.question(NextToken), forced=question.forced, at=question.at)
    bars, filters = view_of(question).pictures(question, answer, asked.model)
    with wide, st.container(key="answer", border=True):
        show(bars, question, answer, draw=partial(_draw, bars, answer))
    with st.container(border=True):
        show(filters, question, answer)


def _usable(question: NextToken) -> NextToken:
    """The question without forced tokens and positions that do not fit this translation, which are reported."""
    question = with_usable_words(question, STATE)
    n = len(cached.SCREEN.answer(question.continued).tokens)
    if question.at and not (question.at.isdecimal() and 1 <= int(question.at) <= n):
        pickers.notify(
            f"There is no position {question.at[:20]} in this translation; it has {n} tokens."
        )
        STATE.remember(at="")
        question = replace(question, at="")
    return question


def _draw(picture: Picture, answer: NextCandidates) -> None:
    _strip(answer)
    st.space("small")
    with st.container(key="ruler"):
        chart(picture.figure, alt=picture.alt, file_name=file_name(picture.title))


def _strip(answer: NextCandidates) -> None:
    """Draw the tokens, each with its probability; a press chooses one, or writes another in its place."""
    with st.container(key="token probabilities"):
        candidates_strip(answer, key="strip", force=_force, on_pick=_choose_position)
        st.caption(
            "Under each token: its probability, given what stands before it. Press one to see its position."
        )


def _candidate_buttons(answer: NextCandidates) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _position_picker(answer)
        if answer.n_forced:
            st.button(
                "Back to the model's own",
                key="unforce",
                icon=":material/undo:",
                on_click=partial(STATE.remember, forced=""),
            )
    if answer.n_forced:
        st.html(
            f'<p dir="auto"><small>The model\'s own:</small> {html.escape(answer.own.text) or "(nothing)"}</p>'
        )
    ids = answer.found.hypotheses[0].ids[: answer.position]
    written = answer.found.hypotheses[0].ids[answer.position]
    others = [each for each in answer.candidates[answer.position] if each.id != written]
    with st.container(key="candidates"):
        st.markdown("**Write another token here** and let the model continue:")
        with st.container(horizontal=True, gap="small"):
            for each in others[:N_BUTTONS]:
                st.button(
                    f"{plain(each.token)} · {fine_percent(each.probability)}",
                    key=f"write {each.id}",
                    on_click=_force,
                    args=(".".join(map(str, (*ids, each.id))),),
                )


def _position_picker(answer: NextCandidates) -> None:
    tokens = answer.found.hypotheses[0].tokens
    st.session_state[POSITION] = answer.position
    st.selectbox(
        "Position",
        range(len(tokens)),
        format_func=lambda index: f"{index + 1} · {tokens[index]}",
        key=POSITION,
        on_change=lambda: _choose_position(st.session_state[POSITION]),
        width=200,
    )


def _choose_position(index: int) -> None:
    STATE.remember(at=str(index + 1))


def _force(ids: str) -> None:
    STATE.remember(forced=ids, at=str(ids.count(".") + 1))


def _filters() -> None:
    state = {name: STATE.value(next_token.FIELD + name) for name in next_token.SETTINGS}
    given, problems = forms.from_address(
        next_token.START, {name: text for name, text in state.items() if text}
    )
    for problem in problems:
        pickers.notify(problem)
    start = override(next_token.START, given)
    st.session_state.setdefault(PREFIX + next_token.TEMPERATURE, start.temperature)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.slider(
            next_token.TEMPERATURE,
            next_token.MIN_TEMPERATURE,
            next_token.MAX_TEMPERATURE,
            step=0.05,
            key=PREFIX + next_token.TEMPERATURE,
            help=plain(settings_of(Truncation)[next_token.TEMPERATURE].help),
            persist_state="session",
            width=240,
        )
        _log_toggle()
    st.markdown("**Filters**, each alone and all in this order:")
    with st.grid(3, min_column_width=110, vertical_alignment="bottom"):
        forms.inputs(start, list(FILTERS), PREFIX)  # FILTERS are in the order in which they apply
    written = forms.to_address(forms.changes(next_token.START, next_token.SETTINGS, PREFIX))
    STATE.remember(
        **{next_token.FIELD + name: written.get(name, "") for name in next_token.SETTINGS}
    )


def _log_toggle() -> None:
    key = STATE.key("log_scale")
    st.session_state.setdefault(key, bool(STATE.value("log_scale")))
    help = "Shows improbable tokens, too."
    is_log = st.toggle(STATE.label("log_scale"), key=key, help=help, persist_state="session")
    STATE.remember(log_scale="true" if is_log else "")

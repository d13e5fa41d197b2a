"""The page Compare: the row of controls, the table, and the row that is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from s2s.questions import Compare, Compared, Outcome
from s2s.ui.compare import find_one, panel, reference, row, rows
from s2s.ui.compare.reference import Comparison
from s2s.ui.compare.row import RowChoice
from s2s.ui.compare.view_state import STATE
from s2s.ui.kit import (
    SentenceRow,
    cached,
    sentence,
    sentence_row,
    settings_box,
    show_all,
    vocabulary,
)

ADD, START_OVER = "add row", "start over"
OPEN = "Open a row"


def show() -> None:
    find_one.FIND_ONE.take_found()
    run_id = str(st.session_state["run"])
    if not reference.is_leaving():
        STATE.from_url()
    rows.read_from_url(run_id)
    page = sentence_row("its translations", find_one.FIND_ONE.button)
    found = st.container()
    with page.beside:
        with st.container(horizontal=True, width="content", gap="small", key="controls-compare"):
            _toolbar()
        settings = settings_box(page.best, reference.is_changed())
    with settings:
        comparison = reference.controls(page.best, page.text, len(rows.shown()))
        _start_over(run_id)
    answer, waiting, opened = st.container(), st.container(), st.container()
    key = _open_key()
    if key:
        with opened:
            box = st.container(border=True, key="row panel")
        with box:
            settings_of_row = st.container(key=f"controls-{key}")
            with settings_of_row:
                panel.controls(key, run_id)
                panel.buttons(key, _once)
    choices = {key: row.read(text) for key, text in rows.texts().items()}
    rows.write_to_url(run_id)
    with found:
        find_one.show(page.best, page.text, choices)
    if page.text:
        question = _question(page.text, choices, comparison)
        outcomes = cached.SCREEN.outcomes(question.translations)
        with answer:
            _answer(page, question, outcomes, choices)
        with waiting:
            _progress(outcomes)
        at = rows.KEYS.index(key) if key else 0
        if key and (timed := outcomes[at].timed):
            with box:
                translation = question.translations[at]
                panel.results(key, choices[key], translation, timed, comparison.reference)


def _toolbar() -> None:
    is_full = len(rows.shown()) == len(rows.KEYS)
    st.menu_button(
        "Add a row",
        rows.kinds(),
        key=ADD,
        icon=":material/add:",
        format_func=lambda kind: kind.replace("_", " "),
        on_click=_add,
        disabled=is_full,
        help=rows.FULL if is_full else "Decode the same sentence in another way",
    )
    if any(map(rows.is_drawn, rows.texts().values())):
        st.button(
            "Draw again",
            icon=":material/casino:",
            on_click=rows.draw_again,
            help="Other random numbers for every row that draws",
        )


def _add() -> None:
    rows.add(st.session_state[ADD])


def _start_over(run_id: str) -> None:
    def start() -> None:
        rows.start(st.session_state[START_OVER], run_id)

    st.menu_button(
        "Start over",
        [rows.ALONE, *rows.starts(run_id)],
        key=START_OVER,
        icon=":material/restart_alt:",
        on_click=start,
    )


def _once(change: Callable[..., None], n_rows: int, *given: str) -> None:
    if len(rows.shown()) == n_rows:
        change(*given)


def _open_key() -> str:
    number = str(STATE.value("row"))
    if len(rows.shown()) == 1:
        return rows.KEYS[0]
    key = f"c{number}"
    return key if key in rows.shown() else ""


def _question(text: str, choices: Mapping[str, RowChoice], comparison: Comparison) -> Compare:
    names = [choice.name for choice in choices.values()]
    return STATE.question(
        Compare,
        runs=(names[0],) if len({*names}) == 1 else tuple(names),
        text=text,
        rows=tuple(choice.asked for choice in choices.values()),
        reference=comparison.reference,
        against=comparison.against,
    )


def _answer(
    page: SentenceRow,
    question: Compare,
    outcomes: Sequence[Outcome],
    choices: Mapping[str, RowChoice],
) -> None:
    answer = question.joined(cached.SCREEN, outcomes)
    runs = [choice.run for choice in choices.values() if choice.run]
    model = ", ".join(dict.fromkeys(map(cached.model_name, runs)))
    folded = "Token by token" if answer.models else ""
    show_all(question, answer, model, folded=folded)
    sentence.by_people(page.facts, page.text)
    for run in {
        run.folder.id: run for run in runs if run.folder.id != page.best.folder.id
    }.values():
        if said := sentence.unfamiliar(run, vocabulary.of(run), page.text):
            st.caption(said)
    if len(choices) > 1:
        _opener(answer)


def _opener(answer: Compared) -> None:
    numbers = [str(number) for number in range(1, len(answer.rows) + 1)]
    key = STATE.key("row")
    value = str(STATE.value("row"))
    st.session_state[key] = value if value in numbers else None
    st.segmented_control(
        OPEN,
        numbers,
        format_func=lambda number: f"{number} · {answer.rows[int(number) - 1].name}",
        key=key,
        on_change=lambda: STATE.remember(row=st.session_state[key] or ""),
        help="Its settings, tokens, hypotheses and code",
        wrap=True,
    )


def _progress(outcomes: Sequence[Outcome]) -> None:
    for key, outcome in zip(rows.KEYS, outcomes, strict=False):
        if isinstance(outcome.problem, cached.PendingError):
            outcome.problem.draw(key)

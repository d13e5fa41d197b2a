"""Train a run with a fault beside its healthy control run, open both, or look at a healthy run with the fault."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from s2s.config import NO_FAULT, UserError, asker, shortened
from s2s.demo import LESSONS
from s2s.faults import FAULTS
from s2s.jobs import fault_experiment, run_service
from s2s.links import share
from s2s.questions import AttentionOf
from s2s.questions.views import view_of
from s2s.runs import RunSummary, with_fault
from s2s.ui.kit import (
    action_button,
    as_markdown,
    cached,
    duration,
    forms,
    nats,
    sentence,
    show,
    show_finding,
    vocabulary,
)
from s2s.ui.kit.badges import STATES
from s2s.ui.kit.queueing import queue_runs
from s2s.ui.lessons.view_state import MAX_SENTENCE, STATE
from s2s.ui.shell import page_link
from s2s.ui.streamlit_parts import DeltaGenerator

REFRESH_SECONDS = 1.0  # while a run trains
REFUSED = "faults refused"  # in the session
DEMO = LESSONS
MOST_SHOWN = 40  # characters of a translation that repeats itself
REFERENCE = "The rows are the correct translation, as in training, not the run's own."
LIMIT = 40  # tokens of a translation that may never end


def training(fault: str) -> None:
    """Draw the button that trains, how far the runs are, and the links that open them."""
    is_busy = any(row.is_live for row in _both(fault))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.fragment(_progress, run_every=REFRESH_SECONDS if is_busy else None)(fault, is_busy)
        if not is_busy:
            _button(fault)
    if refused := st.session_state.pop(REFUSED, None):
        forms.show_error(refused)


def _button(fault: str) -> None:
    own = _own_runs()
    missing = [name for name in (NO_FAULT, fault) if not _is_done(own.get(name))]
    names = missing or [fault]
    requests = [fault_experiment.request(name, asker.current()) for name in names]
    seconds = sum(cached.forecast(one.source, one.recipe).seconds for one in requests)
    click = action_button(
        "Train it myself" if missing else "Train it again",
        key=f"train fault {fault}",
        icon=":material/model_training:",
    )
    what = "The run with the fault and its healthy control run" if len(names) > 1 else "One run"
    st.caption(f"{what}, about {duration(seconds)} on a computer that is not busy.")
    if click.is_waiting:
        try:
            queue_runs(requests)
            cached.refresh_runs()
        except UserError as wrong:
            st.session_state[REFUSED] = wrong
        click.done()
        st.rerun()


def _own_runs() -> Mapping[str, RunSummary]:
    rows = reversed(cached.own_runs())
    return {row.fault or NO_FAULT: row for row in rows if fault_experiment.TAG in row.tags}


def _both(fault: str) -> list[RunSummary]:
    own = _own_runs()
    return [own[name] for name in (NO_FAULT, fault) if name in own]


def _is_done(row: RunSummary | None) -> bool:
    return row is not None and row.state == "done"


def _progress(fault: str, was_busy: bool) -> None:
    rows = _both(fault)
    if was_busy != any(row.is_live for row in rows):
        st.rerun()
    for row in rows:
        if not _is_done(row):
            _one_progress(row)
    if len(rows) == 2 and all(map(_is_done, rows)):
        _links(fault, *(row.id for row in rows))


def _one_progress(row: RunSummary) -> None:
    name = "With the fault" if row.fault else "Healthy control run"
    step = max(row.step, cached.curves(row.id).step)
    of = f", step {step:,} of {row.steps:,}" if step else ""
    said = f"{name}: {STATES[row.state].label}{of}. {as_markdown(row.error)}".strip()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(said)
        if row.is_live:
            st.progress(min(1.0, step / max(1, row.steps)))
            key = f"stop {row.id}"
            st.button("Stop", icon=":material/stop:", key=key, on_click=_stop, args=(row.id,))
            page_link("train", "Its training", run=row.id)


def _stop(run_id: str) -> None:
    try:
        run_service.stop(run_id, asker.current())
    except UserError as wrong:  # it has ended meanwhile
        st.session_state[REFUSED] = wrong
    cached.refresh_runs()


def own_pictures(fault: str) -> bool:
    """Draw what the visitor's two runs translate, and where they attend while the right target is forced, as in
    training; nothing before both are trained. Returns whether they are.
    """
    rows = _both(fault)
    if len(rows) < 2 or not all(map(_is_done, rows)):
        return False
    names = {"healthy": "Your healthy run", "broken": "Your run with the fault"}
    with st.container(key="answer"), st.container(key="side by side"):
        above, below = st.columns(2), st.columns(2)
    for name, row, text, picture in zip(names, rows, above, below, strict=True):
        _own_picture(fault, name, names[name], row.id, above=text, below=picture)
    return True


def _own_picture(
    fault: str, name: str, title: str, run_id: str, *, above: DeltaGenerator, below: DeltaGenerator
) -> None:
    """Sentences above, so that both pictures begin at the same height."""
    pair, about = fault_experiment.held_out_pairs()[0], FAULTS[fault]
    run = cached.open_as_saved(run_id)
    question = AttentionOf(
        cached.named(run),
        pair.src,
        pair.tgt,
        kind=about.attention,
        training=bool(about.beside_picture),
    )
    answer = cached.SCREEN.answer(question)
    (picture,) = view_of(question).pictures(question, answer, cached.model_name(run))
    own = as_markdown(shortened(answer.own, MOST_SHOWN)) or "(empty)"
    picture = replace(picture, name=f"{picture.name} {name}", early=None)
    with above:
        st.markdown(f"**{title}**: {as_markdown(pair.src)} → {own}")
        show_finding(picture)
    with below:
        caption = f"{REFERENCE} {picture.caption}"
        show(replace(picture, finding="", caption=caption), question, answer)


def _links(fault: str, healthy: str, broken: str) -> None:
    source = fault_experiment.held_out_pairs()[0].src
    columns = {
        f"c{number}": str(share.Column(run, strategy="greedy"))
        for number, run in enumerate((healthy, broken), 1)
    }
    curves = share.pack({"tab": "side-by-side", "compared": f"{healthy} {broken}"})
    with st.container(horizontal=True, key="fault links"):
        page_link("compare", "Both in Compare", run=healthy, src=source, **columns)
        seen = {"src": source, "kind": FAULTS[fault].attention}
        if FAULTS[fault].beside_picture:
            seen |= {"tgt": fault_experiment.held_out_pairs()[0].tgt}
            seen |= {"set": share.pack({"training": "1"})}
        page_link("attention", "Attention, healthy", run=healthy, **seen)
        page_link("attention", "Attention, with the fault", run=broken, **seen)
        page_link("runs", "Both curves", run=broken, set=curves)


def look(fault: str) -> None:
    """Draw a sentence as the healthy demo translates it, and with the fault."""
    run = cached.open_as_saved(DEMO)
    example = next(iter(vocabulary.of(run).examples))
    text = STATE.text("sentence", f"A sentence for {DEMO}", default=example, max_chars=MAX_SENTENCE)
    if said := sentence.unfamiliar(run, vocabulary.of(run), text):
        st.caption(said)
    try:
        (healthy,) = run.translate([text], "greedy", max_new_tokens=LIMIT)
        with with_fault(run, fault) as broken:
            (found,) = broken.translate([text], "greedy", max_new_tokens=LIMIT)
    except UserError as wrong:
        forms.show_error(wrong)
        return
    for name, one in (("Healthy", healthy), (as_markdown(FAULTS[fault].title), found)):
        shown = as_markdown(one.text) or "(empty)"
        st.markdown(f"**{name}**: {shown}")
        st.caption(f"{len(one.tokens)} tokens, log-probability {nats(one.log_prob)} nats")
    st.button("Translate again", icon=":material/refresh:", key=f"again {fault}")
    st.caption(f"Greedy decoding, at most {LIMIT} tokens.")

"""What arrives in the address: read once, cleaned, and what cannot be shown of it said under the title."""

from __future__ import annotations

import streamlit as st

from s2s.config import UserError
from s2s.library import Library
from s2s.links import share
from s2s.ui.kit import as_markdown, cached, pickers
from s2s.ui.kit.pickers import NOTICES, Notice, Way
from s2s.ui.shell.arrival import read_letters
from s2s.ui.shell.pages import page as find_page
from s2s.ui.shell.pages import page_link

NAMED_STEP = "step named with the run"  # in the session
PAUSED = "The queue is paused: running jobs continue, and waiting ones start when the operator resumes the queue."


def read_address() -> None:
    """At a visitor's first run, clean the address before a widget reads it."""
    if "address read" in st.session_state:
        return
    st.session_state["address read"] = True
    read_letters()
    given = {key: st.query_params.get_all(key) for key in st.query_params}
    shared = share.read(given)
    st.session_state[NOTICES] = [Notice(problem) for problem in shared.problems]
    view = dict(shared.view)
    if (named := view.get("step")) and "step" not in given:  # the address says RUN@STEP
        view["step"] = _number(view["run"], named)
        st.session_state[NAMED_STEP] = view["step"]
    run = share.Column.read(view.get("c1", "")).run or pickers.run_id_of(view.get("run", ""))
    columns = (share.Column.read(view.get(f"c{number}", "")).run for number in range(2, 7))
    for named in filter(None, columns):
        cached.follow_link(named)
    if run and cached.follow_link(run):
        st.session_state["run"] = run
        if view.pop("run", "") != cached.label(run):
            pickers.write_run()
    for key, value in view.items():
        if given.get(key) != [value]:
            st.query_params[key] = value


def show_notices(page: str) -> list[Notice]:
    """Say once what the address asked for and cannot be shown. Returns the notices."""
    notices: list[Notice] = st.session_state.pop(NOTICES, [])
    step = st.session_state.pop(NAMED_STEP, "")
    if step and "step" not in (row := find_page(page)).keys and not _is_best(step):
        notices.append(Notice(f"{row.title} shows the best checkpoint of a run, not step {step}."))
    st.session_state.pop(pickers.LOST_RUN, None)
    if notices:
        sentences = " ".join(notice.sentence for notice in notices)
        st.info(as_markdown(sentences), icon=":material/link_off:")
    ways = (notice.way for notice in notices if notice.way and notice.way.page != page)
    if way := next(ways, None):
        _show_way(way)
    return notices


def _number(run: str, step: str) -> str:
    try:
        steps = Library().run(run).steps_by_choice()
    except UserError:
        return step
    return {"best": str(steps[0]), "last": str(max(steps))}.get(step, step)


def _is_best(step: str) -> bool:
    try:
        folder = Library().run(str(st.session_state.get("run") or ""))
        return step == str(folder.best_or_newest_step())
    except UserError:  # the run is gone, as the page says
        return False


def _show_way(way: Way) -> None:
    if way.do:
        st.button(way.label, key="way of a notice", on_click=way.do)
    else:
        page_link(way.page, way.label)


def show_operator_notice() -> None:
    """Show the operator's notice, and whether the queue is paused."""
    state = cached.server_state()
    if state.notice:
        st.warning(as_markdown(state.notice), icon=":material/campaign:")
    if state.is_paused:
        st.info(PAUSED, icon=":material/pause_circle:")


def write_run_label(notices: list[Notice]) -> None:
    """After the page, write the address again: a link names a run by its id, but the picker writes its label.

    A bound widget takes from the first address only what it would have written itself, and writes what is set by hand
    only in a later run that the browser asks for (after `st.rerun` it still counts as the same run).
    """
    if st.session_state.pop(pickers.WRITE, None):
        st.session_state[NOTICES] = notices
        st.fragment(_rerun, run_every=0.2)()


def _rerun() -> None:
    if st.session_state.get("rewrite run"):
        st.rerun()
    st.session_state["rewrite run"] = True

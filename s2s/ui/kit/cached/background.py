"""Searches that may take long: beside the dashboard, while the page shows how far they are.

A page asks for them in every run. What a run has not asked for, because another view is shown, is stopped at its end.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any

import streamlit as st

from s2s import settings
from s2s.config import UserError
from s2s.processes.pool import Waiter
from s2s.questions import Timed, TooLongError
from s2s.runs import Run
from s2s.runs.decoder import (
    DECODER,
    HEAVY,
    KINDS,
    DecodeRequest,
    DecoderPool,
    DecodeTask,
    request_seconds,
)
from s2s.runs.probes import PROBES
from s2s.ui.kit.polling import slowdown
from s2s.ui.kit.turns import TURNS, owner
from s2s.ui.streamlit_parts import get_script_run_ctx, runtime
from s2s.words import duration

SLICE = 0.3  # seconds of computing after which a search leaves the dashboard's process, whatever was estimated
PATIENCE = 0.8  # seconds before progress is shown, lest it flicker
AWAIT = 0.25  # seconds between two looks of a loop that waits
REFRESH = 0.6  # seconds between refreshes of the progress
# In the session, by request: tasks, and the sentences of those that are over without a result.
TASKS = "background tasks"
ENDED = "background ended"
ASKED = "background asked"  # in this run of the page


class PendingError(Exception):
    """Raised while another process computes a result; `draw` shows its progress or why it failed."""

    def __init__(self, request: DecodeRequest) -> None:
        super().__init__("still decoding")
        self.request = request

    def draw(self, key: str = "") -> None:
        """Draw the progress instead of the result. `key` distinguishes equal requests on one page."""
        if sentence := _ended().get(self.request):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.warning(sentence, icon=":material/warning:")
                st.button(
                    "Try again",
                    key=f"decode again {key}",
                    icon=":material/refresh:",
                    on_click=_try_again,
                    args=(self.request,),
                )
        else:
            st.fragment(_progress, run_every=REFRESH * slowdown())(self.request, key)


@functools.cache
def pool() -> DecoderPool:
    """The decoder processes of this server."""
    return DecoderPool(DECODER, seconds=lambda: settings.limits().decode_seconds)


def here_or_beside(
    run: Run,
    request: DecodeRequest,
    here: Callable[[DecodeRequest, Run], Timed],
) -> Timed:
    """A search's result, computed here if that is quick. Raises PendingError while another process computes it.

    `here` computes with the run that it is given, which ends a search after SLICE seconds; then no result is cached.
    """
    if get_script_run_ctx() is None:  # before the first visitor
        return here(request, run)
    if found := found_beside(request):
        return found
    if not goes_beside(run, request):
        with contextlib.suppress(TooLongError):
            return here(request, replace(run, on_step=end_of_slice()))
    run.check_lengths(request.sources)
    return beside(request)


def found_beside(request: DecodeRequest) -> Timed | None:
    """A result that another process has computed, or None."""
    return pool().result(request, owner())


def goes_beside(run: Run, request: DecodeRequest) -> bool:
    """Whether a request is, or was, handed to another process because it takes long."""
    return request in _tasks() or request in _ended() or request_seconds(run, request) > HEAVY


def computed(request: DecodeRequest, run: Run) -> Timed:
    """A search's result, computed here."""
    before = time.perf_counter()
    return Timed(KINDS[request.kind].carry_out(run, request, {}), time.perf_counter() - before)


def awaited(run: Run, request: DecodeRequest) -> Generator[Any, None, None]:
    """Yields None while another process works, then its result. Closing the generator stops the search.

    For what a button has started and a loop waits for. Raises UserError where there is no result.
    """
    if get_script_run_ctx() is None:
        yield KINDS[request.kind].carry_out(run, request, {})
        return
    waiter = Waiter(_session(), functools.partial(_is_present, _session()))
    task = pool().ask(request, owner(), waiter)
    try:
        while not _over(task, AWAIT):
            yield None
    finally:
        pool().release(waiter.name, [request])
    if not (found := pool().result(request)):
        raise UserError(task.error)
    yield found.value


def begin_run() -> None:
    """Forget which searches the last script run asked for. Call it before a page runs."""
    st.session_state[ASKED] = set()


def release_unasked() -> None:
    """Stop searches that the visitor no longer looks at. Call it after a page has run."""
    asked = st.session_state.get(ASKED, set())
    gone = [request for request in _tasks() if request not in asked]
    pool().release(_session(), gone)
    for request in gone:
        del _tasks()[request]
    for request in [each for each in _ended() if each not in asked]:
        del _ended()[request]


def forget_searches(owner: str) -> None:
    """Stop what this visitor waits for, end the processes that have searched for a workspace, and drop the results for
    which nobody else asked.
    """
    pool().release(_session(), [*_tasks()])
    pool().forget(owner)


def end_of_slice() -> Callable[[], None]:
    """A function to call before each step: it ends a search after SLICE seconds of this thread."""
    end = time.thread_time() + SLICE
    earliest = time.perf_counter() + SLICE  # until then not even the cheap clock has run that long

    def on_step() -> None:
        if time.perf_counter() > earliest and time.thread_time() > end:
            raise TooLongError

    return on_step


def beside(request: DecodeRequest, patience: float | None = None) -> Timed:
    """The result of another process, awaited for `patience` seconds. Raises PendingError until it is there."""
    st.session_state.setdefault(ASKED, set()).add(request)
    if request not in _ended():
        waiter = Waiter(_session(), functools.partial(_is_present, _session()))
        task = _tasks()[request] = pool().ask(request, owner(), waiter)
        if _over(task, PATIENCE if patience is None else patience) and (
            found := _taken(request, task)
        ):
            return found
    raise PendingError(request)


def _over(task: DecodeTask, seconds: float) -> bool:
    if task.wait(0.0):
        return True
    with TURNS.paused():
        return task.wait(seconds)


def _taken(request: DecodeRequest, task: DecodeTask) -> Timed | None:
    _tasks().pop(request, None)
    found = pool().result(request)
    if not found:
        _ended()[request] = task.error
    return found


def _progress(request: DecodeRequest, key: str) -> None:
    task = _tasks().get(request)
    if task is None or task.is_over:
        if task:
            _taken(request, task)
        st.rerun()
    share = task.done / task.of if task.of else 0.0
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(share, text=_doing(task))
        st.button(
            "Stop",
            key=f"stop decoding {key}",
            icon=":material/stop:",
            on_click=_stop,
            args=(request, task),
        )


def _doing(task: DecodeTask) -> str:
    is_probe = task.request.kind in PROBES
    doing, done = ("Measuring", "measured") if is_probe else ("Decoding", "decoded")
    if not task.is_running:
        n = pool().n_ahead(task)
        before = f"after {n} other{'s' if n > 1 else ''}" if n else "when one of the others is done"
        return f"Waiting to be {done}, {before} …"
    if not task.done:
        return f"{doing} in the background: starting …"
    left = task.elapsed / task.done * (task.of - task.done)
    told = f"{doing} in the background: step {task.done:,} of at most {task.of:,}"
    return f"{told}, {duration(task.elapsed)}; up to about {duration(left)} left"


def _try_again(request: DecodeRequest) -> None:
    _ended().pop(request, None)


def _stop(request: DecodeRequest, task: DecodeTask) -> None:
    _ended()[request] = f"Stopped after {duration(task.elapsed)}."
    _tasks().pop(request, None)
    pool().release(_session(), [request])


def _tasks() -> dict[DecodeRequest, DecodeTask]:
    tasks: dict[DecodeRequest, DecodeTask] = st.session_state.setdefault(TASKS, {})
    return tasks


def _ended() -> dict[DecodeRequest, str]:
    ended: dict[DecodeRequest, str] = st.session_state.setdefault(ENDED, {})
    return ended


def _session() -> str:
    context = get_script_run_ctx()
    return context.session_id if context else ""


def _is_present(session: str) -> bool:
    return not runtime.exists() or bool(runtime.get_instance().is_active_session(session))

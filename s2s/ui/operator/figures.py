"""How the server is: figures, the queue, what workspaces use, slow runs and errors."""

from __future__ import annotations

import shutil
import time
from collections import defaultdict
from datetime import UTC, datetime

import pandas as pd
import psutil
import streamlit as st

from s2s import settings
from s2s.config import UserError, asker
from s2s.data import format_size
from s2s.files import stored
from s2s.hosted import operation
from s2s.hosted.monitoring import MONITOR, engine_trouble, why_not_ready
from s2s.library import Thing, rights
from s2s.processes import queue
from s2s.ui.kit import Card, as_markdown, cards, duration
from s2s.ui.shell import is_operator

REFRESH = 5.0  # seconds
SHORT = 12  # characters of a workspace's id


def live() -> None:
    """Draw figures and queue, kept up to date while the page is open."""
    st.fragment(_live, run_every=REFRESH)()


def _live() -> None:
    if is_operator():
        with asker.acting_as(asker.OPERATOR):
            figures()
            queue_table()


def figures() -> None:
    if why := why_not_ready():
        st.error(as_markdown(why), icon=":material/error:")
    if trouble := engine_trouble():
        st.warning(as_markdown(trouble), icon=":material/warning:")
    memory = psutil.virtual_memory()
    disk = shutil.disk_usage(settings.home())
    rows = [
        ("Sessions", f"{MONITOR.n_sessions}", f"{sum(MONITOR.in_bucket):,} page runs since start"),
        *_queue_figures(),
        (
            "Memory",
            format_size(psutil.Process().memory_info().rss),
            f"this process; {format_size(memory.available)} of {format_size(memory.total)} free",
        ),
        (
            "Disk",
            format_size(sum(MONITOR.sizes().values())),
            f"stored by visitors; {format_size(disk.free)} free",
        ),
        ("Errors", f"{sum(MONITOR.errors.values())}", "unexpected ones since start"),
    ]
    cards([Card(*row) for row in rows], at_most=4)


def _queue_figures() -> list[tuple[str, str, str]]:
    try:
        counts = queue.counts()
        workers = queue.seen_workers()
    except UserError:  # said above
        return []
    waiting, running = (
        sum(n for (_, state), n in counts.jobs.items() if state == wanted)
        for wanted in ("queued", "running")
    )
    alive = [worker for worker in workers if worker.is_alive()]
    is_elsewhere = settings.worker_is_elsewhere()
    none = "none has reported lately" if is_elsewhere else "starts when a job is queued"
    hosts = as_markdown(f"`{', '.join(worker.host for worker in alive)}`") if alive else none
    longest = f"longest wait {duration(counts.longest_wait)}" if waiting else "nothing waits"
    return [
        ("Waiting jobs", f"{waiting}", longest),
        ("Running jobs", f"{running}", f"{counts.lost} without a worker"),
        ("Workers", f"{len(alive)}", hosts),
    ]


def queue_table() -> None:
    """Draw every job that waits or runs. Shows nothing that its owner wrote."""
    st.subheader("Queue", anchor=False)
    jobs = operation.live_jobs()
    if not jobs:
        st.caption("No job waits or runs.")
        return
    rows = [
        {
            "job": job.id,
            "kind": job.kind,
            "workspace": job.workspace[:SHORT],
            "state": "is being stopped" if job.is_stopping else job.state,
            "before it": "" if job.position is None else str(job.position),
            "time": duration(job.seconds),
            "slot": job.slot,
            "worker": job.host,
        }
        for job in jobs
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True)


def workspace_table() -> None:
    """Draw what each workspace has stored and how many jobs it has now."""
    st.subheader("Workspaces", anchor=False)
    rows = workspaces()
    if not rows:
        st.caption("Nobody has stored anything.")
        return
    allowed = settings.limits().bytes
    jobs = _jobs_by_workspace()
    shown = [
        {
            "workspace": owner[:SHORT],
            "stored": format_size(used.n_bytes),
            "of its quota": f"{used.n_bytes / allowed:.0%}" if allowed else "no limit",
            "sentence pairs": used.rows,
            "runs": used.runs,
            "datasets": used.datasets,
            "evaluations": used.evaluations,
            "uploads": used.uploads,
            "jobs now": jobs.get(owner, 0),
        }
        for owner, used in rows.items()
    ]
    st.dataframe(pd.DataFrame(shown), hide_index=True)


def workspaces() -> dict[str, stored.Usage]:
    """What each workspace has stored, the largest first, at most half a minute old; then those that only have jobs."""
    rights.require("list", Thing("workspace", "", asker.OPERATOR))
    used = _workspaces(str(settings.home()))
    return used | {owner: stored.Usage() for owner in _jobs_by_workspace() if owner not in used}


def _jobs_by_workspace() -> dict[str, int]:
    try:
        return queue.counts().by_workspace
    except UserError:  # the database is away, as the top of the page says
        return {}


@st.cache_data(ttl=30.0, max_entries=2, show_spinner=False)
def _workspaces(home: str) -> dict[str, stored.Usage]:
    by_owner: dict[str, list[stored.Item]] = defaultdict(list)
    for item in stored.items():
        by_owner[item.owner].append(item)
    used = {owner: stored.usage_of(items) for owner, items in by_owner.items()}
    return dict(sorted(used.items(), key=lambda row: -row[1].n_bytes))


def refresh() -> None:
    _workspaces.clear()


def slow_runs() -> None:
    """Draw the last script runs of pages that took a second or more."""
    st.subheader("Slow page runs", anchor=False)
    if not MONITOR.slow_runs:
        st.caption("No page has taken a second or more since this process started.")
        return
    rows = [
        {
            "at": _clock(run.at),
            "page": run.page,
            "part": "a part" if run.is_fragment else "all",
            "seconds": round(run.seconds, 2),
        }
        for run in reversed(MONITOR.slow_runs)
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True)


def last_errors() -> None:
    """Draw types and frames of the last unexpected exceptions; their messages may quote a visitor and are not kept."""
    st.subheader("Last errors", anchor=False)
    if not MONITOR.last_errors:
        st.caption("No unexpected exception since this process started.")
    for error in reversed(MONITOR.last_errors):
        ago = duration(time.time() - error.at)
        with st.expander(f"{' ← '.join(error.kinds)}, {ago} ago"):
            st.code("\n".join(error.frames), language=None)


def job_logs() -> None:
    """Draw the last lines that the processes of failed jobs printed: of errors their type and frames, no message."""
    st.subheader("Logs of failed jobs", anchor=False)
    try:
        logs = queue.newest_logs()
    except UserError:  # the database is away, as the top of the page says
        return
    if not logs:
        st.caption("No failed job has left a log.")
    for log in logs:
        ago = duration(time.time() - log.written)
        with st.expander(as_markdown(f"`{log.job}` on `{log.host}`, {ago} ago")):
            st.code(log.lines, language=None, wrap_lines=True)


def _clock(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")

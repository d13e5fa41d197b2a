"""What the operator may do: pause the queue, stop a job, put up a notice, delete a workspace."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from s2s import hosted as workspaces
from s2s.config import UserError, asker
from s2s.data import format_size
from s2s.hosted import operation
from s2s.library import Thing, rights
from s2s.processes import logs
from s2s.ui.kit import cached, forms, plain
from s2s.ui.operator import figures
from s2s.ui.shell import forget_expiring, is_operator

DONE = "operator did"  # in the session: a sentence about the last press of a button
FAILED = "operator failed"  # in the session: why it was not done


def results() -> None:
    """Draw the result of the last button."""
    if failed := st.session_state.pop(FAILED, None):
        forms.show_error(failed)
    if done := st.session_state.pop(DONE, None):
        st.success(done, icon=":material/check:")


def _do(event: str, act: Callable[[], str]) -> None:
    if not is_operator():
        return
    try:
        with asker.acting_as(asker.OPERATOR):
            st.session_state[DONE] = act()
    except UserError as error:
        st.session_state[FAILED] = error
    else:
        logs.write(event)


def queue_controls() -> None:
    """Draw the controls to pause or resume the queue and to stop a job."""
    st.subheader("Jobs", anchor=False)
    is_paused = cached.server_state().is_paused
    st.caption("A paused queue starts no job; running ones continue. A restart changes nothing.")
    st.button(
        "Resume the queue" if is_paused else "Pause the queue",
        key="pause queue",
        icon=":material/play_arrow:" if is_paused else ":material/pause:",
        on_click=_do,
        args=("queue_resumed" if is_paused else "queue_paused", lambda: _pause(not is_paused)),
    )
    labels = {
        job.id: f"{job.id} · {job.kind} · {job.workspace[: figures.SHORT]}"
        for job in operation.live_jobs()
    }
    if labels:
        job = st.selectbox("Job", list(labels), format_func=labels.__getitem__, key="job to stop")
        st.button(
            "Stop this job",
            key="stop job",
            icon=":material/stop:",
            on_click=_do,
            args=("job_stopped", lambda: _stop(job)),
        )


def _pause(is_paused: bool) -> str:
    operation.pause_queue(is_paused)
    cached.refresh_server_state()
    return (
        "The queue is paused, and every page says so."
        if is_paused
        else "The queue starts jobs again."
    )


def _stop(job: str) -> str:
    operation.stop_job(job)
    return f"The job {plain(job)} stops; what it has done is kept."


def notice() -> None:
    st.subheader("Notice", anchor=False)
    st.caption("A sentence that every page shows to all visitors until you remove it.")
    current = cached.server_state().notice
    st.text_input("Notice", value=current, key="notice to all", max_chars=operation.LONGEST_NOTICE)
    with st.container(horizontal=True):
        st.button(
            "Show it",
            key="show notice",
            icon=":material/campaign:",
            on_click=_do,
            args=("notice_shown", lambda: _notice(st.session_state["notice to all"])),
        )
        if current:
            st.button(
                "Remove it",
                key="remove notice",
                icon=":material/close:",
                on_click=_do,
                args=("notice_removed", lambda: _notice("")),
            )


def _notice(sentence: str) -> str:
    operation.put_up_notice(sentence)
    cached.refresh_server_state()
    return "Every page shows the notice." if sentence.strip() else "The notice is removed."


def delete_workspace() -> None:
    """Draw the form that deletes a workspace with everything in it, after its name was typed."""
    used = figures.workspaces()
    owners = [owner for owner in used if owner not in (asker.LOCAL, asker.EVERYBODY)]
    if not owners:
        return
    with st.expander("Delete a workspace", icon=":material/delete:"):
        owner = st.selectbox(
            "Workspace", owners, format_func=_short_name, key="workspace to delete"
        )
        st.caption("Its runs, datasets, evaluations, uploads and jobs are gone permanently.")
        typed = st.text_input(f"Type `{_short_name(owner)}` to confirm", key="confirm deletion")
        st.button(
            "Delete this workspace",
            key="delete workspace",
            icon=":material/delete_forever:",
            disabled=typed.strip() != _short_name(owner),
            on_click=_do,
            args=("workspace_deleted", lambda: _delete(owner)),
        )


def _short_name(workspace: str) -> str:
    return workspace[: figures.SHORT]


def _delete(owner: str) -> str:
    rights.require("delete", Thing("workspace", owner, owner))
    used = workspaces.delete_workspace(owner)
    cached.forget_searches(owner)
    cached.forget_workspace(owner)
    forget_expiring(owner)
    figures.refresh()
    st.session_state["confirm deletion"] = ""
    return f"The workspace {plain(owner[: figures.SHORT])} is deleted: {format_size(used.n_bytes)}."

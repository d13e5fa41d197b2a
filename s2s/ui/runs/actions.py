"""What can be done with one run: open, resume, duplicate, rename, tag, annotate, delete."""

from __future__ import annotations

import time
from collections.abc import Sequence

import streamlit as st

from s2s.config import UserError, asker
from s2s.files import UNDO_SECONDS
from s2s.jobs import run_service, sweep
from s2s.library.own import annotate
from s2s.links import share
from s2s.processes import queue
from s2s.runs import LONGEST_COMMENT, MOST_TAGS, RunSummary, checked_name, free_name
from s2s.ui.kit import as_markdown, cached, forms, plain, run_trouble, undo_row
from s2s.ui.kit.badges import badge, shown_state
from s2s.ui.kit.queueing import queue_resume
from s2s.ui.kit.recipe_link import recipe_of_run
from s2s.ui.runs import export_zip, run_zip, table, views
from s2s.ui.shell import page_link

DELETED = "deleted run"  # in the session: id, name, time and job of the last deletion


def actions(run_id: str) -> None:
    """Draw the selected run's card, and what was deleted within the last minute."""
    _undo_deletion()
    row = cached.runs().get(run_id)
    is_own = cached.is_own(run_id)
    with st.container(border=True, key="actions"):
        _head(run_id, row)
        with st.container(horizontal=True, vertical_alignment="center"):
            _links(run_id, row)
            lost = _duplicate(run_id)
            run_zip.download_button(run_id)
            export_zip.popover(run_id)
            if row and is_own:
                _changes(row)
        if not is_own:
            whose = "belongs to somebody who shared it" if row else "ships with the program"
            st.caption(
                f"This run {whose}: you can open it on every page, but not rename or delete it."
            )
        if lost:
            st.caption(
                as_markdown(f"Duplicate opens Train with this run's settings. {' '.join(lost)}")
            )
        if error := st.session_state.pop("change error", None):
            forms.show_error(error)


def _head(run_id: str, row: RunSummary | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(plain(table.full_name(run_id)), anchor=False, width="content")
        badge(shown_state(row) if row else "done")
        for tag in row.tags if row else ():
            st.badge(plain(tag), color="gray", icon=":material/sell:")
    if row:
        run_trouble(row)
    if row and row.comment:
        st.markdown("  \n".join(plain(line) for line in row.comment.splitlines() if line))


def _links(run_id: str, row: RunSummary | None) -> None:
    if row is None or row.checkpoints:
        page_link("compare", "Translate", c1=str(share.Column(run_id)))
        page_link("attention", "Attention")
    page_link("train", "Training")
    if control := _control_run(row):
        st.button(
            "Compare with its control run",
            icon=":material/compare:",
            key="control run",
            on_click=views.compare,
            args=(run_id, control),
        )


def _control_run(row: RunSummary | None) -> str | None:
    if row is None:
        return None
    shared = {tag for tag in row.tags if tag.startswith(sweep.CONTROL)}
    found = [
        other
        for other in cached.own_runs()
        if shared & set(other.tags) and bool(other.init_from) != bool(row.init_from)
    ]
    created = row.created
    return min(found, key=lambda other: abs(other.created - created)).id if found else None


def _duplicate(run_id: str) -> list[str]:
    """Draw a link to Train with this run's recipe. Returns a sentence for each thing that the link cannot carry."""
    packed, lost = recipe_of_run(run_id)
    if packed:
        page_link("train", "Duplicate", icon=":material/content_copy:", set=packed)
    return lost


def _changes(row: RunSummary) -> None:
    if row.state in ("stopped", "interrupted", "failed"):
        st.button(
            "Resume",
            icon=":material/play_arrow:",
            key="resume",
            on_click=_do,
            args=("resume", row.id),
        )
    with st.popover("Rename", icon=":material/edit:"):
        st.text_input(
            "Name",
            row.name,
            key=f"rename {row.id}",
            max_chars=80,
            on_change=_do,
            args=("rename", row.id),
        )
    with st.popover("Tags", icon=":material/sell:"):
        _tags(row)
    with st.popover("Note", icon=":material/notes:"):
        st.text_area(
            "Note",
            row.comment,
            key=f"note {row.id}",
            max_chars=LONGEST_COMMENT,
            on_change=_do,
            args=("note", row.id),
        )
    with st.popover(
        "Delete",
        icon=":material/delete:",
        disabled=row.is_live,
        help="Stop the run first." if row.is_live else None,
    ):
        st.write(
            "This deletes its checkpoints and curves. Links to it will say that it is gone."
            " You can undo it for a minute."
        )
        st.button(
            "Delete this run", key="delete", on_click=_do, args=("delete", row.id), type="primary"
        )


def _undo_deletion() -> None:
    deleted = st.session_state.get(DELETED)
    if deleted is None:
        return
    run_id, name, since, job = deleted
    if time.monotonic() - since > UNDO_SECONDS:
        del st.session_state[DELETED]
        return
    undo_row(
        f"{plain(name)} is deleted.",
        _do,
        "restore",
        run_id,
        job,
        key="undo deletion",
        help="For a minute after the deletion.",
    )


def _tags(row: RunSummary) -> None:
    known: Sequence[str] = sorted({tag for other in cached.own_runs() for tag in other.tags})
    key = f"tags {row.id}"
    st.multiselect(
        "Tags",
        known,
        row.tags,
        key=key,
        accept_new_options=True,
        select_all=False,
        max_selections=MOST_TAGS,
        on_change=_do,
        args=("tags", row.id),
    )
    st.caption(
        "Type a tag and press Enter. The search box above finds runs by tag; the runs of a sweep share `sweep:NAME`."
    )


def _do(what: str, run_id: str, job: queue.Job | None = None) -> None:
    try:
        if what == "rename":
            taken = {row.name for row in cached.own_runs() if row.id != run_id}
            name = checked_name(str(st.session_state[f"rename {run_id}"]))
            run_service.rename(run_id, asker.current(), free_name(name, taken))
        elif what == "tags":
            annotate(run_id, asker.current(), tags=st.session_state[f"tags {run_id}"])
        elif what == "note":
            annotate(run_id, asker.current(), comment=str(st.session_state[f"note {run_id}"]))
        elif what == "delete":
            name = cached.title(run_id)
            waited = run_service.delete(run_id, asker.current())
            st.session_state[DELETED] = (run_id, name, time.monotonic(), waited)
        elif what == "restore":
            del st.session_state[DELETED]
            run_service.restore(run_id, asker.current(), job)
        else:
            queue_resume(run_id)
    except UserError as error:
        st.session_state["change error"] = error
    cached.refresh_runs()
    runs = cached.runs()
    st.session_state["run"] = run_id if run_id in runs else next(iter(runs))

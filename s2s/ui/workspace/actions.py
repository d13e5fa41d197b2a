"""What can be done with a whole workspace: export it, open it on another computer, delete it."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from s2s import hosted as workspaces
from s2s.config import UserError, asker
from s2s.processes import queue
from s2s.ui.canvas import copy_button
from s2s.ui.kit import cached, forms
from s2s.ui.kit.polling import slowdown
from s2s.ui.shell import base_path, browser_key, forget_expiring, is_framed

CONFIRMATION = "delete"
DELETED = "deleted workspace"  # in the session: what was said after it
ERASING = "erasing workspace"  # in the session: the deletion of which the database's files still hold something
ERASE_SECONDS = 3.0  # between two looks whether they do
FAILED = "failed workspace"  # in the session: why something was not done
LINK = "recovery link"  # in the session until the next run
IN_A_TAB = " In a tab of this browser, too, it opens the workspace of this frame."
EXPORTED = "exported"  # in the session: the name of the zip


def notices() -> None:
    """Draw what the last press of a button did."""
    if failed := st.session_state.pop(FAILED, None):
        forms.show_error(failed)
    if said := st.session_state.pop(DELETED, None):
        st.success(said, icon=":material/check:")
    if ERASING in st.session_state:
        st.fragment(_erasing, run_every=ERASE_SECONDS * slowdown())()


def export() -> None:
    st.subheader("Export all", anchor=False)
    st.caption(
        "One zip with your runs, datasets and evaluations, and a README. You can download it for an hour."
    )
    if st.button("Prepare the zip", key="export", icon=":material/folder_zip:"):
        key = browser_key()
        if key is None:
            raise UserError(
                "The zip cannot be handed over without cookies; allow them, then reload."
            )
        with st.spinner("Writing the zip …"):
            st.session_state[EXPORTED] = workspaces.write_export(asker.current(), key.signed)
    if name := st.session_state.get(EXPORTED):
        st.link_button(
            "Download my-workspace.zip", _address(f"export/{name}"), icon=":material/download:"
        )


def recovery_link() -> None:
    """Draw the button that makes a link which opens the workspace on another computer."""
    st.subheader("Open this on another computer", anchor=False)
    st.caption(
        "This browser keeps the only key to your workspace: without it, or when its cookies are deleted, nobody can"
        f" open the workspace again. A recovery link opens it in another browser, once, within {workspaces.LINK_DAYS}"
        " days. Give it to nobody: whoever opens it can change and delete everything."
        + (IN_A_TAB if is_framed() else "")
    )
    st.button("Make a recovery link", key="recover", icon=":material/key:", on_click=_make_link)
    if link := st.session_state.pop(LINK, None):
        st.code(link, language=None, wrap_lines=True)
        copy_button(link, key="copy recovery link")
        st.caption("It is shown only now. Store it where nobody else looks.")


def delete() -> None:
    """Draw the form that deletes everything of the visitor's at once, after a typed confirmation."""
    st.subheader("Delete everything of mine", anchor=False)
    st.caption(
        "Runs, datasets, evaluations, uploads, waiting and running jobs, recovery links: all are deleted at once, and"
        " nobody can bring them back. Links to them that you shared open nothing any more."
    )
    with st.form("delete workspace", border=False, clear_on_submit=True):
        st.text_input(f"Type {CONFIRMATION} to confirm", key="confirm deletion", width=240)
        st.form_submit_button(
            "Delete everything", icon=":material/delete_forever:", on_click=_delete
        )


def _address(path: str) -> str:
    here = urlsplit(st.context.url or "")
    origin = f"{here.scheme}://{here.netloc}" if here.netloc else ""
    return f"{origin}{base_path()}/{path}"


def _erasing() -> None:
    if queue.is_erased(st.session_state[ERASING]):
        del st.session_state[ERASING]
        st.session_state[DELETED] = "The server's files hold nothing of what you deleted any more."
        st.rerun()
    st.info(
        "Pending: the files of the server's database still hold something of it, which nobody is shown. It is erased"
        " as soon as nobody reads or writes there, within some minutes, also if you leave this page.",
        icon=":material/hourglass_top:",
    )


def _make_link() -> None:
    try:
        st.session_state[LINK] = _address(f"recover#{workspaces.make_link(asker.current())}")
    except UserError as error:
        st.session_state[FAILED] = error


def _delete() -> None:
    if st.session_state["confirm deletion"].strip().lower() != CONFIRMATION:
        st.session_state[FAILED] = UserError(
            f"Nothing was deleted: type `{CONFIRMATION}` into the field, then press the button again."
        )
        return
    workspace = asker.current()
    try:
        workspaces.delete_workspace(workspace)
    except UserError as error:
        st.session_state[FAILED] = error
        return
    cached.forget_searches(workspace)
    st.session_state.clear()  # drafts, and the names of what is gone
    cached.forget_workspace(workspace)  # also what models made of this visitor's sentences
    forget_expiring(workspace)
    cached.refresh_runs()
    if not queue.is_erased(number := queue.last_deletion()):
        st.session_state[ERASING] = number
    goes_on = "This browser keeps its key: what you store from now on is in the same workspace, which is empty."
    if asker.current() == asker.NOBODY:  # the key came by a recovery link
        goes_on = "Reload the page to start a new workspace."
    st.session_state[DELETED] = f"Everything in your workspace was deleted. {goes_on}"

"""Signing in, where the operator has configured a provider of OpenID Connect, and merging what was stored before."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from s2s import hosted as workspaces
from s2s.config import UserError
from s2s.files import stored
from s2s.ui.kit import cached, forms, plain, shortened
from s2s.ui.shell import account, browser_key, is_framed, user

MERGED = "merged workspace"  # in the session: what was said after it
FAILED = "not merged"  # in the session: why it was not done


def sign_in() -> None:
    """Draw sign-in if the operator configured a provider."""
    if account():
        _signed_in()
    elif found := providers():
        st.subheader("Sign in", anchor=False)
        if (
            is_framed()
        ):  # providers show themselves in no frame, and their cookie would not come back
            st.caption("In a frame of another site nobody can sign in: open the page in a tab.")
            return
        st.caption(
            "Then your workspace belongs to your account: you can open it in every browser by signing in. What you have"
            " stored so far can be merged into it."
        )
        for name in found:
            label = f"Sign in with {plain(name)}" if name else "Sign in"
            arguments = (name,) if name else ()
            st.button(
                label,
                key=f"sign in {name}",
                icon=":material/login:",
                on_click=st.login,
                args=arguments,
            )


def providers() -> list[str]:
    """The names of the providers in the section `auth` of Streamlit's secrets; "" for the only one, without a name."""
    if not st.secrets.load_if_toml_exists():
        return []
    found = st.secrets.get("auth") or {}
    named = [str(name) for name, value in found.items() if isinstance(value, Mapping)]
    return ([""] if "client_id" in found else []) + named


def _signed_in() -> None:
    st.subheader("Your account", anchor=False)
    claims = user()
    name = str(claims.get("email") or claims.get("name") or "an account without a name")
    st.markdown(f"Signed in as **{plain(shortened(name))}**.")
    st.button("Sign out", key="sign out", icon=":material/logout:", on_click=st.logout)
    if failed := st.session_state.pop(FAILED, None):
        forms.show_error(failed)
    if said := st.session_state.pop(MERGED, None):
        st.success(said, icon=":material/check:")
    key = browser_key()
    before = stored.usage(workspaces.workspace_of(key)) if key else stored.Usage()
    if before.n_bytes:
        _merge_button(before)


def _merge_button(before: stored.Usage) -> None:
    counts = (
        (before.runs, "run"),
        (before.datasets, "saved dataset"),
        (before.evaluations, "evaluation"),
        (before.uploads, "upload"),
    )
    has = " and ".join(f"{n} {name}{'s' * (n > 1)}" for n, name in counts if n)
    st.caption(
        f"Before you signed in, this browser stored {has}. Merging gives them to your account: links to them stay"
        " valid, and other browsers that opened them by a recovery link must sign in to see them."
    )
    st.button("Merge into my account", key="merge", icon=":material/merge:", on_click=_merge)


def _merge() -> None:
    key = browser_key()
    if key is None:
        return
    try:
        n = workspaces.merge(key, account())
    except UserError as error:
        st.session_state[FAILED] = error
        return
    finally:
        cached.refresh_runs()
    st.session_state[MERGED] = f"{n} now belong to your account."

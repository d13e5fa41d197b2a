"""The languages that a multilingual model reads and writes, chosen beside the run picker.

In links they are part of `set`, as `src_lang:en,tgt_lang:fr`, where they differ from those that the run was opened
with.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import streamlit as st

from s2s.links import share
from s2s.tokenizers import Languages, offered_languages
from s2s.ui.kit import address, cached, pickers

SIDES = address.LANGUAGES  # their names in links
LABELS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"src_lang": ("Source language", "from"), "tgt_lang": ("Target language", "to")}
)
NONE = "any language"  # of a Marian that reads the language from the source
DRAWN_FOR = "languages of"  # in the session: the run whose languages the widgets show
READ = "languages read"  # in the session: the last link that they were taken from


def picker(run_id: str) -> None:
    """Draw one selector for each side that has languages; pages open the run in the chosen ones."""
    run = cached.open_as_saved(run_id)
    usual = dict(zip(SIDES, run.key.languages, strict=True))
    every = offered_languages((run.src_tokenizer, run.tgt_tokenizer))
    offered = {
        side: ["", *codes] if not usual[side] else list(codes)
        for side, codes in zip(SIDES, every, strict=True)
        if codes
    }
    _fill(run_id, usual, offered)
    chosen = usual | {side: _selector(side, codes) for side, codes in offered.items()}
    cached.choose_languages(run_id, Languages(*(chosen[side] for side in SIDES)))
    changed = {side: code for side, code in chosen.items() if code != usual[side]}
    address.add_to_set(changed)


def _fill(run_id: str, usual: Mapping[str, str], offered: Mapping[str, list[str]]) -> None:
    linked = _linked()
    is_same_run = st.session_state.get(DRAWN_FOR) == run_id
    st.session_state[DRAWN_FOR] = run_id
    if linked is None and is_same_run:
        return
    for side in SIDES:
        label, _ = LABELS[side]
        wanted = (linked or {}).get(side, usual[side])
        known = offered.get(side, [""])
        if wanted not in known:
            shown = f"{usual[side]} is shown instead" if usual[side] else "it is ignored"
            pickers.notify(
                f"The link asks for the {label.lower()} {wanted[:40]}, which this model doesn't have; {shown}."
            )
            wanted = usual[side]
        st.session_state[_key(side)] = wanted


def _linked() -> dict[str, str] | None:
    given = address.fresh("set")
    if given is None or st.session_state.get(READ) == given:
        return None
    st.session_state[READ] = given
    return {side: code for side, code in share.unpack(given).items() if side in SIDES}


def _selector(side: str, codes: list[str]) -> str:
    label, preposition = LABELS[side]
    return str(
        st.selectbox(
            label,
            codes,
            format_func=lambda code: f"{preposition} {code or NONE}",
            key=_key(side),
            label_visibility="collapsed",
            persist_state="session",
            width=140,
        )
        or ""
    )


def _key(side: str) -> str:
    return f"frame {side}"

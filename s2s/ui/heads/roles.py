"""The view Roles: what each head does over many sentences, which relations it finds, and how that arose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import streamlit as st

from s2s.jobs import head_roles
from s2s.runs import Sentences
from s2s.ui.heads import role_history, role_induction, role_picture, role_relations
from s2s.ui.heads.experiment_panel import measured
from s2s.ui.heads.request import HeadsRequest, sentences
from s2s.ui.heads.view_state import STATE
from s2s.ui.kit import as_markdown


class Part(NamedTuple):
    """One of the views of a result: its label, and what draws it under a title."""

    label: str
    show: Callable[[HeadsRequest, head_roles.RolesResult, str], None]


# A slug is stored in links, as `part` in `set`.
PARTS: Mapping[str, Part] = MappingProxyType(
    {
        "roles": Part("Roles", role_picture.show),
        "relations": Part("Grammatical relations", role_relations.show),
        "induction": Part("Induction and copying", role_induction.show),
    }
)
HISTORY = "training"


def show(request: HeadsRequest) -> None:
    """The chosen part, over the chosen sentences."""
    sample = sentences(request.run.folder.id)
    labels = {slug: part.label for slug, part in PARTS.items()} | {HISTORY: "Over training"}
    part = STATE.segments("part", "Part", labels, label_visibility="collapsed")
    if part == HISTORY:
        role_history.show(request, sample)
        return
    found = measured(request, "roles", sample)
    if found is None:
        return
    result = head_roles.read_result(found)
    if why := result.notes.get(part):
        st.info(as_markdown(why), icon=":material/info:")
        return
    PARTS[part].show(request, result, _title(request, sample, result))


def _title(request: HeadsRequest, sample: Sentences, result: head_roles.RolesResult) -> str:
    left_out = f", {result.n_left_out:,} left out as too long" if result.n_left_out else ""
    return f"{request.title}\n{result.roles.n_sentences:,} sentences: {sample.name}{left_out}"

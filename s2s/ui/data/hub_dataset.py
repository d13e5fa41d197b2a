"""A data set of the hub on the Data page: which one, which part of it, which two columns, how many rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import streamlit as st

from s2s import hub
from s2s.config import UserError
from s2s.data import (
    GALLERY,
    HUB_ROWS,
    Caps,
    Column,
    HubSample,
    choose_columns,
    format_size,
    sample_hub_dataset,
)
from s2s.ui.kit import forms
from s2s.ui.kit.text import plain, shortened, unique_names

T = TypeVar("T")
KEPT = 300.0  # seconds that the hub's answer is good for
CELL = 200  # characters of a text in the table of examples
PRIVATE = "Only for private or gated sets. Held while this visit lasts, sent to the hub only; never stored and never logged."


@dataclass(frozen=True)
class Asked:
    """Rows to be loaded: the spec without the token, a name for people, and the token, which only the reading process gets."""

    spec: str
    name: str
    token: str = field(default="", repr=False)


def choose() -> Asked | None:
    """The widgets, one after the other as the answers come; None while something is missing or wrong, which is said there."""
    name, token = _name()
    if not name.strip():
        st.caption(
            "Only what is asked for is read: first the list of files, then five rows, and the rest when you load it."
        )
        return None
    try:
        hub.check(name)
    except UserError as wrong:
        forms.show_error(wrong)
        return None
    try:
        found = _sure(_looked_up(name, token))
        config, split = _part(found)
        sample = _sure(_sampled(found, found.sha, config, split, token))
        src, tgt = _columns(found, config, sample)
    except UserError as wrong:
        forms.show_error(wrong)
        st.button("Ask the hub again", key="hub again", icon=":material/refresh:", on_click=_forget)
        return None
    rows = st.number_input(
        "Rows",
        1,
        Caps().rows,
        HUB_ROWS,
        step=1000,
        key="hub rows",
        help="The first so many of the split are read.",
    )
    return Asked(
        _spec(found, config, split, f"src={src},tgt={tgt},rows={rows}"),
        _called(found, config),
        token,
    )


def _name() -> tuple[str, str]:
    """What was typed or picked, and the token."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = "Data set of the Hugging Face hub"
        hint = "owner/name, or its address"
        name = st.text_input(label, key="hub name", placeholder=hint, persist_state="session")
        st.selectbox(
            "or a known one",
            list(GALLERY),
            None,
            format_func=_in_brief,
            key="hub known",
            placeholder="Browse",
            on_change=_pick,
        )
        with st.popover("Token", icon=":material/key:"):
            asked = "Access token of the hub"
            token = st.text_input(
                asked, type="password", key="hub token", autocomplete="off", persist_state="session"
            )
            st.caption(PRIVATE)
    if row := GALLERY.get(name.strip()):
        st.caption(
            plain(
                f"{row.summary} {row.rows} rows, {row.size}, license: {row.license}. {row.warning}".strip()
            )
        )
    return name, token.strip()


def _in_brief(known: str) -> str:
    row = GALLERY[known]
    return f"{known} · {row.size}, {row.license}"


def _pick() -> None:
    if st.session_state["hub known"]:
        st.session_state["hub name"] = st.session_state["hub known"]


def _part(found: hub.Dataset) -> tuple[str, str]:
    """Configuration and split, with what the hub says of them."""
    facts = [
        found.id,
        f"license: {found.license or 'none stated'}",
        f"revision {found.sha[:7]}",
        *(["gated"] if found.gated else []),
    ]
    st.caption(plain(" · ".join(facts)))
    for note in found.notes:
        st.caption(plain(note))
    configs = list(found.configs)
    usual = GALLERY[found.id].config if found.id in GALLERY else ""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        config = configs[0]
        if len(configs) > 1:
            at = configs.index(usual) if usual in configs else 0
            config = str(st.selectbox("Configuration", configs, at, key=f"hub config {found.id}"))
        splits = found.splits(config)
        labels = {split: _label(split, part) for split, part in splits.items()}
        split = str(
            st.selectbox(
                "Split",
                list(splits),
                format_func=labels.__getitem__,
                key=f"hub split {found.id} {config}",
            )
        )
    return config, split


def _label(split: str, part: hub.Split) -> str:
    rows = f", {part.rows:,} rows" if part.rows else ""
    return f"{split} ({format_size(part.size)}{rows})"


def _columns(found: hub.Dataset, config: str, sample: HubSample) -> tuple[str, str]:
    """Two columns as a spec names them, set to what their names suggest; with the reason, and five rows to judge by."""
    texts = [at for at, column in enumerate(sample.columns) if column.kind != "other"]
    labels = unique_names({str(at): sample.columns[at].name or f"column {at + 1}" for at in texts})
    likely = choose_columns(sample.columns, config)
    names = [column.name for column in sample.columns]
    first = (
        (names.index(likely.src), names.index(likely.tgt))
        if likely
        else (texts[0], texts[min(1, len(texts) - 1)])
    )
    key = f"{found.id} {config}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        src, tgt = (
            int(
                st.selectbox(
                    label,
                    list(labels),
                    texts.index(usual),
                    format_func=labels.__getitem__,
                    key=f"hub {label} {key}",
                )
            )
            for label, usual in zip(("Source column", "Target column"), first, strict=True)
        )
    st.caption(
        plain(
            _why(
                src == tgt, (src, tgt) == first and likely.reason if likely else "", likely is None
            )
        )
    )
    shown = {
        labels[str(at)]: [shortened(row[at], CELL) if at < len(row) else "" for row in sample.rows]
        for at in dict.fromkeys((src, tgt, *texts))
    }
    st.dataframe(shown, hide_index=True, placeholder="empty")
    return _option(sample.columns, src), _option(sample.columns, tgt)


def _why(is_plain: bool, reason: str | bool, is_unknown: bool) -> str:
    if is_plain:
        return "One column on both sides is plain text: choose a task that needs no target."
    if is_unknown:
        return "No name says which is source and which target: look at the rows and choose."
    return (
        f"Chosen because of {reason}. The first rows:"
        if reason
        else "Chosen by you. The first rows:"
    )


def _option(names: Sequence[Column], at: int) -> str:
    """By its name; by its number from 1 where a spec cannot hold the name, or another column has it too."""
    name = names[at].name
    is_plain = name == name.strip() and name and not set(name) & set(",#") and not name.isdecimal()
    return name if is_plain and [column.name for column in names].count(name) == 1 else str(at + 1)


def _spec(found: hub.Dataset, config: str, split: str, options: str) -> str:
    """With its own validation split beside `train`, all splits are offered to the training."""
    place = f"{found.id}:{config}" if len(found.configs) > 1 else found.id
    whole = split == "train" and "valid" in found.splits(config)
    return f"hub:{place}#{'' if whole else f'split={split},'}{options},revision={found.sha}"


def _called(found: hub.Dataset, config: str) -> str:
    return (f"{found.id} {config}" if len(found.configs) > 1 else found.id)[:80]


def _sure(answer: T | str) -> T:
    if isinstance(answer, str):
        raise UserError(answer)
    return answer


@st.cache_resource(ttl=KEPT, max_entries=16, scope="session", show_spinner="Asking the hub ...")
def _looked_up(name: str, token: str) -> hub.Dataset | str:
    """What there is, or the sentence why not."""
    try:
        return hub.preflight(name, token)
    except UserError as wrong:
        return str(wrong)


@st.cache_resource(ttl=KEPT, max_entries=16, scope="session", show_spinner="Reading five rows ...")
def _sampled(_found: hub.Dataset, sha: str, config: str, split: str, token: str) -> HubSample | str:
    """The first rows, or the sentence why not."""
    try:
        return sample_hub_dataset(_found, config, split, token)
    except UserError as wrong:
        return str(wrong)


def _forget() -> None:
    _looked_up.clear()
    _sampled.clear()

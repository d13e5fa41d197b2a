"""A dataset of the hub on the Data page: its name, configuration, split, two columns, number of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

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
from s2s.ui.kit import forms, plain, shortened, unique_names

CACHED_SECONDS = 300.0  # of the hub's answers
MAX_CELL = 200  # characters of a text in the table of examples
SEED = 0  # of the sample
DRAWN = "random"
WHICH_ROWS = MappingProxyType({DRAWN: f",sample={SEED}", "first": ""})
TOKEN_NOTE = (
    "Only for private or gated datasets. Kept in memory during this visit and sent to the hub only;"
    " never stored, never logged."
)


@dataclass(frozen=True)
class HubRequest:
    """A request for rows of a hub dataset: the SPEC, a name for people, and the token, which only the reader process
    gets.
    """

    spec: str
    name: str
    token: str = field(default="", repr=False)


def choose() -> HubRequest | None:
    """Draw the widgets, each once the hub has answered the one before; returns None while something is missing or
    wrong.
    """
    name, token = _name()
    if not name.strip():
        st.caption(
            "Reads only what it needs: the list of files, then five rows, and the rest when you load it."
        )
        return None
    try:
        hub.check(name)
    except UserError as wrong:
        forms.show_error(wrong)
        return None
    try:
        found = forms.or_raise(_looked_up(name, token))
        config, split = _part(found)
        sample = forms.or_raise(_sampled(found, found.sha, config, split, token))
        src, tgt = _columns(found, config, sample)
    except UserError as wrong:
        forms.show_error(wrong)
        st.button("Ask the hub again", key="hub again", icon=":material/refresh:", on_click=_forget)
        return None
    return HubRequest(
        _spec(found, config, split, f"src={src},tgt={tgt},{_rows()}"),
        _called(found, config),
        token,
    )


def _rows() -> str:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        rows = st.number_input(
            "Rows",
            1,
            Caps().rows,
            HUB_ROWS,
            step=1000,
            key="hub rows",
            help="Reads this many rows of the split, or all if it has fewer.",
        )
        which = st.segmented_control(
            "Which rows",
            list(WHICH_ROWS),
            default=DRAWN,
            key="hub which rows",
            required=True,
            help=f"Random: drawn from the whole split with seed {SEED}, so that a dataset sorted by topic gives"
            " all topics. First: the start of the split, downloaded faster.",
        )
    return f"rows={rows}{WHICH_ROWS[which or DRAWN]}"


def _name() -> tuple[str, str]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = "Dataset of the Hugging Face hub"
        hint = "owner/name, or its URL"
        name = st.text_input(label, key="hub name", placeholder=hint, persist_state="session")
        st.selectbox(
            "or a suggested one",
            list(GALLERY),
            None,
            format_func=_in_brief,
            key="hub known",
            placeholder="Browse",
            on_change=_pick,
        )
        with st.popover("Token", icon=":material/key:"):
            token = st.text_input(
                "Hub access token",
                type="password",
                key="hub token",
                autocomplete="off",
                persist_state="session",
            )
            st.caption(TOKEN_NOTE)
    if row := GALLERY.get(name.strip()):
        st.caption(
            plain(
                f"{row.summary} {row.rows} rows, {row.size}, license: {row.license}. {row.warning}".strip()
            )
        )
    return name, token.strip()


def _in_brief(name: str) -> str:
    row = GALLERY[name]
    return f"{name} · {row.size}, {row.license}"


def _pick() -> None:
    if st.session_state["hub known"]:
        st.session_state["hub name"] = st.session_state["hub known"]


def _part(found: hub.Dataset) -> tuple[str, str]:
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
    suggested = GALLERY[found.id].config if found.id in GALLERY else ""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        config = configs[0]
        if len(configs) > 1:
            at = configs.index(suggested) if suggested in configs else 0
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
    texts = [at for at, column in enumerate(sample.columns) if column.kind != "other"]
    labels = unique_names({str(at): sample.columns[at].name or f"column {at + 1}" for at in texts})
    likely = choose_columns(sample.columns, config)
    first = (texts[0], texts[min(1, len(texts) - 1)])
    if likely:
        names = [column.name for column in sample.columns]
        first = (names.index(likely.src), names.index(likely.tgt))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        src, tgt = (
            int(
                st.selectbox(
                    label,
                    list(labels),
                    texts.index(default),
                    format_func=labels.__getitem__,
                    key=f"hub {label} {found.id} {config}",
                )
            )
            for label, default in zip(("Source column", "Target column"), first, strict=True)
        )
    if src == tgt:
        reason = (
            "The same column on both sides makes plain text: choose a task that needs no target."
        )
    elif likely is None:
        reason = "The names do not tell source from target: look at the rows and choose."
    elif (src, tgt) == first:
        reason = f"Chosen because of {likely.reason}. The first rows:"
    else:
        reason = "Chosen by you. The first rows:"
    st.caption(plain(reason))
    _first_rows(sample, [*dict.fromkeys((src, tgt, *texts))], labels)
    return _option(sample.columns, src), _option(sample.columns, tgt)


def _first_rows(sample: HubSample, columns: Sequence[int], labels: Mapping[str, str]) -> None:
    table = {
        labels[str(at)]: [
            shortened(row[at], MAX_CELL) if at < len(row) else "" for row in sample.rows
        ]
        for at in columns
    }
    st.dataframe(table, hide_index=True, placeholder="empty")


def _option(names: Sequence[Column], at: int) -> str:
    """A column's name; its number from 1 where a SPEC cannot hold the name, or where two columns share it."""
    name = names[at].name
    is_plain = name == name.strip() and name and not set(name) & set(",#")
    return name if is_plain and [column.name for column in names].count(name) == 1 else str(at + 1)


def _spec(found: hub.Dataset, config: str, split: str, options: str) -> str:
    """The SPEC of a hub dataset. Where it has a validation split beside `train`, no split is named, so that both are
    used.
    """
    place = f"{found.id}:{config}" if len(found.configs) > 1 else found.id
    is_default = split == "train" and "valid" in found.splits(config)
    return f"hub:{place}#{'' if is_default else f'split={split},'}{options},revision={found.sha}"


def _called(found: hub.Dataset, config: str) -> str:
    return (f"{found.id} {config}" if len(found.configs) > 1 else found.id)[:80]


@st.cache_resource(
    ttl=CACHED_SECONDS, max_entries=16, scope="session", show_spinner="Asking the hub ..."
)
def _looked_up(name: str, token: str) -> hub.Dataset | str:
    try:
        return hub.preflight(name, token)
    except UserError as wrong:
        return str(wrong)


@st.cache_resource(
    ttl=CACHED_SECONDS, max_entries=16, scope="session", show_spinner="Reading five rows ..."
)
def _sampled(_found: hub.Dataset, sha: str, config: str, split: str, token: str) -> HubSample | str:
    try:
        return sample_hub_dataset(_found, config, split, token)
    except UserError as wrong:
        return str(wrong)


def _forget() -> None:
    _looked_up.clear()
    _sampled.clear()

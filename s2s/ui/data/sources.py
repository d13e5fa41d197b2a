"""Where a visitor's text comes from: built in, uploaded, from the hub, pasted, or kept from before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import streamlit as st

from s2s import settings
from s2s.config import UserError
from s2s.data import FILE_KINDS, DatasetProfile, Preview, saved_datasets
from s2s.share import printable
from s2s.ui.data import hub_dataset, uploads
from s2s.ui.data.uploads import Draft
from s2s.ui.kit import cached, forms, pickers
from s2s.ui.kit.datasets import DEFAULT_DATASET, SHIPPED_DATASETS
from s2s.ui.kit.text import as_markdown, plain, shortened, unique_names

MOST_MEGABYTES = 200
UNITS = MappingProxyType(
    {
        "line": "lines",
        "passage": "passages of 120 characters",
        "dialogue": "dialogues, with a blank line between",
    }
)
NEEDY = (
    "queued",
    "starting",
    "running",
    "stopped",
    "interrupted",
)  # states of runs that would read their text again


@dataclass(frozen=True)
class Chosen:
    """A text to look at. `spec` is empty while it is a draft."""

    name: str
    preview: Preview
    study: DatasetProfile
    spec: str = ""

    def keep(self, origin: str) -> str:
        """The spec by which a run finds the text; a draft is kept from now on. Raises UserError where that fails."""
        if self.spec:
            return self.spec
        self.study.stop()
        spec = f"corpus:{saved_datasets.keep_upload(self.study.folder, name=self.name, owner=settings.OWNER)}"
        uploads.drop(origin)
        self.study.delete()  # the visit may hold another draft by now, and the text is kept
        return spec


class Origin(NamedTuple):
    """One way to a text: its widgets, which give one or say what is missing."""

    choose: Callable[[], Chosen | None]
    icon: str


def origin() -> str:
    """Which way."""
    chosen = st.segmented_control(
        "Where from",
        list(ORIGINS),
        default="Built-in",
        required=True,
        key="origin",
        format_func=lambda name: f"{ORIGINS[name].icon} {name}",
        persist_state="session",
        label_visibility="collapsed",
    )
    return str(chosen)


def chosen(origin: str) -> Chosen | None:
    """The text, once there is one."""
    try:
        return ORIGINS[origin].choose()
    except UserError as wrong:
        forms.show_error(wrong)
        return None


def fill(spec: str) -> None:
    """Choose the text that a link names, and by that its way."""
    if spec in SHIPPED_DATASETS:
        st.session_state["origin"], st.session_state["builtin"] = "Built-in", spec
    elif spec in {text.spec for text in cached.datasets()}:
        st.session_state["origin"], st.session_state["kept"] = "Kept", spec
    else:
        pickers.notify(
            f"There is no text {spec[:60]} here (any more); {DEFAULT_DATASET} is shown instead."
        )
        st.session_state["origin"], st.session_state["builtin"] = "Built-in", DEFAULT_DATASET


def _builtin() -> Chosen:
    spec = st.selectbox(
        "Text",
        list(SHIPPED_DATASETS),
        index=list(SHIPPED_DATASETS).index(DEFAULT_DATASET),
        key="builtin",
        persist_state="session",
        format_func=_bare,
    )
    st.caption(SHIPPED_DATASETS[spec])
    return Chosen(_bare(spec), cached.preview(spec), uploads.study_of(spec), spec)


def _bare(spec: str) -> str:
    return spec.partition(":")[2]


def _kept() -> Chosen | None:
    names = unique_names({text.spec: text.name for text in cached.datasets()})
    if not names:
        st.info(
            "Nothing is kept yet: upload or paste a text and train on it, and it stays here.",
            icon=":material/inventory_2:",
        )
        return None
    if st.session_state.get("kept") not in names:
        st.session_state["kept"] = next(iter(names))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        spec = str(
            st.selectbox(
                "Text",
                list(names),
                format_func=names.__getitem__,
                key="kept",
                persist_state="session",
            )
        )
        _change(spec, cached.dataset_name(spec))
        _away(spec, cached.dataset_name(spec))
    if refused := st.session_state.pop("refused text", None):
        forms.show_error(refused)
    text = uploads.study_of(spec)
    found = uploads.made(text, "preview")
    return Chosen(names[spec], Preview.from_json(found), text, spec) if found else None


def _change(spec: str, name: str) -> None:
    """Another name."""
    hash = _bare(spec)
    with st.popover("Change", icon=":material/edit:", key=f"change {hash}"):
        st.text_input(
            "Name", name, key=f"name {hash}", max_chars=80, on_change=_rename, args=(hash,)
        )
        st.caption(
            "Kept on this server until it is deleted. Everybody who uses this server sees it."
        )


def _away(spec: str, name: str) -> None:
    """Away with it, by a second click; the keys carry its hash, so that all is closed when the next text stands here."""
    hash = _bare(spec)
    with st.popover("Delete", icon=":material/delete:", key=f"away {hash}"):
        st.write(
            "It is deleted for good. Runs that were trained on it stay, but cannot be resumed without it."
        )
        if n := sum(
            row.state in NEEDY and row.source.partition("#")[0] == spec for row in cached.own_runs()
        ):
            st.warning(
                f"{n} waiting, training or stopped run{'s need' if n > 1 else ' needs'} it.",
                icon=":material/warning:",
            )
        st.button(
            f"Delete {plain(shortened(name))}",
            key=f"delete text {hash}",
            on_click=_delete,
            args=(hash,),
            type="primary",
        )


def _rename(hash: str) -> None:
    try:
        saved_datasets.rename(
            hash, settings.OWNER, printable(str(st.session_state[f"name {hash}"]))
        )
    except UserError as wrong:
        st.session_state["refused text"] = wrong


def _delete(hash: str) -> None:
    try:
        saved_datasets.delete(hash, settings.OWNER)
    except UserError as wrong:
        st.session_state["refused text"] = wrong


def _upload() -> Chosen | None:
    draft = uploads.held("Upload")
    if draft is None:
        _take_files()
        return None
    uploads.whereabouts("Upload", draft)
    draft.look()
    if draft.study.result("offer") is None and not uploads.is_ready(draft.study):
        return None
    offer = draft.study.result("offer") or {}
    draft.read(_spec(draft, offer))
    if len(splits := offer.get("splits", ())) > 1:
        st.caption(
            f"The .zip holds the splits {', '.join(splits)}: training reads train, and validation valid where it is there."
        )
    return _drafted(draft)


def _take_files() -> None:
    """The upload field; what it is given goes to a draft, and the field is empty again."""
    uploaded = st.file_uploader(
        "A table, two text files whose lines translate each other, or one text",
        accept_multiple_files=True,
        key=f"upload {st.session_state.setdefault('n uploads', 0)}",
        max_upload_size=MOST_MEGABYTES,
    )
    st.caption(
        f"Tables: {FILE_KINDS}; you choose the two columns. Text files: both at once, or one alone as plain text. All of them also as .gz;"
        " tables and pairs of files also in a .zip. What you bring stays on this server, as a draft of this visit that nobody but you is"
        " shown, for a day at most."
    )
    if not uploaded:
        return
    if len(uploaded) > 2:
        raise UserError(
            f"{len(uploaded)} files were given; give one table, one .zip, or two text files that are aligned line by line."
        )
    name = printable(" + ".join(file.name for file in uploaded))[:80]
    uploads.begin(
        "Upload", name, [(file.name, file.getvalue()) for file in uploaded]
    )  # no copy, unlike `getbuffer`
    st.session_state["n uploads"] += 1  # the field lets go of the files
    st.rerun()


def _spec(draft: Draft, offer: Mapping[str, Any]) -> str:
    """How the files are read, by the widgets beside."""
    names = [column[0] for column in offer["columns"]]
    if offer["kind"] == "plain":
        st.caption(
            as_markdown(
                f"There is no second text beside it ({offer['reason']}): it serves tasks that need no targets."
            )
        )
        unit = st.radio(
            "Plain text, cut into",
            list(UNITS),
            format_func=UNITS.__getitem__,
            key="unit",
            horizontal=True,
        )
        return f"text:{draft.files[0]}#unit={unit}" + (
            f",column={_written(names, offer['src'])}" if offer["src"] else ""
        )
    if len(draft.files) == 2:
        ordered = sorted(
            draft.files, key=lambda file: names[draft.files.index(file)] != offer["src"]
        )
        is_swapped = st.toggle("Swap the two files", key=f"swap {draft.study.folder.name}")
        first, second = ordered[::-1] if is_swapped else ordered
        st.caption(
            as_markdown(f"The source is `{first}`, the target `{second}`: {offer['reason']}.")
        )
        return f"{first},{second}"
    return f"{draft.files[0]}#{_columns(draft, offer, names)}"


def _written(names: list[str], name: str) -> str:
    """As a spec takes a column: by its number where its name would mean something there."""
    return str(names.index(name) + 1) if set(name) & set(",#=") else name


def _columns(draft: Draft, offer: Mapping[str, Any], names: list[str]) -> str:
    """Pickers for the two columns of a table, set to what its names suggest."""
    key = draft.study.folder.name
    labels = unique_names(dict(zip(names, offer["labels"], strict=True)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        src, tgt = (
            str(
                st.selectbox(
                    name,
                    names,
                    names.index(usual),
                    format_func=labels.__getitem__,
                    key=f"{name} {key}",
                )
            )
            for name, usual in (("Source column", offer["src"]), ("Target column", offer["tgt"]))
        )
        task = st.selectbox(
            "Task column",
            [name for name in names if name not in (src, tgt)],
            None,
            format_func=labels.__getitem__,
            key=f"task {key}",
            placeholder="none",
            help="A third column whose text stands before the source, `summarize: ...` say: several tasks in one file.",
            disabled=len(names) < 3,
        )
        header = ""
        has_header = offer["has_header"]
        if not offer["is_named"]:
            has_header = st.toggle(
                "Row 1 holds the column names", offer["has_header"], key=f"header {key}"
            )
            header = f",header={'yes' if has_header else 'no'}"
    if (src, tgt) == (offer["src"], offer["tgt"]) and offer["reason"]:
        st.caption(as_markdown(f"These two were chosen for you: {offer['reason']}."))
    if src == tgt:
        raise UserError("Source and target are the same column; choose two.")
    chosen = {"src": src, "tgt": tgt} | ({"prefix": str(task)} if task else {})
    is_named = has_header == offer["has_header"]  # or its names are none
    return (
        ",".join(
            f"{key}={_written(names, name) if is_named else names.index(name) + 1}"
            for key, name in chosen.items()
        )
        + header
    )


def _hub() -> Chosen | None:
    draft = uploads.held("Hub")
    if draft is None:
        asked = hub_dataset.choose()
        if asked and st.button(
            "Load these rows", type="primary", icon=":material/cloud_download:", key="load hub"
        ):
            fresh = uploads.begin("Hub", asked.name, token=asked.token)
            fresh.read(asked.spec)
            st.rerun()
        return None
    uploads.whereabouts("Hub", draft)
    draft.read(draft.asked)
    return _drafted(draft)


def _paste() -> Chosen | None:
    text = st.text_area(
        "One pair a line: source, a tab or |||, target",
        key="paste",
        height=180,
        placeholder="the red house ||| la maison rouge\nthe cat sleeps ||| le chat dort",
        persist_state="session",
    )
    if not text or not text.strip():
        uploads.drop("Paste")
        st.caption(
            "Two columns copied from a spreadsheet paste as they are. Press Ctrl+Enter when done."
        )
        return None
    draft = uploads.held("Paste")
    if draft is None or st.session_state.get("pasted") != text:
        draft = uploads.begin(
            "Paste", "pasted text", [("pasted text", text.encode(errors="surrogatepass"))]
        )
        st.session_state["pasted"] = text
    draft.read(f"pasted:{draft.files[0]}")
    uploads.whereabouts("Paste", draft)
    return _drafted(draft)


def _drafted(draft: Draft) -> Chosen | None:
    """Once it is counted; whatever else is found out about it, or fails, is no matter of the text."""
    found = draft.study.result("preview")
    if found is None and uploads.is_ready(draft.study):
        found = draft.study.result("preview")
    return Chosen(draft.name, Preview.from_json(found), draft.study) if found else None


BRINGING = frozenset({"Upload", "Hub", "Paste"})  # ways on which the text is a draft
ORIGINS: Mapping[str, Origin] = MappingProxyType(
    {
        "Built-in": Origin(_builtin, ":material/inventory:"),
        "Upload": Origin(_upload, ":material/upload_file:"),
        "Hub": Origin(_hub, ":material/cloud_download:"),
        "Paste": Origin(_paste, ":material/content_paste:"),
        "Kept": Origin(_kept, ":material/bookmark:"),
    }
)

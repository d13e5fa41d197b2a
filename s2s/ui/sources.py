"""Where a visitor's text comes from: built in, uploaded, pasted, or kept from before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from s2s import settings, share
from s2s.config import UserError
from s2s.data import corpora, files
from s2s.data.builtin import BUILTINS
from s2s.data.corpus import Corpus
from s2s.data.preview import Preview
from s2s.data.synthetic import SYNTHETIC
from s2s.data.tables import TABLES, suffix
from s2s.share import printable
from s2s.ui import address, cached, forms, pickers
from s2s.ui.text import distinct

MOST_MEGABYTES = 50
FIRST = "builtin:en-fr"
SHIPPED = MappingProxyType(
    {f"{kind}:{name}": row.summary for kind, rows in (("builtin", BUILTINS), ("synthetic", SYNTHETIC)) for name, row in rows.items()}
)


@dataclass(frozen=True)
class Chosen:
    """A text to look at. `spec` is empty, and `corpus` its pairs, while it is only uploaded or pasted."""

    name: str
    preview: Preview
    spec: str = ""
    corpus: Corpus | None = None

    def keep(self) -> str:
        """The spec by which a run finds the text; stores it where it isn't yet. Raises UserError where that fails."""
        if self.corpus is None:
            return self.spec
        return f"corpus:{corpora.store(self.corpus, name=self.name, owner=settings.OWNER)}"


class Origin(NamedTuple):
    """One way to a text: its widgets, which give one or say what is missing."""

    choose: Callable[[], Chosen | None]
    icon: str


def origin() -> str:
    """Which way; a link names a text and by that its way."""
    said = address.arrived("set")
    if said is not None:
        _fill(share.unpack(said).get("source", FIRST))
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
    """The text, once there is one; the address names it if a link can."""
    try:
        text = ORIGINS[origin].choose()
    except UserError as wrong:
        forms.complain(wrong)
        text = None
    is_kept = text is None or text.corpus is None
    st.session_state["no link"] = "" if is_kept else "Only a kept text can be linked: press Train on these pairs, which keeps it."
    address.hold("set", share.pack({"source": text.spec if text and text.spec else FIRST}), share.pack({"source": FIRST}))
    return text


def _fill(spec: str) -> None:
    if spec in SHIPPED:
        st.session_state["origin"], st.session_state["builtin"] = "Built-in", spec
    elif spec in {text.spec for text in cached.texts()}:
        st.session_state["origin"], st.session_state["kept"] = "Kept", spec
    else:
        pickers.say(f"There is no text {spec[:60]} here (any more); {FIRST} is shown instead.")
        st.session_state["origin"], st.session_state["builtin"] = "Built-in", FIRST


def _builtin() -> Chosen:
    spec = st.selectbox(
        "Text", list(SHIPPED), index=list(SHIPPED).index(FIRST), key="builtin", persist_state="session", format_func=_bare
    )
    st.caption(SHIPPED[spec])
    return Chosen(_bare(spec), cached.preview(spec), spec)


def _bare(spec: str) -> str:
    return spec.partition(":")[2]


def _kept() -> Chosen | None:
    names = distinct({text.spec: text.name for text in cached.texts()})
    if not names:
        st.info("Nothing is kept yet: upload or paste a text and train on it, and it stays here.", icon=":material/inventory_2:")
        return None
    if st.session_state.get("kept") not in names:
        st.session_state["kept"] = next(iter(names))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        spec = str(st.selectbox("Text", list(names), format_func=names.__getitem__, key="kept", persist_state="session"))
        _change(spec, cached.called(spec))
    if refused := st.session_state.pop("refused text", None):
        forms.complain(refused)
    return Chosen(names[spec], cached.preview(spec), spec)


def _change(spec: str, name: str) -> None:
    """Another name, or away with it."""
    hash = _bare(spec)
    with st.popover("Change", icon=":material/edit:"):
        st.text_input("Name", name, key=f"name {hash}", max_chars=80, on_change=_rename, args=(hash,))
        st.button("Delete this text", key="delete text", icon=":material/delete:", on_click=_delete, args=(hash,))
        st.caption("Runs that were trained on it stay, but cannot be resumed without it.")


def _rename(hash: str) -> None:
    try:
        corpora.rename(hash, settings.OWNER, printable(str(st.session_state[f"name {hash}"])))
    except UserError as wrong:
        st.session_state["refused text"] = wrong


def _delete(hash: str) -> None:
    try:
        corpora.delete(hash, settings.OWNER)
    except UserError as wrong:
        st.session_state["refused text"] = wrong


def _upload() -> Chosen | None:
    uploaded = st.file_uploader(
        "A table (.tsv, .csv, .jsonl), or two text files whose lines translate each other",
        accept_multiple_files=True,
        key="upload",
        max_upload_size=MOST_MEGABYTES,
        help="UTF-8. Of two files, the first is the source. Nothing leaves this server.",
    )
    if not uploaded:
        st.caption("Choose both files at once. A table may have any number of columns: you say which two are read.")
        return None
    if len(uploaded) == 2 and st.toggle("Swap the two files", key="swap"):
        uploaded = uploaded[::-1]
    options = _columns(uploaded[0]) if len(uploaded) == 1 else files.FileOptions()
    corpus, preview = cached.uploaded(uploaded, options)
    return Chosen(_name(uploaded), preview, corpus=corpus)


def _columns(file: UploadedFile) -> files.FileOptions:
    """Pickers for the two columns of a table, set to what the first row suggests."""
    if suffix(file.name) not in TABLES:
        return files.FileOptions()
    header = st.session_state.get(f"header {file.file_id}")
    guess = cached.table(file, "auto" if header is None else "yes" if header else "no")
    columns, labels = guess.columns, distinct(dict(zip(guess.columns, guess.labels, strict=True)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        src, tgt = (
            st.selectbox(name, columns, columns.index(usual), format_func=labels.__getitem__, key=f"{name} {file.file_id} {guess.header}")
            for name, usual in (("Source column", guess.src), ("Target column", guess.tgt))
        )
        if not file.name.lower().endswith(".jsonl"):
            st.toggle("Row 1 holds the column names", guess.has_header, key=f"header {file.file_id}")
    if src == tgt:
        raise UserError("Source and target are the same column; choose two.")
    return files.FileOptions(src=str(src), tgt=str(tgt), header=guess.header)


def _name(uploaded: list[UploadedFile]) -> str:
    return printable(" + ".join(file.name for file in uploaded))[:80]


def _paste() -> Chosen | None:
    text = st.text_area(
        "One pair a line: source, a tab or |||, target",
        key="paste",
        height=180,
        placeholder="the red house ||| la maison rouge\nthe cat sleeps ||| le chat dort",
        persist_state="session",
    )
    if not text or not text.strip():
        st.caption("Two columns copied from a spreadsheet paste as they are. Press Ctrl+Enter when done.")
        return None
    corpus = files.from_pasted(text)
    return Chosen("pasted text", Preview.of(corpus), corpus=corpus)


ORIGINS: Mapping[str, Origin] = MappingProxyType(
    {
        "Built-in": Origin(_builtin, ":material/inventory:"),
        "Upload": Origin(_upload, ":material/upload_file:"),
        "Paste": Origin(_paste, ":material/content_paste:"),
        "Kept": Origin(_kept, ":material/bookmark:"),
    }
)

"""The upload field, and the widgets that say how the files are read: unit of text, order of files, columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pandas as pd
import streamlit as st

from s2s.config import UserError
from s2s.data import FILE_KINDS, Upload, load_preview
from s2s.links.share import printable
from s2s.ui.data import uploads
from s2s.ui.kit import as_markdown, unique_names
from s2s.ui.streamlit_parts import DeltaGenerator

UNITS = MappingProxyType(
    {
        "line": "lines",
        "passage": "passages of 120 characters",
        "dialogue": "dialogues, separated by empty lines",
    }
)

LISTS = MappingProxyType(
    {
        "auto": "by the column's name",
        "space": "one text, joined by spaces",
        "turn": "one dialogue, joined by turns",
        "line": "a pair per text",
    }
)


SIDES = MappingProxyType({"Source column": "src", "Target column": "tgt"})
OFFERED = frozenset(  # what the reader says of the files
    {"kind", "columns", "labels", "src", "tgt", "reason", "has_header", "is_named"}
)


WIDTH = 300  # pixels that each of the two fields has at least
SELECT = 190  # of a column
EXAMPLE = "builtin:en-fr"
PASTED = "pasted text"
FORMATS = (
    f"Tables: {FILE_KINDS}; you choose the two columns. Text files: two that translate each other line by line, or one"
    " of plain text. Any of them may be compressed (.gz). A .zip may hold one table or pair of files for each split"
    " (`train`, `valid`)."
)
PRIVACY = (
    "It stays on this server for at most a day and only you can see it, unless you train on it."
)
# Options of a reading that its title names.
READING = MappingProxyType(
    {"prefix": "task column", "header": "header", "quotes": "quotation marks", "lists": "lists"}
)


def fields() -> None:
    """Draw a field for files and one for text, and a file to try; what is given becomes an upload, and the page shows
    it.
    """
    with st.grid(2, min_column_width=WIDTH) as grid:
        with grid.cell():
            _files_field()
        with grid.cell():
            _text_field()
    st.caption(PRIVACY)


def _files_field() -> None:
    given = st.file_uploader(
        "Files: a table, or two aligned texts",
        accept_multiple_files=True,
        key=f"upload {st.session_state.setdefault('n uploads', 0)}",
        help=FORMATS,
    )
    st.download_button(
        "Example file",
        _example,
        "example.tsv",
        "text/tab-separated-values",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
    )
    if not given:
        return
    if len(given) > 2:
        raise UserError(
            f"{len(given)} files were given; give one table, one .zip, or two text files that are aligned line by line."
        )
    name = printable(" + ".join(file.name for file in given))[:80]
    # `getvalue` makes no copy, unlike `getbuffer`
    uploads.begin(uploads.UPLOAD, name, [(file.name, file.getvalue()) for file in given])
    st.session_state["n uploads"] += 1  # a new field, so that the old one frees the files
    st.rerun()


def _text_field() -> None:
    text = st.text_area(
        "Or text: in each line a source, a tab or |||, a target",
        key="paste",
        height=110,
        placeholder="the red house ||| la maison rouge\nthe cat sleeps ||| le chat dort",
        help="Two columns copied from a spreadsheet can be pasted as they are.",
        persist_state="session",
    )
    st.button("Read this text", key="read paste", icon=":material/content_paste:")
    if text and text.strip() and text != st.session_state.get("pasted"):
        content = text.encode(errors="surrogatepass")
        uploads.begin(uploads.PASTE, PASTED, [(PASTED, content)])
        st.session_state["pasted"] = text
        st.rerun()


def _example() -> str:
    rows = load_preview(EXAMPLE).rows
    return "".join(f"{src}\t{tgt}\n" for src, tgt in (("english", "french"), *rows))


def spec(upload: Upload, offer: Mapping[str, Any], row: DeltaGenerator) -> str:
    """The SPEC of an upload by the widgets, which are drawn here and in the row, "" while it waits for a choice.

    `offer` is what its files look like. `upload.choices` has their values at first, where an address says them, and
    what is chosen afterwards.
    """
    if not offer.keys() >= OFFERED:
        raise UserError("The columns of this upload cannot be read; delete it and upload it again.")
    encoding = upload.choices.get("encoding", "")
    if offer.get("likely") and not encoding:
        _ask_for_encoding(upload, offer)
        return ""
    found = _spec(upload, offer, row)
    if not encoding:
        return found
    upload.choices = {**upload.choices, "encoding": encoding}
    return f"{found}{'#' if len(upload.files) == 2 else ','}encoding={encoding}"


def _spec(upload: Upload, offer: Mapping[str, Any], row: DeltaGenerator) -> str:
    names = [column[0] for column in offer["columns"]]
    if offer["kind"] == "plain":
        return _plain(upload, offer, names, row)
    if len(upload.files) == 2:
        return _two_files(upload, offer, names, row)
    return f"{upload.files[0]}#{_columns(upload, offer, names, row)}"


def _ask_for_encoding(upload: Upload, offer: Mapping[str, Any]) -> None:
    st.warning(
        as_markdown(f"This looks like {offer['encoding']}, not UTF-8. Do these lines read right?")
    )
    st.dataframe(_in_doubt(offer), hide_index=True, alt="Lines in this encoding")
    st.button(
        f"Read as {offer['encoding']}",
        type="primary",
        key=f"encoding {upload.id}",
        on_click=upload.choices.update,
        args=({"encoding": offer["likely"]},),
    )
    st.caption("If they do not, save the text as UTF-8 and upload it again.")


def _in_doubt(offer: Mapping[str, Any]) -> pd.DataFrame:
    names = [f"column {name}" if name.isdecimal() else name for name, *_ in offer["columns"]]
    rows = pd.DataFrame([list(row) for row in offer["samples"]], columns=names or None)
    has_other = [not "".join(map(str, rows[name])).isascii() for name in rows]
    return rows.loc[:, has_other] if any(has_other) else rows


def _plain(
    upload: Upload, offer: Mapping[str, Any], names: Sequence[str], row: DeltaGenerator
) -> str:
    st.caption(
        as_markdown(
            f"Plain text without a second side ({offer['reason']}): for tasks that need no targets."
        )
    )
    unit = row.selectbox(
        "Split plain text into",
        list(UNITS),
        format_func=UNITS.__getitem__,
        index=list(UNITS).index(_one_of(UNITS, upload.choices.get("unit"), "line")),
        key=f"unit {upload.id}",
        width=300,
    )
    upload.choices = {"unit": str(unit)}
    column = f",column={_written(names, offer['src'])}" if offer["src"] else ""
    return f"text:{upload.files[0]}#unit={unit}{column}"


def _two_files(
    upload: Upload, offer: Mapping[str, Any], names: Sequence[str], row: DeltaGenerator
) -> str:
    by_name = dict(zip(upload.files, names, strict=True))
    first, second = sorted(upload.files, key=lambda file: by_name[file] != offer["src"])
    is_swapped = upload.choices.get("swap") == "yes"
    if row.toggle("Swap the two files", is_swapped, key=f"swap {upload.id}"):
        first, second = second, first
        upload.choices = {"swap": "yes"}
    else:
        upload.choices = {}
    reason = str(offer["reason"]).replace("columns", "files")
    st.caption(as_markdown(f"The source is `{first}`, the target `{second}` ({reason})."))
    return f"{first},{second}"


def _one_of(options: Collection[str], wanted: str | None, default: str) -> str:
    return wanted if wanted and wanted in options else default


def _named(names: Sequence[str], column: str) -> str:
    if column in names or not column.isdecimal() or not 1 <= int(column[:9]) <= len(names):
        return column if column in names else ""
    return names[int(column) - 1]


def _written(names: Sequence[str], name: str) -> str:
    return str(names.index(name) + 1) if set(name) & set(",#=") else name


def _lists(wanted: str | None, key: str) -> str:
    return str(
        st.radio(
            "Each list of texts becomes",
            list(LISTS),
            format_func=LISTS.__getitem__,
            index=list(LISTS).index(_one_of(LISTS, wanted, "auto")),
            key=f"lists {key}",
            help="By its name, a column of a dialogue is read as turns, and any other is joined by spaces.",
        )
    )


def _columns(
    upload: Upload, offer: Mapping[str, Any], names: list[str], row: DeltaGenerator
) -> str:
    key = upload.id
    labels = unique_names(dict(zip(names, offer["labels"], strict=True)))
    before_lists = upload.choices.get("lists")
    before = {option: _named(names, value) for option, value in upload.choices.items()}
    with row:
        for label, option in SIDES.items():
            likely = before.get(option) or str(offer[option])
            st.session_state.setdefault(f"{label} {key}", likely)
        show = labels.__getitem__
        src, tgt = (
            str(st.selectbox(label, names, format_func=show, key=f"{label} {key}", width=SELECT))
            for label in SIDES
        )
        box = st.popover(_read_as(upload, offer), icon=":material/tune:", key="reading")
    kinds = {column[0]: column[1] for column in offer["columns"]}
    with box:
        others = [name for name in names if name not in (src, tgt)]
        task = st.selectbox(
            "Task column",
            others,
            others.index(before["prefix"]) if before.get("prefix") in others else None,
            format_func=labels.__getitem__,
            key=f"task {key}",
            placeholder="none",
            help="A third column, written before the source, for example `summarize: `: several tasks in one file.",
            disabled=len(names) < 3,
        )
        has_header = offer["has_header"]
        if not offer["is_named"]:
            likely = {"yes": True, "no": False}.get(upload.choices.get("header", ""), has_header)
            has_header = st.toggle("Row 1 holds the column names", likely, key=f"header {key}")
        is_unquoted = upload.choices.get("quotes") == "remove"
        if offer.get("is_quoted"):
            is_unquoted = st.toggle(
                "Remove the quotation marks around fields", is_unquoted, key=f"quotes {key}"
            )
        how = _lists(before_lists, key) if "texts" in (kinds[src], kinds[tgt]) else "auto"
    if (src, tgt) == (offer["src"], offer["tgt"]) and offer["reason"]:
        st.caption(as_markdown(f"These two were chosen automatically: {offer['reason']}."))
    _show_doubts(offer, labels, key, (src, tgt))
    if src == tgt:
        raise UserError("Source and target are the same column; choose two.")
    chosen = {"src": src, "tgt": tgt} | ({"prefix": str(task)} if task else {})
    # With another header row the names change; the numbers do not.
    is_named = has_header == offer["has_header"]
    upload.choices = {
        option: _written(names, name) if is_named else str(names.index(name) + 1)
        for option, name in chosen.items()
    }
    if how != "auto":
        upload.choices["lists"] = how
    if not offer["is_named"]:
        upload.choices["header"] = "yes" if has_header else "no"
    if is_unquoted:
        upload.choices["quotes"] = "remove"
    return ",".join(f"{option}={value}" for option, value in upload.choices.items())


def _read_as(upload: Upload, offer: Mapping[str, Any]) -> str:
    guessed = {"header": "yes" if offer["has_header"] else "no"}
    changed = [
        said
        for option, said in READING.items()
        if option in upload.choices and upload.choices[option] != guessed.get(option)
    ]
    return ", ".join(("Read as", *changed))


def _show_doubts(
    offer: Mapping[str, Any], labels: Mapping[str, str], key: str, chosen: tuple[str, str]
) -> None:
    for name in offer.get("repeated", ()):
        st.caption(
            as_markdown(f"Several columns are named `{name}`; they are chosen by their number.")
        )
    likelier = str(offer.get("likelier", ""))
    src, tgt = chosen
    if likelier not in labels or chosen != (offer["src"], offer["tgt"]):
        return
    is_reversed = likelier == src
    if is_reversed:
        doubt = (
            "The source has few different texts, the target many; the other way round may be meant."
        )
        sides = (tgt, src)
    else:
        doubt = f"`{labels[likelier]}` has many more different texts than the target column; it may be the target."
        sides = (src, likelier)
    st.caption(as_markdown(doubt))
    st.button(
        as_markdown(
            "Swap source and target" if is_reversed else f"Use `{labels[likelier]}` as the target"
        ),
        key=f"likelier {key}",
        on_click=_choose_sides,
        args=(key, *sides),
    )


def _choose_sides(key: str, *names: str) -> None:
    for label, name in zip(SIDES, names, strict=True):
        st.session_state[f"{label} {key}"] = name

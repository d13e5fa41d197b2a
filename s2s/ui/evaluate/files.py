"""Uploads for an evaluation: a test set, and the translations of other systems."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import NamedTuple

import streamlit as st

from s2s import settings
from s2s.data import is_table
from s2s.jobs import AllReferences, EvaluationRequest, SentencePairs, brought_sets, test_sets
from s2s.runs import Sentences, System
from s2s.ui.kit import as_markdown, cached, read_once, shortened

MEGABYTES = 20  # of one file


class Uploaded(NamedTuple):
    """A test set from files: pairs, all references, and notes on the reading."""

    pairs: SentencePairs
    references: AllReferences
    notes: tuple[str, ...] = ()
    repeats: str = ""


def test_set() -> Uploaded | None:
    """Draw the upload fields; returns the test set, None without files. Raises UserError for files that do not
    match.
    """
    left, right = st.columns(2)
    with left:
        src = st.file_uploader(
            "Sources, one per line; or a table with references",
            key="eval sources",
            max_upload_size=MEGABYTES,
        )
    with right:
        refs = st.file_uploader(
            "References, one per line; several files for several references",
            key="eval references",
            max_upload_size=MEGABYTES,
            accept_multiple_files=True,
        )
    return read_once("test set", [file for file in (src, *refs) if file], read)


def read(contents: Sequence[tuple[str, bytes]]) -> Uploaded | None:
    """Read a test set: source and reference files, or one table. Raises UserError for files that do not match."""
    if not contents:
        return None
    if len(contents) == 1 and is_table(contents[0][0]):
        found = test_sets.table(*contents[0])
        return Uploaded(*found, found.repeats)
    given = test_sets.from_uploads(contents[:2], has_more=len(contents) > 2)
    if len(contents) <= 2:
        return Uploaded(given, tuple((reference,) for _, reference in given))
    names = [name for name, _ in contents[2:]]
    more = list(zip(names, test_sets.lines_of(contents[2:]), strict=True))
    every = test_sets.with_more_references(given, more, contents[1][0])
    pairs = tuple((source, each[0]) for (source, _), each in zip(given, every, strict=True))
    return Uploaded(pairs, every)


def with_pairs(request: EvaluationRequest, every: Uploaded) -> EvaluationRequest:
    """The request, with the uploaded pairs."""
    pairs = every.pairs
    references = every.references
    notes = every.notes
    if request.test.is_grouped:
        pairs, references = test_sets.grouped_references(pairs, references)
        notes = (*notes, *filter(None, [every.repeats]))
    n = min(request.test.n, len(pairs))
    rows = test_sets.chosen_indices(len(pairs), n, request.test.seed)
    chosen = [references[i] for i in rows]
    seed = request.test.seed if n < len(pairs) else 0
    test = replace(request.test, n=n, n_all=len(pairs), files=_names(), notes=notes, seed=seed)
    return replace(
        request,
        pairs=[pairs[i] for i in rows],
        references=chosen if any(len(each) > 1 for each in chosen) else (),
        test=test,
    )


def _names() -> tuple[str, ...]:
    found = [st.session_state.get("eval sources"), *st.session_state.get("eval references", [])]
    return tuple(file.name for file in found if file)


def with_systems(request: EvaluationRequest) -> EvaluationRequest:
    """The request, with other systems' translations. Raises UserError for files that do not match the sentences."""
    with st.expander("Other systems' translations", icon=":material/upload_file:"):
        st.caption(
            "One .txt file per system, one translation per line, in the order of the sentences."
            " They join the same table."
        )
        files = st.file_uploader(
            "Translations (.txt)",
            type=["txt"],
            accept_multiple_files=True,
            key="eval outputs",
            max_upload_size=MEGABYTES,
        )
        is_wanted = st.toggle(
            "Show the sentences to translate",
            key="eval show sources",
            disabled=bool(request.pairs),
        )
        if not (files or is_wanted or request.pairs):
            return request
        if not request.pairs:
            request = chosen(request)
        pairs = request.pairs
        text = "".join(f"{source}\n" for source, _ in pairs)
        st.download_button(
            "Sentences (.txt)",
            text,
            "sources.txt",
            "text/plain",
            on_click="ignore",
            icon=":material/download:",
        )
        if not files:
            return request
        texts = read_once("translations", files, test_sets.lines_of)
        for file, lines in zip(files, texts, strict=True):
            request = _with_system(request, file.name, lines)
        return request


def _with_system(request: EvaluationRequest, file: str, lines: list[str]) -> EvaluationRequest:
    name = _name(request, file)
    test = request.test
    lines = test_sets.outputs(file, lines, request.pairs, test.n_all, test.seed)
    if lost := test_sets.empty_lines(lines):
        st.warning(
            as_markdown(
                f"`{file}` has no translation for {lost}; an empty translation is scored there."
            ),
            icon=":material/warning:",
        )
    return replace(
        request,
        systems=(*request.systems, System(name, uploaded=file)),
        outputs={**request.outputs, name: lines},
    )


def _name(request: EvaluationRequest, file: str) -> str:
    name = shortened(" ".join(PurePath(file).stem.split()), 40) or "uploaded"
    taken = {system.name for system in request.systems}
    numbers = (f"{name} ({number})" for number in itertools.count(2))
    return next(one for one in itertools.chain([name], numbers) if one not in taken)


def chosen(request: EvaluationRequest) -> EvaluationRequest:
    """The request, with the sentences of its test set. Raises UserError if that cannot be read."""
    test = request.test
    test_sets.require(test)
    found = _read(str(settings.home()), test.run, test.spec, test.split)
    named = with_pairs(request, Uploaded(found.pairs, found.every_reference))
    return replace(named, test=replace(named.test, files=()))


@cached.shared(max_entries=4, show_spinner="Reading the dataset …")
def _read(home: str, run: str, spec: str, split: str) -> test_sets.TestSet:
    return brought_sets.read(Sentences("", spec=spec, split=split, run=run))

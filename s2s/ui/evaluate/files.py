"""Uploads for an evaluation: a test set, and the translations of other systems."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

import streamlit as st

from s2s import settings
from s2s.jobs import EvaluationRequest, SentencePairs, test_sets
from s2s.runs import Sentences, System
from s2s.ui.kit import as_markdown, shortened

MEGABYTES = 20  # of one file


def test_set() -> SentencePairs:
    """All pairs of the uploaded files, or none yet. Raises UserError for files that do not match."""
    left, right = st.columns(2)
    with left:
        src = st.file_uploader(
            "Sources, one per line; or a table of pairs",
            key="eval sources",
            max_upload_size=MEGABYTES,
        )
    with right:
        ref = st.file_uploader(
            "References, one per line", key="eval references", max_upload_size=MEGABYTES
        )
    given = [(file.name, file.getvalue()) for file in (src, ref) if file]
    return test_sets.from_uploads(given) if given else ()


def with_pairs(request: EvaluationRequest, every: SentencePairs) -> EvaluationRequest:
    """The request, with the uploaded pairs."""
    pairs = test_sets.evenly_spread(every, request.test.n)
    return replace(request, pairs=pairs, test=replace(request.test, n=len(pairs), n_all=len(every)))


def with_systems(request: EvaluationRequest) -> EvaluationRequest:
    """The request, with other systems' translations. Raises UserError for files that do not match the sentences."""
    with st.expander("Other systems' translations", icon=":material/upload_file:"):
        st.caption(
            "One .txt file per system, one translation per line, in the order of the sentences. They join the same table."
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
        pairs, n_all = (
            (request.pairs, request.test.n_all) if request.pairs else chosen(request.test)
        )
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
        request = replace(
            request, pairs=pairs, test=replace(request.test, n=len(pairs), n_all=n_all)
        )
        for file in files:
            request = _with_system(request, file.name, file.getvalue())
        return request


def _with_system(request: EvaluationRequest, file: str, content: bytes) -> EvaluationRequest:
    name = _name(request, file)
    lines = test_sets.outputs(file, content, request.pairs, request.test.n_all)
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
    """The file's name, with a number if another system has it."""
    name = shortened(" ".join(PurePath(file).stem.split()), 40) or "uploaded"
    taken = {system.name for system in request.systems}
    numbers = (f"{name} ({number})" for number in itertools.count(2))
    return next(one for one in itertools.chain([name], numbers) if one not in taken)


def chosen(test: Sentences) -> tuple[Sequence[tuple[str, str]], int]:
    """The sentences of a test set, and how many it has in all. Raises UserError if it cannot be read."""
    every = _read(str(settings.home()), test.run, test.spec, test.split)
    return test_sets.evenly_spread(every, test.n), len(every)


@st.cache_resource(max_entries=4, show_spinner="Reading the dataset …")
def _read(home: str, run: str, spec: str, split: str) -> SentencePairs:
    return test_sets.read(Sentences("", spec=spec, split=split, run=run)).pairs

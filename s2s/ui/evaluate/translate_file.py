"""Translate a file line by line: upload, queue like an evaluation, download."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from s2s.config import UserError
from s2s.data import one_line
from s2s.decode import STRATEGIES
from s2s.jobs import EvaluationRequest, evaluation_service, test_sets
from s2s.library import Library
from s2s.questions import evaluation_request as requests
from s2s.runs import Evaluation, Sentences
from s2s.ui.evaluate import systems
from s2s.ui.evaluate.files import MEGABYTES
from s2s.ui.kit import action_button, cached, duration, forms, read_once
from s2s.ui.streamlit_parts import UploadedFile

SHOWN = 5  # lines of a preview


def panel(run_id: str) -> None:
    """Draw the form: a file, a strategy, its settings."""
    with st.expander("Translate a file", icon=":material/file_open:"):
        st.caption(
            "A .txt file with one sentence per line. The translation has the same number of lines, in the same order."
        )
        file = st.file_uploader(
            "Sentences (.txt)", type=["txt"], key="file to translate", max_upload_size=MEGABYTES
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            default = list(STRATEGIES).index("beam")
            strategy = str(
                st.selectbox(
                    "Strategy",
                    list(STRATEGIES),
                    default,
                    key="file strategy",
                    persist_state="session",
                    width=180,
                )
            )
            text = st.text_input(
                "Settings",
                key="file settings",
                placeholder="num_beams=10",
                persist_state="session",
                width=260,
            )
        request = None
        try:
            settings = systems.checked(run_id, strategy, text or "")
            model, *_ = requests.models(cached.SCREEN, systems.run_name(run_id), requests.BEST)
            request = _request(model, strategy, settings, file) if file else None
        except UserError as wrong:
            forms.show_error(wrong)
        with st.container(horizontal=True, vertical_alignment="center"):
            icon = ":material/translate:"
            click = action_button(
                "Translate the file", icon=icon, key="translate file", disabled=request is None
            )
            if request:
                seconds = evaluation_service.forecast(request.systems, request.test.n)
                st.caption(
                    f"{request.test.n:,} lines · about {duration(seconds)}, within a factor of three"
                )
        systems.carry_out(click, request)


def _request(
    model: requests.Model, strategy: str, settings: Mapping[str, Any], file: UploadedFile
) -> EvaluationRequest:
    run_id = model.run
    system = replace(requests.system_of(model, strategy, settings), name=strategy)
    name = file.name
    (lines,) = read_once("file to translate", [file], test_sets.lines_of)
    if not any(line.strip() for line in lines):
        raise UserError(f"`{name}` has no text; give a file with at least one sentence.")
    if len(lines) > test_sets.MAX_SENTENCES:
        raise UserError(
            f"`{name}` has {len(lines):,} lines, and at most {test_sets.MAX_SENTENCES:,} are"
            " translated at once; split it."
        )
    cached.open_run(run_id).check_lengths(lines)
    test = Sentences(name, n=len(lines), n_all=len(lines), has_references=False, files=(name,))
    return EvaluationRequest((system,), test, [(line, "") for line in lines], name=name, run=run_id)


def result(evaluation: Evaluation, done: int) -> None:
    """Draw the translation so far: its first lines, and a download in which lines not yet translated are empty."""
    place = Library().evaluation(evaluation.id)
    lines = place.lines(0)
    pairs = place.test()
    st.caption(f"{done:,} of {len(pairs):,} lines, by {evaluation.systems[0].name}.")
    rows = [
        {"line": i + 1, "source": pairs[i][0], "translation": lines[i]["text"]}
        for i in sorted(lines)[:SHOWN]
    ]
    if rows:
        st.dataframe(
            rows,
            hide_index=True,
            placeholder="",
            alt="The first lines and their translations",
            key="file lines",
        )
    st.download_button(
        "Translation (.txt)",
        text(lines, len(pairs)),
        f"{evaluation.name.removesuffix('.txt')}.translated.txt",
        "text/plain",
        on_click="ignore",
        icon=":material/download:",
        key="file download",
        disabled=not lines,
    )


def text(lines: Mapping[int, Mapping[str, object]], n: int) -> str:
    return "".join(f"{one_line(str(lines[i]['text'])) if i in lines else ''}\n" for i in range(n))

"""The details of one run: its data, settings and versions, and how to repeat it."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from s2s.config import Recipe
from s2s.library import guests
from s2s.questions import changed, origin
from s2s.runs import model_card, portable
from s2s.ui.kit import as_markdown, cached, file_name
from s2s.ui.runs import report


def card(run_id: str) -> None:
    """Draw an expander with data, seed, versions, the command that repeats the run, its recipe and its report."""
    with st.expander("Details of this run", icon=":material/fact_check:"):
        about = cached.metadata(run_id)
        recipe = cached.recipe(run_id)
        if not about or recipe is None:
            st.caption("Available once its training has begun.")
            return
        _pairs("details", [("id", run_id), *_details(about, recipe)])
        if command := about.get("command"):
            repeats = _repeats(
                str(command), changed(about), has_minutes=recipe.train.minutes is not None
            )
            does = IMPORTS if about.get("imported") else repeats
            st.caption(as_markdown(does))
            st.code(str(command), language=None, wrap_lines=True)
        if notes := cached.run_notes(run_id):
            st.caption(as_markdown(" ".join(notes)))
        said = model_card.read(about)
        if said.limits:
            st.markdown(as_markdown(" ".join(said.limits)))
        for title, rows in said.tables().items():
            st.caption(title)
            st.dataframe(pd.DataFrame(rows, columns=model_card.COLUMNS), hide_index=True, alt=title)
        with st.container(horizontal=True):
            st.download_button(
                "Recipe (JSON)",
                json.dumps(_public(about), indent=1, ensure_ascii=False),
                f"{file_name(cached.title(run_id))} recipe.json",
                "application/json",
                on_click="ignore",
                icon=":material/download:",
            )
            report.download_button(run_id)


def _public(about: Mapping[str, Any]) -> dict[str, Any]:
    shown = portable.about_run(about)
    return {key: value for key, value in shown.items() if key not in ("owner", "tags", "comment")}


def _pairs(key: str, rows: Sequence[tuple[str, str]]) -> None:
    head = "<th scope='row' style='width: 9rem'>"
    cells = "".join(
        f"<tr>{head}{html.escape(name)}</th><td>{html.escape(value)}</td></tr>"
        for name, value in rows
    )
    with st.container(key=key):
        st.html(f'<div class="samples"><table>{cells}</table></div>')


def _details(about: Mapping[str, Any], recipe: Recipe) -> list[tuple[str, str]]:
    data = _mapping(about.get("data"))
    train = recipe.train
    hashes = (
        f"{side} {str(data.get(f'{side}_hash', ''))[:16]}"
        for side in ("train", "valid")
        if data.get(f"{side}_hash")
    )
    counts = (
        f"{data[key]:,} {name}"
        for key, name in (("n_train", "for training"), ("n_valid", "for validation"))
        if key in data
    )
    up_to = "up to " if train.adapts_threads else ""
    n_threads = f", {up_to}{train.threads} thread{'s' * (train.threads != 1)}"
    threads = n_threads if train.threads else ""
    if imported := _mapping(about.get("imported")):
        rows = (
            ("imported from", str(imported.get("from", ""))),
            ("revision", str(imported.get("revision", ""))),
            ("family", str(imported.get("family", ""))),
            ("imported", _time(about)),
        )
        return [row for row in rows if row[1]]
    details = {
        "dataset": cached.dataset_name(str(about.get("source", ""))),
        "validated on": str(about.get("valid") or ""),
        "pairs": ", ".join(counts),
        "dropped": "; ".join(f"{n:,} {why}" for why, n in _mapping(data.get("dropped")).items()),
        "data hash": ", ".join(hashes),
        "preset": str(about.get("preset") or ""),
        "initialized from": origin(cached.SCREEN, about),
        "seed": str(train.seed),
        "device": train.device + threads,
        "computer": str(about.get("machine", "")),
        "versions": ", ".join(
            f"{name} {version}" for name, version in _mapping(about.get("versions")).items()
        ),
        "started": _time(about),
        "attribution": model_card.read(about).attribution,
    }
    return [(name, value) for name, value in details.items() if value]


def _time(about: Mapping[str, Any]) -> str:
    return str(about.get("created", "")).replace("T", " ").replace("+00:00", " UTC")


def _repeats(command: str, changes: str, *, has_minutes: bool) -> str:
    if guests.ONES_OWN in command:
        return f"This command trains with the same recipe, once {guests.ONES_OWN} names a dataset of yours."
    if changes:
        return f"This command repeats the run as it began, in a terminal. Later changes are not repeated: {changes}."
    repeats = "This command repeats the run in a terminal"
    if has_minutes:
        return f"{repeats}; with a time budget, the weights differ each time, as the number of updates does."
    return f"{repeats}; on the same computer, the weights are bit-identical."


IMPORTS = "This command imports the checkpoint again, in a terminal."


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}

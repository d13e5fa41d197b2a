"""The facts of one run: what it was made of, where, and how to make it again."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from s2s.config import Recipe
from s2s.ui.kit import cached
from s2s.ui.kit.captions import file_name
from s2s.ui.kit.text import as_markdown
from s2s.ui.runs import table


def card(run_id: str) -> None:
    """Behind a click: versions, seed, data, the command that repeats it, its recipe as a file."""
    with st.expander("Facts of this run", icon=":material/fact_check:"):
        about = cached.metadata(run_id)
        recipe = cached.recipe(run_id)
        if not about or recipe is None:
            st.caption("They are written when its training begins.")
            return
        _pairs("facts", _facts(about, recipe))
        if command := about.get("command"):
            st.caption(as_markdown(_repeats(changed(about))))
            st.code(str(command), language=None, wrap_lines=True)
        if notes := cached.run_notes(run_id):
            st.caption(as_markdown(" ".join(notes)))
        said = json.dumps(about, indent=1, ensure_ascii=False)
        file = f"{file_name(cached.title(run_id))} recipe.json"
        st.download_button(
            "Recipe (JSON)",
            said,
            file,
            "application/json",
            on_click="ignore",
            icon=":material/download:",
        )


def _pairs(key: str, rows: Sequence[tuple[str, str]]) -> None:
    """Two columns that break their lines on a phone."""
    head = "<th scope='row' style='width: 9rem'>"
    cells = "".join(
        f"<tr>{head}{html.escape(name)}</th><td>{html.escape(value)}</td></tr>"
        for name, value in rows
    )
    with st.container(key=key):
        st.html(f'<div class="samples"><table>{cells}</table></div>')


def _facts(about: Mapping[str, Any], recipe: Recipe) -> list[tuple[str, str]]:
    data = _mapping(about.get("data"))
    train = recipe.train
    hashes = (
        f"{side} {str(data.get(f'{side}_hash', ''))[:16]}"
        for side in ("train", "valid")
        if data.get(f"{side}_hash")
    )
    counts = (
        f"{data[key]:,} {name}"
        for key, name in (("n_train", "to train on"), ("n_valid", "held out"))
        if key in data
    )
    threads = f", {train.threads} thread{'s' * (train.threads != 1)}" if train.threads else ""
    found = {
        "text": cached.dataset_name(str(about.get("source", ""))),
        "validated on": str(about.get("valid") or ""),
        "pairs": ", ".join(counts),
        "data hash": ", ".join(hashes),
        "preset": str(about.get("preset") or ""),
        "started from": origin(about),
        "seed": str(train.seed),
        "device": train.device + threads,
        "machine": str(about.get("machine", "")),
        "versions": ", ".join(
            f"{name} {version}" for name, version in _mapping(about.get("versions")).items()
        ),
        "started": str(about.get("created", "")).replace("T", " ").replace("+00:00", " UTC"),
    }
    return [(name, value) for name, value in found.items() if value]


def origin(about: Mapping[str, Any]) -> str:
    """`my model, step 200`; empty where a run began with random weights."""
    begun = _mapping(about.get("init_from"))
    return (
        f"{table.called(str(begun['run']))}, step {begun.get('step', '?')}"
        if "run" in begun
        else ""
    )


def _repeats(changes: str) -> str:
    """What comes of the line."""
    if changes:
        return f"This line repeats the run in a terminal as it began; what was changed after, it only tells: {changes}."
    return "This line repeats the run in a terminal; on the same machine it gives the same weights, bit for bit."


def changed(about: Mapping[str, Any]) -> str:
    """What somebody changed while a run trained, or when it went on: `learning rate 0.5 from step 20`. Empty where nothing was."""
    found = about.get("changes")
    rows = (
        [each for each in found if isinstance(each, Mapping) and isinstance(each.get("step"), int)]
        if isinstance(found, list)
        else []
    )
    said = ((each, *kind) for each in rows for kind in KINDS if _is_number(each.get(kind[0])))
    return ", ".join(
        f"{word} {each[key]:{form}} from step {each['step']:,}" for each, key, word, form in said
    )


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


KINDS = (("lr", "learning rate", "g"), ("steps", "last step", ","))


def _mapping(found: object) -> Mapping[str, Any]:
    return found if isinstance(found, Mapping) else {}

"""How to recompute what a page shows: the command line and the Python, folded at its end."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import streamlit as st

from s2s.config import PRESETS, Recipe, flat
from s2s.runs import Run, Target
from s2s.ui.kit import cached

KEY = "reproduce code"
OF_RUN = "Run it where s2s is installed and this run is stored; Runs offers it as a zip."
ANYWHERE = "Run it anywhere s2s is installed."
NO_COMMAND = "No command prints these numbers."


def section(about: str, code: Callable[[], tuple[str, str]], needs: str = OF_RUN) -> None:
    """`about` says which of the page's numbers these recompute, `needs` what must be there; `code` writes the commands,
    empty where none prints the numbers, and the Python, once it is opened: what colors code takes a browser longer to
    load than the page's picture.
    """
    with st.container(key="reproduce"):
        box = st.expander("Reproduce", icon=":material/terminal:", key=KEY, on_change="rerun")
    if not box.open:
        return
    shell, python = code()
    with box:
        st.caption(" ".join([about, *([] if shell else [NO_COMMAND]), needs]))
        if shell:
            st.code(shell, language="bash", wrap_lines=True)
        st.code(python, language="python", wrap_lines=True)


def quoted(text: str) -> str:
    """As Python, and JSON, write a string."""
    return json.dumps(text, ensure_ascii=False)


def imported(module: str, names: Collection[str]) -> str:
    """`from s2s.sizing import BYTES, BatchSizes, cost`."""
    ordered = sorted(names, key=lambda name: (not name.isupper(), name.islower(), name))
    return f"from {module} import {', '.join(ordered)}"


def print_line(lines: Iterable[str], without: Collection[str] = ()) -> str:
    """`print(rows, total, sep='\\n')`: of the names that these lines define, but for some."""
    defined = (line.partition(" = ") for line in lines if not line.startswith((" ", "(")))
    names = dict.fromkeys(name for name, equals, _ in defined if equals)
    return f"print({', '.join(name for name in names if name not in without)}, sep='\\n')"


def recipe_line(preset: str, recipe: Recipe) -> str:
    """`recipe = override(s2s.PRESETS["small"].recipe, {"train.steps": 300})`, without what the preset says itself."""
    usual = flat(PRESETS[preset].recipe)
    changes = {
        key: value
        for key, value in flat(recipe).items()
        if value != usual[key] and not key.startswith("model.ids.")
    }
    base = f"s2s.PRESETS[{quoted(preset)}].recipe"
    return f"recipe = override({base}, {changes!r})" if changes else f"recipe = {base}"


def load_call(run: Run) -> str:
    """`s2s.load("demo-en-fr", 1500)`, in other languages than the run's own where it was opened so."""
    codes = ", ".join(map(quoted, other_languages(run)))
    load = f"s2s.load({quoted(run.folder.id)}, {run.step})"
    return f"{load}.in_languages({codes})" if codes else load


def translate_call(strategy: str, settings: Mapping[str, Any], source: str) -> str:
    """`run.translate(["the red house"], "beam", num_beams=4)`."""
    given = "".join(f", {name}={value!r}" for name, value in settings.items())
    return f"run.translate([{quoted(source)}], {quoted(strategy)}{given})"


def target_line(given: Target, strategy: str) -> str:
    """`target = ...` of the source `text`: the ids that the strategy writes, or a typed text."""
    if isinstance(given, str):
        return f"target = {quoted(given)}"
    return f"target = run.translate([text], {quoted(strategy)})[0].hypotheses[0].ids"


def translate_command(run: Run, strategy: str, settings: Mapping[str, Any], source: str) -> str:
    """The command line that prints the same hypotheses as JSON."""
    words = ["python", "-m", "s2s", "translate", run.folder.id, "--checkpoint", str(run.step)]
    words += ["--strategy", strategy]
    for side, language in zip(("src", "tgt"), other_languages(run), strict=False):
        words += [f"--{side}-lang", language]
    for name, value in settings.items():
        words += ["--set", f"{name}={json.dumps(value, ensure_ascii=False)}"]
    return f"printf '%s\\n' {shlex.quote(source)} | {shlex.join([*words, '--json'])}"


def other_languages(run: Run) -> tuple[str, ...]:
    """Those of source and target, where they are not the run's own; else empty."""
    own = cached.open_as_saved(run.folder.id).key.languages
    return () if run.key.languages == own else run.key.languages

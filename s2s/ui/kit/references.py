"""The references that a run's own data has for a sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from s2s import settings
from s2s.config import UserError, nfc
from s2s.data import is_searchable, known_targets, parse_spec, targets_by_source
from s2s.library import sharing
from s2s.runs import Run
from s2s.ui.kit import cached, gold_alignment

SHIPPED = ("builtin", "synthetic")  # whose pairs are the same for ever


class KnownReferences(NamedTuple):
    """`texts` are distinct, in the dataset's order; `problem` says why the dataset was not searched, or is empty."""

    texts: tuple[str, ...]
    problem: str = ""


def of(run: Run, text: str) -> KnownReferences:
    """The targets of a sentence among the run's validation samples and in all splits of its dataset."""
    may_see = sharing.may_see_data(run.folder)
    folder = str(run.folder.path)
    return _known_references(str(settings.home()), folder, run.step, text, may_see, run)


@cached.by_sentence(512, show_spinner="Looking the sentence up in the dataset …")
def _known_references(
    home: str, folder: str, step: int, text: str, may_see: bool, _run: Run
) -> KnownReferences:
    quick = [each for source, each in cached.probes(_run) if nfc(source) == nfc(text)]
    if not may_see:
        return _unsearched(quick, "its owner has not shared it.")
    try:
        quick = [*(each.tgt for each in gold_alignment.of(_run).get(nfc(text), ())), *quick]
        specs = _specs(_run)
        if quick and parse_spec(specs[0]).source in SHIPPED:
            return KnownReferences(tuple(dict.fromkeys(quick)))
        with sharing.reading_data_of(_run.folder):
            found = [target for spec in specs for target in _targets(spec, text, _run)]
    except UserError as error:
        return _unsearched(quick, str(error))
    except OSError as error:  # without the path, which is the server's
        return _unsearched(quick, f"its files cannot be read ({error.strerror}).")
    return KnownReferences(tuple(dict.fromkeys([*found, *quick])))


def _unsearched(quick: list[str], why: str) -> KnownReferences:
    return KnownReferences(
        tuple(dict.fromkeys(quick)), f"The run's dataset was not searched: {why}"
    )


def _specs(run: Run) -> list[str]:
    """The datasets that a run was trained and validated on."""
    about = run.folder.about()
    specs = [str(about[key]) for key in ("source", "valid") if about.get(key)]
    if not specs:
        raise UserError("its recipe.json names none.")
    return specs


def _targets(spec: str, text: str, run: Run) -> tuple[str, ...]:
    config = run.recipe.data
    seed = run.recipe.train.seed
    if parse_spec(spec).source in SHIPPED:
        return _shipped(spec, json.dumps(run.recipe.to_json()["data"]), seed, run).get(text, ())
    if not is_searchable(spec):
        raise UserError(f"`{spec}` is on another server, or too large to read here.")
    return known_targets(text, spec, config, seed)


@st.cache_resource(max_entries=3, show_spinner=False)  # some megabytes each
def _shipped(spec: str, config: str, seed: int, _run: Run) -> Mapping[str, tuple[str, ...]]:
    return targets_by_source(spec, _run.recipe.data, seed)

"""What a guest sees of a shared run or evaluation: nothing that names a private dataset of its owner.

A private dataset is one that neither ships with the program nor, where its sentences are shared too, is on the Hub.
"""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from s2s.config import PRESETS, UserError, asker
from s2s.files import stored
from s2s.library import Library, rights, sharing
from s2s.runs import RunFolder, runs_folder
from s2s.runs.evaluations import Evaluation, Sentences
from s2s.runs.listing import RunSummary

PRIVATE = "a private dataset"
PRIVATE_RUN = "a private run"
ONES_OWN = "YOUR-DATASET"  # in a command
ONES_OWN_RUN = "YOUR-RUN"
FAILED = "It failed; its owner sees why."
HASHES = frozenset({"train_hash", "valid_hash", "notes"})
NOTHING_HELD_OUT = (
    "nothing is held out"  # in the one note on a dataset that says nothing else of it
)
DEFAULT_NAME = re.compile(r"([\w-]+) on ")  # of a run
OWNERS = ("train_hash", "run_name")  # of a system: only its owner sees them
UNTOLD = MappingProxyType({"file": "", "column": "", "hash": ""})  # of scores of private sentences
UNKNOWN = stored.About("", "", "", "", 0)
SPEC = re.compile(r"corpus:([\w-]+)")


def about_run(folder: RunFolder, about: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    """The content of recipe.json, without what this visitor may not see. `about` is that content, if it was read
    already.
    """
    about = folder.about() if about is None else about
    if rights.is_own(sharing.run_in(folder)):
        return about
    source, valid = str(about.get("source") or ""), str(about.get("valid") or "")
    is_shared = sharing.may_see_data(folder)
    shown = {**about, "source": _named(source, is_shared), "valid": _named(valid, is_shared)}
    words = {each: ONES_OWN for each in (source, valid) if _named(each, is_shared) != each}
    init_from = about.get("init_from")
    if isinstance(init_from, Mapping) and not _may_view(str(init_from.get("run"))):
        shown["init_from"] = {**init_from, "run": PRIVATE_RUN}
        words[f"{init_from.get('run')}@{init_from.get('step')}"] = ONES_OWN_RUN
    if isinstance(imported := about.get("imported"), Mapping):  # from a folder of the server
        shown |= {"imported": {"family": imported.get("family")}, "command": ""}
    if words:
        shown["command"] = _with(str(about.get("command") or ""), words)
    if (shown["source"], shown["valid"]) != (source, valid):
        data = about.get("data")
        shown["data"] = _without_dataset(data if isinstance(data, Mapping) else {})
        shown.pop("card", None)  # its rows are sentences
    if shown["source"] != source:
        shown["name"] = _run_name(str(about.get("name") or ""), source, str(about.get("preset")))
    return shown


def row(found: RunSummary, workspace: str) -> RunSummary:
    """A run's row as a workspace may see it; what its owner noted is the owner's alone."""
    if rights.may(workspace, "change", sharing.thing("run", found.id, found.owner)):
        return found
    said = sharing.sharing("run", found.id)
    shown = replace(
        found,
        tags=(),
        comment="",
        error=FAILED if found.error else "",
        source=_named(found.source, said.link and said.data),
    )
    if found.init_from and not _may_view(found.init_from):
        shown = replace(shown, init_from=PRIVATE_RUN)
    if shown.source != found.source:
        shown = replace(shown, name=_run_name(found.name, found.source, found.preset))
    return shown


def evaluation(found: Evaluation) -> Evaluation:
    """The evaluation, without what this visitor may not see."""
    if not _is_own(found):
        names = _system_names(found)
        systems = (replace(one, name=name) for one, name in zip(found.systems, names, strict=True))
        found = replace(found, systems=tuple(systems))
    if not _is_hidden(found):
        return found
    test = found.test
    named = PRIVATE if test.name and found.name.startswith(test.name) else found.name
    hidden = Sentences(
        PRIVATE,
        n=test.n,
        n_all=test.n_all,
        has_references=test.has_references,
        is_grouped=test.is_grouped,
        seed=test.seed,
    )
    return replace(found, name=named, test=hidden)


def provenance(made: Mapping[str, Any], found: Evaluation) -> dict[str, Any]:
    """What an evaluation was made with, without what this visitor may not see; `found` is as stored."""
    shown = dict(made)
    if _is_hidden(found) and isinstance(test := made.get("test"), Mapping):
        kept = {key: test.get(key) for key in ("n", "n_all", "n_sources", "subset", "is_grouped")}
        hidden = {"name": PRIVATE, "dataset": "", "run": "", "split": "", "files": [], "hash": ""}
        shown["test"] = {**hidden, **kept}
    if _is_hidden(found) and "external" in made:
        shown["external"] = [{**one, **UNTOLD} for one in made["external"]]
    if not _is_own(found) and "systems" in made:
        names = _system_names(found)
        shown["systems"] = [
            _of_guest(own, name) for own, name in zip(made["systems"], names, strict=True)
        ]
    return shown


def _of_guest(own: Mapping[str, Any], name: str) -> dict[str, Any]:
    shown = {key: value for key, value in own.items() if key not in OWNERS}
    return shown if own["name"] == name else {**shown, "name": name, "output": ""}


def _system_names(found: Evaluation) -> list[str]:
    names: list[str] = []
    for system in found.systems:
        title, dot, rest = system.name.partition(" · ")
        name = _title(title, system.run) + dot + rest if system.run else system.name
        names.append(f"{name} · {len(names) + 1}" if name in names else name)
    return names


def _title(title: str, run: str) -> str:
    about = UNKNOWN
    with contextlib.suppress(OSError):  # a demo, or deleted
        about = stored.about(runs_folder() / run / "recipe.json")
    if about.source and _named(about.source, is_shared=False) == about.source:
        return title
    default = DEFAULT_NAME.match(title)
    if default and default[1] in PRESETS:
        return f"{default[1]} on {PRIVATE}"
    stem = title.removesuffix("…").rstrip()
    is_cut = stem != title and about.name.startswith(stem)
    return _run_name(about.name if is_cut else title, about.source, "")


def _is_own(found: Evaluation) -> bool:
    thing = sharing.thing("evaluation", found.id, found.owner)
    return rights.is_own(thing)


def _is_hidden(found: Evaluation) -> bool:
    return not (
        _is_own(found)
        or found.test.spec.startswith(sharing.SHIPPED_SOURCES)
        or rights.may(asker.current(), "view", sharing.sentences_of(found.id, found.owner))
    )


def _named(source: str, is_shared: bool) -> str:
    shown = (*sharing.SHIPPED_SOURCES, "hub:") if is_shared else sharing.SHIPPED_SOURCES
    return source if not source or source.startswith(shown) else PRIVATE


def _run_name(name: str, source: str, preset: str) -> str:
    if preset and name.startswith(f"{preset} on "):
        return f"{preset} on {PRIVATE}"
    names = [source]
    if found := SPEC.match(source):
        names.append(found[1])
        with contextlib.suppress(OSError):  # deleted
            names.append(stored.about(stored.DATASET.parent / found[1] / "about.json").name)
    for each in filter(None, names):
        name = name.replace(each, PRIVATE)
    return name


def _with(command: str, words: Mapping[str, str]) -> str:
    line, then, changes = command.partition("  # and then: ")
    try:
        return shlex.join(words.get(each, each) for each in shlex.split(line)) + then + changes
    except ValueError:
        return ""


def _without_dataset(data: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in data.items() if key not in HASHES}
    notes = data.get("notes")
    known = [str(note) for note in notes] if isinstance(notes, list) else []
    return {**kept, "notes": [note for note in known if NOTHING_HELD_OUT in note]}


def _may_view(run: str) -> bool:
    try:
        Library().run(run, "view")
    except UserError:
        return False
    return True

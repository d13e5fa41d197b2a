"""What a decoder process is asked for, what it answers, and both as JSON. Knows nothing of processes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.decode import NextToken, SearchNode, SearchTree
from s2s.files import from_json, to_json
from s2s.model import weights_path
from s2s.runs.decoded import Decoded
from s2s.runs.intervention import Interventions, active
from s2s.runs.opening import load
from s2s.runs.probes import PROBES, ProbeInput, answered
from s2s.runs.properties import Finding, PropertySettings, findings
from s2s.runs.run import Run, RunKey
from s2s.runs.store import RunFolder
from s2s.tokenizers import Languages

Ids = tuple[int, ...]
PROPERTY = "property"  # the kind of a request for a property of each of its sources


@dataclass(frozen=True)
class DecodeRequest:
    """Something to compute with one checkpoint. Equal requests have equal results."""

    kind: str  # a row of KINDS
    folder: str  # of the run
    step: int
    sources: tuple[str, ...]
    strategy: str  # of a probe: what it is to do
    settings_json: str = "{}"
    prefix: Ids = ()  # the ids with which the target begins
    interventions_json: str = ""  # on attention, of the kind `decoded`
    languages: Languages = Languages()  # empty: those that the run was saved with

    @property
    def settings(self) -> dict[str, Any]:
        """The strategy's settings that are not at their defaults."""
        settings: dict[str, Any] = json.loads(self.settings_json)
        return settings

    @property
    def probe_input(self) -> ProbeInput:
        """The request as input of a probe, where its kind is a row of PROBES."""
        return ProbeInput(self.sources, self.prefix, self.strategy, self.settings)

    @property
    def interventions(self) -> Interventions:
        """The interventions under which the request is decoded."""
        given = self.interventions_json
        return from_json(Interventions, json.loads(given)) if given else Interventions()

    @property
    def other_runs(self) -> list[RunKey]:
        """The runs that decode beside the request's own, where properties of sentences are asked for."""
        named = (row.get("run") for row in self.settings.get("decodings", ()))
        keys = [from_json(RunKey, run) for run in named if run]
        return [
            key for key in dict.fromkeys(keys) if (key.folder, key.step) != (self.folder, self.step)
        ]

    @property
    def weights(self) -> list[Path]:
        """The weight files of all checkpoints that the request needs."""
        keys = [(self.folder, self.step), *(key[:2] for key in self.other_runs)]
        return [weights_path(Path(folder) / "checkpoints", step) for folder, step in keys]


# The last search with the record of its steps, for the tree that is often asked for next; at first empty.
Searched = dict[DecodeRequest, Decoded]


class RequestKind(NamedTuple):
    """How a request is carried out, and its result as JSON and back."""

    carry_out: Callable[[Run, DecodeRequest, Searched], Any]
    from_json: Callable[[Any], Any]
    to_json: Callable[[Any], Any] = to_json


def _decoded(run: Run, request: DecodeRequest, last: Searched) -> Decoded:
    """The output without its steps: a tree has its own, and large ones would slow every collection of garbage."""
    return replace(_searched(run, request, last), steps=())


def _searched(run: Run, request: DecodeRequest, last: Searched) -> Decoded:
    request = replace(request, kind="decoded")
    if request not in last:
        last.clear()
        (source,) = request.sources
        if request.prefix or request.interventions_json:
            with active(run, request.interventions):
                found = run.complete(source, request.prefix, request.strategy, **request.settings)
        else:
            (found,) = run.translate([source], request.strategy, **request.settings)
        last[request] = found
    return last[request]


def _tree(run: Run, request: DecodeRequest, last: Searched) -> SearchTree:
    found = _searched(run, request, last)
    return run.tree(found, request.strategy, begun=request.prefix, **request.settings)


def _probed(run: Run, request: DecodeRequest, last: Searched) -> Any:
    return answered(run, request.kind, request.probe_input)


def _found(run: Run, request: DecodeRequest, last: Searched) -> list[Finding]:
    def opened(key: RunKey) -> Run:
        is_own = (key.folder, key.step) == (request.folder, request.step)
        other = run if is_own else replace(_other_run(key.folder, key.step), on_step=run.on_step)
        return other.in_languages(*key.languages)

    settings = PropertySettings.from_json(request.settings, opened)
    return findings(run, request.strategy, request.sources, settings)


@lru_cache(maxsize=2)
def _other_run(folder: str, step: int) -> Run:
    return load(RunFolder(folder), step)


def tree_to_json(tree: SearchTree) -> dict[str, Any]:
    """A search tree as JSON, a row per node and per prefix with next tokens: large ones have some ten thousand."""
    nodes = [[*vars(node).values()] for node in tree.nodes]
    next_tokens = [[index, found] for index, found in tree.next_tokens.items()]
    return {"nodes": nodes, "next_tokens": next_tokens, "is_complete": tree.is_complete}


def tree_from_json(content: Mapping[str, Any]) -> SearchTree:
    """The search tree of JSON that `tree_to_json` made."""
    nodes = tuple(SearchNode(*row) for row in content["nodes"])
    rows = {index: tuple(map(tuple, found)) for index, found in content["next_tokens"]}
    return SearchTree(nodes, NextTokens(rows), content["is_complete"])


class NextTokens(Mapping[int, tuple[NextToken, ...]]):
    """The next tokens of each prefix, made when they are read.

    Tuples of numbers, unlike NextTokens, cost a collection of garbage nothing.
    """

    def __init__(self, rows: Mapping[int, tuple[tuple[Any, ...], ...]]) -> None:
        self._rows = rows

    def __getitem__(self, index: int) -> tuple[NextToken, ...]:
        return tuple(NextToken(*row) for row in self._rows[index])

    def __iter__(self) -> Iterator[int]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


KINDS: Mapping[str, RequestKind] = MappingProxyType(
    {
        "decoded": RequestKind(_decoded, partial(from_json, Decoded)),
        "tree": RequestKind(_tree, tree_from_json, tree_to_json),
        PROPERTY: RequestKind(_found, partial(from_json, list[Finding])),
    }
    | {
        kind: RequestKind(_probed, partial(from_json, probe.answer))
        for kind, probe in PROBES.items()
    }
)

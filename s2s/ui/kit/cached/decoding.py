"""What models make of sentences: translations, search trees, attention, next-token distributions."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from torch import Tensor

from s2s.analysis import Attention
from s2s.decode import SearchTree
from s2s.files import to_json
from s2s.questions import ForcedWeights, Timed, Translate, packed
from s2s.runs import (
    WIDE_BEAM,
    Decoded,
    Interventions,
    Run,
    RunKey,
    Target,
    properties,
    teacher_forcing,
)
from s2s.runs.decoder import PROPERTY, DecodeRequest, request_seconds
from s2s.runs.properties import PROPERTIES, Finding, PropertySettings
from s2s.ui.kit.cached.asking import SCREEN, named
from s2s.ui.kit.cached.background import awaited, computed, here_or_beside
from s2s.ui.kit.cached.sentences import by_sentence

LARGE_TREE = 0.15  # estimated seconds of the search


def decoded(run: Run, text: str, strategy: str, settings: dict[str, Any]) -> Decoded:
    """What a strategy makes of a sentence. Raises UserError for a setting that it doesn't have, PendingError until it
    is known.
    """
    return SCREEN.answer(Translate(named(run), text, strategy, packed(settings)))


def attention(run: Run, text: str, target: Target) -> Attention:
    """Attention in all layers and heads under teacher forcing. Raises UserError where that is too much to store."""
    return SCREEN.answer(ForcedWeights.of_target(named(run), text, target))


def finding(run: Run, name: str, text: str, settings: PropertySettings) -> Finding:
    """Whether a sentence has a property. Raises as `decoded` does."""
    if not PROPERTIES[name].decodes:
        return properties.findings(run, name, [text], settings)[0]
    request = _request(PROPERTY, run, (text,), name, settings.to_json())
    found: list[Finding] = here_or_beside(run, request, _findings).value
    return found[0]


@by_sentence(128)
def _findings(request: DecodeRequest, _run: Run) -> Timed:
    return computed(request, _run)


def findings(
    run: Run, name: str, sentences: Sequence[str], settings: PropertySettings
) -> Generator[list[Finding] | None, None, None]:
    """None while a batch is judged beside the dashboard, then one finding per sentence. Raises UserError where
    that fails.
    """
    if not PROPERTIES[name].decodes:
        yield properties.findings(run, name, sentences, settings)
        return
    yield from awaited(run, _request(PROPERTY, run, tuple(sentences), name, settings.to_json()))


def search_tree(run: Run, found: Decoded, strategy: str, settings: dict[str, Any]) -> SearchTree:
    """The search tree of what `decoded` found with the same settings. Raises as that does."""
    request = _request("tree", run, (found.source,), strategy, settings)
    here = _search_tree if request_seconds(run, request) < LARGE_TREE else _large_search_tree
    tree: SearchTree = here_or_beside(run, request, here).value
    return tree


@by_sentence(4)  # some ten thousand nodes each
def _large_search_tree(request: DecodeRequest, _run: Run) -> Timed:
    return computed(request, _run)


@by_sentence(64)
def _search_tree(request: DecodeRequest, _run: Run) -> Timed:
    return computed(request, _run)


def next_tokens(run: Run, text: str, ids: tuple[int, ...]) -> Tensor:
    """Log-probabilities of the next token after each prefix of `ids`: (len(ids) + 1, vocab)."""
    return _next_tokens(run.key, text, ids, run)


@by_sentence(24)  # megabytes each for a large vocabulary
def _next_tokens(key: RunKey, text: str, ids: tuple[int, ...], _run: Run) -> Tensor:
    return _run.next_tokens(text, ids)


def continuation(
    run: Run,
    text: str,
    ids: tuple[int, ...],
    strategy: str,
    settings: dict[str, Any],
    *,
    interventions: Interventions | None = None,
) -> Decoded:
    """What a strategy makes of a sentence when the target begins with these ids, also of a model with interventions.

    Raises UserError where it cannot, PendingError until it is known.
    """
    change = packed(to_json(interventions)) if interventions else ""
    question = Translate(named(run), text, strategy, packed(settings), ids, change)
    return SCREEN.answer(question)


def reference(run: Run, text: str, target: Target) -> teacher_forcing.Reference:
    """A target under teacher forcing. Raises UserError for one that is too long."""
    return _reference(run.key, text, target, run)


@by_sentence(128)
def _reference(key: RunKey, text: str, target: Target, _run: Run) -> teacher_forcing.Reference:
    return teacher_forcing.reference(_run, text, target)


def wide_search(run: Run, text: str, settings: Mapping[str, Any]) -> Decoded:
    """What a wide beam finds with a length penalty and its formula. Raises PendingError until it is known."""
    return decoded(run, text, "beam", {**dict(WIDE_BEAM), **settings})


def _request(
    kind: str, run: Run, sources: tuple[str, ...], strategy: str, settings: Mapping[str, Any]
) -> DecodeRequest:
    folder, step, languages = run.key
    given = packed(settings)
    return DecodeRequest(kind, folder, step, sources, strategy, given, languages=languages)

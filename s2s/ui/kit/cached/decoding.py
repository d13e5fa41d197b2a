"""What models make of sentences: translations, search trees, attention, next-token distributions."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor

from s2s.analysis import Attention
from s2s.config import UserError
from s2s.decode import SearchTree
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
from s2s.runs.decoder import PROPERTY, DecodeRequest, Timed, request_seconds
from s2s.runs.probes import ProbeInput
from s2s.runs.properties import PROPERTIES, Finding, PropertySettings
from s2s.ui.kit.cached.background import awaited, computed, here_or_beside
from s2s.ui.kit.cached.sentences import by_sentence

# attention weights of one sentence pair, in all layers and heads: up to SMALL_WEIGHTS many pairs are cached
SMALL_WEIGHTS = 500_000
MAX_WEIGHTS = 40_000_000
LARGE_TREE = 0.15  # estimated seconds of the search


@dataclass(frozen=True)
class TimedDecoding:
    """What a strategy made of a sentence, and the seconds it took when it was first asked for."""

    decoded: Decoded
    seconds: float


@dataclass(frozen=True)
class Translation:
    """A sentence's translation, with the attention of every head."""

    decoded: Decoded
    attention: Attention


def decoded(run: Run, text: str, strategy: str, settings: dict[str, Any]) -> Decoded:
    """What a strategy makes of a sentence. Raises UserError for a setting that it doesn't have, PendingError until it
    is known.
    """
    return timed_decoding(run, text, strategy, settings).decoded


def timed_decoding(
    run: Run, text: str, strategy: str, settings: dict[str, Any], *, patience: float | None = None
) -> TimedDecoding:
    """The same, with the seconds it took. A search in the background is awaited for `patience` seconds first."""
    request = _request("decoded", run, (text,), strategy, settings)
    return TimedDecoding(*here_or_beside(run, request, _decoded, patience=patience))


@by_sentence(256)
def _decoded(request: DecodeRequest, _run: Run) -> Timed:
    return computed(request, _run)


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


def translation(run: Run, text: str) -> Translation:
    """The beam-search translation, with every head's attention."""
    found = decoded(run, text, "beam", {})
    return Translation(found, attention(run, text, own_target(found)))


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


def own_target(found: Decoded) -> Target:
    """What the model wrote, to force it."""
    return found.hypotheses[0].ids if found.hypotheses else ""


def attention(run: Run, text: str, target: Target) -> Attention:
    """Attention in all layers and heads under teacher forcing. Raises UserError where that is too much to store."""
    model = run.recipe.model
    src_len = len(run.src_tokenizer.encode(text)) + 1
    tgt_len = len(run.target_ids(target))
    encoder_heads = model.encoder.n_layers * model.encoder.n_heads
    decoder_heads = model.decoder.n_layers * model.decoder.n_heads
    n_weights = encoder_heads * src_len * src_len
    n_weights += decoder_heads * tgt_len * (src_len + tgt_len)  # cross-attention, self-attention
    if n_weights > MAX_WEIGHTS:
        raise UserError(
            f"{src_len} source and {tgt_len} target tokens make {n_weights / 1e6:,.0f} million attention weights in"
            f" this model, and at most {MAX_WEIGHTS / 1e6:.0f} million are stored; shorten the sentence or the target."
        )
    attend = _attention if n_weights <= SMALL_WEIGHTS else _large_attention
    return attend(run.key, text, target, run)


@by_sentence(64)  # at most 2 MB each
def _attention(key: RunKey, text: str, target: Target, _run: Run) -> Attention:
    return _run.attention(text, target)


@by_sentence(3)  # at most 160 MB each
def _large_attention(key: RunKey, text: str, target: Target, _run: Run) -> Attention:
    return _run.attention(text, target)


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
    change = _json(interventions.to_json()) if interventions else ""
    plain = _request("decoded", run, (text,), strategy, settings)
    request = replace(plain, prefix=ids, interventions_json=change)
    found: Decoded = here_or_beside(run, request, _decoded).value
    return found


def probe_request(run: Run, kind: str, given: ProbeInput) -> DecodeRequest:
    """A question about one sentence: a row of PROBES, and what it is asked about."""
    request = _request(kind, run, given.sources, given.choice, dict(given.settings))
    return replace(request, prefix=given.target)


def probe(run: Run, request: DecodeRequest) -> Any:
    """The answer of a `probe_request`. Raises UserError where there is none, PendingError until it is known."""
    return here_or_beside(run, request, _probed).value


@by_sentence(128)
def _probed(request: DecodeRequest, _run: Run) -> Timed:
    return computed(request, _run)


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
    packed = _json(settings)
    return DecodeRequest(kind, folder, step, sources, strategy, packed, languages=languages)


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)

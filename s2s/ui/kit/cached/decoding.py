"""What models make of sentences: translations, search trees, attention, next-token distributions."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from s2s.analysis import Attention
from s2s.files import to_json
from s2s.questions import ForcedWeights, NextTokens, Timed, Translate, packed
from s2s.runs import (
    Decoded,
    Interventions,
    Reference,
    Run,
    RunKey,
    Target,
    properties,
    teacher_forcing,
)
from s2s.runs.decoder import PROPERTY, DecodeRequest
from s2s.runs.properties import PROPERTIES, Finding, PropertySettings
from s2s.ui.kit.cached.asking import SCREEN, named
from s2s.ui.kit.cached.background import awaited, computed, here_or_beside
from s2s.ui.kit.cached.shared import by_sentence


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


def next_tokens(run: Run, text: str, ids: tuple[int, ...]) -> Tensor:
    """Log-probabilities of the next token after each prefix of `ids`: (len(ids) + 1, vocab)."""
    return torch.from_numpy(SCREEN.answer(NextTokens(named(run), text, ids)).log_probs)


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
def _reference(key: RunKey, text: str, target: Target, _run: Run) -> Reference:
    return teacher_forcing.reference(_run, text, target)


def _request(
    kind: str, run: Run, sources: tuple[str, ...], strategy: str, settings: Mapping[str, Any]
) -> DecodeRequest:
    folder, step, languages = run.key
    given = packed(settings)
    return DecodeRequest(kind, folder, step, sources, strategy, given, languages=languages)

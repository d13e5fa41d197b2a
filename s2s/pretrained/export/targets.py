"""What a model can be exported to, and why not: decided by settings alone. Knows nothing of weights."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from s2s.config import ModelConfig, Stack
from s2s.pretrained.export.forms import FORMS, T5, T5_ACTIVATIONS, Form

TARGETS: Mapping[str, str] = MappingProxyType(
    {"transformers": "Hugging Face transformers", "ctranslate2": "CTranslate2"}
)
# The kinds that the library `tokenizers` can be told to repeat, and those of published checkpoints.
OPENED = "pretrained"
TOKENIZER_KINDS = frozenset({"bpe", "unigram", "word", "char", "byte", OPENED})
ONE_VOCABULARY = "`tokenizer.shared` is false; a model of transformers has one vocabulary, for source and target."
EPS = 1e-5  # torch's LayerNorm, which all forms but T5 leave as it is
BASE = 10_000.0
Need = tuple[str, Any, Any]  # a setting, its value, and what is needed


@dataclass(frozen=True)
class Verdict:
    """Whether a target can express a model: the form that it takes there, or the reason why not."""

    target: str
    form: Form | None = None
    reason: str = ""

    @property
    def is_possible(self) -> bool:
        return not self.reason

    @property
    def label(self) -> str:
        name = TARGETS[self.target]
        return f"{name} ({self.form.label})" if self.form and self.is_possible else name


def verdicts(config: ModelConfig, tokenizer_kind: str, *, is_shared: bool) -> dict[str, Verdict]:
    """For each target, the form that this model takes, or why it cannot be exported.

    `is_shared`: source and target have one tokenizer.
    """
    if reason := kind_reason(tokenizer_kind):
        return refused(reason)
    # bytes need no vocabulary, so that two tokenizers of bytes are one; published files are written for both sides
    is_one = is_shared or tokenizer_kind in ("byte", OPENED)
    return {
        "transformers": _transformers(config, is_one=is_one),
        "ctranslate2": _ctranslate2(config),
    }


def kind_reason(tokenizer_kind: str) -> str:
    """Why tokenizers of a kind cannot be exported; empty where they can."""
    if tokenizer_kind in TOKENIZER_KINDS:
        return ""
    allowed = ", ".join(sorted(TOKENIZER_KINDS))
    return f"`tokenizer.kind` is {tokenizer_kind}; only {allowed} can be exported."


def refused(reason: str) -> dict[str, Verdict]:
    """The verdicts where no target can express a model."""
    return {target: Verdict(target, reason=reason) for target in TARGETS}


def _transformers(config: ModelConfig, *, is_one: bool) -> Verdict:
    form = _form(config)
    if form is None:
        kinds = "sinusoidal, learned or relative"
        need = ("model.positions.kind", config.positions.kind, kinds)
        return Verdict("transformers", reason=_sentence(need, "transformers"))
    if not is_one:
        return Verdict("transformers", form, ONE_VOCABULARY)
    needs = _t5_needs(config) if form is T5 else _needs(form, config)
    reason = _first_unmet(needs, f"the {form.label} form of transformers")
    return Verdict("transformers", form, reason)


def _ctranslate2(config: ModelConfig) -> Verdict:
    return Verdict("ctranslate2", reason=_first_unmet(_ctranslate2_needs(config), "CTranslate2"))


def _form(config: ModelConfig) -> Form | None:
    same = [form for form in FORMS if form.positions == config.positions.kind]
    if len(same) > 1:
        same = [form for form in same if form.place == config.norm.place]
    if len(same) > 1 and config.positions.kind == "sinusoidal":
        same = [form for form in same if form.full_span == config.positions.full_span]
    if len(same) > 1:
        same = [form for form in same if form.after_embeddings == config.norm.after_embeddings]
    return same[0] if same else None


def _needs(form: Form, config: ModelConfig) -> Iterator[Need]:
    yield "model.norm.kind", config.norm.kind, "layer"
    yield "model.norm.eps", config.norm.eps, EPS
    yield "model.norm.after_embeddings", config.norm.after_embeddings, form.after_embeddings
    for name, stack in _stacks(config):
        yield f"model.{name}.final_norm", stack.final_norm, form.place == "pre"
        yield f"model.{name}.d_head", config.d_head(stack), config.d_model // stack.n_heads
    yield from _layer_needs(config)
    yield "model.feed_forward.gated", config.feed_forward.gated, False
    if form.positions == "sinusoidal":
        first = config.ids.pad + 1 if form.full_span else 0
        yield "model.positions.full_span", config.positions.full_span, form.full_span
        yield "model.positions.base", config.positions.base, BASE
        yield "model.positions.offset", config.positions.offset, first
    if not form.has_output_bias:
        yield "model.output.bias", config.output.bias, False
    if not form.has_two_embeddings:
        yield "model.embeddings.shared", config.embeddings.shared, True


def _t5_needs(config: ModelConfig) -> Iterator[Need]:
    encoder, decoder = config.encoder, config.decoder
    yield "model.norm.kind", config.norm.kind, "rms"
    yield "model.norm.place", config.norm.place, "pre"
    yield "model.norm.after_embeddings", config.norm.after_embeddings, False
    for name, stack in _stacks(config):
        yield f"model.{name}.final_norm", stack.final_norm, True
    yield from _layer_needs(config)
    yield "model.decoder.n_heads", decoder.n_heads, encoder.n_heads
    yield "model.decoder.d_head", config.d_head(decoder), config.d_head(encoder)
    yield "model.decoder.d_ff", decoder.d_ff, encoder.d_ff
    yield "model.attention.bias", config.attention.bias, False
    yield "model.feed_forward.bias", config.feed_forward.bias, False
    if config.feed_forward.gated:  # its `gated-gelu` is the approximation
        activation = config.feed_forward.activation
        is_known = (activation, True) in T5_ACTIVATIONS
        needed = activation if is_known else "gelu_tanh, relu or silu"
        yield "model.feed_forward.activation", activation, needed
    yield "model.output.bias", config.output.bias, False
    yield "model.embeddings.shared", config.embeddings.shared, True


def _ctranslate2_needs(config: ModelConfig) -> Iterator[Need]:
    kind = config.positions.kind
    yield "model.norm.kind", config.norm.kind, "layer or rms"
    yield "model.positions.kind", kind, "sinusoidal, learned, rotary, relative or none"
    if config.norm.place == "post":  # it would convert without an error, and compute something else
        for name, stack in _stacks(config):
            needed = "false after post-norm layers" if stack.final_norm else False
            yield f"model.{name}.final_norm", stack.final_norm, needed
    yield "model.ids.suppressed_first", config.ids.suppressed_first or "none", "none"
    yield from _layer_needs(config)


def _layer_needs(config: ModelConfig) -> Iterator[Need]:
    for name, stack in _stacks(config):
        yield f"model.{name}.d_ff", stack.d_ff, stack.d_ff or "1 or more"
    yield "model.attention.output_projection", config.attention.output_projection, True


def _stacks(config: ModelConfig) -> tuple[tuple[str, Stack], ...]:
    return ("encoder", config.encoder), ("decoder", config.decoder)


def _first_unmet(needs: Iterator[Need], who: str) -> str:
    unmet = (need for need in needs if not _is_met(need))
    return next((_sentence(need, who) for need in unmet), "")


def _is_met(need: Need) -> bool:
    _, value, needed = need
    if isinstance(needed, str) and isinstance(value, str):
        return value in needed.replace(",", "").split()
    return bool(value == needed)


def _sentence(need: Need, who: str) -> str:
    key, value, needed = need
    return f"`{key}` is {_shown(value)}; {who} needs {_shown(needed)}."


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)

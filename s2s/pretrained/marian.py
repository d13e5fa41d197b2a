"""Marian (Junczys-Dowmunt et al. 2018): the translation models of OPUS-MT."""

from __future__ import annotations

from s2s.config import ModelConfig, Norm, Positions, SpecialIds
from s2s.pretrained.bart_like import NAMES, SINUSOIDS, VERSIONS, model_config
from s2s.pretrained.family import (
    Family,
    Json,
    joined,
    padding_starts,
    single,
    special_ids,
    suppressed_tokens,
)


def config(given: Json) -> ModelConfig:
    """The paper's transformer, its sines before its cosines."""
    positions = Positions("sinusoidal", layout="halves")
    return model_config(given, positions, Norm("layer", "post"), final_norm=False)


def ids(given: Json) -> SpecialIds:
    """A target starts with padding, which must never be written: the model was not trained to avoid it."""
    pad = single(given["pad_token_id"])
    suppressed = joined(suppressed_tokens(given) | {(pad,)})
    return special_ids(given, start=padding_starts(given), suppressed=suppressed)


FAMILY = Family(label="Marian", config=config, ids=ids, names=NAMES, dropped=(SINUSOIDS, VERSIONS))

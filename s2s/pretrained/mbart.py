"""mBART (Liu et al. 2020) and mBART-50 (Tang et al. 2020)."""

from __future__ import annotations

from s2s.config import ModelConfig, Norm, SpecialIds
from s2s.pretrained.bart_like import NAMES, VERSIONS, learned_positions, model_config
from s2s.pretrained.family import Family, Json, single, special_ids


def config(given: Json) -> ModelConfig:
    """As BART, but pre-norm."""
    norm = Norm("layer", "pre", after_embeddings=True)
    return model_config(given, learned_positions(given), norm, final_norm=True)


def ids(given: Json) -> SpecialIds:
    """`</s>` starts a target of mBART-50; that of an older one starts with its language, which the tokenizer knows."""
    return special_ids(
        given, start=given.get("decoder_start_token_id", single(given["eos_token_id"]))
    )


FAMILY = Family(label="mBART", config=config, ids=ids, names=NAMES, dropped=(VERSIONS,))

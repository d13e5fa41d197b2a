"""mBART (Liu et al. 2020) and mBART-50 (Tang et al. 2020)."""

from __future__ import annotations

from s2s.config import ModelConfig, Norm, SpecialIds
from s2s.pretrained.bart_like import NAMES, VERSIONS, learned_positions, model_config
from s2s.pretrained.family import Family, Json, Languages, both_languages, single, special_ids


def config(given: Json) -> ModelConfig:
    """As BART, but pre-norm."""
    norm = Norm("layer", "pre", after_embeddings=True)
    return model_config(given, learned_positions(given), norm, final_norm=True)


def ids(given: Json, languages: Languages | None) -> SpecialIds:
    """mBART-50 writes the language before the text, and `</s>` starts a target; mBART writes it after the source's
    `</s>`, and the language itself starts a target.
    """
    src, tgt = both_languages(languages)
    if given.get("decoder_start_token_id") == single(given["eos_token_id"]):
        return special_ids(given, src_first=src, tgt_first=tgt)
    return special_ids({**given, "decoder_start_token_id": tgt}, src_last=src)


FAMILY = Family(label="mBART", config=config, ids=ids, names=NAMES, dropped=(VERSIONS,))

"""BART (Lewis et al. 2020)."""

from __future__ import annotations

from s2s.config import ModelConfig, Norm, SpecialIds
from s2s.pretrained.bart_like import NAMES, VERSIONS, learned_positions, model_config
from s2s.pretrained.family import Family, Json, Languages, special_ids

BOS = 0


def config(given: Json) -> ModelConfig:
    """Post-norm, with learned positions and a norm after the embeddings."""
    norm = Norm("layer", "post", after_embeddings=True)
    return model_config(given, learned_positions(given), norm, final_norm=False)


def ids(given: Json, languages: Languages | None) -> SpecialIds:
    """`<s>` begins sources and targets: all were trained so, whether or not the files force it."""
    bos = given.get("bos_token_id", BOS)
    forced = given.get("forced_bos_token_id", bos)
    return special_ids(given, src_first=bos, tgt_first=forced)


FAMILY = Family(label="BART", config=config, ids=ids, names=NAMES, dropped=(VERSIONS,))

"""Tiny checkpoints of every family, tokenizer and all, as transformers saves them."""

import json
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
from transformers import (
    BartConfig,
    GenerationConfig,
    M2M100Config,
    MarianConfig,
    MBartConfig,
    PegasusConfig,
    PreTrainedModel,
    T5Config,
)

from s2s.tokenizers import Tokenizer, open_pretrained
from tests.model.test_families import SIZES, T5_SIZES, make_theirs
from tests.tokenizers.checkpoints import FAMILIES as TOKENIZERS

LIMIT = 10
LONG = MappingProxyType({**SIZES, "max_position_embeddings": 64, "scale_embedding": True})
CONFIGS: MappingProxyType[str, Any] = MappingProxyType(
    {
        "t5": lambda **ids: T5Config(**{**T5_SIZES, "feed_forward_proj": "gated-gelu", **ids}),
        "marian": lambda **ids: MarianConfig(**{**LONG, **ids}),
        "marian_bytes": lambda **ids: MarianConfig(**{**LONG, **ids}),
        "marian_separate": lambda **ids: MarianConfig(
            **{**LONG, **ids}, share_encoder_decoder_embeddings=False
        ),
        "bart": lambda **ids: BartConfig(**{**LONG, **ids}),
        "mbart": lambda **ids: MBartConfig(**{**LONG, **ids}),
        "mbart50": lambda **ids: MBartConfig(**{**LONG, **ids}),
        "m2m100": lambda **ids: M2M100Config(**{**LONG, **ids}),
        "pegasus": lambda **ids: PegasusConfig(**{**LONG, **ids}),
    }
)


def make_checkpoint(
    name: str, folder: Path, *, is_tied: bool = True, **settings: Any
) -> PreTrainedModel:
    """Write a checkpoint of a row of CONFIGS, some settings aside; its special ids are its tokenizer's."""
    make, _ = TOKENIZERS[name]
    make(folder)
    path = folder / "config.json"
    named = json.loads(path.read_bytes())
    src = open_pretrained(folder, "src")
    tgt = open_pretrained(folder, "tgt")
    ids = special_ids(src, tgt)
    config = CONFIGS[name](
        vocab_size=src.vocab_size,
        **({"decoder_vocab_size": tgt.vocab_size} if name == "marian_separate" else {}),
        **ids,
        **settings,
    )
    theirs = make_theirs(config, is_tied=is_tied)
    # so that every token has its turn, and targets differ
    with torch.no_grad():
        theirs.get_output_embeddings().weight.mul_(3.0)
    # what targets begin with comes from the tokenizer, where that knows it
    theirs.generation_config = GenerationConfig(
        **ids, num_beams=4, max_length=LIMIT + 1, bad_words_ids=[[src.pad_id]]
    )
    theirs.save_pretrained(folder)
    saved = json.loads(path.read_bytes())
    kept = {key: named[key] for key in ("tokenizer_class", "task_specific_params") if key in named}
    path.write_text(json.dumps(saved | kept))
    return theirs


def special_ids(src: Tokenizer, tgt: Tokenizer) -> dict[str, int]:
    """As their configs say them."""
    return {
        "pad_token_id": src.pad_id,
        "eos_token_id": src.eos_id,
        "decoder_start_token_id": tgt.start_id,
    }

"""Tiny checkpoints whose files contradict their family: a tokenizer of a few words, and any settings of decoding."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, MT5Config

from tests.model.test_families import T5_SIZES, make_theirs
from tests.pretrained.checkpoints import CONFIGS

LIMIT = 7
WORDS = "the red house is big and a small cat saw two dogs near old trees by night".split()
SPECIALS = ("<s>", "<pad>", "</s>", "<unk>", "<sep>", "en_XX", "__en__")
NAMES = (*SPECIALS, *WORDS, *(f"w{number}" for number in range(40 - len(SPECIALS) - len(WORDS))))
IDS: Mapping[str, int] = MappingProxyType({name: id for id, name in enumerate(NAMES)})
SOURCES = ("the red house", "a small cat saw two dogs", "night")
MODELS: Mapping[str, Any] = MappingProxyType(
    {
        **{name: CONFIGS[name] for name in ("t5", "marian", "bart", "mbart", "m2m100", "pegasus")},
        "mt5": lambda **ids: MT5Config(**{**T5_SIZES, **ids}),
    }
)
USUAL: Mapping[str, Any] = MappingProxyType(
    {
        "pad_token_id": IDS["<pad>"],
        "eos_token_id": IDS["</s>"],
        "decoder_start_token_id": IDS["</s>"],
        "max_length": LIMIT + 1,
        "bad_words_ids": [[IDS["<unk>"]]],
    }
)


class Written(NamedTuple):
    ids: list[int]
    text: str


def template(*names: str) -> processors.TemplateProcessing:
    """`template("<s>", "$A", "</s>")`."""
    specials = [(name, IDS[name]) for name in names if name != "$A"]
    return processors.TemplateProcessing(single=[*names], pair="$A $B", special_tokens=specials)


def make(
    folder: Path,
    family: str,
    around: processors.PostProcessor | None = None,
    *,
    generation: Mapping[str, Any] | None = USUAL,
    config: Mapping[str, Any] = MappingProxyType({}),
    tokenizer: Mapping[str, Any] = MappingProxyType({}),
) -> Path:
    """Write a checkpoint; `around` is the post-processor of its tokenizer.json.

    `generation` is the whole generation_config.json, None for no such file; `config` and `tokenizer` change the
    settings of config.json and tokenizer_config.json.
    """
    theirs = make_theirs(
        MODELS[family](vocab_size=len(NAMES), tie_word_embeddings=False, **_ids()), is_tied=False
    )
    with torch.no_grad():  # so that targets differ, and no token repeats itself
        theirs.lm_head.weight.normal_(std=0.5, generator=torch.Generator().manual_seed(4))
        for name, weight in theirs.named_parameters():
            if "encoder_attn" in name or "EncDecAttention" in name:
                weight.mul_(3.0)
        shared = getattr(theirs, "model", theirs).shared.weight
        for stack in (theirs.get_encoder(), theirs.get_decoder()):
            stack.embed_tokens.weight.copy_(shared)
    theirs.save_pretrained(folder)
    amend(folder / "config.json", config)
    write_tokenizer(folder, around)
    amend(folder / "tokenizer_config.json", tokenizer)
    (folder / "generation_config.json").unlink()
    if generation is not None:
        (folder / "generation_config.json").write_text(json.dumps(dict(generation)))
    return folder


def write_tokenizer(folder: Path, around: processors.PostProcessor | None) -> None:
    """One of words, of the class that reads tokenizer.json as it is."""
    library = Tokenizer(models.WordLevel(dict(IDS), unk_token="<unk>"))
    library.pre_tokenizer = pre_tokenizers.Whitespace()
    library.decoder = decoders.WordPiece(prefix="##", cleanup=False)
    library.add_special_tokens([AddedToken(name, special=True) for name in SPECIALS])
    if around is not None:
        library.post_processor = around
    library.save(str(folder / "tokenizer.json"))
    named = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>", "bos_token": "<s>"}
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", **named})
    )


def amend(path: Path, changes: Mapping[str, Any]) -> None:
    """None removes a setting."""
    content = json.loads(path.read_bytes()) if path.exists() else {}
    merged = {**content, **changes}
    path.write_text(json.dumps({key: value for key, value in merged.items() if value is not None}))


def their_translations(folder: Path, sources: Sequence[str], **settings: Any) -> list[Written]:
    """By `generate` and the tokenizer that AutoTokenizer finds, one source at a time."""
    model = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    found = []
    for source in sources:
        inputs = tokenizer(source, return_tensors="pt")
        inputs.pop("token_type_ids", None)
        with torch.inference_mode():
            (row,) = model.generate(**inputs, use_cache=False, **settings).tolist()
        found.append(Written(row[1:], tokenizer.decode(row[1:], skip_special_tokens=True)))
    return found


def _ids() -> dict[str, int]:
    names = ("pad_token_id", "eos_token_id", "decoder_start_token_id")
    return {name: USUAL[name] for name in names}

"""What is exported: a config, weights and tokenizers; of an opened checkpoint also what our model lacks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from s2s.config import ModelConfig, SpecialIds
from s2s.files import write_bytes, write_json, write_text
from s2s.pretrained import generation
from s2s.pretrained.family import Json
from s2s.pretrained.model import CONFIG, GENERATION
from s2s.tokenizers import PretrainedTokenizer, Tokenizer

TOKENIZER_CONFIG = "tokenizer_config.json"
TOKENS = "tokens.json"  # beside a model for CTranslate2
LENGTHS = tuple(name for names in generation.LENGTHS for name in names)
DECODING = frozenset({*generation.NAMES, *LENGTHS, "do_sample"})
# What says nothing about the exported weights, or by another name.
OUTDATED = frozenset({"torch_dtype", "transformers_version", "_name_or_path", "_from_model_config"})
# Where the files once were, on some computer.
PLACES = frozenset({"name_or_path", "tokenizer_file", "special_tokens_map_file", "vocab_file"})
# The same of decoding: they are written as our model has them.
SPECIAL = frozenset(
    {
        "forced_bos_token_id",
        "forced_eos_token_id",
        *generation.LISTS,
        "force_bos_token_to_be_generated",
        "renormalize_logits",
    }
)


def settings_of(tokenizer: PretrainedTokenizer) -> Json:
    """The config.json of the checkpoint from which this tokenizer was opened."""
    return _json(tokenizer, CONFIG)


def config(tokenizer: PretrainedTokenizer, ours: Json) -> dict[str, Any]:
    """The exported config.json: the checkpoint's own settings, overridden by what our model says."""
    moved = DECODING | OUTDATED | SPECIAL
    kept = {key: value for key, value in settings_of(tokenizer).items() if key not in moved}
    return kept | {key: value for key, value in ours.items() if key != "bos_token_id"}


def generation_config(
    tokenizer: PretrainedTokenizer, ids: SpecialIds, ours: Json
) -> dict[str, Any]:
    """The exported generation_config.json: the checkpoint's own settings, with our model's forced and suppressed
    tokens.
    """
    kept = _json(tokenizer, GENERATION)
    if GENERATION not in tokenizer.files:
        kept = {key: value for key, value in settings_of(tokenizer).items() if key in DECODING}
    kept = {key: value for key, value in kept.items() if key not in OUTDATED | SPECIAL}
    if not any(kept.get(name) for name in ("max_length", "max_new_tokens")):
        kept["max_new_tokens"] = ours["max_new_tokens"]
    kept |= {
        name: ours[name] for name in ("pad_token_id", "eos_token_id", "decoder_start_token_id")
    }
    return kept | forced_and_suppressed(ids)


def forced_and_suppressed(ids: SpecialIds) -> dict[str, Any]:
    """Forced and suppressed tokens, as generation_config.json names them."""
    end = (ids.eos,)  # which `bad_words_ids` cannot suppress
    words = [list(sequence) for sequence in ids.suppressed_sequences if sequence != end]
    found = {
        "forced_bos_token_id": ids.forced_first,
        "forced_eos_token_id": ids.eos if ids.forces_end else None,
        "bad_words_ids": words or None,
        "suppress_tokens": [ids.eos] if end in ids.suppressed_sequences else None,
        "begin_suppress_tokens": list(ids.suppressed_first_ids) or None,
        "renormalize_logits": ids.renormalizes or None,
    }
    return {name: value for name, value in found.items() if value is not None}


def write_tokenizer(src: PretrainedTokenizer, tgt: PretrainedTokenizer, folder: Path) -> None:
    """Write the checkpoint's own tokenizer files, as they were; tokenizer_config.json also names the class and the
    languages.
    """
    for name, content in (src.files | tgt.files).items():
        if name not in (CONFIG, GENERATION, TOKENIZER_CONFIG):
            write_bytes(folder / name, content)
    languages = {"src_lang": src.language, "tgt_lang": tgt.language}
    named = {key: language for key, language in languages.items() if language is not None}
    given = _json(src, TOKENIZER_CONFIG)
    kept = {key: value for key, value in given.items() if key not in PLACES}
    settings = kept | {"tokenizer_class": src.class_name, **named}
    write_json(folder / TOKENIZER_CONFIG, settings)


def write_tokens(
    src: PretrainedTokenizer, tgt: PretrainedTokenizer, ids: SpecialIds, folder: Path
) -> None:
    """Write the vocabulary files, and TOKENS: the special tokens around sources and targets."""
    for side, tokenizer in (("src", src), ("tgt", tgt)):
        library = tokenizer.library_json()
        if library is None:
            write_bytes(folder / f"{side}.spm", _sentencepiece_model(tokenizer))
        else:
            write_text(folder / f"{side}.tokenizer.json", library)
    forced = [] if ids.forced_first is None else [ids.forced_first]
    before, after = ids.around_source
    around = {
        "first": _named(src, before),
        "last": _named(src, after),
        "target": _named(tgt, forced),
        "suppressed": [_named(tgt, sequence) for sequence in ids.suppressed_sequences],
        "specials": _named(tgt, sorted(id for id in tgt.hidden_ids if id < tgt.vocab_size)),
        "replacements": tgt.replacements,
    }
    write_json(folder / TOKENS, around)


def _sentencepiece_model(tokenizer: PretrainedTokenizer) -> bytes:
    names = (name for name in tokenizer.files if not name.endswith((".json", ".txt")))
    return tokenizer.files[next(names)]


def _named(tokenizer: PretrainedTokenizer, ids: Iterable[int]) -> list[str]:
    return [tokenizer.vocabulary[id] for id in ids]


def _json(tokenizer: PretrainedTokenizer, name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(tokenizer.files.get(name, b"{}"))
    return content


N_POSITIONS = 1024  # at least, of a table of sinusoids, which has no end here
MOST_POSITIONS = 65_536  # of a table: a checkpoint's settings are anybody's


@dataclass(frozen=True)
class TrainedModel:
    """A model to export: `tensors` as `s2s.model.trained_tensors` gives them; a translation has at most
    `max_new_tokens`.
    """

    config: ModelConfig
    tensors: Mapping[str, Tensor]
    src_tokenizer: Tokenizer
    tgt_tokenizer: Tokenizer
    max_new_tokens: int

    @property
    def n_positions(self) -> int:
        """How many positions a table needs: those that were trained, or else enough for any translation."""
        usual = N_POSITIONS
        if isinstance(self.src_tokenizer, PretrainedTokenizer):
            said = settings_of(self.src_tokenizer).get("max_position_embeddings")
            usual = said if type(said) is int and said <= MOST_POSITIONS else usual
        return self.config.positions.longest or max(usual, self.max_new_tokens)

"""A published checkpoint: the model, both tokenizers, and the special ids that both agree on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from torch import Tensor

from s2s.config import (
    DataConfig,
    ModelConfig,
    Recipe,
    SpecialIds,
    TokenizerConfig,
    TrainConfig,
    UserError,
)
from s2s.pretrained.model import PublishedModel, read_ids, read_model
from s2s.tokenizers import Languages, Tokenizer, in_languages, open_pretrained, surrounded

MOST_TOKENS = 4096  # of a source or target in a recipe
# For training that starts from a published model: the rate is that of transformers' Trainer.
FINE_TUNING = TrainConfig(steps=500, lr=5e-5, warmup_steps=50, batch_tokens=1024)


@dataclass(frozen=True)
class PublishedCheckpoint:
    """What a run is made of: recipe, weights by our names in float32, tokenizers, starting settings of decoding."""

    family: str
    recipe: Recipe
    tensors: Mapping[str, Tensor]
    src_tokenizer: Tokenizer
    tgt_tokenizer: Tokenizer
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()  # sentences on generation settings that were left out


def open_checkpoint(folder: Path, src_lang: str = "", tgt_lang: str = "") -> PublishedCheckpoint:
    """The checkpoint in a folder; the languages are those of a multilingual model, where its files do not say them.

    Raises UserError for what `read_model` and `open_pretrained` refuse, and for a tokenizer that does not fit.
    """
    model = read_model(folder)
    src, tgt = open_tokenizers(folder, src_lang, tgt_lang)
    sizes = (src.vocab_size, tgt.vocab_size)
    rows = (model.src_vocab_size, model.tgt_vocab_size)
    if sizes != rows:
        raise UserError(
            f"The tokenizer has ids for {sizes[0]:,} and {sizes[1]:,} tokens (source and target), and the embeddings"
            f" have {rows[0]:,} and {rows[1]:,} rows; give the files that belong together."
        )
    ids = _laid_out(model.config.ids, src, tgt)
    recipe = _recipe(model, replace(model.config, ids=ids))
    is_same = not src.languages and src.to_json()["files"] == tgt.to_json()["files"]
    return PublishedCheckpoint(
        model.family.label,
        recipe,
        model.tensors,
        src,
        src if is_same else tgt,
        model.settings,
        model.notes,
    )


def open_tokenizers(
    folder: Path, src_lang: str = "", tgt_lang: str = ""
) -> tuple[Tokenizer, Tokenizer]:
    """The tokenizers of source and target in their languages; the weights need not be there yet.

    Raises UserError for what `open_pretrained` refuses, for a language that the model lacks, and where none is known.
    """
    src = open_pretrained(folder, "src")
    tgt = open_pretrained(folder, "tgt")
    return _in_languages(src, tgt, Languages(src_lang, tgt_lang), read_ids(folder).tgt_first)


def _recipe(model: PublishedModel, config: ModelConfig) -> Recipe:
    longest = min(model.longest, config.positions.longest or model.longest, MOST_TOKENS)
    return Recipe(
        data=DataConfig(max_length=longest),
        tokenizer=TokenizerConfig(
            model.family.tokenizer, model.src_vocab_size, shared=config.embeddings.shared
        ),
        model=config,
        train=FINE_TUNING,
    )


def _in_languages(
    src: Tokenizer, tgt: Tokenizer, given: Languages, forced: int | None
) -> tuple[Tokenizer, Tokenizer]:
    """The tokenizers with their languages: the given ones, or those that the files say; `forced` is the id with which
    they let every target begin.

    Raises UserError for a language that the model lacks, and where it needs a target language and none is known.
    """
    src, tgt = in_languages((src, tgt), given)
    if tgt.languages and tgt.language is None:
        every = (tgt.in_language(language) for language in tgt.languages)
        found = next((one for one in every if one.first_ids == (forced,)), None)
        if found is None:
            raise UserError(
                f"This model writes {len(tgt.languages)} languages; name one with `--tgt-lang`, for example"
                f" {', '.join(tgt.languages[:3])}."
            )
        return src, found
    return src, tgt


def _laid_out(ids: SpecialIds, src: Tokenizer, tgt: Tokenizer) -> SpecialIds:
    """The ids with what the tokenizers put around a text. Raises UserError where they contradict config.json."""
    for name, theirs, ours in (("pad", src.pad_id, ids.pad), ("eos", src.eos_id, ids.eos)):
        if theirs != ours:
            raise UserError(
                f"The tokenizer's `{name}_token` has the id {theirs} and the model's `{name}_token_id` is {ours};"
                " give the files that belong together."
            )
    return surrounded(ids, (src, tgt))

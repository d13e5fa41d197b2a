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
from s2s.tokenizers import (
    Languages,
    PretrainedTokenizer,
    Tokenizer,
    in_languages,
    open_pretrained,
    surrounded,
)

MOST_TOKENS = 4096  # of a source or target in a recipe
# For training that starts from a published model: the rate is that of transformers' Trainer.
FINE_TUNING = TrainConfig(steps=500, lr=5e-5, warmup_steps=50, batch_tokens=1024)


@dataclass(frozen=True)
class PublishedCheckpoint:
    """A published model as our recipe, weights under our names (float32), tokenizers and decoding settings."""

    family: str
    recipe: Recipe
    tensors: Mapping[str, Tensor]
    src_tokenizer: Tokenizer
    tgt_tokenizer: Tokenizer
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()  # sentences on generation settings that were left out


def open_checkpoint(folder: Path, src_lang: str = "", tgt_lang: str = "") -> PublishedCheckpoint:
    """Open the checkpoint in a folder. A multilingual model needs its languages unless its files name them.

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
    notes = [*model.notes]
    for one, is_chosen in ((src, False), (tgt, bool(tgt_lang))):
        notes += one.notes if isinstance(one, PretrainedTokenizer) and not is_chosen else ()
    is_same = not src.languages and src.to_json()["files"] == tgt.to_json()["files"]
    return PublishedCheckpoint(
        model.family.label,
        recipe,
        model.tensors,
        src,
        src if is_same else tgt,
        model.settings,
        tuple(notes),
    )


def open_tokenizers(
    folder: Path, src_lang: str = "", tgt_lang: str = ""
) -> tuple[Tokenizer, Tokenizer]:
    """The tokenizers of source and target in their languages; the weights need not be there yet.

    Raises UserError for what `open_pretrained` refuses, for a language that the model lacks, and where none is known.
    """
    read_ids(folder)
    src = open_pretrained(folder, "src")
    tgt = open_pretrained(folder, "tgt")
    return _in_languages(src, tgt, Languages(src_lang, tgt_lang))


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
    src: PretrainedTokenizer, tgt: PretrainedTokenizer, given: Languages
) -> tuple[Tokenizer, Tokenizer]:
    """The tokenizers with their languages: the given ones, or those that the files say.

    Raises UserError for a language that the model lacks, and if it needs a target language and none is known.
    """
    found = in_languages((src, tgt), given)
    if tgt.needs_language and found[1].language is None:
        raise UserError(
            f"This model writes {len(tgt.languages)} languages; name one with `--tgt-lang`, for example"
            f" {', '.join(tgt.languages[:3])}."
        )
    return found


def _laid_out(ids: SpecialIds, src: Tokenizer, tgt: Tokenizer) -> SpecialIds:
    if src.pad_id != ids.pad:
        raise UserError(
            f"The tokenizer's `pad_token` has the id {src.pad_id} and the model's `pad_token_id` is {ids.pad}; give the"
            " files that belong together."
        )
    if ids.pad in (*src.first_ids, *src.last_ids):
        raise UserError(
            "The tokenizer puts its padding token around every source, where s2s does not read it; give a tokenizer"
            " that puts others."
        )
    return surrounded(ids, (src, tgt))

"""CTranslate2: the Marian model of the transformers peer, converted; its interface takes and returns token strings."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ctranslate2
from ctranslate2.converters.transformers import BartLoader
from transformers import MarianMTModel

from benchmarks.peers import marian
from benchmarks.peers.decoding import TOKENS, Decode, Ids
from s2s.config import Recipe
from s2s.tokenizers import BOS, EOS, SPECIALS, UNK


def float32(recipe: Recipe, vocab_size: int) -> Decode:
    """In float32, like the others."""
    return _decoder(recipe, vocab_size, "float32")


def bfloat16(recipe: Recipe, vocab_size: int) -> Decode:
    """With weights and activations in bfloat16, on a GPU."""
    return _decoder(recipe, vocab_size, "bfloat16")


def int8(recipe: Recipe, vocab_size: int) -> Decode:
    """With 8-bit matrix products."""
    return _decoder(recipe, vocab_size, "int8")


def _decoder(recipe: Recipe, vocab_size: int, compute_type: str) -> Decode:
    names = [*SPECIALS, *map(str, range(len(SPECIALS), vocab_size))]
    ids_by_name = {name: index for index, name in enumerate(names)}
    folder = Path(tempfile.mkdtemp(prefix="ctranslate2-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    convert(marian.with_our_weights(recipe, vocab_size), names, folder)
    translator = ctranslate2.Translator(
        str(folder),
        device=recipe.train.device,
        compute_type=compute_type,
        inter_threads=1,
        intra_threads=1,
    )

    def decode(sources: Sequence[Ids], num_beams: int) -> list[list[int]]:
        tokens = [[names[index] for index in ids] for ids in sources]
        limits = {"min_decoding_length": TOKENS, "max_decoding_length": TOKENS}
        found = translator.translate_batch(
            tokens, beam_size=num_beams, max_batch_size=len(tokens), **limits
        )
        return [[ids_by_name[name] for name in one.hypotheses[0]] for one in found]

    return decode


def convert(model: MarianMTModel, names: Sequence[str], folder: Path) -> None:
    """Write the model as CTranslate2 reads it.

    Its converter for Marian drops the vocabulary's last row, which it takes for padding, and starts from a zero vector;
    the one for Bart, configured like Marian's layers, leaves the model unchanged.
    """
    model.config.normalize_before = model.config.normalize_embedding = False
    spec: Any = BartLoader().get_model_spec(model)
    spec.config.bos_token = names[BOS]
    spec.config.eos_token = names[EOS]
    spec.config.unk_token = names[UNK]
    spec.config.decoder_start_token = names[BOS]
    spec.register_source_vocabulary(list(names))
    spec.register_target_vocabulary(list(names))
    spec.validate()
    spec.optimize()
    spec.save(str(folder))

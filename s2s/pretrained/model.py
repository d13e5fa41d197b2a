"""A published model from its folder: our config, the weights, and what it says about decoding."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from torch import Tensor

from s2s.config import ModelConfig, SpecialIds, UserError
from s2s.pretrained import generation
from s2s.pretrained.families import family_of
from s2s.pretrained.family import Family, Json, special_ids
from s2s.pretrained.files import read_json, read_tensors
from s2s.pretrained.weights import Weights, fit
from s2s.tokenizers import generation_settings

CONFIG = "config.json"
GENERATION = "generation_config.json"
LENGTHS = ("max_position_embeddings", "n_positions")
LONGEST = 512  # tokens, where nothing is said


@dataclass(frozen=True)
class PublishedModel:
    """A published model and its weights, in float32, by our names."""

    family: Family
    config: ModelConfig
    src_vocab_size: int
    tgt_vocab_size: int
    tensors: Mapping[str, Tensor]
    longest: int  # tokens of the longest source or target it was made for
    settings: Mapping[str, Any]  # of decoding: the starting values
    notes: tuple[str, ...] = ()  # sentences on generation settings that were left out


def read_model(folder: Path) -> PublishedModel:
    """The model in a folder of a Hugging Face checkpoint.

    Raises UserError for a model that is not opened, for files that are missing or broken, and for a tensor that does
    not fit.
    """
    config = read_config(folder)
    family = family_of(config)
    ids = read_ids(folder)
    given, notes = _given(folder, config)
    with naming(CONFIG):
        settings = generation.settings(given)
        longest = operator.index(next((config[key] for key in LENGTHS if config.get(key)), LONGEST))
        model_config = replace(family.config(config), ids=ids)
    weights = fit(family, config, model_config, read_tensors(folder))
    _check_ids(ids, weights)
    sizes = (weights.src_vocab_size, weights.tgt_vocab_size)
    return PublishedModel(family, weights.config, *sizes, weights.tensors, longest, settings, notes)


def read_config(folder: Path) -> dict[str, Any]:
    """The contents of config.json. Raises UserError where it is missing or broken."""
    return read_json(folder, CONFIG)


def read_ids(folder: Path) -> SpecialIds:
    """The special ids by config.json and generation_config.json. Raises UserError as `read_model` does."""
    given, _ = _given(folder, read_config(folder))
    with naming(CONFIG):
        return special_ids(given)


def _given(folder: Path, config: Json) -> tuple[Json, tuple[str, ...]]:
    own = read_json(folder, GENERATION) if (folder / GENERATION).exists() else None
    size = config.get("decoder_vocab_size") or config.get("vocab_size")
    with naming(CONFIG):
        given = generation_settings(config, own)
        found, notes = generation.checked(given, size if type(size) is int else None)
        lacking = () if own is None else generation.lacking(own, given)
    return found, (*lacking, *notes)


@contextlib.contextmanager
def naming(file: str) -> Iterator[None]:
    """Within this context, errors about a missing or malformed setting name the file."""
    try:
        yield
    except KeyError as error:
        raise UserError(f"{file} does not say `{error.args[0]}`; give a complete one.") from error
    except (TypeError, AttributeError, IndexError) as error:
        raise UserError(
            f"{file} has a setting of the wrong kind ({error}); give the original one."
        ) from error


def _check_ids(ids: SpecialIds, weights: Weights) -> None:
    size = min(weights.src_vocab_size, weights.tgt_vocab_size)
    every = (ids.pad, ids.start, ids.eos, ids.tgt_first)
    given = [id for id in every if id is not None and id >= size]
    suppressed = (*chain(*ids.suppressed_sequences), *ids.suppressed_first_ids)
    given += [id for id in suppressed if id >= weights.tgt_vocab_size]
    if given:
        raise UserError(
            f"The special id {given[0]} has no row among the {size:,} of the embedding; give the files that belong"
            " together."
        )

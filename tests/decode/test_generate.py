"""Greedy and beam search write what `generate` of transformers writes, with the same scores, for the same weights."""

import functools
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import GenerationConfig, PreTrainedModel

from s2s.decode import ID_CODEC, SearchResult, configure
from s2s.model.fast.stepper import stepper_for
from s2s.model.transformer import Transformer, inference
from tests.model.test_families import FAMILIES, MARIAN_IDS, VOCAB, copied, make_theirs

N_SOURCES = 40
LIMIT = 12
PENALTIES: tuple[dict[str, Any], ...] = (
    {},
    {"repetition_penalty": 1.7},
    {"repetition_penalty": 0.6},
    {"no_repeat_ngram_size": 1},
    {"no_repeat_ngram_size": 2},
    {"encoder_no_repeat_ngram_size": 1, "max_new_tokens": 7},
    {"bad_words": "7,30,12 4,9 9 9"},
    {"min_new_tokens": 5},
    {
        "min_new_tokens": 3,
        "repetition_penalty": 1.2,
        "no_repeat_ngram_size": 2,
        "encoder_no_repeat_ngram_size": 3,
        "bad_words": "5",
    },
)
BEAMS: tuple[dict[str, Any], ...] = tuple(
    {"early_stopping": mode, "length_penalty": penalty}
    for mode in (True, False, "never")
    for penalty in (1.0, -0.8, 2.5)
)


@functools.cache
def models() -> tuple[Transformer, PreTrainedModel]:
    """In double precision, so that rounding decides nothing."""
    config, their_config = FAMILIES["marian"]
    theirs = make_theirs(their_config, is_tied=config.output.tied)
    theirs.generation_config.forced_eos_token_id = None
    with torch.no_grad():
        scale = theirs.model.decoder.layers[-1].final_layer_norm.weight
        scale.mul_(
            torch.tensor([1.0, -1.0]).repeat(len(scale) // 2)
        )  # else the tied table writes the word it has read again and again
        theirs.final_logits_bias[0, MARIAN_IDS.eos] = 3.5  # so that targets end, at many lengths
        theirs.final_logits_bias[
            0, MARIAN_IDS.pad
        ] = -1e4  # theirs may write padding, which nobody wants
    return copied(config, theirs).double(), theirs.double()


@functools.cache
def sources() -> Tensor:
    """(40, 12), of 2 to 12 tokens with eos, padded at the end; so that a batch holds many lengths."""
    generator = torch.Generator().manual_seed(11)
    rows = torch.full((N_SOURCES, 12), MARIAN_IDS.pad)
    for row in rows:
        length = int(torch.randint(1, 12, (), generator=generator))
        row[:length] = torch.randint(3, VOCAB - 1, (length,), generator=generator)
        row[length] = MARIAN_IDS.eos
    return rows


def ours(strategy: str, settings: dict[str, Any]) -> list[SearchResult]:
    search, config = configure(strategy, {"max_new_tokens": LIMIT} | settings)
    with inference(models()[0]):
        return search(stepper_for(models()[0], sources()), config, ID_CODEC)


def theirs(settings: dict[str, Any]) -> Any:
    settings = {"max_new_tokens": LIMIT} | settings
    words = settings.pop("bad_words", "")
    if words:
        settings["bad_words_ids"] = [
            [int(part) for part in word.split()] for word in words.split(",")
        ]
    ids = {
        "pad_token_id": MARIAN_IDS.pad,
        "eos_token_id": MARIAN_IDS.eos,
        "decoder_start_token_id": MARIAN_IDS.start,
    }
    config = GenerationConfig(
        **ids,
        **settings,
        do_sample=False,
        return_dict_in_generate=True,
        output_logits=True,
        output_scores=True,
    )
    src = sources()
    with torch.inference_mode():
        return models()[1].generate(
            src, attention_mask=src.ne(MARIAN_IDS.pad), generation_config=config
        )


def written(row: Tensor) -> tuple[int, ...]:
    """Without the start and what fills the row after the end."""
    ids = row[1:].tolist()
    end = ids.index(MARIAN_IDS.eos) + 1 if MARIAN_IDS.eos in ids else len(ids)
    return tuple(ids[:end])


@pytest.mark.parametrize("rules", PENALTIES, ids=str)
def test_greedy_writes_what_generate_writes(rules: dict[str, Any]) -> None:
    found = ours("greedy", rules)
    expected = theirs(rules)
    log_probs = torch.stack(expected.logits, 1).log_softmax(-1)  # (sources, steps, vocab)
    for row, one in enumerate(found):
        ids = written(expected.sequences[row])
        assert one.best.ids == ids
        values = log_probs[row, torch.arange(len(ids)), torch.tensor(ids)]
        assert one.best.token_log_probs == pytest.approx(values.tolist(), abs=1e-4)


def test_some_targets_end_and_some_are_cut() -> None:
    assert {len(one.best.ids) for one in ours("greedy", {})} >= {2, 5, LIMIT}


def same_beams(settings: dict[str, Any]) -> None:
    width = settings["num_beams"]
    found = ours("beam", settings)
    expected = theirs(settings | {"num_return_sequences": width})
    for row, one in enumerate(found):
        rows = range(row * width, (row + 1) * width)
        assert [hypothesis.ids for hypothesis in one.hypotheses] == [
            written(expected.sequences[place]) for place in rows
        ]
        assert [hypothesis.score for hypothesis in one.hypotheses] == pytest.approx(
            expected.sequences_scores[rows].tolist(), abs=1e-4
        )


@pytest.mark.parametrize("stopping", BEAMS, ids=str)
def test_beam_search_writes_what_generate_writes(stopping: dict[str, Any]) -> None:
    same_beams({"num_beams": 5} | stopping)


@pytest.mark.parametrize(
    ("rules", "mode"),
    [(rules, (True, False, "never")[place % 3]) for place, rules in enumerate(PENALTIES[1:])],
    ids=str,
)
def test_beam_search_obeys_the_rules_as_generate_does(
    rules: dict[str, Any], mode: bool | str
) -> None:
    same_beams({"num_beams": 3, "early_stopping": mode, "length_penalty": 0.7} | rules)

"""Hidden states of many sentences, and the logit lens on them. Knows nothing of screens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch

from s2s.analysis import (
    LogitLens,
    States,
    WordStates,
    apply_logit_lens,
    recorded_states,
    word_states,
)
from s2s.model import masks
from s2s.runs.run import ROWS, Run, Target


class SentenceStates(NamedTuple):
    """Encoder states of one source, averaged per word: (n_layers + 1, words, d_model)."""

    number: int  # its index in the sources
    words: WordStates


def sentence_states(run: Run, sources: Sequence[str]) -> Iterator[SentenceStates]:
    """Every source through the encoder, the shortest first; those that the model has no positions for, or without a
    word, are left out.

    A batch at a time, so that whoever keeps one layer never holds them all, and the model is held for moments only.
    """
    special = run.recipe.model.ids
    tokenizer = run.src_tokenizer
    ids = [special.source(row) for row in tokenizer.encode_many(sources)]
    fitting = (
        number
        for number, row in enumerate(ids)
        if 1 < len(row) <= (max_source_length(run) or len(row))
    )
    order = sorted(fitting, key=lambda number: len(ids[number]))
    for start in range(0, len(order), ROWS):
        rows = order[start : start + ROWS]
        width = len(ids[rows[-1]])
        src = torch.tensor(
            [ids[row] + [special.pad] * (width - len(ids[row])) for row in rows],
            device=run.model.device,
        )
        with recorded_states(run.model) as streams:
            run.model.encoder(src, masks.padding(src, special.pad))
            # (batch, n_layers + 1, width, d_model)
            vectors = torch.stack(streams.encoder, 1).float().cpu().numpy()
        for row, states in zip(rows, vectors, strict=True):
            words = word_states(
                states[:, : len(ids[row])],
                tokenizer.tokens(ids[row]),
                is_whole=has_word_tokens(run),
            )
            if words.words:
                yield SentenceStates(row, words)


def words_of(run: Run, states: States) -> WordStates:
    """Encoder states of one sentence, averaged per word: (n_layers + 1, words, d_model)."""
    return word_states(states.encoder, states.src_tokens, is_whole=has_word_tokens(run))


def logit_lens(run: Run, states: States, target: Target, n: int = 5) -> LogitLens:
    """The logit lens on the states of a target; token ids are those of `run.tgt_tokenizer`."""
    written = run.target_ids(target)
    return apply_logit_lens(
        run.model, torch.from_numpy(states.decoder).to(run.model.device), written, n
    )


def has_word_tokens(run: Run) -> bool:
    """Whether every source token is a whole word."""
    return run.src_tokenizer.kind == "word"


def max_source_length(run: Run) -> int | None:
    """The most tokens that a source may have, `</s>` included; None if the model sets no limit."""
    return run.recipe.model.positions.longest

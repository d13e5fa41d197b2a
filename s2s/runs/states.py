"""Hidden states of many sentences, and the logit lens on them. Knows nothing of screens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch

from s2s.analysis import (
    Floats,
    Index,
    LogitLens,
    States,
    Vectors,
    WordStates,
    apply_logit_lens,
    baseline_cosines,
    cosines,
    recorded_states,
    word_states,
)
from s2s.model import masks
from s2s.runs.run import ROWS, Run, Target

# In the vectors of all layers, 48 MB; a large model searches fewer sentences.
MAX_NUMBERS = 12_000_000
BASELINE_SENTENCES = 200  # their words stand for any words
MAX_OCCURRENCES = 40  # sentences with the same word after the same word


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


@dataclass(frozen=True)
class StateIndex:
    """The encoder's states of many sentences, one index per layer (0: the embeddings): of every word and of every
    sentence.
    """

    words: Sequence[Index]
    sentences: Sequence[Index]
    positions: Sequence[tuple[int, str]]  # per row of `words`: position in its sentence, and word
    numbers: Sequence[int]  # per text of both indices: its index in the sources


def state_index(run: Run, sources: Sequence[str]) -> StateIndex:
    """Read the sources with the encoder, the shortest first, and at most MAX_NUMBERS numbers of its states."""
    vectors: list[Vectors] = []  # per text: (n_layers + 1, words, d_model)
    numbers: list[int] = []
    positions: list[tuple[int, str]] = []
    n_left = MAX_NUMBERS
    for number, words in sentence_states(run, sources):
        vectors.append(words.vectors)
        numbers.append(number)
        positions += enumerate(words.words)
        n_left -= words.vectors.size
        if n_left < 0:
            break
    layers = range(run.recipe.model.encoder.n_layers + 1 if vectors else 0)
    return StateIndex(
        words=[Index.of([text[layer] for text in vectors]) for layer in layers],
        sentences=[
            Index.of([text[layer].mean(0, keepdims=True) for text in vectors]) for layer in layers
        ],
        positions=positions,
        numbers=numbers,
    )


def baseline(run: Run, sources: Sequence[str]) -> Floats:
    """Mean cosine of any two words of different sentences, (n_layers + 1,); NaN without two sentences.

    Some BASELINE_SENTENCES of the sources stand for all.
    """
    some = sources[:: max(1, len(sources) // BASELINE_SENTENCES)][:BASELINE_SENTENCES]
    vectors = [words.vectors for _, words in sentence_states(run, some)]
    if not vectors:
        return np.full(run.recipe.model.encoder.n_layers + 1, np.nan)
    return baseline_cosines(vectors)


@dataclass(frozen=True)
class SameContext:
    """A word compared with the same word after the same word in other sentences."""

    mean: Floats  # (n_layers + 1,) mean cosine; NaN without such a sentence
    n: int  # such sentences, at most MAX_OCCURRENCES


def same_context(run: Run, source: str, position: int, sources: Sequence[str]) -> SameContext:
    """Compares the word at a position, from 0, of a readable sentence with the same word and context in `sources`."""
    ((_, own),) = sentence_states(run, [source])
    bigram = _bigram(own.words, position)
    wanted = " ".join(bigram).strip()
    texts = [other for other in sources if other != source and wanted in other]
    found: dict[int, Vectors] = {}
    for number, words in sentence_states(run, texts[: 4 * MAX_OCCURRENCES]):
        positions = range(len(words.words))
        same = next((at for at in positions if _bigram(words.words, at) == bigram), None)
        if same is not None:
            found[number] = words.vectors[:, same]
    similar = [
        cosines(own.vectors[:, position], found[number])
        for number in sorted(found)[:MAX_OCCURRENCES]
    ]
    mean = np.mean(similar, 0) if similar else np.full(len(own.vectors), np.nan)
    return SameContext(mean, len(similar))


def _bigram(words: Sequence[str], position: int) -> tuple[str, str]:
    return (words[position - 1] if position else "", words[position])

"""Greedy and beam search over a Stepper."""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor

from s2s.config import Config, UserError, knob
from s2s.decode.stepper import Found, Hypothesis, Kept, Stepper

NO_LIMIT = 256  # tokens, where neither the settings nor the model say how long


@dataclass(frozen=True)
class Greedy(Config):
    """Settings of greedy search."""

    max_new_tokens: int | None = knob(None, 1, 4096, help="Most tokens to write, `</s>` included; empty takes the run's limit.")


@dataclass(frozen=True)
class Beam(Config):
    """Settings of beam search."""

    num_beams: int = knob(5, 1, 100, help="Prefixes kept at each step.")
    length_penalty: float = knob(1.0, -5.0, 5.0, help="score = log_prob / length ** length_penalty; above 0 favours longer targets.")
    early_stopping: bool | str = knob(
        False,
        help="true: stop at num_beams finished; false: when no running prefix scores better now; never: when none ever can.",
        choices=("never",),
    )
    max_new_tokens: int | None = knob(None, 1, 4096, help="Most tokens to write, `</s>` included; empty takes the run's limit.")


def limit(stepper: Stepper, max_new_tokens: int | None) -> int:
    """How many tokens may be written; raises UserError where the model has no positions for so many."""
    if max_new_tokens is not None and stepper.max_length is not None and max_new_tokens > stepper.max_length:
        raise UserError(
            f"`max_new_tokens` {max_new_tokens} is more than this model's {stepper.max_length} positions;"
            f" give at most {stepper.max_length}."
        )
    return max_new_tokens or stepper.max_length or NO_LIMIT


@torch.inference_mode()
def greedy(stepper: Stepper, config: Greedy) -> list[Found]:
    """The most probable token at each step; ties go to the lower id. One hypothesis a source."""
    written: list[list[tuple[int, float]]] = [[] for _ in range(stepper.n_rows)]
    alive = list(range(stepper.n_rows))
    tokens: Tensor | None = None
    for _ in range(limit(stepper, config.max_new_tokens)):
        log_probs = stepper.step(_starts(stepper) if tokens is None else tokens)
        best, tokens = log_probs.max(-1)
        for sentence, token, value in zip(alive, tokens.tolist(), best.tolist(), strict=True):
            written[sentence].append((token, value))
        going = tokens.ne(stepper.eos_id).nonzero().flatten()
        if len(going) < len(alive):
            alive = [alive[row] for row in going.tolist()]
            if not alive:
                break
            stepper.reorder(going)
            tokens = tokens[going]
    return [_greedy_found(steps, stepper.eos_id) for steps in written]


def _greedy_found(steps: list[tuple[int, float]], eos_id: int) -> Found:
    ids, values = tuple(token for token, _ in steps), tuple(value for _, value in steps)
    totals = itertools.accumulate(values)
    records = tuple((Kept(0, token, total, token == eos_id),) for token, total in zip(ids, totals, strict=True))
    return Found((Hypothesis(ids, values, sum(values)),), records)


def _starts(stepper: Stepper) -> Tensor:
    return torch.full((stepper.n_rows,), stepper.start_id)


@dataclass
class _Sentence:
    """The bookkeeping of one source: its running prefixes and its finished hypotheses."""

    config: Beam
    limit: int
    prefixes: list[list[tuple[int, float]]]
    finished: list[tuple[float, int, Hypothesis]] = field(default_factory=list)  # a heap, worst first; of equal ones the latest
    n_finished: int = 0
    records: list[tuple[Kept, ...]] = field(default_factory=list)

    def score(self, log_prob: float, length: int) -> float:
        """log_prob / length ** length_penalty, `</s>` counted; what `generate` of transformers ranks by."""
        return float(log_prob / length**self.config.length_penalty)

    def finish(self, prefix: list[tuple[int, float]]) -> None:
        """Remember a hypothesis; only the best num_beams stay."""
        values = tuple(value for _, value in prefix)
        found = Hypothesis(tuple(token for token, _ in prefix), values, self.score(sum(values), len(prefix)))
        self.n_finished += 1
        heapq.heappush(self.finished, (found.score, -self.n_finished, found))
        if len(self.finished) > self.config.num_beams:
            heapq.heappop(self.finished)

    def is_done(self, best_running: float, length: int) -> bool:
        """Whether the search may stop, given the log-probability of the best running prefix."""
        if length >= self.limit or best_running == float("-inf"):
            return True
        if len(self.finished) < self.config.num_beams:
            return False
        if self.config.early_stopping is True:
            return True
        reach = self.limit if self.config.early_stopping == "never" and self.config.length_penalty > 0 else length
        return self.score(best_running, reach) <= self.finished[0][0]

    def found(self) -> Found:
        """Best first; prefixes that the limit cut stand in only where nothing was finished."""
        if not self.finished:
            for prefix in self.prefixes:
                self.finish(prefix)
        ranked = sorted(self.finished, key=lambda entry: entry[:2], reverse=True)
        return Found(tuple(hypothesis for _, _, hypothesis in ranked), tuple(self.records))


@torch.inference_mode()
def beam(stepper: Stepper, config: Beam) -> list[Found]:
    """The num_beams most probable prefixes of each source at each step; finished ones are ranked by score."""
    width, longest = config.num_beams, limit(stepper, config.max_new_tokens)
    sentences = [_Sentence(config, longest, [[] for _ in range(width)]) for _ in range(stepper.n_rows)]
    alive, tokens = list(sentences), _starts(stepper)
    running: Tensor | None = None  # (alive, width), log-probability of each prefix
    while alive:
        log_probs = stepper.step(tokens)
        # At first all prefixes are the same one: (alive, vocab). Then (alive, width, vocab) -> (alive, width * vocab).
        totals = log_probs if running is None else (running[..., None] + log_probs.view(*running.shape, -1)).flatten(1)
        vocab = log_probs.shape[-1]
        values, places = totals.topk(min(2 * width, totals.shape[1]))  # twice as many, so that width remain beside finished ones
        parents, nexts = places // vocab, places % vocab
        is_eos = nexts.eq(stepper.eos_id)
        running, chosen = _pad(values.masked_fill(is_eos, float("-inf")), width).topk(width)
        for row, sentence in enumerate(alive):
            candidates = _Candidates(parents[row].tolist(), nexts[row].tolist(), values[row].tolist())
            _advance(sentence, candidates, chosen[row].tolist(), stepper.eos_id)
        going = [row for row, s in enumerate(alive) if not s.is_done(float(running[row, 0]), len(s.records))]
        kept = torch.tensor(going, dtype=torch.long, device=values.device)
        chosen = chosen[kept].clamp(max=values.shape[1] - 1)
        n_before = len(tokens) // len(alive)
        rows = parents[kept].gather(1, chosen) + kept[:, None] * n_before  # (going, width)
        tokens, running = nexts[kept].gather(1, chosen).flatten(), running[kept]
        alive = [alive[row] for row in going]
        if alive:
            stepper.reorder(rows.flatten())
    return [sentence.found() for sentence in sentences]


def _pad(values: Tensor, width: int) -> Tensor:
    """At least `width` columns, for vocabularies smaller than the beam."""
    missing = width - values.shape[1]
    return values if missing <= 0 else torch.nn.functional.pad(values, (0, missing), value=float("-inf"))


class _Candidates(NamedTuple):
    """One sentence's best continuations, best first: which prefix, with what token, and the log-probability together."""

    parents: list[int]
    tokens: list[int]
    totals: list[float]


def _advance(sentence: _Sentence, candidates: _Candidates, chosen: list[int], eos_id: int) -> None:
    """Finish what ends among the best num_beams candidates, and carry on with the chosen ones."""
    parents, tokens, totals = candidates
    before = sentence.prefixes
    possible = [rank for rank, total in enumerate(totals) if total > float("-inf")]

    def grown(rank: int) -> list[tuple[int, float]]:
        prefix = before[parents[rank]]
        return [*prefix, (tokens[rank], totals[rank] - sum(value for _, value in prefix))]

    ending = [rank for rank in possible if tokens[rank] == eos_id and rank < sentence.config.num_beams]
    going = [rank for rank in chosen if rank in possible and tokens[rank] != eos_id]
    sentence.prefixes = [grown(rank) for rank in going]
    for rank in ending:
        sentence.finish(grown(rank))
    sentence.records.append(tuple(Kept(parents[rank], tokens[rank], totals[rank], tokens[rank] == eos_id) for rank in ending + going))

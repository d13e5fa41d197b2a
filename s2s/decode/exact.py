"""Exact search: is there a target that the model finds more probable than a given one?

A prefix is never less probable than any target that begins with it. So only prefixes more probable than the given
target can lead to a better one, and at each step there are fewer of these than 1 / its probability: fewer than 100
where that is 1 % (Stahlberg & Byrne 2019, section 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from s2s.decode.numerics import NEG_INF, logsumexp
from s2s.decode.prefixes import Prefixes, start
from s2s.decode.processors import GenerationConfig, LogitsProcessors
from s2s.decode.results import Hypothesis
from s2s.decode.stepper import ID_CODEC, Stepper, TextCodec

MOST_ROWS = 1024  # prefixes of all sources together
MOST_LOGITS = 2**23  # numbers of a step, where the vocabulary is large


@dataclass(frozen=True)
class ExactResult:
    """What exact search found: `best` is the most probable finished target above the given log-probability, or None.

    `is_exact` is False where prefixes were pruned that may lead to a better one: then this was a wide beam search.
    """

    best: Hypothesis | None
    is_exact: bool


@torch.inference_mode()
def exact_search(
    stepper: Stepper,
    config: GenerationConfig,
    floors: Sequence[float],
    codec: TextCodec = ID_CODEC,
    *,
    most_rows: int = MOST_ROWS,
) -> list[ExactResult]:
    """For each source, the most probable target whose log-probability is above its floor, in nats.

    Targets obey the settings that all strategies share; what these rank by does not matter. Only `most_rows` prefixes
    are kept, the most probable of each source.
    """
    processors = LogitsProcessors(config, stepper, codec)
    search = _Search(stepper, processors, floors, most_rows)
    while search.advance():
        pass
    return search.results()


class _Search:
    """The live prefixes of all sources, those of a source adjacent, and the best target found for each source."""

    def __init__(
        self,
        stepper: Stepper,
        processors: LogitsProcessors,
        floors: Sequence[float],
        most_rows: int,
    ) -> None:
        self.stepper = stepper
        self.processors = processors
        self.most_rows = most_rows
        self.prefixes: Prefixes = start(stepper, processors)
        self.sources = torch.arange(stepper.n_rows)  # (rows,), of each row
        self.floors = torch.tensor(
            floors, dtype=torch.float64
        )  # (sources,), rise with what is found
        self.found: list[Hypothesis | None] = [None] * stepper.n_rows
        self.pruned = [NEG_INF] * stepper.n_rows  # the most probable pruned prefix of each source

    def advance(self) -> bool:
        """Append one token; returns whether any prefix is left that can still lead to a better target."""
        logits = self.stepper.step(self.prefixes.last).cpu()  # (rows, vocab)
        log_probs = self._allowed(logits)
        totals = self.prefixes.log_probs.double().sum(1, keepdim=True) + log_probs  # (rows, vocab)
        self._finish(totals[:, self.stepper.eos_id], log_probs[:, self.stepper.eos_id])
        totals[:, self.stepper.eos_id] = NEG_INF
        rows, tokens = (totals > self.floors[self.sources][:, None]).nonzero(as_tuple=True)
        if not len(rows) or self.prefixes.length + 1 >= self.processors.limit:
            return False
        if len(rows) > (most := min(self.most_rows, max(1, MOST_LOGITS // totals.shape[1]))):
            kept = self._most_probable(totals[rows, tokens], self.sources[rows], most)
            rows, tokens = rows[kept], tokens[kept]
        self.prefixes = self.prefixes.take(rows).append(tokens, log_probs[rows, tokens])
        self.sources = self.sources[rows]
        self.stepper.reorder(rows)
        return True

    def results(self) -> list[ExactResult]:
        """One result per source."""
        floors = self.floors.tolist()
        return [
            ExactResult(best, pruned <= floor)
            for best, pruned, floor in zip(self.found, self.pruned, floors, strict=True)
        ]

    def _allowed(self, logits: Tensor) -> Tensor:
        """The model's own log-probabilities (rows, vocab), -inf for tokens that the settings forbid."""
        log_probs = logits - logsumexp(logits)
        if self.processors.is_idle:
            return log_probs
        scores = self.processors.apply(logits, self.prefixes.ids, self.sources.tolist())
        return log_probs.masked_fill(scores.eq(NEG_INF), NEG_INF)

    def _finish(self, totals: Tensor, log_probs: Tensor) -> None:
        """Keep the best target of each source that ends now; `totals` and `log_probs` of `</s>`, (rows,) both."""
        for row in (totals > self.floors[self.sources]).nonzero()[:, 0].tolist():
            source = int(self.sources[row])
            if totals[row] > self.floors[source]:
                self.floors[source] = totals[row]
                token = torch.tensor([self.stepper.eos_id])
                ended = self.prefixes.take(torch.tensor([row])).append(
                    token, log_probs[row : row + 1]
                )
                self.found[source] = ended.hypothesis(0)

    def _most_probable(self, totals: Tensor, sources: Tensor, most: int) -> Tensor:
        """Which candidates stay, in their order: equally many of each source that has too many."""
        numbers = sorted({*sources.tolist()})
        share = max(1, most // len(numbers))
        kept = []
        for source in numbers:
            own = (sources == source).nonzero()[:, 0]
            if len(own) > share:
                best = totals[own].topk(share + 1)
                self.pruned[source] = max(self.pruned[source], float(best.values[-1]))
                own = own[best.indices[:-1]].sort().values
            kept.append(own)
        return torch.cat(kept)

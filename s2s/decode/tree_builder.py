"""Builds the search tree of one source: the record of its search, replayed on the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import torch
from torch import Tensor

from s2s.decode.beam import Beam, Candidates, LiveBeams, most_probable
from s2s.decode.greedy import Greedy
from s2s.decode.numerics import NEG_INF, logsumexp, topk
from s2s.decode.prefixes import Prefixes
from s2s.decode.processors import GenerationConfig, LogitsProcessors
from s2s.decode.results import StepRecord
from s2s.decode.stepper import ID_CODEC, Stepper, TextCodec
from s2s.decode.tree import FINISHED, KEPT, PRUNED, Ids, NextToken, SearchNode, SearchTree
from s2s.decode.tree_outcome import judged

N_NEXT = 10  # next tokens that are remembered of each prefix
N_GREEDY = 5  # candidates that greedy search is said to have chosen from


@torch.inference_mode()
def build_tree(
    stepper: Stepper,
    config: GenerationConfig,
    steps: Sequence[Sequence[StepRecord]],
    returned: Sequence[tuple[Ids, float]],
    *,
    codec: TextCodec = ID_CODEC,
) -> SearchTree:
    """The tree of a search over one source, from its steps and from what it returned: ids and scores, best first.

    For beam and greedy search the candidates that were pruned are computed again, too.
    """
    processors = LogitsProcessors(config, stepper, codec)
    replay = _Replay(stepper, processors)
    for records in steps:
        replay.step(records)
    return judged(replay.tree(), processors, returned)


# Processors, logits (rows, vocab), their logsumexp (rows, 1), the live prefixes -> the candidates that the search
# compared, best first.
FindCandidates = Callable[[LogitsProcessors, Tensor, Tensor, LiveBeams], Candidates]


def _of_beam(
    processors: LogitsProcessors, logits: Tensor, log_sums: Tensor, live: LiveBeams
) -> Candidates:
    propose = most_probable(processors)
    return propose(logits, log_sums, live, 2 * processors.config.width)


def _of_greedy(
    processors: LogitsProcessors, logits: Tensor, log_sums: Tensor, live: LiveBeams
) -> Candidates:
    """Greedy search's candidates, ordered by the processed logits; the totals are the model's own."""
    scores = logits
    if not processors.is_idle:
        scores = processors.apply(logits.clone(), live.prefixes.ids, live.source_of_rows)
    values, tokens = topk(scores, N_GREEDY)  # (1, n) both
    totals = live.totals + logits.gather(1, tokens) - log_sums
    totals = totals.masked_fill(values.eq(NEG_INF), NEG_INF)
    return Candidates(totals, torch.zeros_like(tokens), tokens)


CANDIDATES: Mapping[type[GenerationConfig], FindCandidates] = MappingProxyType(
    {Beam: _of_beam, Greedy: _of_greedy}
)


class _Replay:
    """The nodes so far; the rows of the stepper are the live prefixes."""

    def __init__(self, stepper: Stepper, processors: LogitsProcessors) -> None:
        self.stepper = stepper
        self.processors = processors
        self.find_candidates = CANDIDATES.get(type(processors.config))
        self.nodes = [SearchNode(-1, 0, -1, 0.0, 0.0, KEPT, is_best=True)]
        self.index_of: dict[tuple[int, int], int] = {}  # parent and token -> node
        self.next_tokens: dict[int, list[tuple[int, float]]] = {}
        self.live = [0]  # the node of each row
        self.prefixes = Prefixes(torch.full((1, 1), stepper.start_id), torch.zeros(1, 0))

    def step(self, records: Sequence[StepRecord]) -> None:
        """Replay one step: one more token per prefix."""
        logits = self.stepper.step(self.prefixes.last).cpu()  # (rows, vocab)
        log_sums = logsumexp(logits)  # (rows, 1)
        self._note_next_tokens(logits, log_sums)
        candidates = self._candidates(logits, log_sums)
        ranks = {(row, token): rank for rank, (row, token, _) in enumerate(candidates, 1)}
        parents = [record.parent for record in records]
        tokens = torch.tensor([[record.token] for record in records])
        # `log_sums` are older than what the candidates have banned
        own = (logits[parents].gather(1, tokens) - log_sums[parents])[:, 0]  # (records,)
        log_probs = self.processors.own(own, self.prefixes.length)
        indices = []
        for record, log_prob in zip(records, log_probs.tolist(), strict=True):
            rank = ranks.get((record.parent, record.token))
            indices.append(self._add(record, log_prob, rank))
        for rank, (row, token, total) in enumerate(candidates, 1):
            if (self.live[row], token) not in self.index_of:
                log_prob = float(logits[row, token] - log_sums[row, 0])
                self._prune(row, token, total, rank=rank, log_prob=log_prob)
        self._follow(records, indices, log_probs)

    def tree(self) -> SearchTree:
        """The tree that was replayed, before anybody says what became of its nodes."""
        next_tokens = {}
        for index, pairs in self.next_tokens.items():
            next_tokens[index] = tuple(
                NextToken(token, log_prob, self.index_of.get((index, token)))
                for token, log_prob in pairs
            )
        is_complete = self.find_candidates is not None
        return SearchTree(tuple(self.nodes), MappingProxyType(next_tokens), is_complete)

    def _note_next_tokens(self, logits: Tensor, log_sums: Tensor) -> None:
        """The most probable next tokens of every live prefix."""
        values, tokens = topk(logits, N_NEXT)  # (rows, n) both
        every_log_prob = (values - log_sums).tolist()
        for index, ids, log_probs in zip(self.live, tokens.tolist(), every_log_prob, strict=True):
            self.next_tokens.setdefault(index, list(zip(ids, log_probs, strict=True)))

    def _candidates(self, logits: Tensor, log_sums: Tensor) -> list[tuple[int, int, float]]:
        """Row, token and total of each, best first; none where they are not known, or the prefix is forced."""
        if self.find_candidates is None or self.prefixes.length < len(self.processors.prefix):
            return []
        totals = torch.tensor([[self.nodes[index].total for index in self.live]])  # (1, rows)
        live = LiveBeams([0], totals, self.prefixes, torch.arange(len(self.live)))
        found = self.find_candidates(self.processors, logits, log_sums, live)
        columns = (part[0].tolist() for part in (found.parents, found.tokens, found.totals))
        return [
            (row, token, total)
            for row, token, total in zip(*columns, strict=True)
            if total > NEG_INF
        ]

    def _add(self, record: StepRecord, log_prob: float, rank: int | None) -> int:
        """The index of the record's node, which may be there already; `log_prob` is the token's own."""
        parent = self.live[record.parent]
        index = self.index_of.setdefault((parent, record.token), len(self.nodes))
        if index < len(self.nodes):
            node = self.nodes[index]
            self.nodes[index] = replace(node, count=node.count + 1)
            return index
        step = self.prefixes.length + 1
        log_prob += self.nodes[parent].log_prob
        state = FINISHED if record.is_finished else KEPT
        self.nodes.append(
            SearchNode(parent, step, record.token, log_prob, record.total, state, rank)
        )
        return index

    def _prune(self, row: int, token: int, total: float, *, rank: int, log_prob: float) -> None:
        """A node of a candidate that was not kept; `log_prob` is the token's own."""
        parent = self.live[row]
        self.index_of[parent, token] = len(self.nodes)
        step = self.prefixes.length + 1
        log_prob += self.nodes[parent].log_prob
        self.nodes.append(SearchNode(parent, step, token, log_prob, total, PRUNED, rank))

    def _follow(
        self, records: Sequence[StepRecord], indices: Sequence[int], log_probs: Tensor
    ) -> None:
        """Take what is not finished as the live prefixes."""
        kept = [i for i, record in enumerate(records) if not record.is_finished]
        rows = torch.tensor([records[i].parent for i in kept], dtype=torch.long)
        tokens = torch.tensor([records[i].token for i in kept], dtype=torch.long)
        self.prefixes = self.prefixes.take(rows).append(tokens, log_probs[kept])
        self.live = [indices[i] for i in kept]
        if kept:
            self.stepper.reorder(rows)

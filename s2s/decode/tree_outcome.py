"""What became of every node of a search tree, and why, in a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from s2s.decode.beam import BeamConfig
from s2s.decode.processors import LogitsProcessors
from s2s.decode.tree import FINISHED, KEPT, PRUNED, TRUNCATED, Ids, SearchNode, SearchTree


def judged(
    tree: SearchTree, processors: LogitsProcessors, returned: Sequence[tuple[Ids, float]]
) -> SearchTree:
    """The tree with scores, final ranks and reasons; `returned` are the hypotheses' ids and scores, best first."""
    judge = _Judge(tree, processors, returned)
    path = {0, *tree.path(judge.best)}
    nodes = [
        replace(
            node,
            is_best=index in path,
            final_rank=judge.final_ranks.get(index),
            reason=judge.reason(index),
        )
        for index, node in enumerate(judge.tree.nodes)
    ]
    return replace(judge.tree, nodes=tuple(nodes))


class _Judge:
    """The finished hypotheses of a tree, ranked, and the reason of each node."""

    def __init__(
        self,
        tree: SearchTree,
        processors: LogitsProcessors,
        returned: Sequence[tuple[Ids, float]],
    ) -> None:
        self.config = processors.config
        self.eos_id = processors.eos_id
        self.limit = processors.limit
        self.n_forced = len(processors.prefix)
        self.n_first = int(processors.has_first)  # tokens that the model itself begins with
        self.width = self.config.width
        # Of equal ones the better: groups of beams may meet.
        self.returned = dict(reversed(returned))
        self.n_steps = tree.n_steps
        self.n_candidates = Counter(node.step for node in tree.nodes if node.rank)
        self.best = _ending_in(tree, returned[0][0]) if returned else 0
        nodes = (self._scored(tree, index) for index in range(len(tree.nodes)))
        self.tree = replace(tree, nodes=tuple(nodes))
        self.lowest_kept: dict[int, float] = {}  # total of each step
        for node in self.tree.nodes:
            if node.state in (KEPT, TRUNCATED):
                lowest = self.lowest_kept.get(node.step, node.total)
                self.lowest_kept[node.step] = min(node.total, lowest)
        scores = [(index, self.tree.nodes[index].score) for index in self.tree.finished]
        known = [(index, score) for index, score in scores if score is not None]
        self.ranking = sorted(known, key=lambda pair: pair[1], reverse=True)
        self.final_ranks = {index: rank for rank, (index, _) in enumerate(self.ranking, 1)}

    def _scored(self, tree: SearchTree, index: int) -> SearchNode:
        """The node with its score, if it ended; what the limit truncated becomes a hypothesis."""
        node = tree.nodes[index]
        if node.state == KEPT and node.step == self.limit and index:
            if node.rank:
                is_hypothesis = node.rank <= self.width
            else:
                is_beam = isinstance(self.config, BeamConfig)
                is_hypothesis = not is_beam or tree.ids(index) in self.returned
            if is_hypothesis:
                node = replace(node, state=TRUNCATED)
        if node.state not in (FINISHED, TRUNCATED):
            return node
        score = self.returned.get(tree.ids(index))
        if score is None and tree.is_complete and isinstance(self.config, BeamConfig):
            score = self.config.score(node.total, node.step)
        return replace(node, score=score)

    def reason(self, index: int) -> str:
        """Why a node was kept, pruned, finished or truncated."""
        node = self.tree.nodes[index]
        if not index:
            return "where every target begins"
        if node.step <= self.n_first:
            return "the model's first token"
        if node.step <= self.n_forced:
            return "given by `prefix`"
        if node.state == KEPT:
            return self._why_kept(node)
        if node.state == PRUNED:
            return self._why_pruned(node)
        return self._why_ended(index, node)

    def _why_kept(self, node: SearchNode) -> str:
        if not self.tree.is_complete:
            return "kept"
        kept = f"kept: {self._rank(node)}, {_nats(node.total)}"
        return f"{kept}; {self._why_stopped(node)}" if node.step == self.n_steps else kept

    def _why_stopped(self, node: SearchNode) -> str:
        """Why a node was not continued that was still live when the search stopped."""
        config = self.config
        stopped = "still live when the search stopped"
        if not isinstance(config, BeamConfig) or len(self.ranking) < self.width:
            return stopped
        if config.early_stopping is True:
            return f"{stopped}: {self.width} had finished, which is enough with early_stopping true"
        is_never = config.early_stopping == "never" and config.length_penalty > 0
        reachable = config.score(node.total, self.limit if is_never else node.step)
        score, last = _distinct(reachable, self.ranking[self.width - 1][1])
        scores = f"can score {score} at most" if is_never else f"scores {score} so far"
        return f"{stopped}: it {scores}, and {self._worst(last)}"

    def _worst(self, score: str) -> str:
        """Says the score of the last of the finished hypotheses that stay."""
        if self.width == 1:
            return f"the finished one has {score}"
        return f"the {_ordinal(self.width)} best finished one has {score}"

    def _why_pruned(self, node: SearchNode) -> str:
        rank = self._rank(node)
        if node.token == self.eos_id and self.width > 1:
            return f"would finish, but is {rank}: only the best {self.width} candidates may finish"
        if node.step not in self.lowest_kept:
            return f"{rank}: {_nats(node.total)}; the search ended with another"
        total, last = _distinct(node.total, self.lowest_kept[node.step])
        return f"{rank}: {total}; the last one kept has {last}"

    def _why_ended(self, index: int, node: SearchNode) -> str:
        ended = "finished"
        if node.state == TRUNCATED:
            ended = f"truncated at the limit of {self.limit} tokens"
        if node.score is None:
            return f"{ended}; not among those returned"
        rank = self.final_ranks[index]
        if isinstance(self.config, BeamConfig) and rank > self.width and self.tree.is_complete:
            score, last = _distinct(node.score, self.ranking[self.width - 1][1])
            return f"{ended} with score {score}, but {self.width} better ones displaced it: {self._worst(last)}"
        return f"{ended}: {_ordinal(rank)} of {len(self.ranking)} with score {_nats(node.score)}"

    def _rank(self, node: SearchNode) -> str:
        """`7th of 10 candidates`: beam search compares twice as many candidates as it keeps."""
        if not node.rank:
            return "kept"
        return f"{_ordinal(node.rank)} of {self.n_candidates[node.step]} candidates"


def _ending_in(tree: SearchTree, ids: Ids) -> int:
    """The node whose prefix is these ids; the root where there is none."""
    for index, node in enumerate(tree.nodes):
        if node.step == len(ids) and node.state != PRUNED and tree.ids(index) == ids:
            return index
    return 0


def _ordinal(number: int) -> str:
    """`1` -> `1st`."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    suffixes = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{suffixes.get(number % 10, 'th')}"


def _nats(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def _distinct(one: float, other: float) -> tuple[str, str]:
    """Both numbers as text, with as many digits as it takes to distinguish them."""
    digits = next((n for n in range(2, 6) if _nats(one, n) != _nats(other, n)), 2)
    return _nats(one, digits), _nats(other, digits)

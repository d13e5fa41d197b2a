"""The search tree: what a search kept at each step, what it pruned, and why.

Knows no text; tree_builder makes it from the record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from s2s.decode.beam import BeamConfig

Ids = tuple[int, ...]
KEPT = "kept"
PRUNED = "pruned"
FINISHED = "finished"
TRUNCATED = "truncated"  # a hypothesis that the length limit ended


@dataclass(frozen=True)
class SearchNode:
    """A prefix; its tokens are those on the path from the root."""

    parent: int  # its index among the nodes; -1 for the root
    step: int  # number of tokens
    token: int
    log_prob: float  # of the whole prefix, the model's own, nats
    total: float  # the same as the strategy counts it, by which it ranks live prefixes
    state: str
    # Among the candidates of its step, 1 the best; None where they are not known.
    rank: int | None = None
    score: float | None = None  # what finished ones are ranked by
    final_rank: int | None = None  # among the finished ones, 1 the best
    reason: str = ""
    is_best: bool = False  # on the path to the hypothesis that was returned first
    count: int = 1  # how often it was kept at its step: several samples may share a prefix


class NextToken(NamedTuple):
    """A token that the model could have written after a prefix."""

    token: int
    log_prob: float  # the model's own, nats
    node: int | None  # its index in the tree, if the search considered it


@dataclass(frozen=True)
class SearchTree:
    """The nodes of a search: the root first, then step after step what was kept, in the order of the record, and what
    was pruned, the best first.
    """

    nodes: tuple[SearchNode, ...]
    # Of each prefix that continued: the most probable ones.
    next_tokens: Mapping[int, tuple[NextToken, ...]]
    is_complete: bool  # False: nothing is known of what was pruned

    def __repr__(self) -> str:
        """In a line: how much the tree holds."""
        return f"SearchTree({len(self.nodes):,} nodes, {len(self.finished):,} of them finished or truncated)"

    def path(self, index: int) -> list[int]:
        """The nodes from the first token to this one."""
        found: list[int] = []
        while index > 0:
            found.append(index)
            index = self.nodes[index].parent
        return found[::-1]

    def ids(self, index: int) -> Ids:
        """The tokens of a node's prefix."""
        return tuple(self.nodes[number].token for number in self.path(index))

    @property
    def finished(self) -> list[int]:
        """The finished and the truncated hypotheses, in the order in which they ended."""
        ended = [i for i, node in enumerate(self.nodes) if node.state in (FINISHED, TRUNCATED)]
        return sorted(ended, key=lambda i: (self.nodes[i].step, self.nodes[i].rank or 0))

    @property
    def n_steps(self) -> int:
        """The number of steps."""
        return max(node.step for node in self.nodes)


def rerank(tree: SearchTree, config: BeamConfig) -> list[tuple[int, float]]:
    """The finished hypotheses and their scores under these settings, best first; of equal ones the one that ended
    first.
    """
    scores = []
    for index in tree.finished:
        node = tree.nodes[index]
        scores.append((index, config.score(node.total, node.step)))
    return sorted(scores, key=lambda pair: pair[1], reverse=True)

"""The search tree: what a search kept at each step, what it let go, and why. Made afterwards, from its record; knows no text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import torch
from torch import Tensor

from s2s.decode.beam import Beam, Beams, Candidates, Running, most_probable
from s2s.decode.greedy import Greedy
from s2s.decode.prefixes import Prefixes, best, normaliser, own_log_probs
from s2s.decode.rules import NEVER, Rulebook, Rules
from s2s.decode.stepper import IDS, Kept, Stepper, Words

Ids = tuple[int, ...]
Steps = Sequence[Sequence[Kept]]
# cut: a hypothesis that the length limit ended
KEPT = "kept"
PRUNED = "pruned"
FINISHED = "finished"
CUT = "cut"
N_NEXT = 10  # next tokens that are remembered of each prefix
GREEDY_LOOKS = 5  # tokens of which greedy search is said to have taken the first


@dataclass(frozen=True)
class Node:
    """A prefix; its tokens are those on the way from the root."""

    parent: int  # its place among the nodes; -1 for the root
    step: int  # tokens
    token: int
    log_prob: float  # of the whole prefix, the model's own, nats
    total: float  # the same as the strategy counts it, by which it ranks what runs
    state: str
    rank: int | None = (
        None  # among the candidates of its step, 1 the best; None where they are not recorded
    )
    score: float | None = None  # what finished ones are ranked by
    place: int | None = None  # among the finished ones, 1 the best
    reason: str = ""
    is_best: bool = False  # on the way to the hypothesis that was returned first
    count: int = 1  # how often it was kept at its step: samples may begin alike


class Next(NamedTuple):
    """A token that the model could have written after a prefix."""

    token: int
    log_prob: float  # the model's own, nats
    node: int | None  # what the search made of it, if it came so far


@dataclass(frozen=True)
class Tree:
    """The root first, then step after step what was kept, in the order of the record, and what was pruned, the best first."""

    nodes: tuple[Node, ...]
    nexts: Mapping[
        int, tuple[Next, ...]
    ]  # of each prefix that went on its most probable next tokens
    is_whole: bool  # False: of what was pruned there is no record

    def path(self, number: int) -> list[int]:
        """The nodes from the first token to this one."""
        found: list[int] = []
        while number > 0:
            found.append(number)
            number = self.nodes[number].parent
        return found[::-1]

    def ids(self, number: int) -> Ids:
        """The tokens of a node's prefix."""
        return tuple(self.nodes[each].token for each in self.path(number))

    @property
    def ended(self) -> list[int]:
        """The finished and the cut hypotheses, in the order in which they ended."""
        numbers = [
            number for number, node in enumerate(self.nodes) if node.state in (FINISHED, CUT)
        ]
        return sorted(
            numbers, key=lambda number: (self.nodes[number].step, self.nodes[number].rank or 0)
        )

    @property
    def last(self) -> int:
        """The number of steps."""
        return max(node.step for node in self.nodes)


@torch.inference_mode()
def grow(
    stepper: Stepper,
    config: Rules,
    steps: Steps,
    returned: Sequence[tuple[Ids, float]],
    *,
    words: Words = IDS,
) -> Tree:
    """The tree of a search over one source: its record is walked again, and its ids and scores, best first, say what came out.

    For beam and greedy search the candidates that were not kept are found again, too.
    """
    growing = _Growing(stepper, config, words)
    for kept in steps:
        growing.step(kept)
    return _Judge(growing, config, returned).tree()


def reranked(tree: Tree, config: Beams) -> list[tuple[int, float]]:
    """The finished hypotheses and their scores under these settings, best first; of equal ones the one that ended first."""
    scores = [
        (number, config.score(tree.nodes[number].total, tree.nodes[number].step))
        for number in tree.ended
    ]
    return sorted(scores, key=lambda pair: pair[1], reverse=True)


# Rulebook, logits (rows, vocab), normalisers (rows, 1), what runs -> the candidates that the search looked at, best first.
Offered = Callable[[Rulebook, Tensor, Tensor, Running], Candidates]


def _of_beam(book: Rulebook, logits: Tensor, norms: Tensor, running: Running) -> Candidates:
    return most_probable(book, logits, norms, running, 2 * book.rules.width)


def _of_greedy(book: Rulebook, logits: Tensor, norms: Tensor, running: Running) -> Candidates:
    """By what is left of the logits; the totals are the model's own."""
    scores = (
        logits
        if book.is_idle
        else book.apply(logits.clone(), running.prefixes.ids, running.source_of_rows)
    )
    values, tokens = best(scores, GREEDY_LOOKS)
    totals = running.totals + logits.gather(1, tokens) - norms
    return Candidates(totals.masked_fill(values.eq(NEVER), NEVER), torch.zeros_like(tokens), tokens)


OFFERED: Mapping[type[Rules], Offered] = MappingProxyType({Beam: _of_beam, Greedy: _of_greedy})


@dataclass
class _Growing:
    """The record, walked again: the rows of the stepper are the prefixes that run."""

    stepper: Stepper
    config: Rules
    words: Words
    nodes: list[Node] = field(
        default_factory=lambda: [Node(-1, 0, -1, 0.0, 0.0, KEPT, is_best=True)]
    )
    places: dict[tuple[int, int], int] = field(default_factory=dict)  # parent and token -> node
    nexts: dict[int, list[tuple[int, float]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.book = Rulebook(self.config, self.stepper, self.words)
        self.offered = OFFERED.get(type(self.config))
        self.rows = [0]  # the node of each row
        self.prefixes = Prefixes(torch.full((1, 1), self.stepper.start_id), torch.zeros(1, 0))

    def step(self, kept: Sequence[Kept]) -> None:
        """One token more."""
        logits = self.stepper.step(self.prefixes.last)
        norms = normaliser(logits)
        self._look(logits, norms)
        candidates = self._candidates(logits, norms)
        ranks = {(parent, token): rank for rank, (parent, token, _) in enumerate(candidates, 1)}
        values = own_log_probs(
            logits[[one.parent for one in kept]], torch.tensor([[one.token] for one in kept])
        )[:, 0]
        numbers = [
            self._add(one, float(value), ranks) for one, value in zip(kept, values, strict=True)
        ]
        for rank, (row, token, total) in enumerate(candidates, 1):
            if (self.rows[row], token) not in self.places:
                self._prune(
                    row, token, total, rank=rank, value=float(logits[row, token] - norms[row, 0])
                )
        self._follow(kept, numbers, values)

    def _look(self, logits: Tensor, norms: Tensor) -> None:
        """Remember the most probable next tokens of every prefix."""
        values, tokens = best(logits, N_NEXT)
        pairs = zip(tokens.tolist(), (values - norms).tolist(), strict=True)
        for number, (ids, log_probs) in zip(self.rows, pairs, strict=True):
            self.nexts.setdefault(number, list(zip(ids, log_probs, strict=True)))

    def _candidates(self, logits: Tensor, norms: Tensor) -> list[tuple[int, int, float]]:
        """Row, token and total of each, best first; none where they are not known, or where a prefix was forced."""
        if self.offered is None or self.prefixes.length < len(self.book.prefix):
            return []
        totals = torch.tensor([[self.nodes[number].total for number in self.rows]])
        offered = self.offered(
            self.book,
            logits,
            norms,
            Running([0], totals, self.prefixes, torch.arange(len(self.rows))),
        )
        columns = (part[0].tolist() for part in (offered.parents, offered.tokens, offered.totals))
        return [one for one in zip(*columns, strict=True) if one[2] > NEVER]

    def _add(self, kept: Kept, value: float, ranks: Mapping[tuple[int, int], int]) -> int:
        parent = self.rows[kept.parent]
        number = self.places.setdefault((parent, kept.token), len(self.nodes))
        if number < len(self.nodes):
            self.nodes[number] = replace(self.nodes[number], count=self.nodes[number].count + 1)
            return number
        node = Node(
            parent,
            self.prefixes.length + 1,
            kept.token,
            self.nodes[parent].log_prob + value,
            kept.log_prob,
            KEPT,
        )
        rank = ranks.get((kept.parent, kept.token))
        state = FINISHED if kept.is_finished else KEPT
        self.nodes.append(replace(node, rank=rank, state=state))
        return number

    def _prune(self, row: int, token: int, total: float, *, rank: int, value: float) -> None:
        parent = self.rows[row]
        self.places[parent, token] = len(self.nodes)
        log_prob = self.nodes[parent].log_prob + value
        self.nodes.append(
            Node(parent, self.prefixes.length + 1, token, log_prob, total, PRUNED, rank)
        )

    def _follow(self, kept: Sequence[Kept], numbers: Sequence[int], values: Tensor) -> None:
        going = [place for place, one in enumerate(kept) if not one.is_finished]
        rows = torch.tensor([kept[place].parent for place in going], dtype=torch.long)
        tokens = torch.tensor([kept[place].token for place in going], dtype=torch.long)
        self.rows = [numbers[place] for place in going]
        self.prefixes = self.prefixes.take(rows).grow(tokens, values[going])
        if going:
            self.stepper.reorder(rows)


class _Judge:
    """Says of every node what became of it, and why."""

    def __init__(
        self, grown: _Growing, config: Rules, returned: Sequence[tuple[Ids, float]]
    ) -> None:
        self.grown = grown
        self.config = config
        self.limit = grown.book.limit
        self.n_forced = len(grown.book.prefix)
        # of equal ones the better: groups of beams may meet
        self.width = config.width
        self.returned = dict(reversed(returned))
        self.n_candidates = Counter(node.step for node in grown.nodes if node.rank)
        self.last_kept: dict[int, float] = {}  # of each step the lowest total that went on
        tree = Tree(tuple(grown.nodes), {}, grown.offered is not None)
        self.best = next((number for ids, _ in returned[:1] for number in _ending_in(tree, ids)), 0)
        self.draft = replace(
            tree, nodes=tuple(self._scored(tree, number) for number in range(len(tree.nodes)))
        )
        for node in self.draft.nodes:
            if node.state in (KEPT, CUT):
                self.last_kept[node.step] = min(
                    node.total, self.last_kept.get(node.step, node.total)
                )
        scores = [
            (number, score)
            for number in self.draft.ended
            if (score := self.draft.nodes[number].score) is not None
        ]
        self.ranking = sorted(scores, key=lambda pair: pair[1], reverse=True)
        self.places = {number: place for place, (number, _) in enumerate(self.ranking, 1)}

    def tree(self) -> Tree:
        """The finished one."""
        path = {0, *self.draft.path(self.best)}
        nodes = [
            replace(
                node,
                is_best=number in path,
                place=self.places.get(number),
                reason=self._why(number),
            )
            for number, node in enumerate(self.draft.nodes)
        ]
        nexts = {
            number: tuple(
                Next(token, log_prob, self.grown.places.get((number, token)))
                for token, log_prob in pairs
            )
            for number, pairs in self.grown.nexts.items()
        }
        return replace(self.draft, nodes=tuple(nodes), nexts=MappingProxyType(nexts))

    def _scored(self, tree: Tree, number: int) -> Node:
        """With its score, if it ended; what the limit cut becomes a hypothesis."""
        node = tree.nodes[number]
        if node.state == KEPT and node.step == self.limit and number:
            is_returned = not isinstance(self.config, Beams) or tree.ids(number) in self.returned
            is_hypothesis = node.rank <= self.width if node.rank else is_returned
            node = replace(node, state=CUT) if is_hypothesis else node
        if node.state not in (FINISHED, CUT):
            return node
        score = self.returned.get(tree.ids(number))
        if score is None and tree.is_whole and isinstance(self.config, Beams):
            score = self.config.score(node.total, node.step)
        return replace(node, score=score)

    def _why(self, number: int) -> str:
        node = self.draft.nodes[number]
        if not number:
            return "where every target begins"
        if node.step <= self.n_forced:
            return "given by `prefix`"
        reasons = {
            KEPT: self._why_kept,
            PRUNED: self._why_pruned,
            FINISHED: self._why_ended,
            CUT: self._why_ended,
        }
        return reasons[node.state](number, node)

    def _why_kept(self, number: int, node: Node) -> str:
        if not self.draft.is_whole:
            return "kept"
        kept = f"kept: {self._standing(node)}, {_nats(node.total)}"
        return f"{kept}; {self._why_stopped(node)}" if node.step == self.draft.last else kept

    def _why_stopped(self, node: Node) -> str:
        """Of what still ran when the search stopped."""
        config = self.config
        stopped = "still running when the search stopped"
        if not isinstance(config, Beams) or len(self.ranking) < self.width:
            return stopped
        if config.early_stopping is True:
            return (
                f"{stopped}: {self.width} had finished, and with early_stopping true that is enough"
            )
        is_never = config.early_stopping == "never" and config.length_penalty > 0
        own, last = _apart(
            config.score(node.total, self.limit if is_never else node.step),
            self.ranking[self.width - 1][1],
        )
        reach = f"can score {own} at most" if is_never else f"scores {own} so far"
        return f"{stopped}: it {reach}, and {self._worst(last)}"

    def _worst(self, score: str) -> str:
        """The last of the finished ones that stay."""
        return (
            f"the {_ordinal(self.width)} best finished one has {score}"
            if self.width > 1
            else f"the finished one has {score}"
        )

    def _why_pruned(self, number: int, node: Node) -> str:
        if self.grown.book.eos_id == node.token and self.width > 1:
            return f"would end, but is {self._standing(node)}: only what is among the best {self.width} may end"
        if node.step not in self.last_kept:
            return f"{self._standing(node)}: {_nats(node.total)}; the search ended with another"
        own, last = _apart(node.total, self.last_kept[node.step])
        return f"{self._standing(node)}: {own}; the last one kept has {last}"

    def _why_ended(self, number: int, node: Node) -> str:
        ended = f"cut at the limit of {self.limit} tokens" if node.state == CUT else "finished"
        if node.score is None:
            return f"{ended}; not among those returned"
        place = self.places[number]
        if isinstance(self.config, Beams) and place > self.width and self.draft.is_whole:
            own, last = _apart(node.score, self.ranking[self.width - 1][1])
            return f"{ended} with score {own}, but {self.width} better ones pushed it out: {self._worst(last)}"
        return f"{ended}: {_ordinal(place)} of {len(self.ranking)} with score {_nats(node.score)}"

    def _standing(self, node: Node) -> str:
        """`7th of 10`."""
        return f"{_ordinal(node.rank)} of {self.n_candidates[node.step]}" if node.rank else "kept"


def _ending_in(tree: Tree, ids: Ids) -> Iterable[int]:
    """The nodes whose prefix is these ids."""
    return (
        number
        for number, node in enumerate(tree.nodes)
        if node.step == len(ids) and node.state != PRUNED and tree.ids(number) == ids
    )


def _ordinal(number: Any) -> str:
    ending = (
        "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    )
    return f"{number}{ending}"


def _nats(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def _apart(one: float, other: float) -> tuple[str, str]:
    """Both with as many digits as it takes to tell them apart."""
    digits = next((n for n in range(2, 6) if _nats(one, n) != _nats(other, n)), 2)
    return _nats(one, digits), _nats(other, digits)

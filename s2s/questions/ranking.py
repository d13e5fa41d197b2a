"""The finished hypotheses of a search, ranked by any length penalty without decoding again."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.config import override
from s2s.decode import (
    TRUNCATED,
    BeamConfig,
    EndedHypothesis,
    GenerationConfig,
    new_firsts,
    rerank,
    score_unit,
)
from s2s.questions.finding import Finding, first
from s2s.questions.table import Table
from s2s.questions.why_each_word import Searched, WhyEachWord


@dataclass(frozen=True)
class Ranking:
    """Hypotheses ranked by chosen settings: who is first, and which length penalty would change that."""

    config: GenerationConfig  # the search's, with the ranking's length penalty
    ranked: tuple[tuple[int, float], ...]  # nodes and scores, best first
    ranks_before: dict[
        int, int
    ]  # in the search, from 1, by node; empty where no length penalty ranks them
    texts: dict[int, str]  # by node
    other_winners: dict[
        float, str
    ]  # by the length penalty from which on: a sentence that names the winner

    @property
    def penalty(self) -> float:
        return self.config.length_penalty if isinstance(self.config, BeamConfig) else 0.0

    @property
    def now(self) -> str:
        return self.texts[self.ranked[0][0]]

    @property
    def is_new(self) -> bool:
        return bool(self.ranks_before) and self.ranks_before[self.ranked[0][0]] != 1

    @property
    def where(self) -> str:
        return " ".join(self.other_winners.values())

    @property
    def n(self) -> int:
        return len(self.ranked)


FINDINGS = (
    Finding(lambda it: it.is_new, "With length_penalty {penalty:g}, “{now}” would be first."),
    Finding(lambda it: bool(it.other_winners), "{where}"),
    Finding(
        lambda it: bool(it.ranks_before) and it.n > 1,
        "No length_penalty changes which of these {n} hypotheses is first.",
    ),
)


def ranking(question: WhyEachWord, answer: Searched) -> Ranking:
    """Rank the finished hypotheses by score, the best first; those without a score are left out."""
    texts = {number: text or "(nothing)" for number, text in answer.texts.items()}
    tree, config = answer.tree, answer.config
    if not isinstance(config, BeamConfig):
        nodes = ((number, tree.nodes[number].score) for number in tree.finished)
        scored = [(number, score) for number, score in nodes if score is not None]
        ranked = sorted(scored, key=lambda pair: pair[1], reverse=True)
        return Ranking(config, tuple(ranked), {}, texts, {})
    penalty = float(question.rank_penalty or config.length_penalty)
    formula = question.rank_formula or config.length_formula
    other = override(config, {"length_penalty": penalty, "length_formula": formula})
    before = [number for number, _ in rerank(tree, config)]
    return Ranking(
        other,
        tuple(rerank(tree, other)),
        {number: rank for rank, number in enumerate(before, 1)},
        texts,
        _other_winners(answer, config, before, texts),
    )


def _other_winners(
    answer: Searched, config: BeamConfig, ranked: list[int], texts: dict[int, str]
) -> dict[float, str]:
    nodes = [answer.tree.nodes[number] for number in ranked]
    ended = [EndedHypothesis(node.total, node.step) for node in nodes]
    found = {}
    for change in new_firsts(config, ended):
        side = "on" if change.penalty > config.length_penalty else "down"
        value = f"{change.penalty:g}".replace("-", "−")
        at = f"From length_penalty {value} {side}" if change.stays else f"At length_penalty {value}"
        found[change.penalty] = (
            f"{at}, “{texts[ranked[change.hypothesis]]}” ({ended[change.hypothesis].length} tokens)"
            f" wins among these {len(ended)} hypotheses."
        )
    return found


def ranking_finding(found: Ranking) -> str:
    """A sentence on whether a length penalty changes which hypothesis is first; empty where none ranks them."""
    return first(FINDINGS, found)


def ranking_table(answer: Searched, found: Ranking) -> Table:
    """A table of hypotheses, best first, with the ranks in the search, or how often each was drawn."""
    rows = []
    for rank, (number, score) in enumerate(found.ranked, 1):
        node = answer.tree.nodes[number]
        end = " (truncated: no </s>)" if node.state == TRUNCATED else ""
        last = found.ranks_before.get(number, node.count)
        text = found.texts[number] + end
        rows.append([rank, text, node.step, node.log_prob, score, last])
    score_name = f"score ({score_unit(found.config)})"
    columns = ("rank", "text", "tokens, with </s>", "log-probability (nats)", score_name)
    return Table([*columns, "rank as decoded" if found.ranks_before else "times drawn"], rows)

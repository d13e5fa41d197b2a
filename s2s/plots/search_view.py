"""The pictures of `WhyEachWord`: the search tree, a token's alternatives, and the finished hypotheses, ranked."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from types import MappingProxyType

from s2s.analysis import ROUNDING
from s2s.decode import PRUNED, TRUNCATED, BeamConfig, SearchNode
from s2s.plots.picture import ComparedRows, Picture
from s2s.plots.tree import CAPTION, TreeNode, fits, tree, visible_nodes
from s2s.questions import Searched, Table, WhyEachWord, ranking
from s2s.words import nats, percent, significant

MAX_KEPT = 16  # nodes of each step that are drawn
N_PRUNED = MappingProxyType({"none": 0, "few": 3, "all": 10**6})  # the same
LEAST_STEPS = 6  # that are drawn of a tree that the page is too narrow for
HOVER_WIDTH = 34  # characters of a line
ABOUT_RANKING = (
    "Score = log-probability / {base}^length_penalty: 0 favors short outputs, larger values longer ones. Another"
    " length_penalty ranks these hypotheses again; decoding with it may find others, as it affects when the search"
    " stops and which hypotheses are kept."
)


def pictures(question: WhyEachWord, answer: Searched, model: str) -> list[Picture]:
    if not answer.best_path:
        title = f"{model}\nsearch tree · {answer.strategy}"
        said = "There is no search to show: the output is empty."
        return [Picture("tree", title, tree([], title=title), said, question.table(answer), said)]
    return [
        _tree(question, answer, model),
        _alternatives(question, answer, model),
        _ranking(question, answer, model),
    ]


def drawn_nodes(question: WhyEachWord, answer: Searched) -> list[TreeNode]:
    """The nodes that fit the page: the best of each step, from the first fork on if all are too many."""
    shown = visible_nodes(
        _nodes(answer), MAX_KEPT, N_PRUNED[question.pruned], also=question.inspected(answer)
    )
    if question.whole or fits(shown):
        return shown
    start = min(first_fork(answer) - 1, answer.tree.n_steps - LEAST_STEPS)
    return [
        node._replace(token=f"… {node.token}") if start and node.step == start else node
        for node in shown
        if node.step >= start and (node.step > start or node.state not in (PRUNED, "finished"))
    ]


def first_fork(answer: Searched) -> int:
    """The step at which the translation leaves greedy's path, else the first one where finished hypotheses differ."""
    if answer.first_difference is not None:
        return answer.first_difference + 1
    others = [answer.tree.path(number) for number in answer.tree.finished]
    shared = [
        at
        for at, number in enumerate(answer.best_path)
        if all(path[at : at + 1] == [number] for path in others)
    ]
    return min(len(shared) + 1, len(answer.best_path))


def _nodes(answer: Searched) -> list[TreeNode]:
    is_parted = answer.is_parted
    greedy = {*answer.greedy_path} if is_parted else set()
    return [
        _node(answer, number, is_greedy=number in greedy)
        for number in range(len(answer.tree.nodes))
    ]


def _node(answer: Searched, number: int, *, is_greedy: bool) -> TreeNode:
    node, token = answer.tree.nodes[number], answer.token(number)
    if not number:
        return TreeNode(
            0, -1, 0, token, "", node.state, 0, None, is_best=True, hover=(node.reason,)
        )
    hover = (
        f"{token} · step {node.step}",
        f"probability {percent(math.exp(answer.log_prob_of(number)))}",
        f"log-probability so far {nats(node.log_prob)}",
        *textwrap.wrap(node.reason, HOVER_WIDTH),
    )
    is_ranked = node.final_rank and node.score is not None
    return TreeNode(
        number,
        node.parent,
        node.step,
        token + (f" ×{node.count}" if node.count > 1 else ""),
        f"{nats(node.score or 0.0)} score" if is_ranked else nats(node.total),
        node.state,
        node.rank or number,
        node.final_rank,
        is_best=node.is_best,
        hover=hover,
        is_greedy=is_greedy,
    )


def _tree(question: WhyEachWord, answer: Searched, model: str) -> Picture:
    shown = drawn_nodes(question, answer)
    start = min(node.step for node in shown)
    steps = f"{answer.tree.n_steps} steps" + (f", from step {start + 1}" if start else "")
    title = f"{model}\nsearch tree · {answer.strategy} · {steps}"
    return Picture(
        "tree",
        title,
        tree(shown, title=title, inspected=question.inspected(answer)),
        f"Tree of {title.replace(chr(10), ', ')}; best path: {answer.text}",
        question.table(answer),
        question.finding(answer),
        " ".join(
            [CAPTION, *_greedy_line(answer, shown), _counts(answer), *_left_out(answer, shown)]
        ),
        picks=("node",),
    )


def _greedy_line(answer: Searched, shown: Sequence[TreeNode]) -> list[str]:
    if not any(node.is_greedy for node in shown) or not answer.greedy:
        return []
    n_considered = len(answer.greedy_path)
    rest = answer.greedy.tokens[n_considered:]
    goes_on = f", which this search does not follow to its end: next comes “{' '.join(rest)}”"
    return [f"Dashed: greedy's path{goes_on if rest else ''}."]


def _counts(answer: Searched) -> str:
    nodes = answer.tree.nodes
    n_truncated = sum(nodes[number].state == TRUNCATED for number in answer.tree.finished)
    n_finished = len(answer.tree.finished) - n_truncated
    ended = [f"{_hypotheses(n_finished)} finished"] if n_finished else []
    if n_truncated:
        whose = str(n_truncated) if ended else _hypotheses(n_truncated)
        ended.append(f"{whose} ended at the length limit, unfinished,")
    start = f"{' and '.join(ended)} in {answer.tree.n_steps} steps"
    if not answer.tree.is_complete:
        return f"{start}. Tokens that {answer.strategy} did not take are not recorded."
    n_pruned = sum(node.state == PRUNED for node in nodes)
    return (
        f"{start}; {n_pruned} prefixes were considered and pruned. {_why_so_many(answer)}".strip()
    )


def _hypotheses(n: int) -> str:
    return f"{n} hypotheses" if n > 1 else "One hypothesis"


def _why_so_many(answer: Searched) -> str:
    if not isinstance(answer.config, BeamConfig) or answer.config.num_beams == 1:
        return ""
    n = answer.config.num_beams
    return (
        f"Each step ranks {2 * n} candidates for {n} beams: a candidate that ends in </s> finishes and leaves the beam,"
        f" and even if {n} of them finish, {n} remain to continue."
    )


def _left_out(answer: Searched, shown: Sequence[TreeNode]) -> list[str]:
    n_nodes = len(answer.tree.nodes)
    if not (n_hidden := n_nodes - len(shown)):
        return []
    return [f"{n_hidden} of {n_nodes - 1} nodes are not drawn; the table has all of them."]


def _alternatives(question: WhyEachWord, answer: Searched, model: str) -> Picture:
    number = question.inspected(answer)
    node, token = answer.tree.nodes[number], answer.token(number)
    title = f"{model}\n“{token}” at step {node.step}, and its alternatives"
    return Picture(
        "alternatives",
        title,
        None,
        f"Alternatives of {token}",
        alternatives_table(answer, number),
        caption=f"What the search did with it: {node.reason}. The table has the most probable tokens after the same"
        " prefix.",
    )


def alternatives_table(answer: Searched, chosen: int) -> Table:
    """A table of the most probable tokens at a node's position, and what the search did with each."""
    tree_of = answer.tree
    node = tree_of.nodes[chosen]
    candidates = [
        (each.token, each.log_prob, each.node) for each in tree_of.next_tokens.get(node.parent, ())
    ]
    if chosen not in [number for _, _, number in candidates]:
        candidates.append((node.token, answer.log_prob_of(chosen), chosen))
    is_plain = _counts_log_probs(answer, node)
    rows = []
    for token, log_prob, number in candidates:
        if number is None:
            total = tree_of.nodes[node.parent].total + log_prob if is_plain else None
            outcome = _why_not_considered(answer, node, total)
        else:
            total = tree_of.nodes[number].total
            outcome = tree_of.nodes[number].reason
        mark = "▶" if number == chosen else ""
        rows.append([mark, answer.names[token], math.exp(log_prob), total, outcome])
    return Table(
        ("inspected", "token", "probability", "sum so far", "outcome"),
        rows,
        {"sum so far": "Log-probability so far as the strategy counts it, nats."},
        ("probability",),
    )


def _counts_log_probs(answer: Searched, node: SearchNode) -> bool:
    nodes = answer.tree.nodes
    beside = [other for other in nodes if other.parent == node.parent or other is node]
    counted = (nodes[node.parent], *beside)
    return all(abs(each.total - each.log_prob) < ROUNDING for each in counted)


def _why_not_considered(answer: Searched, node: SearchNode, total: float | None) -> str:
    if not answer.tree.is_complete:
        return "not taken; the reason is not recorded"
    totals = [other.total for other in answer.tree.nodes if other.step == node.step and other.rank]
    if not totals:
        return "another token was forced by `prefix`"
    if total is None:
        return f"not among the {len(totals)} best of this step, or forbidden by a rule"
    if total > min(totals):
        return "forbidden or penalized by a rule"
    return f"not considered: the {len(totals)} best of this step have at least {nats(min(totals))}"


def _ranking(question: WhyEachWord, answer: Searched, model: str) -> Picture:
    found = ranking.ranking(question, answer)
    title = f"{model}\nFinished hypotheses, best first"
    about = ""
    if isinstance(found.config, BeamConfig):
        is_power = found.config.length_formula == "power"
        about = ABOUT_RANKING.format(base="length" if is_power else "((5 + length) / 6)")
    table = ranking.ranking_table(answer, found)
    texts = [found.texts[number] for number, _ in found.ranked]
    rows = [
        [significant(cell) if isinstance(cell, float) else str(cell) for cell in row]
        for row in table.rows
    ]
    drawn = ComparedRows(
        table.columns,
        rows,
        ("text",),
        [texts[0] if at else None for at in range(len(texts))],
        ("the hypothesis", "the first one"),
    )
    return Picture(
        "ranking",
        title,
        drawn if rows else None,
        f"{found.n} finished hypotheses; the first is {found.now}" if found.n else "None finished",
        table,
        ranking.ranking_finding(found) if found.n else "",
        about,
    )

import itertools
import re
from typing import Any

import pytest

from s2s.decode import STRATEGIES, Beam, Found, Greedy, Kept, Rules, beam, configure, greedy
from s2s.decode.tree import CUT, FINISHED, KEPT, PRUNED, Tree, grow, reranked
from tests.decode.table import EOS, VOCAB, Table

RULES: tuple[dict[str, Any], ...] = (
    {},
    {"no_repeat_ngram_size": 2},
    {"repetition_penalty": 1.6, "min_new_tokens": 2},
    {"bad_words": "3,2 4", "prefix": "4 2"},
)
BEAMS = [
    Beam(num_beams=width, early_stopping=mode, max_new_tokens=limit, **rules)
    for (width, limit), mode, rules in itertools.product(
        ((1, 6), (2, 9), (3, 4), (6, 7)), (True, False, "never"), RULES
    )
]


def grown(found: Found, config: Rules, seed: int) -> Tree:
    return grow(
        Table(1, seed), config, found.steps, [(one.ids, one.score) for one in found.hypotheses]
    )


def record(tree: Tree) -> tuple[tuple[Kept, ...], ...]:
    """What was kept, as a search writes it down."""
    running = [0]
    steps = []
    for step in range(1, tree.last + 1):
        kept = [
            number
            for number, node in enumerate(tree.nodes)
            if node.step == step and node.state != PRUNED
        ]
        nodes = [tree.nodes[number] for number in kept]
        steps.append(
            tuple(
                Kept(running.index(node.parent), node.token, node.total, node.state == FINISHED)
                for node in nodes
            )
        )
        running = [number for number in kept if tree.nodes[number].state != FINISHED]
    return tuple(steps)


@pytest.mark.parametrize("seed", range(3))
def test_what_was_kept_is_the_record_of_the_search(seed: int) -> None:
    for config in BEAMS:
        (found,) = beam(Table(1, seed), config)
        assert record(grown(found, config, seed)) == found.steps
    (found,) = greedy(Table(1, seed), Greedy(max_new_tokens=8))
    assert record(grown(found, Greedy(max_new_tokens=8), seed)) == found.steps


@pytest.mark.parametrize(("width", "seed"), [(1, 0), (2, 4), (3, 1), (4, 2), (7, 3)])
def test_kept_pruned_and_finished_are_the_best_continuations_of_what_ran(
    width: int, seed: int
) -> None:
    """Every continuation by every token, from the table itself."""
    table = Table(1, seed)
    config = Beam(num_beams=width, max_new_tokens=5, bad_words="2")
    (found,) = beam(Table(1, seed), config)
    tree = grown(found, config, seed)
    running: list[tuple[int, ...]] = [()]
    for step in range(1, tree.last + 1):
        every = [(*ids, token) for ids in running for token in range(VOCAB) if token != 2]
        every = sorted(every, key=lambda ids: table.log_prob(0, ids), reverse=True)[: 2 * width]
        here = {
            tree.ids(number): node for number, node in enumerate(tree.nodes) if node.step == step
        }
        assert sorted(here, key=lambda ids: here[ids].rank) == every
        for ids, node in here.items():
            assert node.total == pytest.approx(table.log_prob(0, ids), abs=1e-5)
        running = [ids for ids in every if ids[-1] != EOS][:width]
        cut = {ids for ids in every[:width] if step == 5 and ids[-1] != EOS}
        assert {ids for ids, node in here.items() if node.state == KEPT} == (
            set(running) if step < 5 else set()
        )
        assert {ids for ids, node in here.items() if node.state == FINISHED} == {
            ids for ids in every[:width] if ids[-1] == EOS
        }
        assert {ids for ids, node in here.items() if node.state == CUT} == cut


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_tree_of_every_strategy_leads_to_what_it_returned(strategy: str) -> None:
    shared = {"max_new_tokens": 6, "prefix": "3", "repetition_penalty": 1.3}
    for seed, more in (
        (1, {}),
        (2, {"num_return_sequences": 3} if strategy not in ("greedy", "contrastive") else {}),
    ):
        search, config = configure(strategy, {**shared, **more})
        (found,), table = search(Table(1, seed), config), Table(1, seed)
        tree = grown(found, config, seed)
        best = [node.token for node in tree.nodes if node.is_best][1:]
        assert tuple(best) == found.best.ids
        ended = {tree.ids(number): tree.nodes[number] for number in tree.ended}
        returned = {one.ids: one for one in reversed(found.hypotheses)}
        for place, hypothesis in enumerate(
            sorted(returned.values(), key=lambda one: one.score, reverse=True), 1
        ):
            node = ended[hypothesis.ids]
            assert node.score == pytest.approx(hypothesis.score, abs=1e-6)
            assert tree.is_whole is False or node.place == place
            assert node.state == (FINISHED if hypothesis.ids[-1] == EOS else CUT)
        for number, node in enumerate(tree.nodes):
            assert node.log_prob == pytest.approx(table.log_prob(0, tree.ids(number)), abs=1e-4)
            assert node.reason
        assert tree.is_whole == (strategy in ("greedy", "beam"))
        assert tree.is_whole or all(
            node.state != PRUNED and node.rank is None for node in tree.nodes
        )


def test_samples_that_begin_alike_are_one_node_that_counts_them() -> None:
    search, config = configure("sample", {"num_return_sequences": 40, "max_new_tokens": 3})
    (found,) = search(Table(1, 3), config)
    tree = grown(found, config, 3)
    first = [node for node in tree.nodes if node.step == 1]
    assert len({node.token for node in first}) == len(first)
    assert sum(node.count for node in first) == 40


def test_the_next_tokens_are_the_models_most_probable_ones() -> None:
    config = Beam(num_beams=2, max_new_tokens=5)
    table = Table(1, 6)
    tree = grown(beam(Table(1, 6), config)[0], config, 6)
    assert 0 in tree.nexts
    for number, nexts in tree.nexts.items():
        before = tree.ids(number)
        every = sorted(
            range(VOCAB), key=lambda token: table.log_prob(0, (*before, token)), reverse=True
        )
        assert [each.token for each in nexts] == every
        for each in nexts:
            whole = table.log_prob(0, (*before, each.token)) - table.log_prob(0, before)
            assert each.log_prob == pytest.approx(whole, abs=1e-5)
            assert each.node is None or tree.ids(each.node) == (*before, each.token)
    met = {each.node for nexts in tree.nexts.values() for each in nexts}
    assert set(range(1, len(tree.nodes))) <= met


def numbers(reason: str) -> list[float]:
    return [float(number.replace("−", "-")) for number in re.findall(r"−?\d+\.\d+", reason)]


@pytest.mark.parametrize("mode", [True, False, "never"])
def test_reasons_say_the_numbers_that_decided(mode: bool | str) -> None:
    kinds = set()
    for seed in range(12):
        config = Beam(num_beams=3, early_stopping=mode, max_new_tokens=9)
        tree = grown(beam(Table(1, seed), config)[0], config, seed)
        scores = sorted(
            (node.score for number in tree.ended if (node := tree.nodes[number]).score is not None),
            reverse=True,
        )
        for number, node in enumerate(tree.nodes[1:], 1):
            said = numbers(node.reason)
            if node.state == PRUNED and "the last one kept" in node.reason:
                last = min(
                    other.total
                    for other in tree.nodes
                    if other.step == node.step and other.state in (KEPT, CUT)
                )
                assert said == pytest.approx([node.total, last], abs=0.006)
                assert said[0] < said[1]
            elif node.state == PRUNED:
                assert "would end" in node.reason or "ended with another" in node.reason
            elif "still running" in node.reason and mode is not True:
                reach = 9 if mode == "never" else node.step
                assert said == pytest.approx(
                    [node.total, config.score(node.total, reach), scores[2]], abs=0.006
                )
                assert said[1] <= said[2]
            elif node.state in (FINISHED, CUT):
                assert said[0] == pytest.approx(node.score, abs=0.006)
                assert ("pushed it out" in node.reason) == (scores.index(node.score) >= 3)
                assert number in tree.ended
            kinds.add(re.sub(r"[−\d.]+(st|nd|rd|th)?", "", node.reason))
    assert any("pushed it out" in kind for kind in kinds)
    assert any("still running" in kind for kind in kinds)
    assert any("cut at the limit" in kind for kind in kinds)


@pytest.mark.parametrize("formula", ["power", "gnmt"])
def test_ranking_again_is_decoding_again_where_the_same_have_finished(formula: str) -> None:
    n_same = 0
    for seed, penalty in itertools.product(range(12), (-1.0, 0.0, 0.5, 1.5, 3.0)):
        config = Beam(num_beams=4, max_new_tokens=8)
        other = Beam(num_beams=4, max_new_tokens=8, length_penalty=penalty, length_formula=formula)
        tree = grown(beam(Table(1, seed), config)[0], config, seed)
        (found,) = beam(Table(1, seed), other)
        again = grown(found, other, seed)
        if {tree.ids(number) for number in tree.ended} != {
            again.ids(number) for number in again.ended
        }:
            continue
        n_same += 1
        ranked = reranked(tree, other)
        assert [tree.ids(number) for number, _ in ranked][:4] == [
            one.ids for one in found.hypotheses
        ]
        assert [score for _, score in ranked][:4] == pytest.approx(
            [one.score for one in found.hypotheses], abs=1e-5
        )
    assert n_same >= 10

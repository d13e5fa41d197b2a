import itertools
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from s2s.decode import (
    FINISHED,
    KEPT,
    PRUNED,
    STRATEGIES,
    TRUNCATED,
    Beam,
    GenerationConfig,
    Greedy,
    SearchResult,
    SearchTree,
    StepRecord,
    beam,
    build_tree,
    configure,
    greedy,
    rerank,
)
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


def grown(found: SearchResult, config: GenerationConfig, seed: int) -> SearchTree:
    return build_tree(
        Table(1, seed), config, found.steps, [(one.ids, one.score) for one in found.hypotheses]
    )


def record(tree: SearchTree) -> tuple[tuple[StepRecord, ...], ...]:
    """What was kept, as a search writes it down."""
    running = [0]
    steps = []
    for step in range(1, tree.n_steps + 1):
        kept = [
            number
            for number, node in enumerate(tree.nodes)
            if node.step == step and node.state != PRUNED
        ]
        nodes = [tree.nodes[number] for number in kept]
        steps.append(
            tuple(
                StepRecord(
                    running.index(node.parent),
                    node.token,
                    node.log_prob,
                    node.total,
                    node.state == FINISHED,
                )
                for node in nodes
            )
        )
        running = [number for number in kept if tree.nodes[number].state != FINISHED]
    return tuple(steps)


@settings(max_examples=2)
@given(seed=st.integers(0, 10_000))
def test_what_was_kept_is_the_record_of_the_search(seed: int) -> None:
    for config in BEAMS:
        (found,) = beam(Table(1, seed), config)
        check_record(found, grown(found, config, seed))
    (found,) = greedy(Table(1, seed), Greedy(max_new_tokens=8))
    check_record(found, grown(found, Greedy(max_new_tokens=8), seed))


def check_record(found: SearchResult, tree: SearchTree) -> None:
    for step, expected in zip(record(tree), found.steps, strict=True):
        for one, other in zip(step, expected, strict=True):
            assert one._replace(log_prob=0.0, total=0.0) == other._replace(log_prob=0.0, total=0.0)
            assert one.total == other.total
            assert one.log_prob == pytest.approx(other.log_prob, abs=1e-5)


@settings(max_examples=5)
@given(width=st.integers(1, 7), seed=st.integers(0, 10_000))
def test_kept_pruned_and_finished_are_the_best_continuations_of_what_ran(
    width: int, seed: int
) -> None:
    """Every continuation by every token, from the table itself."""
    table = Table(1, seed)
    config = Beam(num_beams=width, max_new_tokens=5, bad_words="2")
    (found,) = beam(Table(1, seed), config)
    tree = grown(found, config, seed)
    running: list[tuple[int, ...]] = [()]
    for step in range(1, tree.n_steps + 1):
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
        assert {ids for ids, node in here.items() if node.state == TRUNCATED} == cut


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
        ended = {tree.ids(number): tree.nodes[number] for number in tree.finished}
        returned = {one.ids: one for one in reversed(found.hypotheses)}
        for place, hypothesis in enumerate(
            sorted(returned.values(), key=lambda one: one.score, reverse=True), 1
        ):
            node = ended[hypothesis.ids]
            assert node.score == pytest.approx(hypothesis.score, abs=1e-6)
            assert tree.is_complete is False or node.final_rank == place
            assert node.state == (FINISHED if hypothesis.ids[-1] == EOS else TRUNCATED)
        for number, node in enumerate(tree.nodes):
            assert node.log_prob == pytest.approx(table.log_prob(0, tree.ids(number)), abs=1e-4)
            assert node.reason
        assert tree.is_complete == (strategy in ("greedy", "beam"))
        assert tree.is_complete or all(
            node.state != PRUNED and node.rank is None for node in tree.nodes
        )


def test_samples_with_a_common_prefix_share_a_counted_node() -> None:
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
    assert 0 in tree.next_tokens
    for number, nexts in tree.next_tokens.items():
        before = tree.ids(number)
        every = sorted(
            range(VOCAB), key=lambda token: table.log_prob(0, (*before, token)), reverse=True
        )
        assert [each.token for each in nexts] == every
        for each in nexts:
            whole = table.log_prob(0, (*before, each.token)) - table.log_prob(0, before)
            assert each.log_prob == pytest.approx(whole, abs=1e-5)
            assert each.node is None or tree.ids(each.node) == (*before, each.token)
    met = {each.node for nexts in tree.next_tokens.values() for each in nexts}
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
            (
                node.score
                for number in tree.finished
                if (node := tree.nodes[number]).score is not None
            ),
            reverse=True,
        )
        for number, node in enumerate(tree.nodes[1:], 1):
            said = numbers(node.reason)
            if node.state == PRUNED and "the last one kept" in node.reason:
                last = min(
                    other.total
                    for other in tree.nodes
                    if other.step == node.step and other.state in (KEPT, TRUNCATED)
                )
                assert said == pytest.approx([node.total, last], abs=0.006)
                assert said[0] < said[1]
            elif node.state == PRUNED:
                assert "would finish" in node.reason or "ended with another" in node.reason
            elif "still live" in node.reason and mode is not True:
                reach = 9 if mode == "never" else node.step
                assert said == pytest.approx(
                    [node.total, config.score(node.total, reach), scores[2]], abs=0.006
                )
                assert said[1] <= said[2]
            elif node.state in (FINISHED, TRUNCATED):
                assert said[0] == pytest.approx(node.score, abs=0.006)
                assert ("displaced it" in node.reason) == (scores.index(node.score) >= 3)
                assert number in tree.finished
            kinds.add(re.sub(r"[−\d.]+(st|nd|rd|th)?", "", node.reason))
    assert any("displaced it" in kind for kind in kinds)
    assert any("still live" in kind for kind in kinds)
    assert any("truncated at the limit" in kind for kind in kinds)


@pytest.mark.parametrize("formula", ["power", "gnmt"])
def test_ranking_again_is_decoding_again_where_the_same_have_finished(formula: str) -> None:
    n_same = 0
    for seed, penalty in itertools.product(range(7), (-1.0, 0.0, 0.5, 1.5, 3.0)):
        config = Beam(num_beams=4, max_new_tokens=8)
        other = Beam(num_beams=4, max_new_tokens=8, length_penalty=penalty, length_formula=formula)
        tree = grown(beam(Table(1, seed), config)[0], config, seed)
        (found,) = beam(Table(1, seed), other)
        again = grown(found, other, seed)
        if {tree.ids(number) for number in tree.finished} != {
            again.ids(number) for number in again.finished
        }:
            continue
        n_same += 1
        ranked = rerank(tree, other)
        assert [tree.ids(number) for number, _ in ranked][:4] == [
            one.ids for one in found.hypotheses
        ]
        assert [score for _, score in ranked][:4] == pytest.approx(
            [one.score for one in found.hypotheses], abs=1e-5
        )
    assert n_same >= 10

"""The record of a search says both what the model gives each prefix, and what the strategy ranks it by."""

from collections.abc import Iterator
from typing import Any

import pytest

from s2s.decode import STRATEGIES, Hypothesis, SearchResult, StepRecord, path_records
from tests.decode.table import EOS, Table
from tests.decode.test_strategies import decoded

Ids = tuple[int, ...]


def prefixes(found: SearchResult) -> Iterator[tuple[Ids, StepRecord]]:
    live: list[Ids] = [()]
    for step in found.steps:
        every = [((*live[record.parent], record.token), record) for record in step]
        yield from every
        live = [ids for ids, record in every if not record.is_finished]


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("settings", [{}, {"repetition_penalty": 1.7, "prefix": "3"}], ids=str)
def test_every_record_has_the_models_own_log_prob(name: str, settings: dict[str, Any]) -> None:
    table = Table(4, 7)
    for source, found in enumerate(decoded(name, Table(4, 7), **settings)):
        of_prefix = {ids: record.log_prob for ids, record in prefixes(found)}
        for ids, log_prob in of_prefix.items():
            assert log_prob == pytest.approx(table.log_prob(source, ids), abs=1e-4)
        for hypothesis in found.hypotheses:
            assert of_prefix[hypothesis.ids] == pytest.approx(hypothesis.log_prob, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("beam", {"repetition_penalty": 1.7}),
        ("diverse_beam", {"diversity_penalty": 2.0}),
        ("beam_sample", {"temperature": 2.0}),
        ("stochastic_beam", {"temperature": 2.0}),
        ("constrained", {"repetition_penalty": 1.7}),
    ],
)
def test_the_total_is_what_the_strategy_ranks_by(name: str, settings: dict[str, Any]) -> None:
    """It differs from the log-probability, and length_penalty 1 divides it by the length."""
    n_changed = 0
    for found in decoded(name, Table(4, 7), **settings):
        totals = {ids: record for ids, record in prefixes(found)}
        n_changed += sum(abs(one.total - one.log_prob) > 0.01 for one in totals.values())
        for hypothesis in found.hypotheses:
            if name != "stochastic_beam":  # whose score has noise in it
                total = totals[hypothesis.ids].total
                assert hypothesis.score == pytest.approx(total / len(hypothesis.ids), abs=1e-5)
    assert n_changed


def test_a_length_penalty_changes_scores_and_no_record() -> None:
    for found in decoded("beam", Table(4, 7), length_penalty=2.0):
        for ids, record in prefixes(found):
            assert record.total == pytest.approx(record.log_prob, abs=1e-5), ids
        for hypothesis in found.hypotheses:
            expected = hypothesis.log_prob / len(hypothesis.ids) ** 2
            assert hypothesis.score == pytest.approx(expected, abs=1e-5)


def test_the_steps_of_one_prefix() -> None:
    hypothesis = Hypothesis((3, EOS), (-1.0, -0.5), -1.5)
    steps = path_records(hypothesis.ids, hypothesis.token_log_probs, eos_id=EOS)
    assert steps == (
        (StepRecord(0, 3, -1.0, -1.0, False),),
        (StepRecord(0, EOS, -1.5, -1.5, True),),
    )
    forced = path_records((EOS,), (-1.0,), eos_id=EOS, n_forced=1)
    assert not forced[0][0].is_finished

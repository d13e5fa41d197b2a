import itertools
from collections import Counter
from typing import Any

import pytest
import torch
from torch import Tensor

from s2s.config import UserError
from s2s.decode.filters import truncate
from s2s.decode.sampling import Sample, draw, packed, sample
from tests.decode.chance import UNLIKELY, leaf_probs, one_table, p_value, spelled
from tests.decode.table import EOS, Table

SETTINGS: list[dict[str, Any]] = [
    {},
    {"temperature": 0.6},
    {"temperature": 1.4, "top_k": 3, "top_p": 0.9, "min_p": 0.05},
]


def _drawn(**settings: Any) -> list[tuple[int, ...]]:
    found = sample(one_table(200, 3), Sample(num_return_sequences=100, **settings))
    return [hypothesis.ids for one in found for hypothesis in one.hypotheses]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_samples_have_the_tables_distribution(settings: dict[str, Any]) -> None:
    config = Sample(**settings)
    assert (
        p_value(
            _drawn(**settings),
            leaf_probs(one_table(1, 3), 3, lambda logits: truncate(logits, config)),
        )
        > UNLIKELY
    )


def test_a_wrong_temperature_would_be_seen() -> None:
    wrong = leaf_probs(one_table(1, 3), 3, lambda logits: logits / 1.1)
    assert p_value(_drawn(), wrong) < 1e-6
    with pytest.raises(AssertionError, match="impossible"):
        p_value(
            _drawn(),
            leaf_probs(one_table(1, 3), 3, lambda logits: truncate(logits, Sample(top_k=4))),
        )


def test_rules_come_before_truncation() -> None:
    for one in sample(
        one_table(30, 4),
        Sample(num_return_sequences=20, bad_words="2, 3 4", min_new_tokens=2, top_k=1),
    ):
        for ids in (hypothesis.ids for hypothesis in one.hypotheses):
            assert 2 not in ids
            assert EOS not in ids[:2]
            assert (3, 4) not in itertools.pairwise(ids)
        assert (
            len({hypothesis.ids for hypothesis in one.hypotheses}) == 1
        )  # top_k 1 of what the rules leave


def test_where_the_rules_allow_nothing_a_sample_ends() -> None:
    (found,) = sample(
        Table(1), Sample(bad_words="1,2,3,4", min_new_tokens=2, num_return_sequences=3)
    )
    assert [hypothesis.ids for hypothesis in found.hypotheses] == [(EOS,)] * 3


def test_a_sample_is_the_same_alone_and_among_others_and_however_many_are_drawn() -> None:
    config = Sample(num_return_sequences=7, max_new_tokens=9, no_repeat_ngram_size=3)
    together = sample(Table(6, 3), config)
    for source in range(6):
        alone = Table(6, 3)
        alone.reorder(torch.tensor([source]))
        alone.sources = alone.sources[source : source + 1]
        (found,) = sample(alone, config)
        assert found == together[source]
    few, many = (
        sample(Table(6, 3), Sample(num_return_sequences=n, max_new_tokens=9)) for n in (5, 10)
    )
    for one, other in zip(few, many, strict=True):
        assert Counter(one.hypotheses) <= Counter(other.hypotheses)


def test_seeds_and_sources_draw_differently() -> None:
    one, other = (sample(one_table(20, 9), Sample(seed=seed)) for seed in (1, 2))
    assert one == sample(one_table(20, 9), Sample(seed=1))
    assert one != other
    assert len({found.best.ids for found in one}) > 5


def test_samples_are_ranked_by_the_models_own_log_probability() -> None:
    table = Table(4, 2)
    for source, found in enumerate(
        sample(
            Table(4, 2),
            Sample(num_return_sequences=6, temperature=3.0, top_p=0.9, max_new_tokens=8),
        )
    ):
        scores = [hypothesis.score for hypothesis in found.hypotheses]
        assert len(scores) == 6
        assert scores == sorted(scores, reverse=True)
        for hypothesis in found.hypotheses:
            assert (
                hypothesis.score
                == hypothesis.log_prob
                == pytest.approx(table.log_prob(source, hypothesis.ids), abs=1e-4)
            )


@pytest.mark.parametrize("prefix", ["", "3", "2 4"])
def test_the_record_leads_to_every_sample(prefix: str) -> None:
    for found in sample(
        Table(5, 5), Sample(num_return_sequences=6, max_new_tokens=5, prefix=prefix)
    ):
        assert Counter(spelled(found)) == Counter(hypothesis.ids for hypothesis in found.hypotheses)
        assert all(" ".join(map(str, ids)).startswith(prefix) for ids in spelled(found))
        last = [kept.log_prob for kept in found.steps[-1]]
        assert sorted(last) == pytest.approx(
            sorted(one.log_prob for one in found.hypotheses if len(one.ids) == len(found.steps))
        )


def test_one_sample_unless_more_are_requested() -> None:
    assert [len(found.hypotheses) for found in sample(Table(3, max_length=5), Sample())] == [
        1,
        1,
        1,
    ]
    with pytest.raises(
        UserError,
        match="`num_return_sequences` 101 is out of range; give a number between 1 and 100",
    ):
        Sample(num_return_sequences=101)


class _Counting(Table):
    rows: list[int]

    def step(self, tokens: Tensor) -> Tensor:
        self.rows = [*getattr(self, "rows", []), len(tokens)]
        assert len(tokens) == self.n_rows
        return super().step(tokens)


def test_what_has_ended_stops_costing() -> None:
    table = _Counting(8, 4)
    found = sample(table, Sample(num_return_sequences=10, max_new_tokens=40))
    assert table.rows[0] == 8  # the first step is shared
    for step, rows in enumerate(table.rows[1:], 1):
        running = [
            sum(len(hypothesis.ids) > step for hypothesis in one.hypotheses) for one in found
        ]
        assert rows == max(running) * sum(n > 0 for n in running)


def test_the_grid_packs_what_lives() -> None:
    places, is_live = packed(
        torch.tensor([[False, True, False, True], [False] * 4, [False, False, True, False]])
    )
    assert places.tolist() == [1, 3, 10, 10]
    assert is_live.tolist() == [[True, True], [True, False]]
    assert len(packed(torch.zeros(2, 3, dtype=torch.bool)).indices) == 0


@pytest.mark.parametrize("vocab", [1, 5, 64, 65, 1000])
def test_a_draw_has_the_softmaxs_distribution(vocab: int) -> None:
    generator = torch.Generator().manual_seed(vocab)
    scores = torch.randn(2, vocab, generator=generator) * 2
    scores[:, 1::3] = float("-inf")
    columns = draw(scores, torch.rand(2, 20_000, dtype=torch.float64, generator=generator))
    for row in range(2):
        assert (
            p_value(
                columns[row].tolist(), dict(enumerate(scores[row].double().softmax(0).tolist()))
            )
            > UNLIKELY
        )


def test_a_draw_at_either_end_finds_what_may_be_drawn() -> None:
    scores = torch.full((3, 200), float("-inf"))
    scores[0, 7], scores[1, [70, 130]], scores[2, 199] = -300.0, torch.tensor([80.0, 79.0]), 0.0
    columns = draw(scores, torch.tensor([[0.0, 1e-17, 0.5, 1.0]] * 3, dtype=torch.float64))
    assert columns.tolist() == [[7] * 4, [70, 70, 70, 130], [199] * 4]

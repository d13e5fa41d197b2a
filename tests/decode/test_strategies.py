"""What holds for every row of STRATEGIES, whoever adds one."""

import itertools
import math
from typing import Any

import pytest
import torch

from s2s.config import UserError
from s2s.decode import ID_CODEC, STRATEGIES, SearchResult, configure
from s2s.decode.stepper import IdCodec
from tests.decode.table import EOS, Table

SOME: dict[str, dict[str, Any]] = {
    "constrained": {"force_words": "3"}
}  # what makes a strategy do more than its neighbour


def decoded(name: str, table: Table, **settings: Any) -> list[SearchResult]:
    strategy, config = configure(name, {"max_new_tokens": 7} | SOME.get(name, {}) | settings)
    return strategy(table, config, ID_CODEC)


def alone(table: Table, source: int) -> Table:
    table.sources = table.sources[source : source + 1]
    table.reorder(torch.tensor([source]))
    return table


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_stays_within_the_models_positions(name: str) -> None:
    for found in decoded(name, Table(2, max_length=3), max_new_tokens=None):
        assert 1 <= len(found.best.ids) <= 3
    with pytest.raises(
        UserError, match=r"`max_new_tokens` 4 is more than this model's 3 positions; give at most 3"
    ):
        decoded(name, Table(2, max_length=3), max_new_tokens=4)


@pytest.mark.parametrize("name", STRATEGIES)
def test_log_probs_are_the_models_own_and_hypotheses_are_sorted_by_score(name: str) -> None:
    table = Table(5, 9)
    for rules in ({}, {"repetition_penalty": 1.5, "bad_words": "2"}):
        for source, found in enumerate(decoded(name, Table(5, 9), **rules)):
            assert found.hypotheses
            for hypothesis in found.hypotheses:
                assert hypothesis.log_prob == pytest.approx(
                    table.log_prob(source, hypothesis.ids), abs=1e-4
                )
                assert math.isfinite(hypothesis.score)
                assert hypothesis.ids[-1] == EOS or len(hypothesis.ids) == 7
                assert EOS not in hypothesis.ids[:-1]
            scores = [hypothesis.score for hypothesis in found.hypotheses]
            assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_models_first_token_begins_every_target_and_costs_nothing(name: str) -> None:
    table = Table(4, 9)
    table.first_id = 4
    for source, found in enumerate(decoded(name, table)):
        assert found.hypotheses
        for hypothesis in found.hypotheses:
            assert hypothesis.ids[0] == 4
            own = table.log_prob(source, hypothesis.ids) - table.log_prob(source, (4,))
            assert hypothesis.log_prob == pytest.approx(own, abs=1e-4)
            assert hypothesis.token_log_probs[0] == 0
    table = Table(4, 9)
    table.first_id = 4
    for found in decoded(name, table, prefix="2"):
        assert all(hypothesis.ids[:2] == (4, 2) for hypothesis in found.hypotheses)


@pytest.mark.parametrize("name", STRATEGIES)
def test_suppressed_tokens_are_never_written(name: str) -> None:
    free = {token for found in decoded(name, Table(20, 9)) for token in found.best.ids}
    assert free >= {2, 4}
    table = Table(20, 9)
    table.suppressed = ((2,), (4,))
    for found in decoded(name, table):
        assert all(not {2, 4} & {*hypothesis.ids} for hypothesis in found.hypotheses)


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_source_is_decoded_alone_as_it_is_in_a_batch(name: str) -> None:
    together = decoded(name, Table(6, 3))
    for source, found in enumerate(together):
        (one,) = decoded(name, alone(Table(6, 3), source))
        assert [hypothesis.ids for hypothesis in one.hypotheses] == [
            hypothesis.ids for hypothesis in found.hypotheses
        ]
        assert [hypothesis.score for hypothesis in one.hypotheses] == pytest.approx(
            [each.score for each in found.hypotheses], abs=1e-5
        )


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_seed_decides_everything(name: str) -> None:
    again = [decoded(name, Table(6, 3), seed=5) for _ in range(2)]
    assert again[0] == again[1]


@pytest.mark.parametrize("name", ["sample", "beam_sample", "stochastic_beam", "mbr"])
def test_another_seed_draws_something_else(name: str) -> None:
    assert decoded(name, Table(6, 3), seed=5) != decoded(name, Table(6, 3), seed=6)


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_forced_prefix_begins_every_hypothesis(name: str) -> None:
    table = Table(3, 4)
    for source, found in enumerate(decoded(name, Table(3, 4), prefix="2 4")):
        for hypothesis in found.hypotheses:
            assert hypothesis.ids[:2] == (2, 4)
            assert hypothesis.log_prob == pytest.approx(
                table.log_prob(source, hypothesis.ids), abs=1e-4
            )
        assert [[kept.token for kept in step] for step in found.steps[:2]] == [[2], [4]]
    with pytest.raises(
        UserError,
        match=r"`prefix` has 8 tokens and at most 7 may be written; shorten it or raise `max_new_tokens`",
    ):
        decoded(name, Table(3, 4), prefix="2 4 2 4 2 4 2 4")


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_rules_hold(name: str) -> None:
    for found in decoded(name, Table(4, 2), bad_words="4,2 2", min_new_tokens=3):
        for hypothesis in found.hypotheses:
            ids = hypothesis.ids
            assert 4 not in ids
            assert (2, 2) not in set(itertools.pairwise(ids))
            assert len(ids) > 3 or EOS not in ids
    for found in decoded(name, Table(4, 2), no_repeat_ngram_size=2):
        for hypothesis in found.hypotheses:
            pairs = list(itertools.pairwise((1, *hypothesis.ids)))
            assert len(pairs) == len(set(pairs))


@pytest.mark.parametrize("name", STRATEGIES)
def test_where_everything_is_forbidden_the_target_ends(name: str) -> None:
    settings = {"bad_words": "1,2,3,4", "min_new_tokens": 2} | (
        {"force_words": ""} if name == "constrained" else {}
    )
    for found in decoded(name, Table(3, 1), **settings):
        assert found.best.ids == (EOS,)


@pytest.mark.parametrize("name", STRATEGIES)
def test_num_return_sequences_hypotheses_are_returned(name: str) -> None:
    for found in decoded(name, Table(3, 8), num_return_sequences=1):
        assert len(found.hypotheses) == 1
    if name not in ("greedy", "contrastive"):
        for found in decoded(name, Table(3, 8), num_return_sequences=3):
            assert len(found.hypotheses) == 3 or (name == "mbr" and found.hypotheses)
    if name != "sample":  # which draws on and on
        with pytest.raises(UserError, match="`num_return_sequences` 100 is more than the"):
            decoded(name, Table(3, 8), num_return_sequences=100)


@pytest.mark.parametrize("name", STRATEGIES)
def test_no_source_takes_more_rows_than_its_settings_say(name: str) -> None:
    class Counted(Table):
        most = 0

        def step(self, tokens: torch.Tensor) -> torch.Tensor:
            self.most = max(self.most, len(tokens))
            return super().step(tokens)

    table = Counted(4, 5)
    config = configure(name, SOME.get(name, {}))[1]
    decoded(name, table)
    assert table.most <= 4 * config.width


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_row_says_what_it_ranks_by(name: str) -> None:
    row = STRATEGIES[name]
    assert "Score: " in row.summary
    assert row.source or name == "greedy"


@pytest.mark.parametrize(
    ("name", "settings", "sentence"),
    [
        (
            "beam",
            {"num_beams": 0},
            "`num_beams` 0 is out of range; give a number between 1 and 100",
        ),
        (
            "sample",
            {"top_p": 1.5},
            "`top_p` 1.5 is out of range; give a number between 0.0 and 1.0",
        ),
        (
            "sample",
            {"temperature": 0},
            "`temperature` 0 leaves nothing to draw; take the strategy `greedy`",
        ),
        ("diverse_beam", {"num_beams": 5, "num_beam_groups": 2}, "`num_beam_groups`"),
        (
            "beam",
            {"min_new_tokens": 9, "max_new_tokens": 5},
            "`min_new_tokens` 9 is more than `max_new_tokens` 5; give at most 5",
        ),
        (
            "greedy",
            {"num_return_sequences": 2},
            "`num_return_sequences` 2 is more than the 1 that greedy finds; give at most 1",
        ),
        ("beam", {"early_stopping": "sometimes"}, "early_stopping"),
    ],
)
def test_what_cannot_be_is_said_before_anything_runs(
    name: str, settings: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(UserError, match=sentence):
        configure(name, settings)


@pytest.mark.parametrize(
    ("name", "setting"),
    [("beam", "bad_words"), ("greedy", "prefix"), ("constrained", "force_words")],
)
def test_words_outside_the_vocabulary_are_named_at_their_knob(name: str, setting: str) -> None:
    with pytest.raises(
        UserError, match=f"`{setting}`: `zebra` is not in this model's target vocabulary"
    ):
        decoded(name, Table(1), **{setting: "zebra"})


class SpacedCodec(IdCodec):
    """Like a byte-level tokenizer: a word after a space has another id, and a mark of no width has none."""

    def encode(self, text: str) -> list[int]:
        ids = [int(word) for word in text.split() if word.isdecimal()]
        return [token + 1 for token in ids] if text.startswith(" ") else ids

    def unknown_parts(self, text: str) -> list[str]:
        return []


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_forbidden_word_is_not_written_after_a_space_either(name: str) -> None:
    needed = {"constrained": {"force_words": "3"}}.get(name, {})  # 4, after a space
    settings = {"bad_words": "2, \u200b", "max_new_tokens": 5, **needed}
    strategy, config = configure(name, settings)
    for found in strategy(Table(3), config, SpacedCodec()):
        for hypothesis in found.hypotheses:
            assert not {2, 3} & {*hypothesis.ids}


def test_a_required_word_is_the_one_that_is_written_after_a_space() -> None:
    strategy, config = configure("constrained", {"force_words": "2", "max_new_tokens": 5})
    for found in strategy(Table(3), config, SpacedCodec()):
        assert all(3 in hypothesis.ids for hypothesis in found.hypotheses)


class LetterCodec(SpacedCodec):
    """Like a character tokenizer: the space before a word is a token of its own, here 4."""

    def encode(self, text: str) -> list[int]:
        ids = [int(word) for word in text.split()]
        return [4, *ids] if text.startswith(" ") else ids


def test_a_required_word_of_letters_stands_without_the_space_before_it() -> None:
    needed = {"force_words": "2", "bad_words": "4", "max_new_tokens": 5}
    strategy, config = configure("constrained", needed)
    for found in strategy(Table(3), config, LetterCodec()):
        assert all(2 in hypothesis.ids for hypothesis in found.hypotheses)

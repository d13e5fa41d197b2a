import math

import pytest
import torch

from s2s.config import UserError
from s2s.decode import ID_CODEC, Greedy, greedy
from s2s.decode.contrastive import Contrastive, contrastive
from tests.decode.table import EOS, START, VOCAB, Table


def _searched(
    table: Table, source: int, alpha: float, top_k: int, limit: int
) -> tuple[tuple[int, ...], float]:
    """Su et al. 2022, eq. 5, token by token with lists: the ids and the sum of the objective."""
    ids = [START, START]
    score = 0.0
    states = [_state(table, source, START, START)]
    while len(ids) < limit + 2 and (len(ids) == 2 or ids[-1] != EOS):
        probabilities = table.log_probs[source, ids[-2], ids[-1]].exp().tolist()
        candidates = sorted(range(VOCAB), key=lambda token: -probabilities[token])[:top_k]
        gains = {
            token: (1 - alpha) * probabilities[token]
            - alpha * max(_cosine(_state(table, source, ids[-1], token), state) for state in states)
            for token in candidates
        }
        token = max(gains, key=gains.__getitem__)
        score += gains[token]
        states.append(_state(table, source, ids[-1], token))
        ids.append(token)
    return tuple(ids[2:]), score


def _state(table: Table, source: int, before: int, last: int) -> list[float]:
    found: list[float] = table.vectors[source, before, last].tolist()
    return found


def _cosine(one: list[float], other: list[float]) -> float:
    return sum(x * y for x, y in zip(one, other, strict=True)) / (
        math.hypot(*one) * math.hypot(*other)
    )


@pytest.mark.parametrize("top_k", [1, 2, 4, 5, 50])
@pytest.mark.parametrize("alpha", [0.1, 0.6, 0.95])
def test_it_finds_what_lists_alone_find(alpha: float, top_k: int) -> None:
    for seed in range(4):
        table = Table(4, seed)
        found = contrastive(
            Table(4, seed), Contrastive(penalty_alpha=alpha, top_k=top_k, max_new_tokens=12)
        )
        for source, one in enumerate(found):
            ids, score = _searched(table, source, alpha, top_k, 12)
            assert one.best.ids == ids
            assert one.best.score == pytest.approx(score, abs=1e-4)
            assert one.best.log_prob == pytest.approx(table.log_prob(source, ids), abs=1e-4)


def test_without_the_penalty_it_is_greedy_search() -> None:
    for seed in range(10):
        settings = {
            "max_new_tokens": 12,
            "repetition_penalty": (1.0, 1.5)[seed % 2],
            "no_repeat_ngram_size": (0, 2)[seed // 2 % 2],
            "min_new_tokens": seed % 4,
            "bad_words": ("", "3")[seed % 2],
            "prefix": ("", "2 4")[seed // 5],
        }
        found = contrastive(Table(5, seed), Contrastive(penalty_alpha=0.0, **settings))
        expected = greedy(Table(5, seed), Greedy(**settings))
        for one, other in zip(found, expected, strict=True):
            assert one.best.ids == other.best.ids
            assert one.best.token_log_probs == pytest.approx(other.best.token_log_probs, abs=1e-5)
            assert [[kept.token for kept in step] for step in one.steps] == [
                [kept.token for kept in step] for step in other.steps
            ]
    (one,), (other,) = (
        contrastive(Table(1), Contrastive(top_k=1, max_new_tokens=9)),
        greedy(Table(1), Greedy(max_new_tokens=9)),
    )
    assert one.best.ids == other.best.ids


def test_a_source_decodes_alone_as_it_does_in_a_batch() -> None:
    together = contrastive(Table(6, 3), Contrastive(max_new_tokens=10))
    for source in range(6):
        alone = Table(6, 3)
        alone.reorder(torch.tensor([source]))
        alone.sources = alone.sources[source : source + 1]
        (found,) = contrastive(alone, Contrastive(max_new_tokens=10), ID_CODEC)
        assert found.best.ids == together[source].best.ids
        assert found.best.score == pytest.approx(together[source].best.score, abs=1e-5)


def test_one_call_of_the_stepper_a_token() -> None:
    table = Table(3)
    found = contrastive(table, Contrastive(prefix="2", max_new_tokens=7))
    assert table.n_steps == 1 + max(len(one.best.ids) for one in found)


@pytest.mark.parametrize("alpha", [0.6, 1.0])
def test_what_the_rules_forbid_is_not_chosen_for_being_unlike(alpha: float) -> None:
    for seed in range(6):
        config = Contrastive(
            penalty_alpha=alpha, top_k=5, bad_words="2, 4", min_new_tokens=3, max_new_tokens=8
        )
        for found in contrastive(Table(4, seed), config):
            assert not {2, 4} & set(found.best.ids)
            assert EOS not in found.best.ids[:3]
            assert math.isfinite(found.best.score)


def test_the_states_of_a_forced_prefix_count_and_its_tokens_do_not() -> None:
    table = Table(1, 2)
    (found,) = contrastive(
        Table(1, 2), Contrastive(prefix="2 4", max_new_tokens=3, min_new_tokens=1)
    )
    states = [_state(table, 0, START, START), _state(table, 0, START, 2), _state(table, 0, 2, 4)]
    probabilities = table.log_probs[0, 2, 4].exp().tolist()
    gains = [
        0.4 * probabilities[token]
        - 0.6 * max(_cosine(_state(table, 0, 4, token), state) for state in states)
        for token in range(VOCAB)
    ]
    likely = sorted(range(VOCAB), key=lambda token: -probabilities[token])[:4]
    assert found.best.ids == (2, 4, max(likely, key=gains.__getitem__))
    assert found.best.score == pytest.approx(gains[found.best.ids[-1]], abs=1e-5)


def test_a_model_is_never_fed_more_tokens_than_it_has_positions() -> None:
    table = Table(3, 1, max_length=4)
    table.log_probs[..., EOS] = -1e9
    found = contrastive(table, Contrastive())
    assert table.n_steps == 4
    for one in found:
        assert len(one.best.ids) == 4
        before, last = one.best.ids[1:3]
    assert one.best.ids[3] == int(table.log_probs[2, before, last].argmax())


def test_it_finds_one_hypothesis() -> None:
    with pytest.raises(
        UserError, match="`num_return_sequences` 2 is more than the 1 that contrastive search finds"
    ):
        Contrastive(num_return_sequences=2)
    with pytest.raises(
        UserError,
        match=r"`penalty_alpha` 1\.5 is out of range; give a number between 0\.0 and 1\.0",
    ):
        Contrastive(penalty_alpha=1.5)

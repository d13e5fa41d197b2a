import numpy as np
import pytest

from s2s.analysis.alignment import alignment_error_rate
from s2s.analysis.alignment_scores import (
    GoldLinks,
    count_links,
    error_intervals,
    score_arrays,
    score_corpus,
    score_links,
)

Links = frozenset[tuple[int, int]]


def drawn(seed: int, n_src: int, n_tgt: int, share: float) -> Links:
    draw = np.random.default_rng(seed)
    return frozenset(
        (src, tgt) for src in range(n_src) for tgt in range(n_tgt) if draw.random() < share
    )


GUESSES = [drawn(seed, 5, 6, 0.3) for seed in range(30)]
GOLD = [GoldLinks(drawn(100 + seed, 5, 6, 0.2), drawn(200 + seed, 5, 6, 0.2)) for seed in range(30)]


def plain_error(guesses: list[Links], gold: list[GoldLinks]) -> float:
    """Och & Ney 2003, section 6, link by link."""
    sure_hits = possible_hits = predicted = sure = 0
    for guess, known in zip(guesses, gold, strict=True):
        for link in guess:
            predicted += 1
            sure_hits += link in known.sure
            possible_hits += link in known.sure or link in known.possible
        sure += len(known.sure)
    return 1 - (sure_hits + possible_hits) / (predicted + sure)


def test_scores_are_sums_over_the_corpus() -> None:
    found = score_corpus(GUESSES, GOLD)
    assert found.error == pytest.approx(plain_error(GUESSES, GOLD))
    pairs = list(zip(GUESSES, GOLD, strict=True))
    n_possible = sum(len(guess & (known.sure | known.possible)) for guess, known in pairs)
    n_sure = sum(len(guess & known.sure) for guess, known in pairs)
    assert found.precision == pytest.approx(n_possible / sum(map(len, GUESSES)))
    assert found.recall == pytest.approx(n_sure / sum(len(known.sure) for known in GOLD))
    diagonal = frozenset((at, at) for at in range(9))
    short = ({(0, 0)}, GoldLinks(frozenset({(0, 0)})))  # error 0
    long = ({(0, 1)}, GoldLinks(diagonal))  # error 1
    guesses, gold = zip(short, long, strict=True)
    assert score_corpus(guesses, gold).error == pytest.approx(1 - 2 / (2 + 10)), "not the mean, 0.5"


def test_where_all_gold_is_sure_the_error_is_that_of_checkpoints_and_1_minus_f1() -> None:
    gold = [GoldLinks(known.sure) for known in GOLD]
    best = np.random.default_rng(1).integers(0, 5, (30, 6))
    guesses = [frozenset((int(src), tgt) for tgt, src in enumerate(row)) for row in best]
    found = score_corpus(guesses, gold)
    assert found.error == pytest.approx(
        float(alignment_error_rate(list(best), [known.sure for known in gold]))
    )
    assert found.precision is not None
    assert found.recall is not None
    assert found.error == pytest.approx(
        1 - 2 * found.precision * found.recall / (found.precision + found.recall)
    )


def test_numbers_done_by_hand() -> None:
    diagonal = frozenset({(0, 0), (1, 1), (2, 2)})
    assert score_links({(0, 0), (1, 2), (2, 1)}, GoldLinks(diagonal)).error == pytest.approx(2 / 3)
    klein = GoldLinks(frozenset({(0, 2), (1, 3), (2, 1), (3, 0)}))
    assert score_links({(0, 2), (1, 3), (2, 1), (3, 3)}, klein).precision == 0.75
    # a possible link costs nothing, and a missing sure one does
    gold = GoldLinks(frozenset({(0, 0), (1, 1)}), frozenset({(2, 1), (2, 2)}))
    assert score_links({(0, 0), (1, 1)}, gold) == (1.0, 1.0, 0.0)
    assert score_links({(0, 0), (1, 1), (2, 2)}, gold) == (1.0, 1.0, 0.0)
    assert score_links({(0, 0), (2, 1), (3, 3)}, gold) == (
        pytest.approx(2 / 3),
        0.5,
        pytest.approx(1 - (1 + 2) / (3 + 2)),
    )
    assert count_links({(0, 0), (2, 1), (3, 3)}, gold) == (3, 2, 1, 2)
    assert score_links(set(), gold) == (None, 0.0, 1.0)
    assert score_links({(0, 0)}, GoldLinks(frozenset())) == (0.0, None, 1.0)
    with pytest.raises(ValueError, match="no links"):
        score_links(set(), GoldLinks(frozenset(), frozenset({(0, 0)})))


def test_intervals_resample_sentences() -> None:
    counts = np.array([count_links(*pair) for pair in zip(GUESSES, GOLD, strict=True)])
    perfect = counts.copy()
    perfect[:, 0] = perfect[:, 2] = perfect[:, 3] = perfect[:, 1]
    both = np.stack([counts, perfect], 1)  # (sentences, 2, 4)
    low, high = error_intervals(both, samples=200, seed=3)
    error = score_arrays(both.sum(0)).error
    assert low[0] < error[0] < high[0]
    assert low[1] == error[1] == high[1] == 0
    draw = np.random.default_rng(3)
    plain = sorted(
        plain_error([GUESSES[at] for at in chosen], [GOLD[at] for at in chosen])
        for chosen in draw.choice(30, size=(200, 30), replace=True)
    )
    assert (low[0], high[0]) == (pytest.approx(plain[5]), pytest.approx(plain[-6]))
    again = error_intervals(both, samples=200, seed=3)
    assert np.array_equal(again, (low, high))

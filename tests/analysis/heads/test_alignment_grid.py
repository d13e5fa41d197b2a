from collections.abc import Iterator

import numpy as np
import pytest

import s2s
from s2s.analysis import GoldLinks, HeadSelection, Links, alignable_words, heads, reduced
from s2s.analysis.alignment_links import LINK_METHODS
from s2s.analysis.alignment_scores import score_corpus
from s2s.config import UserError
from s2s.runs import Run, encoded_pairs

PAIRS = [
    ("the cat sits on the mat", "le chat est assis sur le tapis"),
    ("the red house", "la maison rouge"),
    ("the bank is by the river", "la rive est près de la rivière"),
]
GOLD = [
    GoldLinks(
        frozenset({(0, 0), (1, 1), (3, 4), (4, 5), (5, 6)}), frozenset({(2, 2), (2, 3), (0, 5)})
    ),
    GoldLinks(frozenset({(0, 0), (1, 2), (2, 1)})),
    GoldLinks(frozenset({(0, 0), (1, 1)}), frozenset({(3, 3), (3, 4)})),
]


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load("demo-en-fr")


@pytest.fixture(scope="module")
def links(run: Run) -> dict[tuple[str, str, int, int], list[Links]]:
    """Each cell's links of each sentence, one sentence and one head at a time."""
    found: dict[tuple[str, str, int, int], list[Links]] = {}
    for attention in (run.attention(*pair) for pair in PAIRS):
        for slug in heads.HEAD_REDUCTIONS:
            for layer, head in np.ndindex(attention.cross.shape[:2]):
                picture = reduced(attention, HeadSelection("cross", layer, head), slug)
                words = alignable_words(picture, rows_whole=True, keys_whole=True).weights
                for method, row in LINK_METHODS.items():
                    cell = found.setdefault((slug, method, layer, head), [])
                    cell.append(row.extract(words))
    return found


def test_every_cell_is_scored_as_its_links_are(
    run: Run, links: dict[tuple[str, str, int, int], list[Links]]
) -> None:
    grid = heads.finish(heads.measure_alignment(run.model, encoded_pairs(run, PAIRS), GOLD))
    assert grid.counts.shape == (3, len(grid.reductions), len(grid.methods), 2, 4, 4)
    low, high = grid.intervals()
    for cell, guesses in links.items():
        slug, method, *head = cell
        at = (grid.reductions.index(slug), grid.methods.index(method), *head)
        expected = score_corpus(guesses, GOLD)
        assert grid.scores.error[at] == pytest.approx(expected.error)
        assert grid.scores.precision[at] == pytest.approx(expected.precision)
        assert grid.scores.recall[at] == pytest.approx(expected.recall)
        assert low[at] - 1e-9 <= grid.scores.error[at] <= high[at] + 1e-9


def test_agreement_is_f1_of_two_heads_links(
    run: Run, links: dict[tuple[str, str, int, int], list[Links]]
) -> None:
    found = heads.finish(heads.measure_agreement(run.model, encoded_pairs(run, PAIRS)))
    assert found.f1.shape == (len(found.reductions), len(found.methods), 8, 8)
    for slug, method in (("mean", "target"), ("norm", "grow-diag"), ("shift", "share")):
        f1 = found.f1[found.reductions.index(slug), found.methods.index(method)]
        assert np.array_equal(f1, f1.T)
        for one, other in ((0, 0), (0, 5), (6, 3)):
            a, b = (links[slug, method, head // 4, head % 4] for head in (one, other))
            error = score_corpus(a, [GoldLinks(guess) for guess in b]).error
            assert f1[one, other] == pytest.approx(1 - error)


def test_progress_is_told_after_every_sentence_and_an_empty_sample_is_refused(run: Run) -> None:
    pairs = encoded_pairs(run, PAIRS)

    def steps() -> Iterator[Iterator[float]]:
        yield heads.measure_alignment(run.model, pairs, GOLD)
        yield heads.measure_agreement(run.model, pairs)

    for measuring in steps():
        assert list(measuring) == [1 / 3, 2 / 3, 1.0]
    with pytest.raises(UserError, match="no sentences"):
        heads.finish(heads.measure_alignment(run.model, [], []))
    with pytest.raises(UserError, match="no sentences"):
        heads.finish(heads.measure_agreement(run.model, []))

import numpy as np
import pytest

import s2s
from s2s.analysis.alignment import alignment_error_rate, best_sources, merge_to_words, word_indices
from s2s.analysis.alignment_links import (
    LINK_METHODS,
    by_share,
    by_source,
    by_target,
    grow_diag,
    intersection,
    score_links,
    to_pharaoh,
    union,
)


def words(n_tgt: int, n_src: int, seed: int) -> np.ndarray:
    raw = np.random.default_rng(seed).random((n_tgt, n_src)).astype(np.float32) ** 4
    return raw / raw.sum(-1, keepdims=True)


SOME = [words(*np.random.default_rng(seed).integers(1, 9, 2), seed) for seed in range(40)]


def test_directions_are_argmax_of_rows_and_of_columns() -> None:
    for weights in SOME:
        assert by_target(weights) == {
            (int(src), tgt) for tgt, src in enumerate(best_sources(weights))
        }
        assert by_source(weights) == {(src, int(tgt)) for src, tgt in enumerate(weights.argmax(0))}


@pytest.mark.parametrize("slug", LINK_METHODS)
def test_links_are_inside_the_map_and_an_empty_map_has_none(slug: str) -> None:
    for weights in SOME:
        assert all(
            0 <= src < weights.shape[1] and 0 <= tgt < weights.shape[0]
            for src, tgt in LINK_METHODS[slug].extract(weights)
        )
    for shape in ((0, 0), (0, 3), (3, 0), (2, 3)):
        assert LINK_METHODS[slug].extract(np.zeros(shape, np.float32)) == frozenset()


@pytest.mark.parametrize("slug", ["target", "source", "both", "either", "grow-diag"])
def test_a_permutation_links_each_word_with_its_image(slug: str) -> None:
    order = np.random.default_rng(1).permutation(6)
    weights = np.full((6, 6), 0.02, np.float32)
    weights[np.arange(6), order] = 0.9
    assert LINK_METHODS[slug].extract(weights) == {(int(src), tgt) for tgt, src in enumerate(order)}


def as_published(
    forward: set[tuple[int, int]], backward: set[tuple[int, int]], n_src: int, n_tgt: int
) -> set[tuple[int, int]]:
    """GROW-DIAG as the papers print it, on two boolean tables: rows target words, columns source words."""
    one, other = (
        np.array([[(src, tgt) in links for src in range(n_src)] for tgt in range(n_tgt)])
        for links in (forward, backward)
    )
    found = one & other
    union = one | other
    is_growing = True
    while is_growing:
        is_growing = False
        for e in range(n_tgt):
            for f in range(n_src):
                if not found[e, f]:
                    continue
                for e_new, f_new in [
                    (e + i, f + j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j
                ]:
                    if 0 <= e_new < n_tgt and 0 <= f_new < n_src and union[e_new, f_new]:
                        has_partner = found[e_new].any() and found[:, f_new].any()
                        if not has_partner:
                            found[e_new, f_new] = is_growing = True
    return {(int(f), int(e)) for e, f in zip(*np.nonzero(found), strict=True)}


def test_grow_diag_matches_the_published_algorithm() -> None:
    n_grown = 0
    for weights in SOME:
        n_tgt, n_src = weights.shape
        expected = as_published(set(by_target(weights)), set(by_source(weights)), n_src, n_tgt)
        assert grow_diag(weights) == expected
        n_grown += len(expected) > len(intersection(weights))
    assert n_grown > 5


def test_it_lies_between_the_intersection_and_the_union() -> None:
    for weights in SOME:
        assert intersection(weights) <= grow_diag(weights) <= union(weights)
        assert intersection(weights) <= by_target(weights) <= union(weights)


def test_it_grows_to_a_neighbor_and_no_farther() -> None:
    weights = np.array(
        [[0.9, 0.1, 0.0, 0.0], [0.6, 0.3, 0.1, 0.0], [0.5, 0.1, 0.1, 0.3]], np.float32
    )
    assert intersection(weights) == {(0, 0)}
    assert union(weights) == {(0, 0), (0, 1), (0, 2), (1, 1), (2, 1), (3, 2)}
    assert grow_diag(weights) == {(0, 0), (0, 1), (0, 2), (1, 1), (2, 1), (3, 2)}
    apart = np.array([[0.9, 0.05, 0.0, 0.05], [0.5, 0.1, 0.0, 0.4]], np.float32)
    assert union(apart) - grow_diag(apart) == {(3, 1)}  # touches no link that there is


def test_a_tiny_share_is_the_argmax() -> None:
    for weights in SOME:
        assert by_share(weights, 0.01) == by_target(weights)
        assert by_share(weights, 0.5) <= by_share(weights) <= by_share(weights, 1.0)


def test_the_error_of_one_sentence_is_that_of_many_with_one() -> None:
    for weights in SOME[:20]:
        n_tgt, n_src = weights.shape
        draw = np.random.default_rng(n_tgt * 10 + n_src)
        gold = [(src, tgt) for src in range(n_src) for tgt in range(n_tgt) if draw.random() < 0.4]
        found = score_links(by_target(weights), gold)
        assert found.error == pytest.approx(
            float(alignment_error_rate([best_sources(weights)], [gold]))
        )
        if gold and found.precision and found.recall:  # where all gold is sure, the error is 1 - F1
            assert found.error == pytest.approx(
                1 - 2 * found.precision * found.recall / (found.precision + found.recall)
            )


def test_numbers_done_by_hand() -> None:
    assert score_links({(0, 0), (1, 1)}, [(0, 0), (1, 1)]) == (1.0, 1.0, 0.0)
    assert score_links({(0, 0), (1, 0)}, [(0, 0), (1, 1), (2, 2)]) == (
        0.5,
        pytest.approx(1 / 3),
        pytest.approx(0.6),
    )
    assert score_links(set(), [(0, 0)]) == (None, 0.0, 1.0)
    assert score_links({(0, 0)}, []) == (0.0, None, 1.0)
    with pytest.raises(ValueError, match="no links"):
        score_links(set(), set())


def test_links_as_text() -> None:
    assert to_pharaoh({(1, 0), (0, 1), (0, 10), (2, 2)}) == "1-0 0-1 2-2 0-10"
    assert to_pharaoh(set()) == ""


def test_the_best_head_of_the_demo_puts_roja_on_red_and_casa_on_house() -> None:
    run = s2s.load("demo-en-es")
    attention = run.attention("the red house", "la casa roja")
    cross = merge_to_words(
        attention.cross,
        word_indices(attention.tgt_tokens, is_whole=True),
        word_indices(attention.src_tokens, is_whole=True),
    )
    gold = [(0, 0), (1, 2), (2, 1)]
    rates = alignment_error_rate([best_sources(cross)], [gold])
    best = np.unravel_index(rates.argmin(), rates.shape)
    assert rates[best] == 0
    assert {(1, 2), (2, 1)} <= by_target(cross[best])

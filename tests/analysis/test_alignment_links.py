from collections.abc import Callable

import numpy as np
import pytest

import s2s
from s2s.analysis.alignment import alignment_error_rate, best_sources, merge_to_words, word_indices
from s2s.analysis.alignment_links import (
    LINK_METHODS,
    Links,
    by_share,
    by_source,
    by_target,
    links_by_method,
    to_pharaoh,
)


def method(slug: str) -> Callable[[np.ndarray], Links]:
    return LINK_METHODS[slug].extract


intersection, union = method("both"), method("either")
grow_diag, grow_diag_final, grow_diag_final_and = map(
    method, ("grow-diag", "grow-diag-final", "grow-diag-final-and")
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


@pytest.mark.parametrize("slug", [slug for slug in LINK_METHODS if slug != "share"])
def test_a_permutation_links_each_word_with_its_image(slug: str) -> None:
    order = np.random.default_rng(1).permutation(6)
    weights = np.full((6, 6), 0.02, np.float32)
    weights[np.arange(6), order] = 0.9
    assert LINK_METHODS[slug].extract(weights) == {(int(src), tgt) for tgt, src in enumerate(order)}


def tables(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both directions as boolean tables: rows target words, columns source words."""
    one, other = (np.zeros(weights.shape, bool) for _ in range(2))
    for tgt, row in enumerate(weights):
        one[tgt, row.argmax()] = True
    for src, column in enumerate(weights.T):
        other[column.argmax(), src] = True
    return one, other


def as_published(weights: np.ndarray, final: str = "") -> set[tuple[int, int]]:
    """GROW-DIAG as the papers print it, and FINAL with `or` or `and`, on boolean tables."""
    one, other = tables(weights)
    found = one & other
    n_tgt, n_src = found.shape
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
                    is_inside = 0 <= e_new < n_tgt and 0 <= f_new < n_src
                    if is_inside and (one | other)[e_new, f_new]:
                        has_partner = found[e_new].any() and found[:, f_new].any()
                        if not has_partner:
                            found[e_new, f_new] = is_growing = True
    for direction in (one, other) if final else ():
        for e in range(n_tgt):
            for f in range(n_src):
                free = [not found[e].any(), not found[:, f].any()]
                if direction[e, f] and (any(free) if final == "or" else all(free)):
                    found[e, f] = True
    return {(int(f), int(e)) for e, f in zip(*np.nonzero(found), strict=True)}


def test_symmetrization_matches_the_published_algorithms() -> None:
    n_larger = np.zeros(3, int)
    for weights in SOME:
        grown, final, final_and = (as_published(weights, how) for how in ("", "or", "and"))
        assert grow_diag(weights) == grown
        assert grow_diag_final(weights) == final
        assert grow_diag_final_and(weights) == final_and
        n_larger += (grown > intersection(weights), final > final_and, final_and > grown)
    assert n_larger.min() > 3, "the maps hold every case"


def test_all_methods_at_once_find_what_each_finds() -> None:
    for weights in (*SOME, np.zeros((2, 3), np.float32), np.zeros((0, 3), np.float32)):
        assert links_by_method(weights) == {
            slug: row.extract(weights) for slug, row in LINK_METHODS.items()
        }


def test_it_lies_between_the_intersection_and_the_union() -> None:
    for weights in SOME:
        assert intersection(weights) <= grow_diag(weights) <= grow_diag_final_and(weights)
        assert grow_diag(weights) <= grow_diag_final(weights) <= union(weights)
        assert grow_diag_final_and(weights) <= union(weights)
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

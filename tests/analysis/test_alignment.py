import math
from itertools import product

import numpy as np
import pytest

from s2s.analysis.alignment import (
    alignment_error_rate,
    best_sources,
    mean_entropy,
    merge_to_words,
    row_entropies,
    word_indices,
)
from s2s.config import TokenizerConfig
from s2s.tokenizers import EOS, TOKENIZERS, fit

TEXTS = [
    "the bees and the fly flew, near the old bank",
    "l'été n'est pas fini.",
    "a  b",
    "in-compre-hensible tout à coup",
    "日本 語",
]


def rows(*shape: int, seed: int = 0) -> np.ndarray:
    raw = np.random.default_rng(seed).random(shape).astype(np.float32) ** 4
    return raw / raw.sum(-1, keepdims=True)


@pytest.mark.parametrize("n", [1, 2, 7, 100])
def test_entropy_is_log_n_for_uniform_rows_and_0_for_one_hot_rows(n: int) -> None:
    np.testing.assert_allclose(
        row_entropies(np.full((3, n), 1 / n, np.float32)), math.log(n), atol=1e-6
    )
    assert (row_entropies(np.eye(n, dtype=np.float32)) == 0).all()


def test_entropy_of_two_keys_is_the_binary_one_and_order_plays_no_part() -> None:
    p = np.linspace(0.01, 0.99, 9)
    np.testing.assert_allclose(
        row_entropies(np.stack([p, 1 - p], -1)), -p * np.log(p) - (1 - p) * np.log(1 - p)
    )
    weights = rows(5, 8)
    np.testing.assert_allclose(row_entropies(weights[:, ::-1]), row_entropies(weights))
    np.testing.assert_allclose(
        row_entropies(np.pad(weights, ((0, 0), (0, 3)))), row_entropies(weights)
    )  # keys that may not be seen


def test_the_mean_is_over_rows_and_not_over_pairs() -> None:
    pairs = [rows(2, 3, 4, 6), rows(2, 3, 1, 2, seed=1)]
    expected = np.concatenate([row_entropies(weights) for weights in pairs], -1).mean(-1)
    assert mean_entropy(pairs).shape == (2, 3)
    np.testing.assert_allclose(mean_entropy(pairs), expected)


def test_tokens_give_the_words_between_spaces() -> None:
    for text in TEXTS:
        for kind in TOKENIZERS:
            tokenizer, _ = fit(TokenizerConfig(kind), TEXTS, TEXTS)
            ids = [*tokenizer.encode(text), EOS]
            found = word_indices(tokenizer.tokens(ids), is_whole=kind == "word")
            assert len(found) == len(ids)
            assert found[-1] == -1
            words = [
                tokenizer.decode(
                    [index for index, place in zip(ids, found, strict=True) if place == word]
                )
                for word in range(found.max() + 1)
            ]
            assert [word.strip() for word in words] == text.split()


def test_unknown_tokens_belong_to_their_word() -> None:
    assert word_indices(
        ("▁a", "<unk>", "s", "▁", "<unk>", "▁", "</s>"), is_whole=False
    ).tolist() == [
        0,
        0,
        0,
        -1,
        1,
        -1,
        -1,
    ]
    assert word_indices(("le", "<unk>", "</s>"), is_whole=True).tolist() == [0, 1, -1]
    assert word_indices(("</s>",), is_whole=False).tolist() == [-1]


def test_marks_are_no_words_wherever_a_checkpoint_has_them() -> None:
    bart = ("<s>", "le", "▁chat", "s", "</s>")
    assert word_indices(bart, is_whole=False).tolist() == [-1, 0, 1, 1, -1]
    mbart = ("▁le", "▁chat", "s", "</s>", "fr_XX")
    assert word_indices(mbart, is_whole=False).tolist() == [0, 1, 1, -1, -1]


def test_words_take_the_sum_of_their_keys_and_the_mean_of_their_rows() -> None:
    weights = rows(2, 3, 4, 5)
    found = merge_to_words(weights, np.array([0, 1, 1, -1]), np.array([0, 0, -1, 1, -1]))
    assert found.shape == (2, 3, 2, 2)
    np.testing.assert_allclose(found[..., 0, 0], weights[..., 0, :2].sum(-1), rtol=1e-6)
    np.testing.assert_allclose(found[..., 1, 1], weights[..., 1:3, 3].mean(-1), rtol=1e-6)


def test_whole_words_stay_what_they_were() -> None:
    weights = rows(4, 5)
    found = merge_to_words(weights, np.array([0, 1, 2, -1]), np.array([0, 1, 2, 3, -1]))
    np.testing.assert_array_equal(found, weights[:3, :4])


@pytest.mark.parametrize(
    ("guess", "gold", "rate"),
    [
        ([0, 1], [(0, 0), (1, 1)], 0.0),
        ([1, 0], [(0, 0), (1, 1)], 1.0),
        ([0, 0], [(0, 0), (1, 1)], 0.5),
        (
            [0, 1],
            [(0, 0), (1, 0), (1, 1)],
            1 - 2 * 2 / (2 + 3),
        ),  # `qu'ils` stands for two words, and each word has one guess
        ([0, 1, 1], [(0, 0)], 1 - 2 * 1 / (3 + 1)),  # words without counterpart
        ([0], [], 1.0),
    ],
)
def test_error_of_pairs_done_by_hand(
    guess: list[int], gold: list[tuple[int, int]], rate: float
) -> None:
    assert alignment_error_rate([np.array(guess)], [gold]) == pytest.approx(rate)


@pytest.mark.parametrize("seed", range(5))
def test_error_is_that_of_the_definition_over_sets_of_links(seed: int) -> None:
    random = np.random.default_rng(seed)
    sizes = [(int(random.integers(1, 7)), int(random.integers(1, 7))) for _ in range(6)]
    words = [random.random((2, 3, n_tgt, n_src)).astype(np.float32) for n_src, n_tgt in sizes]
    gold = [
        [link for link in product(range(n_src), range(n_tgt)) if random.random() < 0.3]
        for n_src, n_tgt in sizes
    ]
    found = alignment_error_rate([best_sources(weights) for weights in words], gold)
    assert found.shape == (2, 3)
    for layer, head in np.ndindex(2, 3):
        links = {
            (pair, int(row.argmax()), tgt)
            for pair, weights in enumerate(words)
            for tgt, row in enumerate(weights[layer, head])
        }
        sure = {(pair, *link) for pair, known in enumerate(gold) for link in known}
        assert found[layer, head] == pytest.approx(
            1 - 2 * len(links & sure) / (len(links) + len(sure))
        )


def test_without_links_there_is_nothing_to_compare() -> None:
    with pytest.raises(ValueError, match="no links"):
        alignment_error_rate([], [])


def test_languages_around_a_text_belong_to_no_word() -> None:
    for first in ("__fr__", "en_XX", "eng_Latn", ">>fra<<"):
        indices = word_indices((first, "▁le", "▁chat", "s", "</s>", first), is_whole=False)
        assert indices.tolist() == [-1, 0, 1, 1, -1, -1]
    assert word_indices(("fr_FR", "le", "</s>"), is_whole=True).tolist() == [0, 1, -1]

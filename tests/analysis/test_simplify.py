import string
from itertools import product

import numpy as np
import pytest

from s2s.analysis import AttentionMap
from s2s.analysis.alignment import merge_to_words, word_indices
from s2s.analysis.simplify import (
    alignable_words,
    display_words,
    is_sink,
    merge_words,
    strongest_cells,
    without,
    without_sinks,
)
from s2s.config import TokenizerConfig
from s2s.tokenizers import BOS, EOS, SPECIALS, TOKENIZERS, fit

TEXTS = [
    "the bees and the fly flew, near the old bank",
    "l'été n'est pas fini.",
    "a  b",
    "in-compre-hensible tout à coup",
    "日本 語",
]


PUNCTUATION = sorted(
    set(string.punctuation) - set("$+<=>^`|~")
)  # which are signs of money and mathematics


def pictured(
    weights: np.ndarray, keys: tuple[str, ...] = (), rows: tuple[str, ...] = ()
) -> AttentionMap:
    n_rows, n_keys = weights.shape
    return AttentionMap(
        weights.astype(np.float32),
        rows or tuple("abcdefgh"[:n_rows]),
        keys or tuple("stuvwxyz"[:n_keys]),
        "predicts",
        "name",
    )


def random(n_rows: int, n_keys: int, seed: int = 0) -> np.ndarray:
    raw = np.random.default_rng(seed).random((n_rows, n_keys)).astype(np.float32) ** 3
    return raw / raw.sum(-1, keepdims=True)


def test_marks_and_punctuation_are_sinks() -> None:
    for token in ["<s>", "</s>", "<pad>", *PUNCTUATION, "▁,", "...", "«", "。"]:
        assert is_sink(token)


def test_nothing_else_is() -> None:
    for token in ["", "▁", "a", "▁l'", "house,", "<unk>", "7", "été", "語", "<0xC3>", "$", "+"]:
        assert not is_sink(token)


@pytest.mark.parametrize("left_out", [[], [0], [1, 3], [4, 0]])
def test_what_is_left_sums_to_1_in_the_same_proportions(left_out: list[int]) -> None:
    picture = pictured(random(4, 5))
    found = without(picture, left_out)
    kept = [key for key in range(5) if key not in left_out]
    assert found.picture.keys == tuple("stuvw"[key] for key in kept)
    assert (found.picture.rows, found.n_empty) == (picture.rows, 0)
    np.testing.assert_allclose(found.picture.weights.sum(1), 1.0, atol=1e-6)
    np.testing.assert_allclose(
        found.picture.weights * picture.weights[:, kept].sum(1, keepdims=True),
        picture.weights[:, kept],
        rtol=1e-5,
    )
    assert found.share == pytest.approx(picture.weights[:, left_out].sum() / 4)  # rows summed to 1
    assert found.least == pytest.approx(picture.weights[:, kept].sum(1).min(), abs=1e-6)


def test_a_row_that_loses_everything_is_zeros_and_counted() -> None:
    found = without(pictured(np.array([[1.0, 0.0, 0.0], [0.5, 0.25, 0.25]])), [0])
    np.testing.assert_array_equal(found.picture.weights, np.array([[0, 0], [0.5, 0.5]], np.float32))
    assert (found.share, found.n_empty, found.least) == (0.75, 1, 0.5)
    nothing = without(pictured(random(2, 3)), [0, 1, 2])
    assert nothing.picture.weights.shape == (2, 0)
    assert (nothing.share, nothing.n_empty) == (pytest.approx(1.0), 2)


def test_sinks_are_left_out_by_their_tokens() -> None:
    found = without_sinks(pictured(random(2, 4), ("▁le", "▁chat", ".", "</s>")))
    assert found.picture.keys == ("▁le", "▁chat")
    assert without_sinks(pictured(random(2, 2), ("le", "chat"))).share == 0


def test_words_are_those_between_spaces_and_marks_words_of_their_own() -> None:
    for is_started in [False, True]:
        for text in TEXTS:
            for kind in TOKENIZERS:
                tokenizer, _ = fit(TokenizerConfig(kind), TEXTS, TEXTS)
                ids = tokenizer.encode(text)
                tokens = tuple(tokenizer.tokens([BOS, *ids] if is_started else [*ids, EOS]))
                weights = random(len(tokens), len(tokens))
                found = merge_words(
                    pictured(weights, tokens, tokens),
                    rows_whole=kind == "word",
                    keys_whole=kind == "word",
                )
                expected = ("<s>", *text.split()) if is_started else (*text.split(), "</s>")
                assert found.keys == found.rows == expected
                np.testing.assert_allclose(found.weights.sum(1), 1.0, atol=1e-5)


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_alignment_is_shown_on_the_cells_that_it_is_measured_on(kind: str) -> None:
    """Those of `word_indices`; apart from `</s>`, merged words have the same cells unless spaces are tokens."""
    tokenizer, _ = fit(TokenizerConfig(kind), TEXTS, TEXTS)
    tokens = tuple(tokenizer.tokens([*tokenizer.encode(TEXTS[0]), EOS]))
    weights = random(len(tokens), len(tokens))
    where = word_indices(tokens, is_whole=kind == "word")
    measured = merge_to_words(weights, where, where)
    picture = pictured(weights, tokens, tokens)
    is_whole = kind == "word"
    shown, words = (
        make(picture, rows_whole=is_whole, keys_whole=is_whole)
        for make in (alignable_words, merge_words)
    )
    np.testing.assert_allclose(shown.weights, measured, atol=1e-6)
    assert (*shown.rows, "</s>") == words.rows
    assert np.allclose(words.weights[:-1, :-1], measured, atol=1e-6) == ("▁" not in tokens)


@pytest.mark.parametrize(
    ("tokens", "words", "expected"),
    [
        ("▁le ▁chat ▁ . </s>", [0, 1, 2, 2, 3], ("le", "chat", ".", "</s>")),
        ("▁a ▁ ( b ) ▁ ▁ ▁c </s>", [0, 1, 1, 1, 1, 2, 2, 2, 3], ("a", "(b)", "c", "</s>")),
        ("<s> l e ▁ c", [0, 1, 1, 2, 2], ("<s>", "le", "c")),
        ("▁a b ▁ ▁ </s>", [0, 0, 0, 0, 1], ("ab", "</s>")),  # nothing follows
        ("<s> ▁ </s>", [0, 1, 2], ("<s>", "▁", "</s>")),
    ],
)
def test_a_space_on_its_own_belongs_to_the_word_after_it(
    tokens: str, words: list[int], expected: tuple[str, ...]
) -> None:
    pieces = tuple(tokens.split())
    assert display_words(pieces, is_whole=False).tolist() == words
    weights = random(len(pieces), len(pieces))
    found = merge_words(pictured(weights, pieces, pieces), rows_whole=False, keys_whole=False)
    assert found.rows == found.keys == expected
    for row, key in product(range(len(expected)), repeat=2):
        of_row, of_key = (
            [place for place, word in enumerate(words) if word == each] for each in (row, key)
        )
        assert found.weights[row, key] == pytest.approx(
            weights[of_row][:, of_key].sum(1).mean(), abs=1e-6
        )


def test_marks_stand_alone_wherever_they_are() -> None:
    assert display_words(("<s>", "le", "chat"), is_whole=True).tolist() == [0, 1, 2]
    assert display_words((), is_whole=False).tolist() == []
    assert set(SPECIALS) - {"<unk>"} == {token for token in SPECIALS if is_sink(token)}


def test_an_empty_map_stays_empty() -> None:
    found = merge_words(
        pictured(np.zeros((0, 2)), ("le", "</s>")), rows_whole=True, keys_whole=True
    )
    assert found.weights.shape == (0, 2)


def test_links_are_the_fewest_cells_that_hold_the_share() -> None:
    for seed in range(4):
        for share in [0.1, 0.5, 0.75, 0.99, 1.0]:
            weights = random(5, 7, seed)
            found = strongest_cells(weights, share)
            for row in range(5):
                cells = [cell for cell in found if cell.row == row]
                assert [cell.weight for cell in cells] == sorted(weights[row], reverse=True)[
                    : len(cells)
                ]
                assert all(cell.weight == pytest.approx(weights[row, cell.key]) for cell in cells)
                total = sum(cell.weight for cell in cells)
                assert total >= share - 1e-5
                assert total - cells[-1].weight < share


def test_links_of_equals_and_of_empty_rows() -> None:
    weights = np.array(
        [[0.25, 0.25, 0.25, 0.25], [0, 0, 0, 0], [0, 1, 0, 0], [0.2, 0.4, 0.4, 0]], np.float32
    )
    found = [(cell.row, cell.key) for cell in strongest_cells(weights, 0.75)]
    assert found == [(0, 0), (0, 1), (0, 2), (2, 1), (3, 1), (3, 2)]
    assert strongest_cells(np.zeros((0, 3), np.float32), 0.75) == []

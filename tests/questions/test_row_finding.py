"""The row of a map that makes the best example."""

import numpy as np

from s2s.questions import clearest_row


def test_words_that_change_places_tell_most() -> None:
    weights = np.array(
        [[1.0, 0, 0, 0], [0, 0, 0.8, 0.2], [0, 0.9, 0.1, 0], [0, 0, 0, 1]], np.float32
    )
    word, key, weight = clearest_row(
        weights, ("la", "maison", "rouge", "</s>"), ("the", "red", "house", "</s>")
    )
    assert (word, key) == ("rouge", "red")
    assert weight == np.float32(0.9)


def test_an_unsure_row_is_not_taken_for_a_crossing() -> None:
    weights = np.array([[0.3, 0.4, 0.3], [0.9, 0.1, 0], [0, 0, 1]], np.float32)
    assert clearest_row(weights, ("x", "y", "</s>"), ("a", "b", "</s>"))[:2] == ("y", "a")


def test_an_empty_translation_has_its_end_to_tell_of() -> None:
    weights = np.array([[0.2, 0.8]], np.float32)
    assert clearest_row(weights, ("</s>",), ("a", "</s>"))[:2] == ("</s>", "</s>")

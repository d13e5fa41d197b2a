import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from s2s.ui.kit.captions import clearest_row, four_digits, nats


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


def unfinished() -> None:
    import numpy as np

    from s2s.analysis import AttentionMap
    from s2s.runs import load
    from s2s.ui.kit import captions

    weights = np.array([[0.5, np.nan]], np.float32)
    shown = AttentionMap(weights, ("a",), ("b", "c"), "predicts", "layer 1 of 2")
    captions.show_heatmap(load("demo-tasks"), "cross", shown)
    captions.reading_guide("cross", shown)


def test_of_numbers_that_are_not_finite_there_is_a_sentence_and_no_picture() -> None:
    screen = AppTest.from_function(unfinished, default_timeout=30).run()
    assert not screen.exception
    assert screen.warning[0].value.endswith("layer 1 of 2: its numbers are not finite.")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (-0.0, "0"),
        (-0.000123456, "−0.0001235"),
        (-520165.551, "−520,166"),
        (-1.5, "−1.500"),
        (-0.00002813, "−2.813 × 10⁻⁵"),
    ],
)
def test_four_significant_digits_and_a_real_zero(value: float, shown: str) -> None:
    assert four_digits(value) == shown
    assert nats(-0.001) == "0.00"

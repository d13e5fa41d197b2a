"""The sentence about the clearest row of a map of attention: of the map that is shown, and only where it is true."""

import numpy as np
import pytest

from s2s.analysis import AttentionMap
from s2s.questions import (
    AttentionLines,
    AttentionOf,
    Have,
    clearest_row,
    later_finding,
    row_finding,
)

DEMO = "demo-en-fr"
HOUSE = "the red house is not old"


def of(*rows: list[float]) -> AttentionMap:
    """A map with rows `a`, `b` and columns `x`, `y`, `z`."""
    weights = np.array(rows, np.float32)
    return AttentionMap(weights, tuple("ab"[: len(rows)]), tuple("xyz"), "predicts", "")


def test_a_row_of_equal_weights_has_no_key_of_most_weight() -> None:
    assert row_finding(of([0.2, 0.5, 0.3])) == (
        "When the model predicts “a”, it attends mostly to “y” (0.50)."
    )
    assert not row_finding(of([1 / 3] * 3, [1 / 3] * 3))
    assert not row_finding(of([0.5, 0.5, 0]))
    assert "“b”, it attends mostly to “y”" in row_finding(of([0.4, 0.4, 0.2], [0.1, 0.6, 0.3]))


def test_a_token_that_is_yet_to_be_written_is_named_with_its_place() -> None:
    weights = np.array([[0.7, 0.3, 0], [0.1, 0.3, 0.6], [0.2, 0.2, 0.6]], np.float32)
    said = later_finding(AttentionMap(weights, ("1", "1", "</s>"), ("<s>", "1", "1"), "reads", ""))
    assert "reads “1” (row 2), it attends to “1” (column 3), which it has yet to write" in said
    assert not later_finding(of([1, 0, 0], [0.5, 0.5, 0]))


def test_a_token_that_is_there_twice_is_named_with_its_place() -> None:
    twice = AttentionMap(
        np.array([[0.4, 0.6, 0], [0, 0.1, 0.9]], np.float32), ("a", "a"), tuple("xyy"), "reads", ""
    )
    said = row_finding(twice)
    assert said == "When the model reads “a” (row 2), it attends mostly to “y” (column 3, 0.90)."
    assert "row 2" not in row_finding(twice, is_part=True)


def test_of_a_part_it_says_so() -> None:
    assert "“a”, of what is shown here, it attends" in row_finding(of([0.1, 0.5, 0]), is_part=True)
    question = AttentionOf(DEMO, HOUSE, drop=True)
    assert "of what is shown here" in question.finding(Have().answer(question))


@pytest.mark.parametrize("head", ["1.1", "2.3"])
def test_of_a_head_that_lines_show_it_is_that_head(head: str) -> None:
    layer, _, number = head.partition(".")
    answer = Have().answer(AttentionLines(DEMO, HOUSE))
    one = AttentionLines(DEMO, HOUSE, heads=head)
    assert one.finding(answer) == AttentionOf(DEMO, HOUSE, layer=layer, head=number).finding(answer)
    assert not AttentionLines(DEMO, HOUSE, heads=f"{head} 1.2").finding(answer)


def test_words_that_change_places_tell_most() -> None:
    weights = np.array(
        [[1.0, 0, 0, 0], [0, 0, 0.8, 0.2], [0, 0.9, 0.1, 0], [0, 0, 0, 1]], np.float32
    )
    assert clearest_row(weights, ("la", "maison", "rouge", "</s>")) == 2


def test_an_unsure_row_is_not_taken_for_a_crossing() -> None:
    weights = np.array([[0.3, 0.4, 0.3], [0.9, 0.1, 0], [0, 0, 1]], np.float32)
    assert clearest_row(weights, ("x", "y", "</s>")) == 1


def test_an_empty_translation_has_its_end_to_tell_of() -> None:
    weights = np.array([[0.2, 0.8]], np.float32)
    assert clearest_row(weights, ("</s>",)) == 0


def test_a_row_that_sees_one_key_tells_nothing() -> None:
    assert "“b”, it attends mostly to “y”" in row_finding(of([1, 0, 0], [0.4, 0.6, 0]))
    assert "“a”, it attends mostly to “x” (1.00)" in row_finding(of([1, 0, 0]))

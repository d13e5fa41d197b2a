import random
from itertools import pairwise

import pytest

from s2s.analysis.word_diff import ADDED, MISSING, SHARED, diff_words


def some_text(draw: random.Random, words: str) -> str:
    return " ".join(draw.choice(words) for _ in range(draw.randint(2, 9)))


def test_the_segments_hold_both_texts() -> None:
    draw = random.Random(1)
    for _ in range(300):
        text = some_text(draw, "abcd")
        other = some_text(draw, "bcde")
        found = diff_words(text, other)
        assert found.text(ADDED) == text
        assert found.text(MISSING) == other
        assert all(part.words for part in found.segments)
        assert all(one.kind != next_one.kind for one, next_one in pairwise(found.segments))


def test_a_text_differs_from_itself_in_nothing_and_from_another_in_something() -> None:
    assert diff_words("la  maison rouge ", "la maison rouge").is_empty
    assert diff_words("", "").is_empty
    assert not diff_words("la maison", "la maison rouge").is_empty
    assert not diff_words("la rouge maison", "la maison rouge").is_empty


def test_missing_words_come_before_added_ones() -> None:
    found = diff_words("la grande maison", "la petite maison rouge")
    assert [(part.kind, part.words) for part in found.segments] == [
        (SHARED, ("la",)),
        (MISSING, ("petite",)),
        (ADDED, ("grande",)),
        (SHARED, ("maison",)),
        (MISSING, ("rouge",)),
    ]


@pytest.mark.parametrize(
    ("text", "other"), [("", "la maison"), ("la maison", ""), ("猫が座る", "猫は座る"), ("", "猫")]
)
def test_texts_that_are_empty_or_have_no_spaces(text: str, other: str) -> None:
    found = diff_words(text, other)
    assert (found.text(ADDED), found.text(MISSING)) == (text, other)
    assert not found.is_empty


def test_texts_without_spaces_are_compared_by_character() -> None:
    kinds = [
        (part.kind, "".join(part.words)) for part in diff_words("猫が座る", "猫は座る").segments
    ]
    assert kinds == [(SHARED, "猫"), (MISSING, "は"), (ADDED, "が"), (SHARED, "座る")]


def test_two_unicode_forms_of_a_text_have_no_difference() -> None:
    assert diff_words("un e\u0301te\u0301", "un \u00e9t\u00e9").is_empty

"""What is said of a mistake, and characters that no text may have."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2s.config import UserError, is_usable, require_usable


@given(st.text(st.characters(codec=None) | st.sampled_from("\0\ud800\udfff")))
def test_usable_is_what_utf8_can_write_without_nul(text: str) -> None:
    try:
        can_be_written = b"\0" not in text.encode()
    except UnicodeEncodeError:
        can_be_written = False
    assert is_usable(text) == can_be_written


@given(st.text(st.characters(codec=None) | st.sampled_from("\0\ud800\udfff")))
def test_an_error_that_repeats_what_was_given_can_be_written(text: str) -> None:
    assert is_usable(str(UserError(f"`{text}` is nothing.")))
    if is_usable(text):
        assert str(UserError(text)) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\0", r"Row 2 has a NUL character (`\x00`), which no text has; remove it"),
        ("a\udc80", r"Row 2 has half of a character (the lone surrogate `\udc80`)"),
    ],
)
def test_the_error_names_place_and_character(text: str, said: str) -> None:
    with pytest.raises(UserError, match=re.escape(said)) as caught:
        require_usable(text, "Row 2")
    assert is_usable(str(caught.value))

"""One sentence or several, in whatever they come."""

import re
from typing import Any

import pandas as pd
import pytest

from s2s.config import UserError
from s2s.runs.texts import as_pairs, as_texts, require_one

SEVERAL = ["the house", "a b"]


@pytest.mark.parametrize(
    "given",
    [SEVERAL, tuple(SEVERAL), pd.Series(SEVERAL), iter(SEVERAL), dict.fromkeys(SEVERAL).keys()],
)
def test_any_sequence_is_its_sentences(given: Any) -> None:
    assert as_texts(given, "source") == SEVERAL


def test_a_string_is_one_sentence_and_not_its_characters() -> None:
    assert as_texts("the house", "source") == ["the house"]
    assert as_texts("", "source") == [""]
    assert as_texts([], "source") == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "The source is None (NoneType); give a string, or a list"),
        (5, "The source is 5 (int)"),
        (b"ab", "The source is b'ab' (bytes)"),
        ({"a": 1}, "The source is {'a': 1} (dict)"),
        ({"a"}, "The source is {'a'} (set)"),
        (pd.DataFrame({"en": ["a"]}), "The source is en 0 a (DataFrame); give one of its columns."),
        (["a", None], "Source 2 is None (NoneType); give a string."),
        ([["a"]], "Source 1 is ['a'] (list)"),
        ("a\ud800", "The source has half of a character"),
        (["a", "b\0"], "Source 2 has a NUL character"),
    ],
)
def test_what_is_no_text_is_said(given: Any, said: str) -> None:
    with pytest.raises(UserError, match=re.escape(said)):
        as_texts(given, "source")


def test_one_text_is_no_list_of_one() -> None:
    assert require_one("a", "target") == "a"
    with pytest.raises(UserError, match=r"The target is \['a'\] \(list\); give a string\."):
        require_one(["a"], "target")


def test_every_source_has_a_target() -> None:
    assert as_pairs("a", ["x"]) == (["a"], ["x"])
    with pytest.raises(UserError, match="There are 2 sources and 1 targets"):
        as_pairs(["a", "b"], "x")

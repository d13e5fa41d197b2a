"""Answers about a translation, computed again by the public interface."""

import pytest

import s2s
from s2s.config import UserError
from s2s.lessons import ANSWERS, CONDITIONS, Context

SENTENCE = "the red house is old"


def test_output_tokens_are_what_the_model_wrote() -> None:
    found = s2s.load("demo-en-fr").translate([SENTENCE], "beam")[0]
    context = Context("demo-en-fr", values={"src": SENTENCE})
    assert ANSWERS["output_tokens"].compute(context) == len(found.text.split()) + 1 == 6


def test_without_a_sentence_there_is_no_answer() -> None:
    with pytest.raises(UserError, match="no sentence in the box"):
        ANSWERS["output_tokens"].compute(Context("demo-en-fr"))


@pytest.mark.parametrize(
    ("typed", "level", "words"),
    [
        ("the red book is old", "right", "`le livre rouge est vieux`"),
        ("the red books are old", "nearly", "2 words"),
        ("the red house is very old", "nearly", "words"),
        (SENTENCE, "wrong", "Nothing has changed"),
        ("the red zebra is old", "wrong", "never seen `zebra`"),
    ],
)
def test_one_word_is_changed(typed: str, level: str, words: str) -> None:
    context = Context("demo-en-fr", values={"src": typed}, start={"src": SENTENCE})
    verdict = CONDITIONS["one_word_changed"].judge(context)
    assert (verdict.level, words in verdict.sentence) == (level, True)


def test_where_another_word_changes_the_translation() -> None:
    values = {"src": "the red house", "set": "view:patching,second:the yellow house"}
    context = Context("demo-en-es", "heads", values)
    texts = [
        one.text for one in s2s.load("demo-en-es").translate(["the red house", "the yellow house"])
    ]
    first, second = map(str.split, texts)
    same = [word == other for word, other in zip(first, second, strict=True)]
    assert ANSWERS["first_changed_position"].compute(context) == same.index(False) + 1 == 3
    alike = {**values, "set": "second:the red house"}
    with pytest.raises(UserError, match="the same translation"):
        ANSWERS["first_changed_position"].compute(Context("demo-en-es", "heads", alike))

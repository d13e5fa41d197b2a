import re

import pytest

from s2s.config import unique_names
from s2s.ui.kit.text import JOINER, as_markdown, plain, shortened, turn


def test_markdown_characters_are_escaped() -> None:
    for text in [
        "*x*",
        "_x_",
        "`x`",
        "[a](b)",
        "<b>",
        "$x$",
        "# x",
        "1. x",
        "a|b",
        "~~x~~",
        "\\",
        "!",
    ]:
        assert re.sub(r"\\([!-/;-@\[-`{-~])", r"\1", plain(text)) == text
        assert not re.search(r"(?<!\\)(?:\\\\)*[*_`\[\]<>$#|~]", plain(text))


def test_names_between_colons_are_broken() -> None:
    assert plain(":material/home:") == f":{JOINER}material\\/home:{JOINER}"
    assert plain(":red[x]").startswith(f":{JOINER}red")


def test_words_stay_words() -> None:
    assert plain("the cat\n  sits") == "the cat sits"
    assert plain("l'été 42") == "l\\'été 42"


@pytest.mark.parametrize(("text", "cut"), [("abc", "abc"), ("abcd", "ab…")])
def test_shortened(text: str, cut: str) -> None:
    assert shortened(text, 3) == cut


@pytest.mark.parametrize(
    ("sentence", "markdown"),
    [
        ("`d_model` 50 is odd.", "`d_model` 50 is odd\\."),
        ("`d_model` 50 and *x* and `n_heads` 4", "`d_model` 50 and \\*x\\* and `n_heads` 4"),
        ("There is no file `<b>*x*</b>`.", "There is no file `<b>*x*</b>`\\."),
        ("a lone ` and *x*", "a lone \\` and \\*x\\*"),
        ("`` twice", "\\`\\` twice"),
    ],
)
def test_our_sentences_set_in_code_what_they_quote(sentence: str, markdown: str) -> None:
    assert as_markdown(sentence) == markdown


def test_names_that_stand_for_two_get_their_keys_end() -> None:
    assert unique_names({"corpus:aaaa1111": "x", "corpus:bbbb2222": "x", "c": "y"}) == {
        "corpus:aaaa1111": "x · 1111",
        "corpus:bbbb2222": "x · 2222",
        "c": "y",
    }


@pytest.mark.parametrize(
    ("before", "seconds", "said"),
    [
        (3, 250.0, "3 ahead of it, starts in about 4 minutes"),
        (1, 61.0, "1 ahead of it, starts in about 1 minute"),
        (0, 12.0, "next to start, starts within a minute"),
        (7, 7300.0, "7 ahead of it, starts in about 2 hours"),
        (2, None, "2 ahead of it"),
        (None, None, "next to start"),
    ],
)
def test_turn(before: int | None, seconds: float | None, said: str) -> None:
    assert turn(before, seconds) == said

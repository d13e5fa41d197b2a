import re

import pytest

from s2s.ui.text import JOINER, plain, shortened, worded


@pytest.mark.parametrize("text", ["*x*", "_x_", "`x`", "[a](b)", "<b>", "$x$", "# x", "1. x", "a|b", "~~x~~", "\\", "!"])
def test_markdown_signs_are_escaped(text: str) -> None:
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
        ("There is no file `<b>*x*</b>`.", "There is no file `<b>*x*</b>`\\."),
        ("a lone ` and *x*", "a lone \\` and \\*x\\*"),
        ("`` twice", "\\`\\` twice"),
    ],
)
def test_our_sentences_set_in_code_what_they_quote(sentence: str, markdown: str) -> None:
    assert worded(sentence) == markdown

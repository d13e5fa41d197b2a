"""docs/python.md: made from the public names of s2s, with examples that run."""

import doctest
import re

import pytest

import s2s
from benchmarks.make import python_page

TEXT = python_page.PAGE.read_text(encoding="utf-8")


def test_the_page_is_made_from_the_code() -> None:
    made = "\n".join(python_page.page()) + "\n"
    assert made == TEXT, "python -m benchmarks.make.python_page"


@pytest.mark.parametrize("name", s2s.__all__)
def test_every_public_name_has_a_sentence_and_an_example(name: str) -> None:
    (section,) = re.findall(rf"^## `s2s\.{name}`\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert re.search(r"^[A-Z].*\.$", section, re.MULTILINE)
    assert "```pycon\n>>> " in section


def test_the_examples_run() -> None:
    code = "\n".join(re.findall(r"```pycon\n(.*?)```", TEXT, re.DOTALL))
    example = doctest.DocTestParser().get_doctest(code, {}, "python.md", "docs/python.md", 0)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=said.append)
    assert not said, "".join(said)

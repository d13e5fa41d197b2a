"""The generated corpora ship as their makers write them: every pair, split, link and relation."""

import bz2

import pytest

from benchmarks.make import corpora
from s2s.data.gold_agreement import FILE
from s2s.data.shipped_pairs import SHIPPED, path
from s2s.demo import EXAMPLE_LINKS

SAYS = "python -m s2s.demo corpora"


@pytest.mark.slow
@pytest.mark.parametrize("corpus", corpora.CORPORA)
def test_a_corpus_is_what_its_maker_writes(corpus: str) -> None:
    assert bz2.decompress(path(corpus).read_bytes()).decode() == corpora.text(corpus), SAYS


def test_the_words_are_those_of_the_grammar() -> None:
    assert FILE.read_text(encoding="utf-8") == corpora.words(), SAYS


def test_the_links_of_the_examples_are_those_of_their_pairs() -> None:
    assert EXAMPLE_LINKS.read_text(encoding="utf-8") == corpora.example_links(), SAYS


def test_nothing_else_ships() -> None:
    made = {path(corpus) for corpus in corpora.CORPORA} | {FILE}
    assert {file for file in SHIPPED.iterdir() if "everyday" not in file.name} == made

import pytest

import s2s
from s2s import data
from s2s.ui import known
from s2s.ui.known import EXAMPLES, LANGUAGES, SURPRISES, Known

WORDS = Known(("the", "cat", "tired", "water", "I", "mat", "hat"), ("the cat",), ("the cat", "the mat"), None)


@pytest.mark.parametrize(
    ("word", "offer"),
    [("tiger", "tired"), ("The", "the"), ("i", "I"), ("CAT", "cat"), ("mat.", "mat"), ("chat", "cat"), ("zzzz", None), ("", None)],
)
def test_offer(word: str, offer: str | None) -> None:
    assert WORDS.offer(word) == offer


def test_a_surprise_is_another_sentence() -> None:
    assert {WORDS.surprise("the cat") for _ in range(5)} == {"the mat"}
    assert Known((), (), (), None).surprise("x") == "x"


def test_the_demo_knows_the_words_of_its_examples() -> None:
    run = s2s.load("demo-en-fr")
    facts = known.of(run)
    for text in (*facts.examples, *facts.sentences):
        assert not run.unknown(text), text


@pytest.mark.parametrize("source", EXAMPLES)
def test_examples_and_surprises_are_those_of_the_corpus(source: str) -> None:
    """When the grammar changes: write the split's sources into s2s/ui/surprises again."""
    assert len(EXAMPLES[source]) == 5
    assert source in LANGUAGES
    split = [pair.src for pair in data.load(source, "random").pairs]
    assert (SURPRISES / f"{source.removeprefix('builtin:')}.txt").read_text().splitlines() == split
    train = {pair.src for pair in data.load(source, "train").pairs}
    assert set(EXAMPLES[source]) <= train
    assert not train & set(split)

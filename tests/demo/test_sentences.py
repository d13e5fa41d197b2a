import pytest

import s2s
from s2s import data
from s2s.demo import ALIGNED, DEMOS, EVERYDAY, EXAMPLES
from s2s.demo.sentences import RANDOM_SENTENCES


@pytest.mark.parametrize("source", ALIGNED)
def test_examples_and_random_sentences_are_those_of_the_corpus(source: str) -> None:
    """When the grammar changes: `python -m s2s.demo sentences` writes them again."""
    assert len(EXAMPLES[source]) == 5
    split = [pair.src for pair in data.load(source, "random").pairs]
    assert (
        RANDOM_SENTENCES / f"{source.removeprefix('builtin:')}.txt"
    ).read_text().splitlines() == split
    train = {pair.src for pair in data.load(source).pairs}
    assert set(EXAMPLES[source]) <= train
    assert not train & set(split)


@pytest.mark.parametrize("demo", [demo for demo in DEMOS if demo != EVERYDAY])
def test_a_demo_gets_its_examples_right(demo: str) -> None:
    examples = EXAMPLES[DEMOS[demo]]
    right = {pair.src: pair.tgt for pair in data.load(DEMOS[demo]).pairs}
    found = s2s.load(demo).translate(examples, "beam")
    assert [one.text for one in found] == [right[text] for text in examples]

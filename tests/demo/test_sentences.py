import pytest

import s2s
from s2s import data
from s2s.demo import (
    ALIGNED,
    DEMOS,
    EVERYDAY,
    EXAMPLES,
    SHOWS,
    held_out_sentences,
    random_sentences,
)


@pytest.mark.parametrize("source", ALIGNED)
def test_examples_are_trained_on_and_random_sentences_are_not(source: str) -> None:
    assert len(EXAMPLES[source]) == 5
    train = {pair.src for pair in data.load(source).pairs}
    assert set(EXAMPLES[source]) <= train
    assert len(random_sentences(source)) == 1000
    assert train.isdisjoint((*random_sentences(source), *held_out_sentences(source)))


@pytest.mark.parametrize("demo", [demo for demo in DEMOS if demo != EVERYDAY])
def test_a_demo_gets_its_examples_right(demo: str) -> None:
    examples = EXAMPLES[DEMOS[demo]]
    right = {pair.src: pair.tgt for pair in data.load(DEMOS[demo]).pairs}
    found = s2s.load(demo).translate(examples, "beam")
    assert [one.text for one in found] == [right[text] for text in examples]


def test_what_is_said_of_the_everyday_examples_is_so() -> None:
    examples = EXAMPLES[DEMOS[EVERYDAY]]
    assert list(SHOWS) == list(examples)
    people = {pair.src: (pair.tgt, *pair.more) for pair in data.load(DEMOS[EVERYDAY]).pairs}
    run = s2s.load(EVERYDAY)
    beam = {text: one.text for text, one in zip(examples, run.translate(examples), strict=True)}
    greedy = run.translate(examples[:1], "greedy")[0].text
    differs, verb_last, two_parts, formal, two_meanings, wrong = examples
    assert beam[differs] in people[differs]
    assert "früh" in beam[differs]
    assert "früh" not in greedy
    assert beam[verb_last].endswith(" konnte.")
    assert beam[two_parts].startswith("Maria hängt ")
    assert beam[two_parts].endswith(" auf.")
    assert {"du", "ihr", "Sie"} <= {word for text in people[formal] for word in text.split()}
    assert "Rechnung" in beam[two_meanings]
    assert not any("Rechnung" in text for text in people[two_meanings])
    assert beam[wrong] not in people[wrong]

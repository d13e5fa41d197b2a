import pytest

import s2s
from s2s.demo import DEMOS, EXAMPLES
from s2s.ui.kit import vocabulary
from s2s.ui.kit.text import JOINER
from s2s.ui.kit.vocabulary import LANGUAGES, RunVocabulary
from s2s.ui.shell.header import describe

WORDS = RunVocabulary(
    ("the", "cat", "tired", "water", "I", "mat", "hat"), ("the cat",), ("the cat", "the mat"), None
)


@pytest.mark.parametrize(
    ("word", "suggestion"),
    [
        ("tiger", "tired"),
        ("The", "the"),
        ("i", "I"),
        ("CAT", "cat"),
        ("mat.", "mat"),
        ("chat", "cat"),
        ("zzzz", None),
        ("", None),
    ],
)
def test_suggestion(word: str, suggestion: str | None) -> None:
    assert next(iter(WORDS.suggestions(word)), None) == suggestion
    assert len(WORDS.suggestions(word)) <= 3


def test_a_surprise_is_another_sentence() -> None:
    assert {WORDS.random_sentence("the cat") for _ in range(5)} == {"the mat"}
    assert RunVocabulary((), (), (), None).random_sentence("x") == "x"


@pytest.mark.parametrize("demo", DEMOS)
def test_a_demo_knows_the_words_of_its_examples(demo: str) -> None:
    run = s2s.load(demo)
    facts = vocabulary.of(run)
    for text in (*facts.examples, *facts.sentences):
        assert not run.unknown(text), text


def test_the_examples_of_a_demo_are_those_of_its_dataset() -> None:
    assert set(EXAMPLES) <= set(LANGUAGES)
    for demo, source in DEMOS.items():
        assert vocabulary.of(s2s.load(demo)).examples == EXAMPLES[source]


def test_a_model_of_several_tasks_says_how_each_begins() -> None:
    run = s2s.load("demo-tasks")
    facts = vocabulary.of(run)
    assert {
        next(prefix for prefix in facts.prefixes if text.startswith(f"{prefix} "))
        for text in facts.examples
    } == set(facts.prefixes)
    line = describe(run).replace("\\", "")
    assert line.startswith(
        f"Knows {len(facts.words)} English words, writes French or English · start with *translate English to French:"
    )
    assert line.endswith("* or *reverse:" + JOINER + "* · 2 layers, 4 heads each")
    assert " start with " not in describe(s2s.load("demo-en-fr"))


def test_what_a_demo_of_several_tasks_does_not_know_is_marked() -> None:
    run = s2s.load("demo-tasks")
    assert run.unknown("summarize: the mill burned down . a tiger slept .") == ("tiger",)
    assert run.unknown("shorten: the mill burned down .") == ("shorten:",)
    assert vocabulary.of(run).suggestions("Reverse")[0] == "reverse:"

"""Every rule flags what it is for, and does not flag something similar that is fine."""

import pytest

from s2s.analysis.quality_flags import RULES, Texts, find_flags, longest_repeated
from s2s.scores import sentence_scores


def texts(source: str, reference: str, hypothesis: str, expected: float | None = None) -> Texts:
    expected = expected or float(len(source.split())) or None
    return Texts(
        source, reference, hypothesis, expected, sentence_scores(hypothesis, reference)["chrf"]
    )


SEEN = {
    "short": (
        texts("one two three four five six", "un deux trois quatre cinq six", "un deux trois"),
        "3 words, about 6 expected",
    ),
    "uncopied": (
        texts("In 1999 Anna went", "En 1999 Anna est allée", "En 1998 elle est allée"),
        "without 1999, Anna",
    ),
    "long": (
        texts("a cat", "un chat", "un chat et un chien", expected=2),
        "5 words, about 2 expected",
    ),
    "loops": (
        texts("the red and blue house", "la maison rouge", "la rouge la rouge la rouge"),
        "la rouge: 3 times",
    ),
    "loose": (
        texts("the cat sleeps here", "le chat dort ici", "son vieux ami buvait"),
        "0 of 4 words in the reference",
    ),
}
PASSED = {
    "short": (
        texts(
            "one two three four five six", "un deux trois quatre cinq six", "un deux trois quatre"
        ),
        texts("see you", "à plus", "salut"),  # one word less is little
        texts(
            "you were in front of the school", "tu étais devant l'école", "tu étais devant l'école"
        ),
    ),
    "uncopied": (
        texts("In 1999 Anna went", "En 1999 Anna est allée", "ANNA est allée en 1999."),
        texts("The house burns", "The fire", "a fire"),  # what begins both sentences is no name
        texts("I saw Vienna", "j'ai vu Vienne", "j'ai vu"),  # translated
    ),
    "long": (
        texts("a cat", "un chat", "un bon chat", expected=2),
        texts("please", "s'il te plaît donc", "s'il vous plaît donc"),
        texts("", "un", "un deux trois"),
    ),
    "loops": (
        texts(
            "the red the red the red", "le rouge le rouge le rouge", "le rouge le rouge le rouge"
        ),
        texts("ever redder", "le rouge le rouge le rouge", "le rouge le rouge le rouge"),
        texts("on and on", "toujours et toujours", "et encore et encore"),
    ),
    "loose": (
        texts("the cat sleeps", "le chat dort", "son chat dormait"),
        texts("", "le chat", ""),
    ),
}


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_flags_what_it_is_for(rule: str) -> None:
    case, said = SEEN[rule]
    assert dict(find_flags(case))[rule] == said
    assert RULES[rule].kind in ("omission", "hallucination")
    assert RULES[rule].about.endswith(".")
    assert RULES[rule].find.__doc__


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_does_not_flag_similar_but_correct_text(rule: str) -> None:
    for case in PASSED[rule]:
        assert rule not in dict(find_flags(case))


def test_a_right_translation_has_no_flags() -> None:
    right = "En 2024, Anna a vu 3,5 millions de chats et de chats et de chats."
    assert find_flags(texts(right, right, right)) == ()
    assert find_flags(Texts("", "", "", None, 0.0)) == ()


def test_the_longest_repeat_is_found() -> None:
    assert longest_repeated("a b c x a b c y b c") == "a b c"
    assert longest_repeated("a a a a") == "a a a"
    assert [longest_repeated(text) for text in ("", "a", "a a", "a b a c", "a b c d")] == [""] * 5

"""The conditions that "Find one" has, too."""

import pytest

from s2s.config import UserError
from s2s.lessons import CONDITIONS, Context, SentenceQuestion, check
from s2s.lessons.answers.sentence_properties import decodings
from s2s.runs.properties import PROPERTIES

DEEP = "the artist who watched the strong mouse who eats his pears was cold"


def here(src: str, page: str = "steps", **values: str) -> Context:
    return Context("demo-en-fr", page, {"src": src, **values})


@pytest.mark.parametrize(
    ("condition", "src", "level", "words"),
    [
        ("search_error", "the red house", "wrong", "No search error: exact search shows"),
        ("unknown_word", "the red zebra", "right", "Right: `zebra` is not in the vocabulary"),
        ("unknown_word", "the red house", "wrong", "Type a sentence with a word of your own"),
        ("agreement_across_clause", DEEP, "right", "`was` agrees with `artist`, across `who"),
        ("agreement_across_clause", "the red house", "wrong", "No clause stands"),
        ("agreement_across_clause", "the red zebra", "wrong", "`zebra` is no word"),
        ("sink", DEEP, "wrong", "No head has a sink"),
    ],
)
def test_a_sentence_is_judged_as_find_one_judges_it(
    condition: str, src: str, level: str, words: str
) -> None:
    verdict = check(SentenceQuestion("?", condition), None, here(src))
    assert (verdict.level, words in verdict.sentence) == (level, True), verdict


def test_the_view_says_what_decodes() -> None:
    verdict = CONDITIONS["search_error"].judge(here(DEEP, set="strategy:greedy,view:tree"))
    assert verdict.level == "right"
    assert "Right: greedy writes" in verdict.sentence
    columns = {"c1": "demo-en-fr@1500!beam!num_beams:5", "c2": "demo-en-es!greedy!"}
    first, second = decodings(here("the red house", "compare", **columns))
    assert (first.strategy, first.settings, second.strategy) == ("beam", {"num_beams": 5}, "greedy")
    assert second.run is not None
    assert second.run.folder.id == "demo-en-es"
    (alone,) = decodings(here("the red house", "steps", **columns))
    assert (alone.strategy, alone.settings) == ("beam", {})


@pytest.mark.parametrize("condition", PROPERTIES)
def test_without_a_sentence_nothing_is_judged(condition: str) -> None:
    with pytest.raises(UserError, match="no sentence in the box"):
        CONDITIONS[condition].judge(here(" "))

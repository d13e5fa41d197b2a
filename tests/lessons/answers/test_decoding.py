"""Answers about decoding, computed again from log-probabilities under teacher forcing and with numpy."""

import numpy as np
import pytest

import s2s
from s2s.config import UserError
from s2s.lessons import ANSWERS, CONDITIONS, LESSONS, Context, Heads, SentenceQuestion, check
from s2s.lessons.answers import decoding
from s2s.runs.properties import PROPERTIES

RUN = s2s.load("demo-en-fr")
VIEWS = [step.view.values for step in LESSONS["decoding"].steps]
KING, FRIEND, WATER, ARTIST = (VIEWS[at]["src"] for at in (0, 2, 4, 7))
ARTIST_REFERENCE = VIEWS[7]["tgt"]


def here(src: str, search: str = "", **values: str) -> Context:
    return Context(
        "demo-en-fr", "steps", {"src": src, "set": search, **values}, opener=lambda run, step: RUN
    )


def computed(name: str, context: Context) -> float:
    found = ANSWERS[name].compute(context)
    assert not isinstance(found, Heads)
    return found


def forced(src: str, *targets: str) -> list[float]:
    """Log-probabilities under teacher forcing: another path than the search's."""
    return RUN.score([src] * len(targets), targets)


def test_greedy_misses_what_a_beam_of_two_finds() -> None:
    greedy = "le roi qui a les jouets qui ont arrive au printemps"
    beam = "le roi qui a les jouets que la femme a arrive au printemps"
    low, high = forced(KING, greedy, beam)
    assert computed("written_log_prob", here(KING, "strategy:greedy,view:tree")) == pytest.approx(
        low, abs=1e-3
    )
    times = computed("times_as_probable_as_greedy", here(KING, "strategy:beam,num_beams:2"))
    assert times == pytest.approx(np.exp(high - low), rel=1e-2)
    assert times > 1.5


def test_without_a_length_penalty_the_short_text_wins() -> None:
    context = here(FRIEND, "strategy:beam,num_beams:5,view:tree")
    short = "l'ami qui connaît l'histoire facile que les rois connaissent"
    long = f"{short} a couru"
    by_length = dict(zip((short, long), forced(FRIEND, short, long), strict=True))
    assert by_length[short] > by_length[long]
    assert decoding.decoded(context).text == long
    assert computed("tokens_without_length_penalty", context) == len(short.split()) + 1


def second_token() -> np.ndarray:
    """Probabilities of the token after *l'eau*."""
    return RUN.next_tokens(WATER, RUN.tgt_tokenizer.encode("l'eau"))[-1].double().exp().numpy()


def test_the_tail_and_what_a_low_temperature_leaves_of_it() -> None:
    context = here(WATER, "strategy:sample,view:next,at:2")
    warm = np.sort(second_token())[::-1]
    assert computed("tail_percent", context) == pytest.approx(100 * warm[2:].sum(), abs=0.01)
    cold = warm**2 / (warm**2).sum()
    assert computed("kept_when_cold", context) == 1 + np.searchsorted(cold.cumsum(), 0.95)


def test_the_winner_of_mbr_is_not_the_most_probable_sample() -> None:
    context = here(FRIEND, "strategy:mbr,view:samples")
    found = RUN.translate([FRIEND], "mbr")[0]
    texts = [hypothesis.text for hypothesis in found.hypotheses]
    scores = forced(FRIEND, *texts)
    assert computed("mbr_prefers_the_most_probable", context) == 1
    assert texts[int(np.argmax(scores))] != found.text


@pytest.mark.parametrize(
    ("src", "search", "reference", "kind"),
    [
        (ARTIST, "strategy:beam,num_beams:5", ARTIST_REFERENCE, 1),
        (ARTIST, "strategy:greedy", ARTIST_REFERENCE, 2),
        (KING, "strategy:greedy", "le roi qui a les jouets que la femme a arrive au printemps", 0),
    ],
)
def test_blame(src: str, search: str, reference: str, kind: int) -> None:
    context = here(src, search, tgt=reference)
    assert computed("blame", context) == kind
    written = decoding.decoded(context).text
    right, own = forced(src, reference, written)
    assert kind == (2 if written == reference else int(right < own))


def test_without_a_reference_nobody_is_to_blame() -> None:
    with pytest.raises(UserError, match="no reference"):
        computed("blame", here(ARTIST))


OF_THE_BOX = [
    "written_log_prob",
    "times_as_probable_as_greedy",
    "tokens_without_length_penalty",
    "tail_percent",
    "kept_when_cold",
    "mbr_prefers_the_most_probable",
]


@pytest.mark.parametrize("name", OF_THE_BOX)
def test_without_a_sentence_there_is_no_answer(name: str) -> None:
    with pytest.raises(UserError, match="no sentence in the box"):
        ANSWERS[name].compute(here(" "))


@pytest.mark.parametrize(
    ("src", "level", "words"),
    [
        (KING, "right", "2.04 times as probable"),
        (FRIEND, "right", "length penalty preferred"),
        ("the red house is old", "wrong", "write the same: `la maison rouge est vieille`"),
        ("the red zebra", "wrong", "never seen `zebra`"),
    ],
)
def test_a_sentence_for_which_strategies_differ(src: str, level: str, words: str) -> None:
    verdict = CONDITIONS["strategies_differ"].judge(here(src))
    assert (verdict.level, words in verdict.sentence) == (level, True), verdict


DEEP = "the artist who watched the strong mouse who eats his pears was cold"


def shown(src: str, page: str = "steps", **values: str) -> Context:
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
    verdict = check(SentenceQuestion("?", condition), None, shown(src))
    assert (verdict.level, words in verdict.sentence) == (level, True), verdict


def test_the_view_says_what_decodes() -> None:
    verdict = CONDITIONS["search_error"].judge(shown(DEEP, set="strategy:greedy,view:tree"))
    assert verdict.level == "right"
    assert "Right: greedy writes" in verdict.sentence
    columns = {"c1": "demo-en-fr@1500!beam!num_beams:5", "c2": "demo-en-es!greedy!"}
    first, second = decoding.decodings(shown("the red house", "compare", **columns))
    assert (first.strategy, first.settings, second.strategy) == ("beam", {"num_beams": 5}, "greedy")
    assert second.run is not None
    assert second.run.folder.id == "demo-en-es"
    (alone,) = decoding.decodings(shown("the red house", "steps", **columns))
    assert (alone.strategy, alone.settings) == ("beam", {})


@pytest.mark.parametrize("condition", PROPERTIES)
def test_without_a_sentence_nothing_is_judged(condition: str) -> None:
    with pytest.raises(UserError, match="no sentence in the box"):
        CONDITIONS[condition].judge(shown(" "))

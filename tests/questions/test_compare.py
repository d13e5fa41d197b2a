"""`Compare`: numbers, findings with what they must not be said of, and what it refuses."""

import json
import math
from dataclasses import replace

import pytest
from sacrebleu import sentence_bleu, sentence_chrf

import s2s
from s2s.config import UserError
from s2s.decode import STRATEGIES
from s2s.plots import ComparedRows
from s2s.plots.compare_view import pictures
from s2s.questions import ANSWERS, Compare, Compared, ComparedRow, Have, Translate
from s2s.questions.compared import FINDINGS, REASONS, Ranking
from s2s.runs import Decoded, DecodedHypothesis

DEMO, OTHER = "demo-en-fr", "demo-en-es"
HOUSE = "the red house"


def row(name: str, text: str, log_prob: float, *, length: int = 4, **more: float) -> ComparedRow:
    tokens = (*text.split(), *["x"] * (length - 1 - len(text.split())), "</s>")
    score = more.pop("score", log_prob)
    best = DecodedHypothesis(
        text, tokens, (log_prob / length,) * length, log_prob, score, (5,) * length
    )
    strategy, _, setting = name.partition(" ")
    settings = json.dumps({setting: more.pop("value")}) if setting else "{}"
    found = Decoded("a", (best,))
    return ComparedRow(DEMO, strategy, settings, found, per_token=log_prob / length, **more)


GREEDY = row("greedy", "un", -3.0, of_best=-2.0)
BEAM = row("beam", "deux", -2.0)
SAMPLE = row("sample top_p", "trois", -9.0, value=0.9)
# Less probable than greedy's, and longer: its own score is higher.
LONGER = row(
    "beam", "deux trois", -3.5, length=8, score=-3.5 / 8, of_best=-3.0 / 4, length_penalty=1
)
MISSED = row("beam", "deux", -4.0, score=-1.0, of_best=-0.75, length_penalty=1)


def finding(*rows: ComparedRow) -> str:
    return Compared("a", "", rows).finding


def test_the_most_probable_translation_is_named_with_how_much_more_probable_it_is() -> None:
    said = finding(GREEDY, BEAM, SAMPLE)
    assert said.startswith("Beam's translation is the most probable: 2.72 times as probable as")
    assert "1,097 times as top-p 0.9's" in said
    assert "Greedy takes the most probable token at each step" in said
    assert "top-p 0.9 draws" in said.lower()
    assert finding(BEAM, replace(BEAM, strategy="greedy"), SAMPLE).startswith(
        "Beam and greedy write the most probable translation: "
    )
    assert finding(BEAM, replace(GREEDY, strategy="beam")).startswith("Row 1 (beam)'s translation")


def test_what_the_length_penalty_prefers_is_said_where_it_does() -> None:
    said = "Beam's is more probable per token, and length_penalty 1 prefers it."
    assert said in finding(GREEDY, LONGER)
    assert "prefer" not in finding(GREEDY, BEAM)
    shorter = replace(LONGER, per_token=-2.0)
    assert finding(GREEDY, shorter).endswith("Beam's is preferred by length_penalty 1.")


def test_a_search_error_is_said_where_the_search_would_have_preferred_the_other_one() -> None:
    assert "Beam made a search error" in finding(GREEDY, MISSED)
    forbidden = ("greedy", "beam!bad_words:eau", "beam!prefix:le")
    assert "error" not in Have().answer(Compare((DEMO,), "the good water", forbidden)).finding
    for without in ((GREEDY, LONGER), (GREEDY, BEAM), (GREEDY, SAMPLE)):
        assert "search error" not in finding(*without)


def test_nothing_is_ranked_that_cannot_be() -> None:
    cut = DecodedHypothesis("un", ("un", "x"), (-1.0, -1.0), -2.0, -2.0, (5, 5))
    truncated = replace(GREEDY, found=Decoded("a", (cut,)))
    waiting = replace(BEAM, found=None)
    for rows in ((truncated, BEAM), (GREEDY, waiting), (waiting,), ()):
        assert finding(*rows) == ""
    assert finding(GREEDY, GREEDY) == "All 2 rows write the same translation."
    assert finding(BEAM) == "The model gives this translation a probability of 14%."
    facts = Ranking(Compared("a", "", (GREEDY, GREEDY)))
    assert not any(one.holds(facts) for one in (*FINDINGS[2:4], *REASONS))


def test_of_two_models_each_ones_favorite_is_said_and_no_ratio() -> None:
    answer = Have().answer(Compare((DEMO, OTHER), HOUSE, ("greedy", "greedy")))
    assert answer.finding == "Each model finds another translation the most probable."
    alone = replace(answer, forced=tuple(under[:1] for under in answer.forced), models=(DEMO,))
    assert alone.finding == "Every model finds row 1 (greedy)'s translation the most probable."
    for output, under in zip(answer.rows, answer.forced, strict=True):
        for name, forced in zip((DEMO, OTHER), under, strict=True):
            run = s2s.load(name)
            assert forced is not None
            assert forced.log_prob == pytest.approx(run.score(HOUSE, output.text)[0], abs=1e-4)
            n = len(run.tgt_tokenizer.encode(output.text)) + 1
            assert forced.per_token == pytest.approx(forced.log_prob / n, abs=1e-4)
    drawn = pictures(Compare((DEMO, OTHER), HOUSE, ("greedy", "greedy")), answer, "a, b")
    assert "cannot write" in drawn[1].caption


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_number_of_every_strategy_is_that_of_the_library(strategy: str) -> None:
    settings = {"force_words": "rouge"} if strategy == "constrained" else {}
    (found,) = s2s.load(DEMO).translate([HOUSE], strategy, **settings)
    asked = f"{strategy}!force_words:rouge" if settings else strategy
    question = Compare((DEMO,), HOUSE, ("greedy", asked), "la maison")
    answer = Have().answer(question)
    table = question.table(answer)
    first, own = (dict(zip(table.columns, each, strict=True)) for each in table.rows)
    assert own["translation"] == found.text
    assert own["log-probability"] == found.log_prob
    assert own["score"] == found.score
    assert own["tokens"] == len(found.tokens)
    assert own["probability per token"] == pytest.approx(
        math.exp(found.log_prob / len(found.tokens))
    )
    ratio = math.exp(found.log_prob - first["log-probability"])
    assert own["times as probable as row 1"] == pytest.approx(ratio)
    assert own["chrF"] == pytest.approx(sentence_chrf(found.text, ["la maison"]).score)
    assert own["BLEU"] == pytest.approx(sentence_bleu(found.text, ["la maison"]).score)
    words = found.text.split()
    assert own["Distinct words"] == pytest.approx(100 * len(set(words)) / len(words))


def test_only_the_rows_are_kept_and_a_wrong_one_takes_no_other_down() -> None:
    question = Compare((DEMO,), HOUSE, ("greedy", "constrained!force_words:zebrä"))
    have = Have()
    answer = have.answer(question)
    assert answer.rows[0].text == "la maison rouge"
    assert "is not in this model's target vocabulary" in answer.rows[1].problem
    assert ANSWERS.get(have.key(Translate(DEMO, HOUSE, "greedy")), have.owner)
    figure = pictures(question, answer, DEMO)[0].figure
    assert isinstance(figure, ComparedRows)
    assert figure.rows[1][1].startswith("“force_words”: “zebrä” is not in this model's target")
    assert answer.finding == "The model gives this translation a probability of 75%."


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"rows": ()}, "`rows` has 0; give 1 to 6"),
        ({"rows": ("greedy",) * 7}, "give 1 to 6"),
        ({"rows": ("greed",)}, "strategy"),
        ({"runs": (DEMO, OTHER, DEMO)}, "give one run, or one per row"),
        ({"against": "3"}, "`against` is 3; give reference, nothing, or a row's number"),
        ({"rows": ("beam!num_beams:0",)}, "num_beams"),
    ],
)
def test_what_is_no_comparison_is_refused(given: dict[str, tuple[str, ...]], said: str) -> None:
    with pytest.raises(UserError, match=said):
        Have().answer(replace(Compare((DEMO,), HOUSE), **given))  # type: ignore[arg-type]

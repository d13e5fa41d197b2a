"""What Evaluate shows of scores that an earlier version computed, and of how scores are computed."""

import json

from s2s.jobs import evaluation_service
from s2s.library import Library
from s2s.library.own import list_evaluations
from s2s.scores import Scoring
from tests.screen import opened, page_text
from tests.ui.evaluate.test_evaluate import DEMO, evaluated, work

NOTE = "An earlier version computed these scores"


def test_scores_of_an_earlier_version_have_a_note_and_are_computed_again() -> None:
    evaluation = evaluated()
    place = Library().evaluation(evaluation)
    assert NOTE not in page_text(opened("evaluate", run=DEMO, set=f"evaluation:{evaluation}"))
    new = place.scores()
    path = place.path / "scores.json"
    path.write_text(path.read_text().replace("|unicode:NFC", ""))
    screen = opened("evaluate", run=DEMO, set=f"evaluation:{evaluation}")
    assert NOTE in page_text(screen)
    screen.button(key="score again").click().run()
    assert not screen.exception
    assert evaluation_service.progress(evaluation).state == "queued"
    work(place)
    assert place.scores()["systems"][1] == new["systems"][1]
    assert NOTE not in page_text(opened("evaluate", run=DEMO, set=f"evaluation:{evaluation}"))


def test_systems_with_different_signatures_are_not_shown_without_a_warning() -> None:
    evaluation = evaluated()
    path = Library().evaluation(evaluation).path / "scores.json"
    content = json.loads(path.read_text())
    signature = content["systems"][0]["signature"]
    signature["bleu"] = signature["bleu"].replace("tok:13a", "tok:char")
    path.write_text(json.dumps(content))
    screen = opened("evaluate", run=DEMO, set=f"evaluation:{evaluation}")
    assert "different signatures of BLEU" in page_text(screen)
    signatures = next(each.value for each in screen.code if "BLEU: " in each.value)
    assert "tok:char" in signatures
    assert "tok:13a" in signatures


def test_a_link_says_how_rouge_counts_words() -> None:
    packed = "rouge:rouge_score,stemmer:1,tokenizer:flores200,strategies:greedy"
    screen = opened("evaluate", run=DEMO, set=packed)
    screen.button(key="evaluate").click().run()
    (asked,) = list_evaluations()
    assert asked.scoring == Scoring("flores200", rouge_tokenize="rouge_score", stemmer=True)


def test_the_stemmer_needs_the_words_of_rouge_score() -> None:
    screen = opened("evaluate", run=DEMO, set="stemmer:1,strategies:greedy")
    assert not screen.exception
    screen.button(key="evaluate").click().run()
    (asked,) = list_evaluations()
    assert asked.scoring == Scoring()

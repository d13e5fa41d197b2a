"""Evaluate as a question: what it finds in words, what it makes or finds stored, and who sees what of it."""

import json
import shutil
from dataclasses import replace
from typing import Any

import pytest

from s2s.config import UserError, asker
from s2s.files import as_text
from s2s.jobs import EvaluationRequest, evaluation_service
from s2s.library import Library, sharing
from s2s.library.own import list_evaluations
from s2s.plots import evaluation_view
from s2s.processes import queue
from s2s.questions import (
    ANSWERS,
    Evaluate,
    Evaluated,
    Have,
    ScoreBuckets,
    evaluation_request,
    views,
)
from s2s.questions.evaluate import FINDINGS, compared
from s2s.runs import Evaluation, Sentences, System, runs_folder
from s2s.runs.evaluations import EvaluationFolder

DEMO = "demo-en-fr"
SHIPPED = "demo-en-de-test"
ASKED = Evaluate((DEMO,), test="deep", n=20)
SIGNATURE = {"chrf": "nc:6"}


def one(value: float, *pair: float, **more: Any) -> dict[str, Any]:
    """A system's chrF; `pair`: difference, both ends of its interval, p."""
    names = ("difference", "low", "high", "p_randomization")
    paired = {"chrf": dict(zip(names, pair, strict=True)) | {"p_value": 0.5}} if pair else {}
    score = {"value": value, "low": value - 1, "high": value + 1}
    return {"n": 200, "scores": {"chrf": score}, "paired": paired, "signature": SIGNATURE} | more


def found(*systems: dict[str, Any], baseline: int = 0, is_final: bool = True) -> str:
    """What is said of systems called s0, s1, ..."""
    named = tuple(System(f"s{i}", DEMO, 1, "greedy") for i in range(len(systems)))
    what = Evaluation("e", "e", "", "", DEMO, Sentences("mine", n=200), named, baseline)
    scores = {"n": 200, "is_final": is_final, "systems": systems}
    return Evaluate().finding(Evaluated(what, scores, {}, ()))


CLEAR = one(51.3, 1.3, 0.4, 2.2, 0.012)
CASES = {
    "reaches": [one(50)],
    "different signatures": [one(50), CLEAR | {"signature": {"chrf": "nc:7"}}],
    "have the same": [one(50), one(50.01, 0.01, -0.2, 0.2, 0.9)],
    "better than s0: 95 % interval 0.4 to 2.2, p = 0.012.": [one(50), CLEAR],
    "chance alone": [one(50), CLEAR, *[one(50.1, 0.1, -1, 1, 0.8)] * 4],
    "No difference that 200 sentences could show": [one(50), one(50.3, 0.3, -0.4, 1.0, 0.4)],
}


@pytest.mark.parametrize("said", CASES)
def test_each_finding_is_said_of_its_case_and_of_no_other(said: str) -> None:
    assert [text for text, systems in CASES.items() if said in found(*systems)] == [said]
    assert len(CASES) == len(FINDINGS)


def test_the_baseline_may_be_the_best_and_nothing_is_found_before_the_end() -> None:
    worse = one(48.7, -1.3, -2.2, -0.4, 0.012)
    assert found(one(50), worse).startswith(
        "s0 is 1.3 chrF better than s1: 95 % interval 0.4 to 2.2"
    )
    assert "better" not in found(one(50), one(49.7, -0.3, -1.0, 0.4, 0.4))
    assert not found(one(50), CLEAR, is_final=False)
    assert not found({"n": 200, "scores": {}})


def test_the_finding_of_the_shipped_evaluation_is_its_recorded_scores() -> None:
    answer = Have().answer(Evaluate(evaluation=SHIPPED))
    scores = Library().evaluation(SHIPPED).scores()["systems"]
    facts = compared(answer)
    best = max(own["scores"]["chrf"]["value"] for own in scores)
    assert facts.best == best
    assert facts.pair["difference"] == pytest.approx(best - scores[0]["scores"]["chrf"]["value"])
    assert answer.value(2, "chrf") == scores[2]["scores"]["chrf"]["value"]


def test_a_request_is_made_here_with_progress_and_found_the_next_time() -> None:
    told: list[tuple[int, int]] = []
    answer = Have(lambda done, n: told.append((done, n))).answer(ASKED)
    assert told[-1] == (20, 20)
    assert answer.names == ["greedy", "beam"]
    stored = Library().evaluation(answer.evaluation.id)
    assert answer.systems[1]["paired"] == stored.scores()["systems"][1]["paired"]
    ANSWERS.clear()
    told.clear()
    assert Have(lambda done, n: told.append((done, n))).answer(ASKED) == answer
    assert not told
    again = evaluation_request.carried_out(ASKED.request(Have()), Have())
    assert again.id == stored.id
    for other in (
        replace(ASKED, n=19),
        replace(ASKED, lowercase=True),
        replace(ASKED, baseline="beam"),
    ):
        assert evaluation_request.known(other.request(Have()), Have()) is None


def test_of_other_weights_under_the_same_name_nothing_is_found() -> None:
    shutil.copytree(Library().run(DEMO).path, runs_folder() / "mine")
    asked = replace(ASKED, runs=("mine",), n=2, strategies="greedy")
    first = Have().answer(asked)
    place = Library().evaluation(first.evaluation.id)
    made = place.provenance()
    made["systems"][0]["weights_sha256"] = "another"
    place.set_provenance(made)
    assert Have().answer(asked).evaluation.id != place.id


def test_scores_that_are_shown_as_different_are_not_called_the_same() -> None:
    assert "the same" in found(one(50.01), one(50.04, 0.03, -0.2, 0.2, 0.9))
    assert "the same" not in found(one(50.03), one(50.06, 0.03, -0.2, 0.2, 0.9))


def test_without_a_p_value_one_of_many_comparisons_may_be_chance() -> None:
    pair = {"difference": 1.3, "low": 0.4, "high": 2.2, "p_value": 0.012}
    clear = one(51.3, paired={"chrf": pair})
    assert "chance alone" not in found(one(50), clear)
    assert "chance alone" in found(one(50), clear, one(50.1, 0.1, -1, 1, 0.8))


class StopError(Exception):
    """Somebody presses Ctrl-C."""


def test_stopped_it_keeps_its_sentences_and_is_resumed_by_whoever_asks_next() -> None:
    def stop(done: int, n: int) -> None:
        raise StopError

    asked = replace(ASKED, n=40)
    with pytest.raises(StopError):
        Have(stop).answer(asked)
    (left,) = list_evaluations()
    assert 0 < Library().evaluation(left.id).status()["done"] < 40
    answer = Have().answer(asked)
    assert (answer.evaluation.id, answer.n) == (left.id, 40)


def test_one_that_a_worker_has_is_not_made_twice() -> None:
    evaluation_service.submit(ASKED.request(Have()))
    with pytest.raises(UserError, match="It is being evaluated"):
        Have().answer(ASKED)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (Evaluate(), "Name a run"),
        (replace(ASKED, strategies="best"), "There is no strategy `best`"),
        (replace(ASKED, test="gone"), "`test` is `gone`"),
        (replace(ASKED, baseline="mbr"), "choose from greedy, beam"),
        (replace(ASKED, settings="[]"), "give JSON such as"),
        (replace(ASKED, settings='{"beam": {"num_beam": 3}}'), "num_beams"),
        (replace(ASKED, sweep="beams"), "give a setting and its strategy"),
        (replace(ASKED, sweep="num_beams of beam", values="1"), "2 to 12 values"),
        (replace(ASKED, n=0), "`n` is"),
        (Evaluate(evaluation="gone"), "no evaluation"),
        (ScoreBuckets(SHIPPED, bucket_of="4"), "from 1 to 3"),
        (ScoreBuckets(SHIPPED, bucket_score="loss"), "choose from bleu"),
    ],
)
def test_what_cannot_be_asked_is_said_before_anything_is_made(asked: Any, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence.replace("(", r"\(")):
        Have().answer(asked)
    assert not list_evaluations()


def test_checkpoints_settings_and_sweeps_are_those_of_the_form() -> None:
    asked = Evaluate(
        f"{DEMO}@1500",
        strategies="greedy",
        settings='{"beam": {"length_penalty": 0.5}}',
        sweep="num_beams of beam",
        values="1, 4",
    )
    systems = asked.request(Have()).systems
    assert [(one.name, one.step, one.checkpoint, one.sweep) for one in systems] == [
        ("greedy", 1500, "", ""),
        ("beam length_penalty=0.5 num_beams=1", 1500, "", "num_beams"),
        ("beam length_penalty=0.5 num_beams=4", 1500, "", "num_beams"),
    ]
    assert Evaluate(DEMO).request(Have()).systems[0].checkpoint == "best"


@pytest.mark.parametrize(
    "question", [Evaluate(evaluation=SHIPPED, sort="gap"), ScoreBuckets(SHIPPED)]
)
def test_the_command_and_the_program_ask_what_the_page_asks(question: Any) -> None:
    words = question.command.split()
    given = dict(words[i + 1].split("=", 1) for i, word in enumerate(words) if word == "--set")
    assert type(question).read(words[4], given) == question
    call = question.python.splitlines()[-1].removeprefix("s2s.ask(").removesuffix(")")
    assert eval(call) == question
    answer = Have().answer(question)
    content = json.loads(as_text(answer))
    assert content
    for picture in views.view_of(question).pictures(question, answer, ""):
        assert picture.alt
        assert picture.table.rows


def test_another_order_or_search_never_asks_again_and_lists_what_it_says() -> None:
    question = Evaluate(evaluation=SHIPPED, find="BOOK", sort="gap", by="ter")
    have = Have()
    answer = have.answer(question)
    assert have.answer(Evaluate(evaluation=SHIPPED)) is answer
    (picture,) = evaluation_view.named(evaluation_view.SENTENCES, question, answer)
    texts = [" ".join(map(str, row)).casefold() for row in picture.table.rows]
    assert 0 < len(texts) < answer.n
    assert f"{len(texts):,} of 1,000 sentences have this text" in picture.caption
    column = [*picture.table.columns].index("gap")
    gaps = [abs(row[column]) for row in picture.table.rows]
    assert gaps == sorted(gaps, reverse=True)
    nothing = replace(question, find="no sentence says that")
    assert not evaluation_view.order(nothing, answer).places


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("", {}),
        ("num_beams=5, length_penalty=1.2", {"num_beams": 5, "length_penalty": 1.2}),
        ("bad_words=la, le, num_beams=2", {"bad_words": "la, le", "num_beams": 2}),
        ("prefix=la maison", {"prefix": "la maison"}),
    ],
)
def test_settings_are_read_as_they_are_written(text: str, settings: dict[str, Any]) -> None:
    assert evaluation_request.parse(text) == settings


def stored_by(owner: str) -> EvaluationFolder:
    with asker.acting_as(owner):
        pairs = [("the red house", "la maison rouge"), ("the cat sleeps", "le chat dort")]
        request = EvaluationRequest(
            (System("greedy", DEMO, 1500, "greedy"),), Sentences("mine", n=2), pairs, run=DEMO
        )
        place = evaluation_service.store(request)
        place.set_words({})
        list(evaluation_service.evaluate(place))
        return place


@pytest.mark.parametrize(
    ("who", "shared", "scores", "sentences"),
    [
        ("ann", sharing.Sharing(link=False, data=False), True, True),
        ("eve", sharing.Sharing(link=False, data=False), False, False),
        ("eve", sharing.Sharing(link=True, data=False), True, False),
        ("eve", sharing.Sharing(link=True, data=True), True, True),
    ],
)
def test_a_guest_sees_scores_and_only_where_they_are_shared_sentences(
    who: str,
    shared: sharing.Sharing,
    scores: bool,
    sentences: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    place = stored_by("ann")
    questions = (Evaluate(evaluation=place.id), ScoreBuckets(place.id))
    with asker.acting_as("ann"):  # who asks first leaves the answer in the cache
        assert all(map(Have().answer, questions))
        sharing.share(sharing.thing("evaluation", place.id, "ann"), shared)
    with asker.acting_as(who):
        if not scores:
            with pytest.raises(UserError, match="no evaluation"):
                Have().answer(questions[0])
            return
        answer = Have().answer(questions[0])
        said = as_text(answer) + questions[0].table(answer).csv()
        pictures = views.view_of(questions[0]).pictures(questions[0], answer, "")
        said += "".join(one.table.csv() + one.caption + one.title for one in pictures)
        assert ("la maison rouge" in said) is bool(answer.sentences) is sentences
        assert "ann" not in json.loads(as_text(answer))["evaluation"]["owner"]
        files = [each.label for one in pictures for each in one.files]
        assert ("Bundle (zip)" in files) is (who == "ann")
        if not sentences:
            with pytest.raises(UserError, match="its owner has not shared them"):
                Have().answer(questions[1])
    assert queue.latest(place.id) is None  # nothing was queued

"""Stored evaluations whose scores an earlier version computed."""

import json
import shutil
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest

from s2s.config import UserError
from s2s.jobs import evaluation_service
from s2s.jobs.evaluation.service import EvaluationRequest
from s2s.jobs.registry import JOBS
from s2s.library import Library
from s2s.processes import queue
from s2s.runs import EvaluationFolder, Sentences, System, evaluations, runs_folder
from s2s.scores import Scoring, score_all
from tests.conftest import make_run
from tests.jobs.context import FakeContext

PAIRS = [("1 2", "我喜欢红色的房子"), ("3 4", "été"), ("5", "我们都喜欢")]
LINES = ["我喜欢红色的大房子", unicodedata.normalize("NFD", "été"), "我们喜欢"]
THEIRS = System("theirs", uploaded="theirs.txt")


def work(place: EvaluationFolder) -> None:
    job = queue.latest(place.id)
    assert job is not None
    claimed = queue.claim("w", "h", job.slot, 600.0)
    assert claimed is not None
    list(JOBS[claimed.kind].work(claimed, FakeContext()))
    queue.finish(claimed.id, claimed.worker, "done")


def evaluation(*systems: System) -> EvaluationFolder:
    place = Library().evaluation(
        evaluation_service.submit(
            EvaluationRequest(
                (*systems, THEIRS), Sentences("mine", n=3), PAIRS, {THEIRS.name: LINES}
            )
        )
    )
    place.set_words({})
    work(place)
    return place


def made_older(place: EvaluationFolder) -> None:
    """As the version before wrote it: 13a as the default, other signatures, other values."""
    path = place.path / "evaluation.json"
    content = json.loads(path.read_text())
    content["scoring"] = {"tokenize": "13a", "lowercase": False, "chrf_words": 0}
    path.write_text(json.dumps(content))
    path = place.path / "scores.json"
    text = path.read_text().replace("|unicode:NFC", "").replace("tok:zh", "tok:13a")
    content = json.loads(text)
    del content["tokenizer_reason"]
    for system in content["systems"]:
        system["scores"]["bleu"]["value"] = 0.0
    path.write_text(json.dumps(content))


def test_the_evaluation_says_which_tokenizer_it_took_and_why() -> None:
    place = evaluation()
    assert place.evaluation().scoring == Scoring("zh")
    assert place.scores()["tokenizer_reason"] == (
        "the references have 13 Han characters and 1 word of other scripts"
    )
    (system,) = place.provenance()["systems"]
    assert system["command"].endswith("--tokenize zh")


def test_scores_of_an_earlier_version_are_computed_again() -> None:
    place = evaluation()
    new = place.scores()
    assert not evaluations.is_of_earlier_version(new)
    lines = place.lines(0)
    made_older(place)
    assert evaluations.is_of_earlier_version(place.scores())
    assert place.evaluation().scoring == Scoring("13a")
    evaluation_service.score_again(place.id)
    work(place)
    assert place.scores() == new
    assert place.lines(0) == lines
    references = [reference for _, reference in PAIRS]
    assert (
        new["systems"][0]["scores"]["bleu"]["value"] == score_all(LINES, references)["bleu"].value
    )
    assert place.sentence_scores(0)[1]["exact_match"] == 100


def test_a_tokenizer_that_was_chosen_stays() -> None:
    place = evaluation()
    made_older(place)
    place.amend(lambda asked: replace(asked, scoring=Scoring("intl")))
    evaluation_service.score_again(place.id)
    work(place)
    assert place.evaluation().scoring == Scoring("intl")


def test_scoring_again_needs_no_run(tmp_path: Path) -> None:
    run = runs_folder() / "soon-gone"
    make_run(run, {"train.steps": 2, "train.watch.samples": 0})
    place = evaluation(System("greedy", "soon-gone", 0, "greedy"))
    before = place.provenance()["systems"][0]
    new = place.scores()
    made_older(place)
    shutil.rmtree(run)
    evaluation_service.score_again(place.id)
    work(place)
    scores = place.scores()["systems"][0]["scores"]
    assert scores["bleu"] == new["systems"][0]["scores"]["bleu"]
    assert scores["loss"] == new["systems"][0]["scores"]["loss"]
    assert place.provenance()["systems"][0] == before


def test_sentences_that_are_left_are_for_resume() -> None:
    place = evaluation()
    path = place.path / "lines-0.jsonl"
    path.write_text("".join(f"{line}\n" for line in path.read_text().splitlines()[:2]))
    with pytest.raises(UserError, match="`mine` has sentences that are not translated; resume it"):
        evaluation_service.score_again(place.id)


def test_resuming_one_of_an_earlier_version_takes_the_tokenizer_by_rule() -> None:
    place = evaluation()
    new = place.scores()
    made_older(place)
    evaluation_service.resume(place.id)
    work(place)
    assert place.evaluation().scoring == Scoring("zh")
    assert place.scores() == new


def test_a_tokenizer_without_its_package_is_refused_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("s2s.scores.scoring.find_spec", lambda name: None)
    asked = EvaluationRequest(
        (THEIRS,), Sentences("mine", n=3), PAIRS, {THEIRS.name: LINES}, scoring=Scoring("ja-mecab")
    )
    with pytest.raises(UserError, match="`ja-mecab` needs packages"):
        evaluation_service.submit(asked)

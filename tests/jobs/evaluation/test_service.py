from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import s2s
from s2s.config import UserError, asker
from s2s.jobs import evaluation_service, job_process, run_service, test_sets
from s2s.jobs.evaluation import loop as evaluation_loop
from s2s.jobs.evaluation.service import EvaluationRequest
from s2s.jobs.model_import import import_folder
from s2s.jobs.registry import JOBS
from s2s.library import Library
from s2s.library.own import list_evaluations
from s2s.model import weights_path
from s2s.processes import queue
from s2s.runs import EvaluationFolder, RunFolder, Sentences, System, runs_folder
from s2s.scores import MEASURES, METRICS, Scoring, paired, score_all, sentence_scores
from tests.conftest import make_run
from tests.jobs.context import FakeContext
from tests.pretrained.checkpoints import make_checkpoint

PAIRS = [
    ("1 2 3", "3 2 1"),
    ("4 5", "5 4"),
    ("", ""),
    ("7 7 2 9", "9 2 7 7"),
    ("3 1 4 1 5", "5 1 4 1 3"),
]
THEIRS = System("theirs", uploaded="theirs.txt")
LINES = ["3 2 1", "5", "", "9 2 7", "5 1 4"]
TEST = Sentences("mine", n=len(PAIRS))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A trained run, by its folder."""
    return str(
        make_run(
            tmp_path_factory.mktemp("run") / "one",
            {
                "train.steps": 60,
                "train.lr": 0.01,
                "train.watch.validate_every": 60,
                "train.watch.scores": 0,
                "train.watch.samples": 0,
            },
        )
    )


@pytest.fixture
def greedy(run: str) -> System:
    return System("greedy", run, 0, "greedy")


@pytest.fixture
def beam(run: str) -> System:
    return System("beam", run, 0, "beam", {"num_beams": 3})


def request_for(*systems: System, **more: object) -> EvaluationRequest:
    known = {"pairs": PAIRS, "run": "one", "outputs": {THEIRS.name: LINES}} | more
    return EvaluationRequest(systems, TEST, **known)  # type: ignore[arg-type]


def claimed_job(order: EvaluationRequest) -> tuple[queue.Job, EvaluationFolder]:
    """As a worker's child has it."""
    evaluation = evaluation_service.submit(order)
    job = queue.latest(evaluation)
    assert job is not None
    claimed = queue.claim("w", "h", job.slot, 600.0)
    assert claimed is not None
    assert claimed.id == job.id
    return claimed, Library().evaluation(evaluation)


def done(order: EvaluationRequest) -> EvaluationFolder:
    job, place = claimed_job(order)
    list(JOBS[job.kind].work(job, FakeContext()))
    queue.finish(job.id, job.worker, "done")
    return place


def test_texts_and_numbers_are_those_of_the_run_and_of_the_scores(
    greedy: System, beam: System, run: str
) -> None:
    place = done(request_for(greedy, beam, THEIRS))
    opened = s2s.load(run)
    sources = [source for source, _ in PAIRS]
    references = [reference for _, reference in PAIRS]
    texts = [
        [one.text for one in opened.translate(sources, system.strategy, **system.settings)]
        for system in (greedy, beam)
    ] + [LINES]
    found = place.scores()
    assert found["is_final"]
    recorded = [(each.step, each.checkpoint) for each in place.evaluation().systems]
    assert recorded == [(60, "best"), (60, "best"), (0, "")]  # asked for as step 0
    for number, own in enumerate(texts):
        assert [place.lines(number)[i]["text"] for i in range(len(PAIRS))] == own
        scores = found["systems"][number]["scores"]
        for key, score in score_all(own, references).items():
            assert scores[key]["value"] == pytest.approx(score.value)
            assert scores[key]["low"] <= score.value + 1e-9
            assert score.value <= scores[key]["high"] + 1e-9
        assert scores.keys() >= {*METRICS, *MEASURES}
        assert place.sentence_scores(number)[1] == pytest.approx(
            sentence_scores(own[1], references[1])
        )
    differences = found["systems"][2]["paired"]
    expected = paired(texts[2], texts[0], references)
    assert differences["chrf"]["p_value"] == pytest.approx(expected["chrf"].p_value)
    assert differences["bleu"]["difference"] == pytest.approx(expected["bleu"].difference)
    assert found["systems"][0]["paired"] == {}
    assert found["systems"][2]["sentences_per_second"] is None


def test_an_older_checkpoint_that_was_opened_is_not_called_the_best(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", {"train.steps": 20})
    (whole,) = done(request_for(System("s", str(path), 0, "greedy"))).evaluation().systems
    newest = weights_path(path / "checkpoints", RunFolder(path).best_or_newest_step())
    newest.write_bytes(newest.read_bytes()[:100])
    (older,) = done(request_for(System("s", str(path), 0, "greedy"))).evaluation().systems
    assert (whole.step, whole.checkpoint) == (20, "best")
    assert (older.step, older.checkpoint) == (10, "")


def test_one_model_is_evaluated_in_several_languages(tmp_path: Path) -> None:
    make_checkpoint("m2m100", tmp_path / "theirs", is_tied=False)
    path = str(import_folder(tmp_path / "theirs", tmp_path / "run").path)
    languages = {"as saved": ("", ""), "Dutch": ("en", "nl")}
    systems = [
        System(name, path, 0, "greedy", src_lang=src, tgt_lang=tgt)
        for name, (src, tgt) in languages.items()
    ]
    place = done(request_for(*systems))
    for number, codes in enumerate(languages.values()):
        run = s2s.load(path).in_languages(*codes)
        texts = [run.translate([source], "greedy")[0].text for source, _ in PAIRS]
        assert [place.lines(number)[i]["text"] for i in range(len(PAIRS))] == texts
    assert place.lines(0) != place.lines(1)
    assert "--src-lang en --tgt-lang nl" in place.provenance()["systems"][1]["command"]


def test_the_references_under_teacher_forcing_are_the_same_for_all_strategies(
    greedy: System, beam: System, run: str
) -> None:
    place = done(request_for(greedy, beam))
    forced = s2s.load(run).force(*zip(*PAIRS, strict=True))
    loss = -sum(one.log_prob for one in forced) / sum(one.n_tokens for one in forced)
    for system in place.scores()["systems"]:
        scores = system["scores"]
        assert scores["loss"]["value"] == pytest.approx(loss, rel=1e-5)
        assert scores["perplexity"]["value"] == pytest.approx(np.exp(loss), rel=1e-5)
        assert (
            0
            <= scores["token_accuracy"]["low"]
            <= scores["token_accuracy"]["value"]
            <= scores["token_accuracy"]["high"]
            <= 1
        )


def test_an_interrupted_evaluation_resumes_after_the_lines_it_has(
    monkeypatch: pytest.MonkeyPatch, greedy: System, beam: System
) -> None:
    monkeypatch.setattr(evaluation_loop, "FIRST", 2)
    monkeypatch.setattr(evaluation_loop, "LARGEST", 2)
    monkeypatch.setattr(evaluation_loop, "FEWEST", 1)
    job, place = claimed_job(request_for(greedy, beam))
    work = evaluation_service.work(job, FakeContext())
    while len(place.lines(0)) < 4:
        next(work)
    kept = {i: line["seconds"] for i, line in place.lines(0).items()}
    assert len(place.lines(1)) == 2  # cut between two systems
    work.close()
    assert (place.status()["state"], place.status()["done"]) == ("stopped", 2)
    assert place.scores()["is_final"]
    assert place.scores()["n"] == 2
    queue.finish(job.id, job.worker, "stopped")
    evaluation_service.resume(place.id)
    again = queue.claim("w", "h", job.slot, 600.0)
    assert again is not None
    list(evaluation_service.work(again, FakeContext()))
    assert {i: place.lines(0)[i]["seconds"] for i in kept} == kept
    whole = done(request_for(greedy, beam)).scores()["systems"]
    for before, after in zip(place.scores()["systems"], whole, strict=True):
        assert before["scores"] == after["scores"]
    assert len(place.sentence_scores(0)) == len(PAIRS)


def test_scores_come_while_it_works_and_a_time_that_is_left(
    monkeypatch: pytest.MonkeyPatch, greedy: System
) -> None:
    monkeypatch.setattr(evaluation_loop, "FIRST", 2)
    monkeypatch.setattr(evaluation_loop, "WRITTEN", 0.0)
    monkeypatch.setattr(evaluation_loop, "LARGEST", 2)
    monkeypatch.setattr(evaluation_loop, "FEWEST", 1)
    job, place = claimed_job(request_for(greedy))
    progress = []
    for _ in evaluation_service.work(job, FakeContext()):
        status = place.status()
        if status.get("done"):
            progress.append(
                (
                    status["done"],
                    status["left"],
                    place.scores()["systems"][0]["scores"]["bleu"]["value"],
                )
            )
    assert progress[0][0] == 2
    assert all(left is not None and left >= 0 for _, left, _ in progress)
    assert evaluation_service.progress(place.id).state == "running"
    queue.finish(job.id, job.worker, "done")
    assert evaluation_service.progress(place.id).left is None


def test_a_file_without_references_is_translated_and_not_scored(beam: System) -> None:
    lines = [(source, "") for source, _ in PAIRS]
    place = done(replace(request_for(beam, pairs=lines), test=replace(TEST, has_references=False)))
    assert place.lines(0)[2]["text"] == ""
    assert place.lines(0)[0]["text"]
    (found,) = place.scores()["systems"]
    assert (found["scores"], found["signature"]) == ({}, {})
    assert found["sentences_per_second"] > 0


def test_a_runs_own_text_is_read_by_the_job_and_kept(greedy: System, run: str) -> None:
    place = done(EvaluationRequest((greedy,), Sentences("held out", run=run, n=4), run=run))
    test = place.evaluation().test
    assert (test.n, test.n_all, len(test.hash)) == (4, 20, 16)
    assert place.test() == [test_sets.read(test).pairs[i] for i in test_sets.even_indices(20, 4)]
    words = place.words()
    assert words is not None
    assert all(count > 20 for count in words.values())
    assert not any("are in the training data" in note for note in test.notes)


def test_words_of_another_dataset_are_counted_in_the_training_data_of_the_run(
    greedy: System, run: str, tmp_path: Path
) -> None:
    source, target = test_sets.training_pairs(run)[0]
    (tmp_path / "test.tsv").write_text(f"{source}\t{target}\nunheard\t0\n")
    place = done(EvaluationRequest((greedy,), Sentences("", spec=str(tmp_path / "test.tsv"), n=2)))
    counts = place.words()
    assert counts is not None
    assert counts.pop("unheard") == 0
    assert all(count > 0 for count in counts.values())


def test_sentences_of_the_training_data_are_reported_and_the_evaluation_continues(
    greedy: System, run: str
) -> None:
    known = test_sets.training_pairs(run)[:3]
    place = done(request_for(greedy, pairs=[*known, ("0", "0")]))
    assert any(
        note.startswith("3 of the 4 sentences (75%) are in the training data")
        for note in place.evaluation().test.notes
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda greedy: request_for(), "0 systems were given"),
        (
            lambda greedy: request_for(greedy, replace(greedy, settings={"seed": 2})),
            "Two systems are called `greedy`",
        ),
        (lambda greedy: request_for(replace(greedy, settings={"num_beam": 3})), "`num_beam`"),
        (lambda greedy: request_for(replace(greedy, run="gone")), "no run `gone`"),
        (
            lambda greedy: replace(request_for(greedy), test=replace(TEST, n=10**6)),
            "1,000,000 sentences were requested",
        ),
        (lambda greedy: request_for(greedy, THEIRS, pairs=()), "needs the sentences"),
    ],
)
def test_what_contradicts_itself_is_refused_before_anything_is_written(
    change: Callable[[System], EvaluationRequest], sentence: str, greedy: System
) -> None:
    with pytest.raises(UserError) as error:
        evaluation_service.submit(change(greedy))
    assert sentence in str(error.value)
    assert list_evaluations() == []
    assert queue.jobs(asker.LOCAL) == []


def test_a_hosted_server_downloads_no_tokenizer_for_a_visitor(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, greedy: System
) -> None:
    monkeypatch.setattr("sacrebleu.utils.SACREBLEU_DIR", str(tmp_path))
    order = request_for(greedy, scoring=Scoring("flores200"))
    evaluation_service.check(order)
    monkeypatch.setenv("S2S_HOSTED", "1")
    with (
        asker.acting_as(asker.LOCAL),
        pytest.raises(UserError, match="a file that this server has not"),
    ):
        evaluation_service.check(order)


def test_what_the_queue_refuses_leaves_no_folder(
    monkeypatch: pytest.MonkeyPatch, greedy: System
) -> None:
    monkeypatch.setenv("S2S_MAX_QUEUE", "1")
    evaluation_service.submit(request_for(greedy))
    with pytest.raises(UserError, match="The queue is full"):
        evaluation_service.submit(request_for(greedy))
    assert len(list_evaluations()) == 1


@pytest.mark.parametrize(
    ("n", "split", "known", "slot"),
    [
        (100, "", {"n_valid": 20_000}, "express"),
        (20_000, "", {"n_valid": 20_000}, "long"),
        (20_000, "", {"n_valid": 100}, "express"),
        (20_000, "test", {"n_valid": 100}, "long"),  # nobody has counted that split yet
        (20_000, "", {}, "long"),
    ],
)
def test_short_ones_go_to_the_express_slot(
    tmp_path: Path, n: int, split: str, known: dict[str, int], slot: str
) -> None:
    path = make_run(tmp_path / "run", {"train.steps": 2})
    RunFolder(path).amend(lambda about: {"data": known})
    wide = System("beam", str(path), 0, "beam", {"num_beams": 20})
    test = Sentences("own", run=str(path), split=split, n=n)
    evaluation = evaluation_service.submit(EvaluationRequest((wide,), test, run=str(path)))
    job = queue.latest(evaluation)
    assert job is not None
    assert job.slot == slot


def test_a_forecast_grows_with_sentences_and_width(greedy: System, beam: System) -> None:
    assert (
        evaluation_service.forecast([beam], 1000)
        > evaluation_service.forecast([greedy], 1000)
        > evaluation_service.forecast([greedy], 10)
    )


def test_progress_stopping_and_deleting(greedy: System) -> None:
    evaluation = evaluation_service.submit(request_for(greedy))
    assert evaluation_service.progress(evaluation).state == "queued"
    evaluation_service.stop(evaluation)
    assert evaluation_service.progress(evaluation).state == "stopped"
    with pytest.raises(UserError, match="nothing to stop"):
        evaluation_service.stop(evaluation)
    evaluation_service.resume(evaluation)
    job = queue.claim("w", "h", "express", 600.0)
    assert job is not None
    with pytest.raises(UserError, match="stop it first"):
        evaluation_service.delete(evaluation)
    queue.finish(job.id, "w", "done")
    evaluation_service.delete(evaluation)
    assert list_evaluations() == []
    assert queue.latest(evaluation) is None
    with pytest.raises(UserError, match="of yours"):
        evaluation_service.resume(evaluation_service.submit(request_for(greedy)), "somebody else")


def test_no_evaluation_is_a_run(greedy: System) -> None:
    evaluation = evaluation_service.submit(request_for(greedy))
    assert run_service.runs(asker.LOCAL) == []
    with pytest.raises(UserError, match="There is no run"):
        run_service.find(evaluation, asker.LOCAL)
    assert not runs_folder().exists()


def test_all_references_count_and_the_evaluation_says_how(greedy: System) -> None:
    references = [(reference, "1 1") for _, reference in PAIRS]
    scoring = Scoring(lowercase=True, chrf_words=2)
    place = done(request_for(greedy, THEIRS, references=references, scoring=scoring))
    assert place.references() == references
    assert place.evaluation().scoring == replace(scoring, tokenize="13a")
    system = place.scores()["systems"][1]
    expected = score_all(LINES, references, scoring)
    for name, score in expected.items():
        assert system["scores"][name]["value"] == pytest.approx(score.value)
        assert system["signature"][name] == score.signature
    assert "nrefs:2" in system["signature"]["bleu"]
    assert "nw:2" in system["signature"]["chrf"]
    single = done(request_for(greedy)).evaluation().test
    assert place.evaluation().test.hash != single.hash
    command = place.provenance()["systems"][0]["command"]
    assert command.endswith(
        "--ref test.ref --ref test.ref2 --bleu-tokenize 13a --chrf-words 2 --lowercase"
    )


def test_an_evaluation_whose_worker_is_told_to_end_is_handed_back_and_resumed(
    greedy: System, beam: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = done(request_for(greedy, beam))
    for name, value in (("FIRST", 2), ("FEWEST", 2), ("TURN", 0.0)):
        monkeypatch.setattr(evaluation_loop, name, value)
    job, place = claimed_job(request_for(greedy, beam))
    signals = iter([False] * 5 + [True])  # asked after each part of a turn

    class Told(list[int]):
        def __bool__(self) -> bool:
            return next(signals, True)

    heartbeat = job_process.Heartbeat(job, 20.0)
    context = job_process.HeartbeatContext(heartbeat, job_process._writer(), Told())
    job_process._finish(job, *job_process._outcome(job, context), ttl=20.0)
    progress = evaluation_service.progress(place.id)
    assert (progress.state, 0 < progress.done < progress.n) == ("queued", True)
    again = queue.claim("next", "h", job.slot, 600.0)
    assert again is not None
    list(JOBS[again.kind].work(again, FakeContext()))
    assert place.scores()["systems"][1]["scores"] == whole.scores()["systems"][1]["scores"]
    assert [row["text"] for row in place.repair_lines(1).values()] == [
        row["text"] for row in whole.repair_lines(1).values()
    ]


def test_a_reference_without_positions_takes_no_other_with_it(tmp_path: Path) -> None:
    settings = {"model.positions.kind": "learned", "model.positions.max_length": 32}
    run = s2s.load(make_run(tmp_path / "run", settings))
    pairs = [("1 2", "2 1"), ("1 2", "2 " * 60), ("3 4 5", "5 4 3")]
    found = evaluation_loop._forced(run, pairs)
    assert [one is None for one in found] == [False, True, False]
    assert found[0] == pytest.approx(evaluation_loop._forced(run, pairs[:1])[0])

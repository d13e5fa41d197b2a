import shutil
from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from s2s.config import UserError, asker
from s2s.data import Gold, Link, Pair, Relation
from s2s.files import stored
from s2s.jobs import head_samples, head_service, run_service
from s2s.jobs.heads import experiments
from s2s.jobs.heads.experiments import Experiment
from s2s.jobs.heads.roles import RolesSettings
from s2s.jobs.registry import JOBS
from s2s.processes import queue
from s2s.runs import Measurement, MeasurementFolder, Run, Sentences, measurements, runs_folder
from tests.conftest import make_run
from tests.jobs.context import FakeContext

RUN = "measured000000000"
STEP = 2
SENTENCES = Sentences("reverse", split="held out", run=RUN, n=5)


def measure(run: Run, pairs: Any, settings: RolesSettings) -> Iterator[float]:
    for done in range(1, len(pairs) + 1):
        yield done / len(pairs)
    return {"sources": [pair.src for pair in pairs], "step": run.step}


@pytest.fixture(autouse=True)
def _one_experiment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A toy row beside the others is all that an experiment needs."""
    toy = Experiment("Toy", RolesSettings, measure, lambda recipe, settings: 1.0)
    rows = MappingProxyType(experiments.EXPERIMENTS | {"toy": toy})
    for module in (experiments, head_service):
        monkeypatch.setattr(module, "EXPERIMENTS", rows)


@pytest.fixture
def asked() -> Measurement:
    make_run(runs_folder() / RUN, {"train.steps": STEP})
    return Measurement(RUN, STEP, "toy", SENTENCES)


def claimed_job(request: Measurement) -> queue.Job:
    job = queue.latest(request.id)
    assert job is not None
    claimed = queue.claim("w", "h", job.slot, 600.0)
    assert claimed is not None
    return claimed


def work(request: Measurement) -> None:
    job = claimed_job(request)
    list(JOBS[job.kind].work(job, FakeContext()))
    queue.finish(job.id, job.worker, "done")


def test_a_measurement_is_queued_done_and_found_by_whoever_asks_the_same(
    asked: Measurement,
) -> None:
    assert head_service.result(asked) is None
    head_service.submit(asked)
    assert head_service.progress(asked).state == "queued"
    head_service.submit(asked)  # two clicks are one job
    assert len(queue.jobs(asked.owner, kind="heads")) == 1
    work(asked)
    found = head_service.result(replace(asked, owner="another"))
    assert found is not None
    assert found["step"] == STEP
    assert len(found["sources"]) == SENTENCES.n
    assert head_service.result(replace(asked, step=STEP + 1)) is None
    assert head_service.result(replace(asked, sentences=replace(SENTENCES, n=4))) is None
    head_service.submit(asked)  # it is there
    assert len(queue.jobs(asked.owner, kind="heads")) == 1
    assert stored.usage(asked.owner).measurements == 1


def test_only_a_long_measurement_takes_more_than_one_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of_demo = Measurement("demo-en-fr", 1500, "toy", replace(SENTENCES, run="demo-en-fr"))
    assert head_service.threads(of_demo) == 1
    monkeypatch.setattr(head_service, "SECONDS_PER_PASS", 100.0)
    assert head_service.threads(of_demo) == 2  # as it was trained


def test_progress_is_the_share_and_the_time_left(asked: Measurement) -> None:
    head_service.submit(asked)
    job = claimed_job(asked)
    steps = JOBS[job.kind].work(job, FakeContext())
    for _ in range(3):
        next(steps)
    progress = head_service.progress(asked)
    assert (progress.state, progress.share) == ("running", 0.2)
    assert progress.left is not None
    assert progress.is_live
    steps.close()
    assert not MeasurementFolder(asked.id).path.exists()  # a stopped one leaves nothing


def test_the_next_worker_begins_again_what_was_handed_back(asked: Measurement) -> None:
    head_service.submit(asked)
    job = claimed_job(asked)
    steps = JOBS[job.kind].work(job, FakeContext(is_handed_back=True))
    for _ in range(3):
        next(steps)
    steps.close()
    queue.hand_back(job.id, job.worker)
    work(asked)
    assert head_service.result(asked) is not None


def test_one_whose_worker_died_is_requested_again(asked: Measurement) -> None:
    head_service.submit(asked)
    queue.renew(claimed_job(asked).id, "w", -1.0)
    assert head_service.progress(asked).state == "interrupted"
    head_service.submit(asked)
    work(asked)
    assert head_service.result(asked) is not None


def test_what_somebody_else_requests_at_the_same_moment_stays(
    asked: Measurement, monkeypatch: pytest.MonkeyPatch
) -> None:
    head_service.submit(asked)
    with monkeypatch.context() as patch:  # it looked just before
        found = iter([head_service.MeasurementProgress()])
        now = head_service.progress
        patch.setattr(head_service, "progress", lambda request: next(found, None) or now(request))
        head_service.submit(replace(asked, owner="another"))
    work(asked)
    assert head_service.result(asked) is not None


def test_what_a_worker_takes_while_it_is_stopped_keeps_its_files_until_it_has_ended(
    asked: Measurement, monkeypatch: pytest.MonkeyPatch
) -> None:
    head_service.submit(asked)
    taken: list[queue.Job] = []
    ask = queue.ask_to_stop

    def ask_too_late(job: str, owner: str) -> None:
        taken.append(claimed_job(asked))
        ask(job, owner)

    monkeypatch.setattr(queue, "ask_to_stop", ask_too_late)
    head_service.stop(asked)
    assert MeasurementFolder(asked.id).path.exists()
    steps = JOBS["heads"].work(taken[0], FakeContext())
    next(steps)
    steps.close()
    assert not MeasurementFolder(asked.id).path.exists()


def test_what_waits_can_be_stopped_and_asked_for_again(asked: Measurement) -> None:
    head_service.submit(asked)
    head_service.stop(asked)
    assert head_service.progress(asked).state == "stopped"
    assert not MeasurementFolder(asked.id).path.exists()
    with pytest.raises(UserError, match="nothing to stop"):
        head_service.stop(asked)
    head_service.submit(asked)
    work(asked)
    assert head_service.result(asked) is not None


def test_the_run_takes_its_measurements_along(asked: Measurement) -> None:
    head_service.submit(asked)
    work(asked)
    run_service.delete(RUN, asked.owner)
    assert measurements.result(asked) is None


def test_a_demo_has_shipped_results(
    asked: Measurement, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    head_service.submit(asked)
    work(asked)
    shipped = tmp_path / RUN / measurements.SHIPPED / f"{asked.id}.json"
    shipped.parent.mkdir(parents=True)
    shutil.move(MeasurementFolder(asked.id).path / "result.json", shipped)
    assert measurements.result(asked) is None
    monkeypatch.setattr("s2s.settings.SHIPPED", tmp_path)
    assert measurements.result(asked) is not None


def test_uploaded_sentences_keep_their_gold(asked: Measurement) -> None:
    relations = (Relation("subject-verb", "src", 1, 0),)
    gold = Gold((Link(0, 1),), relations=relations, possible=(Link(1, 0),))
    pairs = [Pair("1 2", "2 1", gold), Pair("3", "3"), Pair("", "4")]
    lines = [head_samples.to_json(pair) for pair in pairs]
    sentences = measurements.with_hash(Sentences("mine", files=("mine.tsv",)), lines)
    other = measurements.with_hash(Sentences("mine"), lines[:2])
    assert sentences.hash != other.hash
    request = replace(asked, sentences=sentences)
    head_service.submit(request, pairs)
    kept = MeasurementFolder(request.id).pairs()
    assert head_samples.read(sentences, kept) == pairs[:2]  # no text on one side
    assert MeasurementFolder(request.id).request() == request


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"experiment": "nonsense"}, "nonsense"),
        ({"settings": {"beam": 3}}, "beam"),
        ({"run": "0123456789abcdef"}, "no run"),
        ({"sentences": replace(SENTENCES, n=1)}, "2 to 2,000"),
        ({"sentences": replace(SENTENCES, n=2001)}, "2,001 sentences"),
    ],
)
def test_bad_requests_are_refused_in_a_sentence(
    asked: Measurement, changes: dict[str, Any], why: str
) -> None:
    with pytest.raises(UserError, match=why):
        head_service.submit(replace(asked, **changes))
    assert not queue.jobs(asked.owner, kind="heads")


def test_a_stranger_measures_and_sees_only_what_is_shared(
    asked: Measurement, monkeypatch: pytest.MonkeyPatch
) -> None:
    head_service.submit(asked)
    work(asked)
    monkeypatch.setenv("S2S_HOSTED", "1")
    with asker.acting_as("stranger"):
        for ask in (head_service.result, head_service.submit):
            with pytest.raises(UserError, match="no run"):
                ask(replace(asked, owner="stranger"))

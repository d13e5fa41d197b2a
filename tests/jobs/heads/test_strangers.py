"""Measurements of heads, asked for across workspaces: what is private reads like what does not exist."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from s2s.config import UserError, asker
from s2s.files import stored
from s2s.jobs import head_service, run_service
from s2s.jobs.heads import experiments
from s2s.jobs.heads.experiments import Experiment
from s2s.jobs.heads.roles import RolesSettings
from s2s.jobs.registry import JOBS
from s2s.library import Sharing, sharing
from s2s.processes import queue
from s2s.runs import Measurement, MeasurementFolder, RunFolder, Sentences, runs_folder
from tests.conftest import make_run
from tests.jobs.context import FakeContext

RUN = "annsmeasured00000"
NONE = RUN[::-1]
SENTENCES = Sentences("reverse", split="held out", run=RUN, n=5)
ASKED = Measurement(RUN, 30, "toy", SENTENCES, owner="ann")
HERS = replace(ASKED, owner="eve")


def measure(run: object, pairs: Any, settings: object) -> Iterator[float]:
    yield 0.1
    yield 0.9
    return {"sources": [*map(str, pairs)]}


@pytest.fixture(autouse=True)
def _anns_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A private run on a hosted server, and an experiment that quotes sentences."""
    toy = Experiment("Toy", RolesSettings, measure, lambda recipe, settings: 1.0, has_texts=True)
    rows = MappingProxyType(experiments.EXPERIMENTS | {"toy": toy})
    for module in (experiments, head_service):
        monkeypatch.setattr(module, "EXPERIMENTS", rows)
    RunFolder(make_run(runs_folder() / RUN, {})).amend(
        lambda about: {"owner": "ann", "valid": "hub:ann/private"}
    )
    monkeypatch.setattr(head_service.samples, "read", lambda *_: ["a"] * 5)
    monkeypatch.setattr(head_service, "_opened", lambda request: None)
    monkeypatch.setenv("S2S_HOSTED", "1")


def share(*, data: bool) -> None:
    with asker.acting_as("ann"):
        sharing.share(sharing.thing("run", RUN, "ann"), Sharing(link=True, data=data))


def begun() -> tuple[queue.Job, Iterator[None]]:
    job = queue.claim("w", "h", "express", 600.0)
    assert job
    return job, iter(JOBS[job.kind].work(job, FakeContext()))


@pytest.mark.parametrize("act", [head_service.progress, head_service.stop, head_service.submit])
def test_a_private_measurement_reads_like_none_and_nothing_happens_to_it(
    act: Callable[[Measurement], object],
) -> None:
    with asker.acting_as("ann"):
        head_service.submit(ASKED)
    told = []
    for run in (RUN, NONE):
        asked = replace(HERS, run=run, sentences=replace(SENTENCES, run=run))
        with asker.acting_as("eve"), pytest.raises(UserError) as refused:
            act(asked)
        told.append(str(refused.value).replace(run, ""))
    assert told[0] == told[1]
    job = queue.latest(ASKED.id)
    assert (job and job.state, job and job.owner) == ("queued", "ann")


def test_who_may_not_read_the_sentences_reads_no_result_that_quotes_them() -> None:
    """Also not by saying that they were uploaded, which is no part of a result's name."""
    share(data=False)
    MeasurementFolder(ASKED.id).set_result({"sources": ["secret"]})
    pretended = replace(HERS, sentences=replace(SENTENCES, files=("uploaded",)))
    assert pretended.id == ASKED.id
    for act in (head_service.result, head_service.submit, head_service.progress):
        with asker.acting_as("eve"), pytest.raises(UserError, match="that you may open"):
            act(pretended)
    share(data=True)
    with asker.acting_as("eve"):
        assert head_service.result(HERS)


def test_a_guest_who_asks_the_same_does_not_give_up_what_the_next_worker_resumes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    share(data=True)
    with asker.acting_as("ann"):
        head_service.submit(ASKED)
    job, _ = begun()
    queue.renew(job.id, job.worker, -1.0)  # its worker has died
    with asker.acting_as("eve"):
        head_service.submit(HERS)
    assert [each.id for each in queue.live_jobs()] == [job.id]
    assert MeasurementFolder(ASKED.id).request().owner == "ann"
    with monkeypatch.context() as patch, asker.acting_as("ann"):
        patch.setattr(stored, "require_room", refused)
        with pytest.raises(UserError, match="full"):
            head_service.submit(ASKED)
    assert [each.id for each in queue.live_jobs()] == [job.id]


def refused(owner: str) -> None:
    raise UserError("full")


def test_a_measurement_leaves_nothing_of_a_run_that_is_deleted_meanwhile() -> None:
    share(data=True)
    with asker.acting_as("eve"):
        head_service.submit(HERS)
        _, steps = begun()
        for _ in range(3):
            next(steps)
    with asker.acting_as("ann"):
        run_service.delete(RUN, "ann")
    with asker.acting_as("eve"), pytest.raises(UserError, match="this measurement was deleted"):
        list(steps)
    assert not MeasurementFolder(HERS.id).path.exists()

"""A training in several processes, through the queue: each claims its job as a worker does, and does it."""

import time
from collections.abc import Generator
from pathlib import Path

import pytest

from s2s.config import PRESETS, Recipe, UserError, override
from s2s.jobs import queue, training
from s2s.jobs.queue import job_process, table
from s2s.jobs.queue.context import HandBack
from s2s.jobs.training import command, nonzero_rank, ranks
from s2s.model.weights import saved_steps
from s2s.runs import RunFolder, runs_folder
from s2s.settings import OWNER
from s2s.train import connected
from tests import processes
from tests.conftest import TINY, make_run
from tests.jobs.context import FakeContext
from tests.processes import wait_for

pytestmark = pytest.mark.system

STEPS = 12
# Nothing in the result depends on how rows are shared out, but rounding.
CHANGES = {
    "train.steps": STEPS,
    "model.dropout": 0.0,
    "train.schedule": "constant",
    "train.optimizer.kind": "sgd",
    "train.lr": 0.1,
    "train.watch.samples": 0,
    "train.watch.scores": 0,
    "train.watch.attention": False,
}


def recipe(n: int) -> Recipe:
    return override(PRESETS["small"].recipe, {**TINY, **CHANGES, "train.processes": n})


def submit(n: int = 2, name: str = "one") -> str:
    sources = "synthetic:reverse#rows=80", "synthetic:reverse#split=valid,rows=20"
    request = training.RunRequest(recipe(n), *sources, name=name)
    return training.submit(request, express=n > 1)  # several are never a short job


def claimed(host: str, slot: str) -> queue.Job:
    """The next job of that slot, as soon as there is one."""
    until = time.monotonic() + 30
    while not (job := queue.claim(f"{host} {time.time()}", host, slot, 20.0)):
        assert time.monotonic() < until
        time.sleep(0.05)
    return job


def take(host: str, slot: str) -> None:
    """Claim the next job, and do it."""
    job = claimed(host, slot)
    job_process.main(job.id, job.worker)


def steps(run: str) -> list[int]:
    lines = RunFolder(runs_folder() / run).lines("metrics")
    return [line["step"] for line in lines if line["kind"] == "train"]


def losses(run: Path) -> list[float]:
    lines = [line for line in RunFolder(run).lines("metrics") if line["kind"] == "train"]
    assert [line["step"] for line in lines] == [*range(1, STEPS + 1)]
    return [line["loss"] for line in lines]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> list[float]:
    """The losses of a single process."""
    return losses(make_run(tmp_path_factory.mktemp("alone") / "run", CHANGES))


class Attempt:
    """A paused training of two processes on one machine with one worker: a rank works beside rank 0."""

    def __init__(self, run: str) -> None:
        self.job = claimed("a", "long")
        queue.request_control(self.job.id, OWNER, pause=True)
        self.first = processes.begin(job_process.main, self.job.id, self.job.worker)
        self.rank = processes.begin(take, "a", "rank")
        self.checkpoints = runs_folder() / run / "checkpoints"

    def finish(self) -> None:
        """Without the pause, to whatever end."""
        queue.request_control(self.job.id, OWNER, pause=False)
        for process in (self.first, self.rank):
            process.join(30)
            assert process.exitcode is not None


def test_a_run_survives_the_end_and_the_death_of_another_process(alone: list[float]) -> None:
    run = submit()
    attempt = Attempt(run)
    wait_for(lambda: steps(run), 30)
    attempt.rank.terminate()  # as when its worker ends
    attempt.finish()
    job = queue.find(attempt.job.id)
    assert job
    assert (job.state, job.attempts) == ("queued", 0)
    reached = steps(run)[-1]
    assert saved_steps(attempt.checkpoints)[-1] == reached

    attempt = Attempt(run)
    wait_for(lambda: steps(run)[-1] > reached, 30)
    attempt.rank.kill()
    attempt.finish()
    job = queue.find(attempt.job.id)
    assert job
    assert (job.state, job.attempts, len(queue.jobs(OWNER))) == ("queued", 1, 1)

    attempt = Attempt(run)
    assert attempt.job.attempts == 2
    attempt.finish()
    job = queue.find(attempt.job.id)
    assert job
    assert (job.state, job.error) == ("done", "")
    assert losses(runs_folder() / run) == pytest.approx(alone, abs=1e-6)


def waiting(job: queue.Job, context: FakeContext) -> Generator[object, None, None]:
    """A training whose first process waits for others, as far as that."""
    work = training.work(job, context)
    while not any("Waiting" in sentence for sentence in context.said):
        next(work)
    return work


def test_where_nobody_comes_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    queue.report("other", time.time())
    submit(3)
    context = FakeContext()
    work = waiting(claimed("a", "long"), context)
    assert context.said[-1] == "Waiting for 2 more workers."
    assert [job.slot for job in queue.jobs(OWNER, kind=queue.RANK)] == ["long", "long"]
    monkeypatch.setattr(ranks, "JOINING", 0.0)
    work.close()
    assert not queue.jobs(OWNER, kind=queue.RANK)
    (job,) = queue.jobs(OWNER)
    with pytest.raises(
        UserError,
        match=r"`train.processes` is 3, and 1 of them was there after .* start more workers, or set"
        r" train.processes=1",
    ):
        list(training.work(job, context))


def test_a_younger_training_gives_its_worker_to_an_older_one() -> None:
    for host in ("a", "b"):
        queue.report(host, time.time())
    submit(name="older")
    submit(name="younger")
    first, job = claimed("a", "long"), claimed("b", "long")
    older = waiting(first, FakeContext())
    with pytest.raises(HandBack):
        list(training.work(job, FakeContext()))
    queue.hand_back(job.id, job.worker)
    rank = claimed("b", "long")
    assert rank.kind == queue.RANK
    assert queue.find(rank.spec["training"]).spec["name"] == "older"  # type: ignore[union-attr]

    meeting = connected(rank.spec["attempt"], rank.spec["host"], rank.spec["port"])
    meeting.report("It has other pairs.")
    with pytest.raises(UserError, match="It has other pairs"):
        list(older)


def test_a_rank_of_an_earlier_attempt_does_nothing() -> None:
    queue.report("other", time.time())
    submit()
    work = waiting(claimed("a", "long"), FakeContext())
    rank = claimed("b", "long")
    queue.hand_back(queue.find(rank.spec["training"]).id, rank.spec["attempt"])  # type: ignore[union-attr]
    assert not list(nonzero_rank.work(rank, FakeContext()))
    work.close()


def test_the_jobs_of_ranks_are_first_and_count_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    queue.report("other", time.time())
    run = submit(4)
    work = waiting(claimed("a", "long"), FakeContext())
    monkeypatch.setenv("S2S_MAX_JOBS", "2")
    other = submit(1, "other")
    assert queue.wait(queue.latest(other).id).before == 3  # type: ignore[union-attr]
    assert queue.counts().longest_wait < 60
    lost = queue.claim("w", "b", "long", 0.0)
    assert lost
    assert lost.kind == queue.RANK
    queue.claim("w", "b", "long", 20.0, now=time.time() + 1)
    assert queue.find(lost.id).state == "interrupted"  # type: ignore[union-attr]
    work.close()
    queue.delete_jobs(run)
    assert [job.run for job in queue.jobs(OWNER)] == [other]


def test_the_last_failed_attempt_interrupts_the_job() -> None:
    submit()
    for n in range(table.ATTEMPTS):
        job = claimed("a", "long")
        assert job.attempts == n + 1
        queue.hand_back(job.id, job.worker, "It ended.")
    found = queue.find(job.id)
    assert found
    assert (found.state, found.error) == ("interrupted", "It ended.")


def test_the_command_of_a_run_with_several_processes_starts_as_many() -> None:
    about = {"source": "builtin:en-fr", "preset": "small"}
    wanted = "torchrun --nproc_per_node 2 -m s2s train --source builtin:en-fr"
    assert command.to_repeat(recipe(2), about).startswith(wanted)
    assert command.to_repeat(Recipe(), about).startswith("python -m s2s train")


def test_bad_numbers_of_processes_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in (0, -1, 65, "two", 1.5):
        with pytest.raises(UserError, match=r"`processes` .*; give"):
            override(Recipe(), {"train.processes": n})
    assert "processes" not in Recipe().to_json()["train"]
    assert Recipe.from_json(recipe(2).to_json()) == recipe(2)
    with pytest.raises(UserError, match=r"`train.processes` is 2, and 1 process trains here"):
        make_run(tmp_path / "run", {**CHANGES, "train.processes": 2})
    monkeypatch.setenv("S2S_HOSTED", "1")
    with pytest.raises(UserError, match=r"`train.processes` 2 is more than the 1 allowed here"):
        submit()

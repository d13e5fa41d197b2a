"""Three kills, and tests that the checks of benchmarks/crash.py detect faults."""

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks import crash
from s2s.config import PRESETS, override
from s2s.settings import home

pytestmark = pytest.mark.system

SHORT = {**crash.RECIPE, "train.steps": 20}
# Each kind of process dies at least once, at the worst moments: when a job is claimed, during a checkpoint, after the
# last. The first kill ends all, before anything is imported for the jobs. benchmarks/crash.py has the many kills.
KILLS = (
    crash.Kill("claim", "all", 0.01),
    crash.Kill("checkpoint", "trainer", 0.0005),
    crash.Kill("last", "worker", 0.005),
)


class TwoRuns(crash.Workload):
    """One that early stopping ends and one with more weights; brief moments are watched for once they train."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.min_unfinished = 2

    def strike(self, kill: crash.Kill) -> dict[str, Any]:
        if kill.moment in crash.BRIEF:
            self.wait(lambda: self.evidence("step"), "The first step", pause=0.02)
        return super().strike(kill)


def test_three_kills_leave_every_run_bit_identical_to_an_uninterrupted_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("S2S_LEASE_SECONDS", "2")
    monkeypatch.setattr(crash, "schedule", lambda seed, count: KILLS)
    monkeypatch.setattr(crash, "Workload", TwoRuns)
    monkeypatch.setattr(crash, "KINDS", crash.KINDS[1:])
    monkeypatch.setattr(crash, "INTERVAL", 0.05)  # every process lives longer than that
    monkeypatch.setattr(crash, "GRACE", crash.PATIENCE)  # how soon, on a busy machine, is no claim
    monkeypatch.setattr(crash, "STEPS", 20)
    monkeypatch.setattr(crash, "RECIPE", {**SHORT, "train.watch.scores": 0})
    found = crash.killed_runs(0, len(KILLS))
    assert (found["wrong"], found["kills"]) == ([], 3)


def test_the_schedule_depends_on_the_seed_and_has_each_target_at_each_moment() -> None:
    assert crash.schedule(3, 20) == crash.schedule(3, 20) != crash.schedule(4, 20)
    pairs = {(kill.moment, kill.target) for kill in crash.schedule(3, 20)}
    assert len(pairs) == len(crash.MOMENTS) * len(crash.TARGETS) == 20


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = override(PRESETS["small"].recipe, SHORT)
    return crash.uninterrupted(recipe, tmp_path_factory.mktemp("trained") / "one")


def flip(content: bytes) -> bytes:
    return content[:-1] + bytes([content[-1] ^ 1])


@pytest.mark.parametrize(
    ("name", "change", "expected"),
    [
        ("checkpoints/step-00000020.safetensors", flip, "its weights of step 20 are "),
        ("metrics.jsonl", lambda content: content[:-5], "metrics.jsonl: a line is incomplete."),
        (
            "samples.jsonl",
            lambda content: content[:-1],
            "samples.jsonl: its last line is incomplete.",
        ),
        (
            "metrics.jsonl",
            lambda content: content + content.splitlines(keepends=True)[4],
            "metrics.jsonl: 1 lines too many",
        ),
        (
            "metrics.jsonl",
            lambda content: content.partition(b"\n")[2],
            "metrics.jsonl: 1 lines too few",
        ),
        (
            "metrics.jsonl",
            lambda content: b"".join(content.splitlines(keepends=True)[::-1]),
            "metrics.jsonl: its lines are out of order.",
        ),
    ],
)
def test_differences_that_a_crash_could_cause_are_found(
    name: str, change: Callable[[bytes], bytes], expected: str, trained: Path, tmp_path: Path
) -> None:
    run = Path(shutil.copytree(trained, tmp_path / "run"))
    (run / name).write_bytes(change((run / name).read_bytes()))
    (found,) = crash.differences(run, trained)
    assert found.startswith(expected)


def test_two_processes_of_one_job_are_detected() -> None:
    (home() / "log").mkdir(parents=True)
    monitor = crash.ProcessMonitor(home())
    job = "0123456789abcdef"
    monitor.start()
    with (home() / "log" / f"{job}.log").open("ab") as log:
        both = [
            subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stdout=log)
            for _ in range(2)
        ]
    end = time.monotonic() + 10
    while not monitor.together.get(job) and time.monotonic() < end:
        time.sleep(crash.INTERVAL)
    for process in both:
        process.communicate(b"\n")
    monitor.ended.set()
    monitor.join()
    assert monitor.seen == {job: {process.pid for process in both}}
    assert monitor.together[job] >= crash.INTERVAL

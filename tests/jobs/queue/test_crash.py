"""Ten processes are killed; what finds the faults is itself shown to find them."""

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks import crash
from s2s.config import PRESETS, override
from s2s.settings import home


def test_ten_kills_leave_every_run_as_an_undisturbed_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_LEASE_SECONDS", crash.LEASE)
    seed = random.randrange(1000)
    found = crash.disturbed(seed, 10)
    again = f"again with: python -m benchmarks.crash --kills 10 --seed {seed}"
    assert (found["wrong"], found["kills"]) == ([], 10), again


def test_the_schedule_is_the_seeds_and_takes_each_target_at_each_moment() -> None:
    assert crash.schedule(3, 20) == crash.schedule(3, 20) != crash.schedule(4, 20)
    pairs = {(blow.moment, blow.target) for blow in crash.schedule(3, 20)}
    assert len(pairs) == len(crash.MOMENTS) * len(crash.TARGETS) == 20


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    changes = {**crash.RECIPE, "train.steps": 20}
    return crash.undisturbed(
        override(PRESETS["small"].recipe, changes), tmp_path_factory.mktemp("trained") / "one"
    )


def test_the_same_recipe_differs_in_nothing(trained: Path, tmp_path: Path) -> None:
    changes = {**crash.RECIPE, "train.steps": 20}
    assert (
        crash.differences(
            crash.undisturbed(override(PRESETS["small"].recipe, changes), tmp_path / "two"), trained
        )
        == []
    )


def flip(content: bytes) -> bytes:
    return content[:-1] + bytes([content[-1] ^ 1])


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("checkpoints/step-00000020.safetensors", flip, "its weights of step 20 are "),
        ("metrics.jsonl", lambda content: content[:-5], "metrics.jsonl: a line is torn."),
        ("samples.jsonl", lambda content: content[:-1], "samples.jsonl: its last line is torn."),
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
def test_what_a_crash_could_leave_is_found(
    name: str, change: Callable[[bytes], bytes], said: str, trained: Path, tmp_path: Path
) -> None:
    run = Path(shutil.copytree(trained, tmp_path / "run"))
    (run / name).write_bytes(change((run / name).read_bytes()))
    (found,) = crash.differences(run, trained)
    assert found.startswith(said)


def test_two_processes_with_one_job_are_seen() -> None:
    (home() / "log").mkdir(parents=True)
    witness = crash.Witness(home())
    job = "0123456789abcdef"
    witness.start()
    with (home() / "log" / f"{job}.log").open("ab") as log:
        both = [
            subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stdout=log)
            for _ in range(2)
        ]
    end = time.monotonic() + 10
    while not witness.together.get(job) and time.monotonic() < end:
        time.sleep(crash.LOOK)
    for process in both:
        process.communicate(b"\n")
    witness.over.set()
    witness.join()
    assert witness.seen == {job: {process.pid for process in both}}
    assert witness.together[job] >= crash.LOOK

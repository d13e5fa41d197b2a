import json
import os
import signal
import socket
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np
import pytest
import torch

from s2s import cli
from s2s.data import Batch
from s2s.jobs import training
from s2s.model.weights import read_weights, saved_steps, weights_path
from s2s.runs import RunFolder
from s2s.training import Step
from s2s.training.distributed import Group, share
from tests import spawned
from tests.conftest import TINY, make_run
from tests.spawned import wait_for

pytestmark = pytest.mark.system

CHANGES = {
    "model.dropout": 0.0,
    "train.schedule": "constant",
    # Adam makes steps of nothing but rounding where a gradient is zero, as of a key's bias
    "train.optimizer.kind": "sgd",
    "train.lr": 0.1,
    "train.average_last": 2,
    "train.threads": 2,
    "train.watch.samples": 0,
    "train.watch.scores": 0,
    "train.watch.attention": False,
}
SOURCES = [
    "--source",
    "synthetic:reverse#rows=80",
    "--valid",
    "synthetic:reverse#split=valid,rows=20",
]


def settings(changes: Mapping[str, object]) -> list[str]:
    return [
        part
        for key, value in {**TINY, **CHANGES, **changes}.items()
        for part in ("--set", f"{key}={json.dumps(value)}")
    ]


@dataclass(frozen=True)
class Rank:
    """A process of several, and the files that it prints to."""

    process: BaseProcess
    out: Path
    error: Path


@contextmanager
def pair(
    folder: Path, *arguments: object, ends: tuple[int, int] = (2, 0), silence: str = "60"
) -> Iterator[tuple[Rank, Rank]]:
    """Two processes with the environment that torchrun gives, but without its own process; leader first.

    `ends` are their exit codes, `silence` seconds without a sign of life.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shared = {
        **os.environ,
        "S2S_LEASE_SECONDS": silence,
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "WORLD_SIZE": "2",
        "LOCAL_WORLD_SIZE": "2",
    }
    ranks = []
    for rank in "01":
        out, error = folder / f"out {rank}", folder / f"error {rank}"
        process = spawned.start(
            ["train", *map(str, arguments)],
            {**shared, "RANK": rank, "LOCAL_RANK": rank},
            out,
            error,
        )
        ranks.append(Rank(process, out, error))
    leader, follower = ranks
    yield leader, follower
    for one in ranks:
        one.process.join(180)
    assert (leader.process.exitcode, follower.process.exitcode) == ends
    assert follower.out.read_text() == ""


def torchrun(host: Path, arguments: list[str]) -> str:
    """What the processes print that torchrun starts with these arguments in that folder, here as forks of one that has
    imported torch.
    """
    from torch.distributed import run
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

    host.mkdir(exist_ok=True)
    given, _, words = run.config_from_args(run.parse_args(arguments))
    with tempfile.TemporaryFile("w+") as out, pytest.MonkeyPatch.context() as patch:
        patch.chdir(host)
        os.dup2(out.fileno(), 1)  # which they inherit
        try:
            ends = run.elastic_launch(replace(given, start_method="fork"), cli.main)(
                words[words.index("s2s") + 1 :]
            )
        except ChildFailedError as error:  # which does not come through to the process that waits
            raise AssertionError(str(error)) from None
        assert {*ends.values()} == {0}
        out.seek(0)
        return out.read()


def weights(run: Path, step: int) -> dict[str, torch.Tensor]:
    return read_weights(weights_path(run / "checkpoints", step))


def test_two_hosts_resume_to_the_weights_of_one(tmp_path: Path) -> None:
    """Each has its own folders; on the second one there is nothing to resume, and nothing is written."""
    alone = make_run(tmp_path / "alone", {**CHANGES, "train.steps": 30, "train.threads": 1})
    hosts = tmp_path / "first host", tmp_path / "second host"
    two = make_run(hosts[0] / "run", {**CHANGES, "train.steps": 10})
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    agents = ["--nnodes", "2", "--nproc_per_node", "1"]
    agents += ["--master_addr", "127.0.0.1", "--master_port", str(port)]
    resumed = ["-m", "s2s", "train", "--resume", "--set", "train.steps=30", "--out", "run"]
    numbered = zip(hosts, "01", strict=True)
    calls = [(host, [*agents, "--node_rank", rank, *resumed]) for host, rank in numbered]
    printed = spawned.call_all(torchrun, calls)
    assert "".join(printed).count("in 2 processes") == 1  # the other one is silent
    assert RunFolder(two).status()["state"] == "done"
    assert not [*hosts[1].iterdir()]
    for step in (20, 30):
        torch.testing.assert_close(weights(two, step), weights(alone, step), rtol=1e-4, atol=1e-6)
    lines, expected = (
        [line for line in RunFolder(run).lines("metrics") if line["kind"] == "train"]
        for run in (two, alone)
    )
    assert [line["n_tokens"] for line in lines] == [line["n_tokens"] for line in expected]
    assert [line["loss"] for line in lines] == pytest.approx(
        [line["loss"] for line in expected], abs=1e-6
    )


def test_who_asks_one_process_to_stop_stops_all(tmp_path: Path) -> None:
    out = tmp_path / "run"
    changes = settings({"train.steps": 100_000, "model.dropout": 0.1})
    with pair(tmp_path, *SOURCES, *changes, "--out", out) as (leader, follower):
        wait_for(lambda: leader.out.exists() and "step 10 " in leader.out.read_text())
        follower.process.terminate()
    assert "and saved; resume with: train --resume" in leader.error.read_text()
    folder = RunFolder(out)
    assert (folder.status()["state"], folder.status()["step"]) == (
        "stopped",
        saved_steps(folder.checkpoints)[-1],
    )


def test_a_host_without_a_sign_of_life_ends_all_and_the_run_resumes(tmp_path: Path) -> None:
    """A stopped process is like a host without power: its connections stay open, and nobody answers."""
    out = tmp_path / "run"
    changes = settings({"train.steps": 100_000, "train.watch.save_every": 10})
    arguments = [*SOURCES, *changes, "--out", out]
    with pair(tmp_path, *arguments, ends=(2, -9), silence="4") as (leader, follower):
        wait_for(lambda: saved_steps(out / "checkpoints"))
        os.kill(follower.process.pid, signal.SIGSTOP)
        began = time.monotonic()
        leader.process.join(60)
        assert time.monotonic() - began < 20
        follower.process.kill()
    assert (
        "Process 1 of this training gave no sign of life for 4 seconds" in leader.error.read_text()
    )
    step = saved_steps(out / "checkpoints")[-1]
    resumed = training.resume(out, training.Continuation(steps=step + 5))
    steps = [event.step for event in training.run(resumed) if isinstance(event, Step)]
    assert steps == [*range(step + 1, step + 6)]


def test_a_process_that_is_killed_ends_the_other_at_once(tmp_path: Path) -> None:
    changes = settings({"train.steps": 100_000})
    arguments = [*SOURCES, *changes, "--out", tmp_path / "run"]
    with pair(tmp_path, *arguments, ends=(-9, 2)) as (leader, follower):
        wait_for(lambda: leader.out.exists() and "step 10 " in leader.out.read_text())
        leader.process.kill()
        began = time.monotonic()
        follower.process.join(60)
        assert time.monotonic() - began < 3
    assert "Another process of this training has ended" in follower.error.read_text()


def test_bad_input_is_said_once_and_nobody_waits(tmp_path: Path) -> None:
    arguments = ["--source", tmp_path / "nowhere.tsv", "--out", tmp_path / "run"]
    with pair(tmp_path, *arguments) as (leader, _):
        pass
    assert "nowhere.tsv" in leader.error.read_text()


def batch(n_rows: int) -> Batch:
    random = np.random.default_rng(n_rows)
    lengths = random.integers(1, 9, size=n_rows)
    src, tgt = (
        np.where(np.arange(10) < lengths[:, None] + extra, random.integers(4, 50, (n_rows, 10)), 0)
        for extra in (0, 1)
    )
    return Batch(src, tgt)


def test_a_target_that_starts_with_padding_keeps_its_end() -> None:
    tgt = np.array([[0, 5, 6, 1], [0, 5, 1, 0]])
    whole = Batch(np.array([[5, 1], [5, 1]]), tgt, pad_id=0)
    np.testing.assert_array_equal(share(whole, 0, 2).batch.tgt, [[0, 5, 6, 1]])
    np.testing.assert_array_equal(share(whole, 1, 2).batch.tgt, [[0, 5, 1]])
    assert [share(whole, rank, 2).n_labels for rank in (0, 1)] == [3, 2]


def test_every_row_is_somebodys_and_none_is_counted_twice() -> None:
    for size in [1, 2, 3, 5]:
        for n_rows in [1, 2, 3, 7]:
            whole = batch(n_rows)
            shares = [share(whole, rank, size) for rank in range(size)]
            assert sum(one.n_labels for one in shares) == whole.n_labels
            for side in ("src", "tgt"):
                rows = [
                    tuple(row[row > 0])
                    for one in shares
                    if one.n_labels
                    for row in getattr(one.batch, side)
                ]
                assert sorted(rows) == sorted(tuple(row[row > 0]) for row in getattr(whole, side))
                assert all((getattr(one.batch, side) > 0).any(0).all() for one in shares)


def test_one_process_changes_nothing() -> None:
    whole = batch(3)
    loss = torch.tensor(1.5)
    assert Group().share(whole).batch is whole
    assert Group().join([], Group().share(whole), loss) is loss
    assert (Group().threads(4), Group().seed(1, 2)) == (4, None)

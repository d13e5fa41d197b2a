"""The commands of docs/hosting.md that back up and restore a server, run while a run trains and jobs are queued."""

import contextlib
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from s2s import settings
from s2s.config import asker, override
from s2s.data import Corpus, Pair, saved_datasets
from s2s.files import database
from s2s.jobs import evaluation_service, training
from s2s.jobs.evaluation.service import EvaluationRequest
from s2s.jobs.registry import JOBS
from s2s.library.own import list_datasets, list_evaluations, list_runs, rename_run
from s2s.processes import queue
from s2s.runs import RunFolder, Sentences, System, runs_folder
from s2s.training import Saved
from s2s.ui.kit import cached
from tests import postgres
from tests.conftest import make_run
from tests.hosting import guide
from tests.jobs.context import FakeContext
from tests.screen import opened

DONE = "finishedrun12345"
NAME = "the run of the backup"
GROWING = "trainingrun12345"
SPEC = "synthetic:reverse#rows=80"
# What stands in for Docker: a container's command runs here, and its /data is `S2S_HOME`.
DOCKER = """#!/bin/sh
[ "$2" = up ] && exit 0
while [ "$1" != database ] && [ "$1" != app ]; do shift; done
shift
for word in "$@"; do
    shift
    [ "$word" = /data ] && word=$S2S_HOME
    set -- "$@" "$word"
done
mkdir -p "$S2S_HOME"
exec "$@"
"""


@pytest.mark.system
def test_one_folder_comes_back_as_it_was(tmp_path: Path) -> None:
    backed_up_and_restored("One folder", tmp_path, {}, forget)
    page = opened("runs")
    assert not page.exception
    assert NAME in page.dataframe[0].value.to_string()
    forget()


@pytest.mark.system
@postgres.NEEDED
def test_the_volumes_of_containers_come_back_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docker = tmp_path / "bin" / "docker"
    docker.parent.mkdir()
    docker.write_text(DOCKER)
    docker.chmod(0o755)
    path = f"{docker.parent}:{postgres.programs()}:{os.environ['PATH']}"
    with postgres.serving() as folder:
        monkeypatch.setenv("S2S_DATABASE_URL", f"postgresql+psycopg://s2s@/s2s?host={folder}")

        def empty() -> None:
            forget()
            as_postgres(folder, "DROP DATABASE s2s", "CREATE DATABASE s2s OWNER s2s")

        as_postgres(folder, "CREATE ROLE s2s LOGIN", "CREATE DATABASE s2s OWNER s2s")
        backed_up_and_restored("Containers", tmp_path, {"PATH": path, "PGHOST": str(folder)}, empty)
        forget()


def backed_up_and_restored(
    title: str, tmp_path: Path, env: dict[str, str], empty: Callable[[], None]
) -> None:
    """Runs the section's commands, with everything destroyed in between, and compares."""
    backup, restore = guide.commands(title)
    env = {**os.environ, **env, "BACKUP": str(tmp_path / "backup")}
    stored()
    before = listed()
    whole = contents()
    with growing():
        shell(backup, env)
    log = (runs_folder() / GROWING / "metrics.jsonl").read_bytes()
    shutil.rmtree(settings.home())
    empty()
    shell(restore, env)
    after = listed()
    assert {key: rows[: len(before[key])] for key, rows in after.items()} == before
    assert {name: content for name, content in contents().items() if name in whole} == whole
    folder = RunFolder(runs_folder() / GROWING)
    assert log.startswith((folder.path / "metrics.jsonl").read_bytes())
    assert GROWING in {row.id for row in list_runs(asker.LOCAL)}
    with contextlib.closing(training.run(training.resume(folder.path))) as events:
        next(events)  # trains on from a complete checkpoint


def shell(commands: str, env: dict[str, str]) -> None:
    completed = subprocess.run(
        ["sh", "-e", "-u", "-c", commands], env=env, capture_output=True, text=True, check=False
    )
    assert completed.returncode == 0, completed.stderr


def forget() -> None:
    """Close the database, as a server that is stopped does."""
    database.engine(settings.database_url()).dispose()
    database.engine.cache_clear()
    cached.refresh_runs()


def as_postgres(folder: Path, *statements: str) -> None:
    server = sa.create_engine(
        f"postgresql+psycopg://postgres@/postgres?host={folder}", isolation_level="AUTOCOMMIT"
    )
    with server.connect() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    server.dispose()


def stored() -> None:
    """A trained run, a saved dataset, a scored evaluation, and jobs that wait, are done and were stopped."""
    make_run(runs_folder() / DONE, {})
    rename_run(DONE, asker.LOCAL, NAME)
    pairs = (Pair("the cat", "le chat"), Pair("été", "“summer” 夏"))
    saved_datasets.save(Corpus("", "train", pairs), name="mine", owner=asker.LOCAL)
    theirs = System("theirs", uploaded="theirs.txt")
    request = EvaluationRequest(
        (theirs,), Sentences("mine", n=1), pairs=[("a b", "b a")], outputs={"theirs": ["b a"]}
    )
    evaluation_service.submit(request)
    job = next(job for slot in queue.AT_ONCE if (job := queue.claim("w", "h", slot, 600.0)))
    list(JOBS[job.kind].work(job, FakeContext()))
    queue.finish(job.id, job.worker, "done")
    queue.submit("other", asker.LOCAL, "waiting", {"name": "naïve"}, now=1.5)
    queue.ask_to_stop(
        queue.submit("other", asker.LOCAL, "stopped", {}, now=2.25), asker.LOCAL, now=3.125
    )


def listed() -> dict[str, list[Any]]:
    """What the app lists, oldest first; without the run that trains."""
    return {
        "runs": [row for row in list_runs(asker.LOCAL) if row.id != GROWING],
        "datasets": list_datasets(asker.LOCAL),
        "evaluations": list_evaluations(asker.LOCAL),
        "jobs": sorted(queue.jobs(asker.LOCAL, limit=100_000), key=lambda job: job.created),
    }


def contents() -> dict[str, bytes]:
    """Every file, by its path, without those of the database and of the run that trains."""
    home = settings.home()
    names = (str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())
    return {
        name: (home / name).read_bytes()
        for name in names
        if GROWING not in name and not name.startswith("s2s.db")
    }


@contextlib.contextmanager
def growing() -> Iterator[None]:
    """A run trains and jobs are queued, and both have begun to."""
    over = threading.Event()
    works = {train: threading.Event(), submit: threading.Event()}
    threads = [threading.Thread(target=work, args=(begun, over)) for work, begun in works.items()]
    for thread in threads:
        thread.start()
    try:
        assert all(begun.wait(60) for begun in works.values())
        yield
        assert all(thread.is_alive() for thread in threads)
    finally:
        over.set()
        for thread in threads:
            thread.join()


def train(begun: threading.Event, over: threading.Event) -> None:
    """Has begun when it has saved a checkpoint."""
    recipe = override(RunFolder(runs_folder() / DONE).recipe(), {"train.steps": 100_000})
    request = training.RunRequest(recipe, SPEC, valid=SPEC)
    path = runs_folder() / GROWING
    with contextlib.closing(training.run(training.start(request, path))) as events:
        for event in events:
            if isinstance(event, Saved):
                begun.set()
            if over.is_set():
                return


def submit(begun: threading.Event, over: threading.Event) -> None:
    """Has begun when it has queued a job."""
    for number in range(1_000_000):
        job = queue.submit("other", asker.LOCAL, f"{number}", {"number": number})
        queue.ask_to_stop(job, asker.LOCAL)
        begun.set()
        if over.wait(0.002):
            return

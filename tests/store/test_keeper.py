"""Two machines with a folder each share what one of them writes."""

import json
import os
from collections.abc import Iterable
from pathlib import Path

import fsspec
import pytest

from s2s import files, synced
from s2s.config import UserError
from s2s.jobs import queue
from s2s.model import saved_steps
from s2s.store import cache, rows
from s2s.store.keeper import Keeper
from s2s.store.objects import MissingError, Objects
from s2s.store.replica import HeldJob
from tests.store.conftest import Machine

LARGE = os.urandom(100_000)
RUN = "runs/r1"


def write(keeper: Keeper, contents: dict[str, bytes]) -> None:
    for name, content in contents.items():
        files.write_bytes(keeper.replica.home / RUN / name, content)


def finish_job(keeper: Keeper) -> None:
    """Everything is pushed, large files too."""
    keeper.changed(keeper.replica.home / RUN)
    keeper.settle()


def path(keeper: Keeper, name: str) -> Path:
    return keeper.replica.home / RUN / name


def claimed(run: str = "r1") -> HeldJob:
    job = queue.submit("train", "ann", run, {})
    found = queue.claim("w1", "h1", "long", 60.0)
    assert found
    assert found.id == job
    return HeldJob(job, "w1", run)


RUN_FILES = {
    "recipe.json": b'{"name": "first", "tags": []}',
    "status.json": b'{"state": "running"}',
    "metrics.jsonl": b'{"step": 1}\n',
    "checkpoints/step-00000001.safetensors": LARGE,
}


def test_another_machine_has_the_same_files_and_brings_weights_when_they_are_read(
    machine: Machine,
) -> None:
    here, there = machine("a"), machine("b")
    write(here, RUN_FILES)
    finish_job(here)
    there.catch_up()
    for name in ("recipe.json", "status.json", "metrics.jsonl"):
        assert path(there, name).read_bytes() == RUN_FILES[name]
        assert path(there, name).stat().st_mtime_ns == path(here, name).stat().st_mtime_ns
    weights = path(there, "checkpoints/step-00000001.safetensors")
    assert not weights.exists()
    assert saved_steps(weights.parent) == [1]
    assert synced.size(weights) == len(LARGE)
    there.bring(weights)
    assert weights.read_bytes() == LARGE
    assert os.listdir(weights.parent) == [weights.name]  # no stand-in any more
    number = rows.newest()
    finish_job(there)  # nothing is new there
    assert rows.newest() == number


def test_lines_are_appended_without_any_request_to_the_store(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = machine("a"), machine("b")
    write(here, RUN_FILES)
    finish_job(here)
    there.catch_up()
    inode = path(there, "metrics.jsonl").stat().st_ino
    for name in ("put", "get"):
        monkeypatch.delattr(Objects, name)
    for step in range(2, 5):
        files.append_line(path(here, "metrics.jsonl"), {"step": step})
        here.changed(path(here, "metrics.jsonl"))
        here.settle()
        there.catch_up()
        assert path(there, "metrics.jsonl").read_bytes() == path(here, "metrics.jsonl").read_bytes()
    assert path(there, "metrics.jsonl").stat().st_ino == inode  # as the reader of curves expects
    monkeypatch.setattr(rows, "PARTS", 2)
    files.append_line(path(here, "metrics.jsonl"), {"step": 5})
    finish_job(here)  # many parts become one
    files.write_bytes(path(here, "samples.jsonl"), b"")
    files.write_bytes(path(here, "metrics.jsonl"), b'{"step": 1}\n')  # resumed at step 1
    there.catch_up()
    assert len(path(there, "metrics.jsonl").read_bytes().splitlines()) == 5
    finish_job(here)
    there.catch_up()
    assert path(there, "metrics.jsonl").read_bytes() == b'{"step": 1}\n'
    assert path(there, "samples.jsonl").read_bytes() == b""


def test_a_status_is_never_stored_before_its_checkpoint(machine: Machine) -> None:
    here, there = machine("a"), machine("b")
    write(here, RUN_FILES)
    here.changed(here.replica.home / RUN)
    here._push_light()
    there.catch_up()
    assert sorted(os.listdir(there.replica.home / RUN)) == ["metrics.jsonl", "recipe.json"]
    here._push_large()
    there.catch_up()
    assert path(there, "status.json").exists()
    # an older checkpoint stays until the next one is stored
    path(here, "checkpoints/step-00000001.safetensors").unlink()
    write(here, {"checkpoints/step-00000002.safetensors": LARGE[::-1]})
    here.changed(here.replica.home / RUN)
    here._push_light()
    there.catch_up()
    assert saved_steps(path(there, "checkpoints")) == [1]
    here._push_large()
    there.catch_up()
    assert saved_steps(path(there, "checkpoints")) == [2]


def test_two_machines_that_change_a_description_keep_both_changes(machine: Machine) -> None:
    here, there = machine("a"), machine("b")
    write(here, RUN_FILES)
    finish_job(here)
    there.catch_up()
    files.write_json(path(here, "recipe.json"), {"name": "first", "tags": ["x"]})
    files.write_json(path(there, "recipe.json"), {"name": "second", "tags": []})
    for keeper in (here, there):
        keeper.changed(path(keeper, "recipe.json"))
        keeper.settle()
    here.catch_up()
    for keeper in (here, there):
        content = json.loads(path(keeper, "recipe.json").read_bytes())
        assert content == {"name": "second", "tags": ["x"]}


def test_a_deletion_is_everywhere_and_can_be_undone_anywhere(machine: Machine) -> None:
    here, there = machine("a"), machine("b")
    write(here, RUN_FILES)
    finish_job(here)
    there.catch_up()
    run = here.replica.home / RUN
    run.rename(run.with_name(".deleted-r1"))
    here.removed(run)
    machine("a").settle()  # by another process: the note outlives a crash
    there.catch_up()
    there_run = there.replica.home / RUN
    assert os.listdir(there_run.parent) == [".deleted-r1"]
    there_run.with_name(".deleted-r1").rename(there_run)
    there.changed(there_run)
    there.settle()
    here.catch_up()
    assert path(here, "recipe.json").read_bytes() == RUN_FILES["recipe.json"]
    assert saved_steps(path(here, "checkpoints")) == [1]
    n_objects = len(fsspec.filesystem("memory").store)
    assert n_objects == 1  # nothing was uploaded twice


def test_a_deletion_is_stored_though_another_machine_writes_meanwhile(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = machine("a"), machine("b")
    write(here, RUN_FILES)
    finish_job(here)
    there.catch_up()
    known = rows.thing
    meanwhile = iter([b"{}", b'{"tags": []}'])

    def thing(name: str) -> rows.StoredThing | None:
        found = known(name)
        if content := next(meanwhile, None):
            write(there, {"note.json": content})
            there.changed(path(there, "note.json"))
            with monkeypatch.context() as patch:
                patch.setattr(rows, "thing", known)
                there.settle()
        return found

    run = here.replica.home / RUN
    run.rename(run.with_name(".deleted-r1"))
    here.removed(run)
    monkeypatch.setattr(rows, "thing", thing)
    here.settle()
    there.catch_up()
    assert not (there.replica.home / RUN).exists()


def test_what_is_made_again_long_after_its_deletion_is_stored_again(machine: Machine) -> None:
    here, there = machine("a"), machine("b")
    write(here, RUN_FILES)
    finish_job(here)
    (here.replica.home / RUN).rename(here.replica.home / "runs" / ".gone")
    here.removed(here.replica.home / RUN)
    here.settle()
    for object in rows.take_garbage(now=4e9):
        here.replica.objects.delete(object)
    (here.replica.home / "runs" / ".gone").rename(here.replica.home / RUN)
    finish_job(here)
    there.catch_up()
    weights = path(there, "checkpoints/step-00000001.safetensors")
    there.bring(weights)
    assert weights.read_bytes() == LARGE
    assert path(there, "metrics.jsonl").read_bytes() == RUN_FILES["metrics.jsonl"]


def test_a_machine_that_only_works_keeps_no_run_that_others_deleted(machine: Machine) -> None:
    here, there = machine("a"), machine("b")
    write(here, RUN_FILES)
    finish_job(here)
    there.catch_up()
    run = here.replica.home / RUN
    run.rename(run.with_name(".deleted-r1"))
    here.removed(run)
    here.settle()
    there.catch_up()
    trash = there.replica.home / "runs" / ".deleted-r1"
    there.scan()
    assert trash.exists()  # for a minute it can be undone
    os.utime(trash, (1e9, 1e9))
    there.scan()
    assert not trash.exists()


def test_one_lost_file_stops_nothing_else(machine: Machine) -> None:
    here, there = machine("a"), machine("b")
    write(here, {**RUN_FILES, "tokenizer.json": LARGE})
    finish_job(here)
    lost = next(each for each in fsspec.filesystem("memory").store if "tokenizer" in each)
    del fsspec.filesystem("memory").store[lost]
    there.catch_up()
    files.write_bytes(path(there, "recipe.json"), b'{"name": "renamed", "tags": []}')
    there.scan()
    there.changed(path(there, "recipe.json"))
    other = there.replica.home / "runs" / "r2"
    files.write_bytes(other / "recipe.json", b"{}")
    there.changed(other)
    there.settle()
    here.catch_up()
    assert (here.replica.home / "runs" / "r2" / "recipe.json").exists()


def test_a_file_that_is_not_a_folder_is_shared_and_withdrawn(machine: Machine) -> None:
    here, there = machine("a"), machine("b")
    said = Path("sharing/run-r1.json")
    files.write_json(here.replica.home / said, {"link": True})
    here.changed(here.replica.home / said)
    here.settle()
    there.catch_up()
    assert (there.replica.home / said).is_file()
    (here.replica.home / said).unlink()
    here.removed(here.replica.home / said)
    here.settle()
    there.catch_up()
    assert os.listdir(there.replica.home / "sharing") == []


def test_only_the_process_that_has_the_job_writes(machine: Machine) -> None:
    job = claimed()
    worker = machine("a", job)
    write(worker, RUN_FILES)
    finish_job(worker)
    files.append_line(path(worker, "metrics.jsonl"), {"step": 2})
    queue.finish(job.id, "w1", "stopped")  # as where the lease is another's
    finish_job(worker)
    assert rows.lines(RUN, "metrics.jsonl", 0) == RUN_FILES["metrics.jsonl"]


def test_what_a_killed_process_left_does_not_replace_what_another_machine_did_since(
    machine: Machine,
) -> None:
    job = claimed()
    write(killed := machine("a", job), RUN_FILES)
    finish_job(killed)
    app = machine("a")
    files.append_line(path(killed, "metrics.jsonl"), {"step": 2})
    write(killed, {"checkpoints/step-00000002.safetensors": LARGE[::-1]})
    number = rows.newest()
    app.scan()  # a job that runs may be another machine's by now: it alone writes
    assert rows.newest() == number
    second = machine("b", job)
    second.begin_work("r1")
    assert saved_steps(path(second, "checkpoints")) == [1]
    files.append_line(path(second, "metrics.jsonl"), {"step": 2, "loss": 1.0})
    second.end_work("r1")
    second.settle()
    queue.finish(job.id, "w1", "done")
    app.catch_up()
    app.scan()
    assert path(app, "metrics.jsonl").read_bytes() == path(second, "metrics.jsonl").read_bytes()


def test_a_job_that_comes_back_to_its_machine_keeps_what_was_not_stored_yet(
    machine: Machine,
) -> None:
    job = claimed()
    write(killed := machine("a", job), RUN_FILES)
    finish_job(killed)
    write(killed, {"checkpoints/step-00000002.safetensors": LARGE[::-1]})
    again = machine("a", job)
    again.begin_work("r1")
    assert saved_steps(path(again, "checkpoints")) == [1, 2]
    again.end_work("r1")
    again.settle()
    machine("b").catch_up()
    assert saved_steps(path(machine("b"), "checkpoints")) == [1, 2]


def test_what_is_older_than_the_store_is_shared_and_a_lost_folder_is_not_a_deletion(
    machine: Machine,
) -> None:
    here, there = machine("a"), machine("b")
    write(here, RUN_FILES)
    here.scan()
    there.catch_up()
    assert saved_steps(path(there, "checkpoints")) == [1]
    for name in RUN_FILES:
        path(here, name).unlink()
    path(here, "checkpoints").rmdir()
    (here.replica.home / RUN).rmdir()
    here.scan()
    assert rows.files(RUN).keys() == RUN_FILES.keys()


def test_the_least_recently_read_files_are_dropped_first_and_only_stored_ones(
    machine: Machine,
) -> None:
    here = machine("a")
    steps = [path(here, f"checkpoints/step-0000000{step}.safetensors") for step in range(1, 4)]
    write(here, {**RUN_FILES, **{f"checkpoints/{each.name}": LARGE for each in steps}})
    finish_job(here)
    here.used(steps[0])
    now = steps[0].stat().st_atime + 2 * cache.RECENT
    os.utime(steps[1], ns=(0, steps[1].stat().st_mtime_ns))
    write(here, {"checkpoints/step-00000004.safetensors": LARGE})  # not stored
    assert cache.shrink(here.replica, None, now=now) == 0
    assert cache.shrink(here.replica, 2 * len(LARGE), now=now) == len(LARGE)
    assert [each.exists() for each in steps] == [True, False, True]
    assert saved_steps(steps[0].parent) == [1, 2, 3, 4]
    here.bring(steps[1])
    assert steps[1].read_bytes() == LARGE
    assert cache.shrink(here.replica, 1) == 0  # they were just read


def test_what_nobody_needs_any_more_leaves_the_store_after_an_hour(machine: Machine) -> None:
    here = machine("a")
    write(here, RUN_FILES)
    finish_job(here)
    write(here, {"checkpoints/step-00000001.safetensors": LARGE[::-1]})
    finish_job(here)
    objects = fsspec.filesystem("memory").store
    assert (len(objects), rows.take_garbage()) == (2, [])
    assert len(rows.take_garbage(now=4e9)) == 1
    (here.replica.home / RUN).rename(here.replica.home / "runs" / ".gone")
    here.removed(here.replica.home / RUN)
    here.settle()
    assert len(rows.take_garbage(now=4e9)) == 2


def test_a_store_that_is_away_loses_nothing(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = machine("a"), machine("b")
    write(here, RUN_FILES)
    here.changed(here.replica.home / RUN)

    def refuse(*_: object) -> None:
        raise PermissionError("key AKIAIOSFODNN7EXAMPLE")

    with monkeypatch.context() as patch:
        patch.setattr(here.replica.objects._files, "put_file", refuse)
        with pytest.raises(UserError, match=r"^The object store refuses this server") as e:
            here.settle()
        assert "AKIA" not in str(e.value)
        there.catch_up()
        assert path(there, "metrics.jsonl").exists()  # the database is not away
    here.settle()
    there.catch_up()
    assert saved_steps(path(there, "checkpoints")) == [1]
    with monkeypatch.context() as patch:
        patch.setattr(there.replica.objects._files, "get_file", refuse)
        with pytest.raises(synced.AwayError, match="is in the object store and cannot be brought"):
            there.bring(path(there, "checkpoints/step-00000001.safetensors"))
    fsspec.filesystem("memory").store.clear()
    with pytest.raises(MissingError, match=r"step-00000001.safetensors` is missing in the object"):
        there.bring(path(there, "checkpoints/step-00000001.safetensors"))


def reasons() -> Iterable[tuple[BaseException, str]]:
    yield OSError(28, "No space left on device"), "is full"
    yield OSError(22, "XMinioStorageFull"), "is full"
    yield type("NoCredentialsError", (Exception,), {})("none"), "needs credentials"
    yield TimeoutError(), "answers too slowly"
    yield type("EndpointConnectionError", (Exception,), {})("http://k:s@host"), "cannot be reached"


@pytest.mark.parametrize(("error", "sentence"), [*reasons()])
def test_what_is_wrong_with_the_store_is_a_sentence(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, error: BaseException, sentence: str
) -> None:
    objects = machine("a").replica.objects

    def fail(*_: object) -> None:
        raise error

    objects.check()
    monkeypatch.setattr(objects._files, "pipe_file", fail)
    with pytest.raises(UserError, match=f"^The object store {sentence}") as found:
        objects.check()
    assert "host" not in str(found.value)

"""Everything of a workspace, and nothing of another."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from s2s import lessons, settings
from s2s.config import UserError, asker
from s2s.data import uploads
from s2s.files import stored
from s2s.hosted import exports, rows
from s2s.library import sharing
from s2s.links import short as short_links
from s2s.processes import queue
from s2s.runs import RunFolder
from tests.hosted import acting
from tests.storing import store_dataset, store_evaluation, store_run


def files() -> set[str]:
    """All files but the database's."""
    home = settings.home()
    found = {str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()}
    return {path for path in found if not path.startswith("s2s.db")}


def store_everything(owner: str, run: str) -> None:
    store_run(run, owner)
    store_dataset(owner)
    store_evaluation(owner)
    uploads.begin("file", "x", [("a.txt", b"a")], owner=owner)
    queue.submit("train", owner, run, {"name": "x"})
    acting.keep(owner)


def test_all_of_one_workspace_goes_and_all_of_another_stays() -> None:
    store_everything("bob", "run-of-bob")
    before = files()
    store_everything("ann", "run-of-ann")
    with asker.acting_as("ann"):
        run = sharing.run_in(RunFolder(settings.home() / "runs" / "run-of-ann"))
        sharing.share(run, sharing.Sharing(link=True))
    deleted = store_run("deleted", "ann")
    with asker.acting_as("ann"):
        sharing.share(sharing.run_in(RunFolder(deleted)), sharing.Sharing(link=True))
    deleted.rename(deleted.with_name(".deleted-deleted"))
    key = rows.open_link(acting.make_link("ann"))
    with asker.acting_as("ann"):
        link = short_links.make(short_links.Content("", {"src": "x"}))
        lessons.note_step("five-minutes", 1)
        lessons.add_lesson(lessons.LESSONS["five-minutes"])
    acting.write_export("ann", "cookie")
    used = acting.delete_workspace("ann", sleep=lambda seconds: None)
    assert (used.runs, used.datasets, used.evaluations, used.uploads) == (2, 1, 1, 1)
    assert files() == before
    assert stored.items("ann") == []
    assert queue.jobs("ann") == []
    assert rows.find("ann") is None
    with asker.acting_as("ann"):
        assert lessons.all_progress() == {}
        assert lessons.own_lessons() == []
    assert key
    assert rows.workspace_of(key) == ""
    with pytest.raises(UserError, match="There is no short link"):
        short_links.find(link.letters)
    assert len(queue.jobs("bob")) == 1
    assert rows.find("bob")
    assert acting.delete_workspace("ann") == stored.Usage()  # nothing is left


@pytest.mark.parametrize("name", ["", "local", "everybody", "../runs", "a/b", "ä" * 99, "."])
def test_only_a_visitors_workspace_is_deleted(name: str) -> None:
    store_run("r1", "local")
    before = files()
    with pytest.raises(UserError, match="is not the workspace of a visitor"):
        acting.delete_workspace(name)
    assert files() == before


HOLDING = """
import sys
from filelock import FileLock
with FileLock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.system
def test_a_run_in_training_is_deleted_when_its_process_has_ended() -> None:
    folder = store_run("r1", "ann")
    queue.submit("train", "ann", "r1", {})
    assert queue.claim("w", "h", "long", 60.0)
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(folder / ".lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin
    assert process.stdout
    assert process.stdout.readline() == b"held\n"
    slept = []

    def sleep(seconds: float) -> None:
        assert folder.exists()
        slept.append(seconds)
        if len(slept) == 3:
            process.stdin.close()  # type: ignore[union-attr]
            assert process.wait(60) == 0

    acting.delete_workspace("ann", sleep=sleep)
    process.stdout.close()
    assert len(slept) == 3
    assert not folder.exists()


def test_an_interrupted_deletion_is_finished_by_the_next_or_by_the_hour(tmp_path: Path) -> None:
    store_run("r1", "ann")
    left = settings.home() / "runs" / ".gone-x"
    headless = settings.home() / "runs" / "headless"
    download = settings.home() / "hub" / "killed"
    for folder in (left, headless, download):
        folder.mkdir(parents=True)
        (folder / "status.json").write_text("{}")
    from s2s.hosted import deletion

    deletion.delete_leftovers(time.time())
    assert left.exists()
    deletion.delete_leftovers(time.time() + 2 * rows.DAY)
    assert not left.exists()
    assert not headless.exists()
    assert not download.exists()
    assert (settings.home() / "runs" / "r1").exists()


def test_what_cannot_be_deleted_is_a_sentence_and_the_rest_can_be_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store_run("r1", "ann")
    with monkeypatch.context() as patch:
        from s2s.hosted import deletion

        def refuse(*_: object) -> None:
            raise PermissionError(13, "Permission denied")

        patch.setattr(deletion.os, "replace", refuse)
        with pytest.raises(UserError, match=r"The run `r1` cannot be deleted \(Permission denied"):
            acting.delete_workspace("ann")
    assert acting.delete_workspace("ann").runs == 1
    assert exports.find_export("x", "y") is None

import json
import os
import shutil
import time
from pathlib import Path

import pytest
from filelock import FileLock

from s2s.config import UserError, asker
from s2s.files import UNDO_SECONDS
from s2s.library.own import (
    annotate,
    delete_run,
    empty_trash,
    find_run,
    list_runs,
    rename_run,
    restore_run,
)
from s2s.runs import RunFolder, clean_name, is_training, listing, runs_folder
from tests.conftest import make_run


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("trained") / "one", {})


def put(trained: Path, run: str, **about: str) -> RunFolder:
    folder = RunFolder(shutil.copytree(trained, runs_folder() / run))
    folder.write_about({**folder.about(), **about})
    return folder


def test_runs_are_listed_newest_first_with_their_best_figures(
    trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    put(trained, "older", created="2026-01-01T00:00:00+00:00", name="the older")
    put(trained, "newer", created="2026-01-02T00:00:00+00:00")
    put(trained, "of-bob", owner="bob")
    put(trained, ".deleted-one")
    (runs_folder() / "empty").mkdir()
    assert [row.id for row in list_runs(asker.LOCAL)] == ["newer", "older"]
    assert [row.id for row in list_runs("bob")] == ["of-bob"]
    row = list_runs(asker.LOCAL)[1]
    assert (row.name, row.source, row.preset, row.state, row.step, row.steps) == (
        ("the older", "synthetic:reverse#rows=80", "", "done", 30, 30)
    )
    assert row.created == 1_767_225_600.0
    best = min(
        (line for line in RunFolder(trained).lines("metrics") if line["kind"] == "valid"),
        key=lambda line: line["loss"],
    )
    assert (row.best_step, row.best_loss, row.token_accuracy) == (
        best["step"],
        best["loss"],
        best["token_accuracy"],
    )
    assert row.checkpoints == (10, 20, 30)
    assert find_run("older", asker.LOCAL) == row
    assert (
        find_run("older", "bob")
        is find_run("nothing", asker.LOCAL)
        is find_run("../runs/older", asker.LOCAL)
        is None
    )


def test_what_claims_to_run_while_nobody_trains_there_is_interrupted(trained: Path) -> None:
    folder = put(trained, "one")
    folder.set_status("running", step=10, steps=30)
    assert [row.state for row in list_runs(asker.LOCAL)] == ["interrupted"]
    with FileLock(folder.lock_file):
        assert is_training(folder.path)
        assert [row.state for row in list_runs(asker.LOCAL)] == ["running"]
    assert not is_training(folder.path)
    assert not is_training(folder.path / "nowhere")


def test_a_change_of_a_file_is_seen_at_once(trained: Path) -> None:
    folder = put(trained, "one")
    assert list_runs(asker.LOCAL)[0].step == 30
    folder.set_status("stopped", step=31, steps=40, best_step=30, best_loss=1.5)
    (folder.checkpoints / "step-00000010.safetensors").unlink()
    row = list_runs(asker.LOCAL)[0]
    assert (row.state, row.step, row.steps, row.best_loss, row.checkpoints) == (
        "stopped",
        31,
        40,
        1.5,
        (20, 30),
    )


def test_a_broken_folder_is_listed_with_the_reason(trained: Path) -> None:
    (put(trained, "broken").path / "recipe.json").write_text("{")
    (row,) = list_runs(asker.LOCAL)
    assert (row.id, row.name, row.state) == ("broken", "broken", "failed")
    assert "its recipe.json cannot be read" in row.error
    (runs_folder() / "broken" / "recipe.json").write_text(json.dumps({"format": 99}))
    assert "newer than" in list_runs(asker.LOCAL)[0].error


@pytest.mark.parametrize(
    "content",
    [
        {"format": 1},
        {"format": 1, "recipe": []},
        {"format": 1, "created": "2026-01-01T00:00:00+00:00", "recipe": {}},
        {"format": 1, "created": "2026-01-01T00:00:00+00:00", "recipe": {"train": {"steps": None}}},
        {"format": 1, "created": 7, "recipe": {"train": {"steps": 7}}},
        {"format": 1, "created": "yesterday", "recipe": {"train": {"steps": 7}}},
        [],
    ],
)
def test_a_recipe_that_lacks_something_is_listed_as_failed_beside_the_others(
    content: object, trained: Path
) -> None:
    put(trained, "good")
    (put(trained, "odd").path / "recipe.json").write_text(json.dumps(content))
    rows = {row.id: row for row in list_runs(asker.LOCAL)}
    assert (rows["good"].state, rows["odd"].state, rows["odd"].name) == ("done", "failed", "odd")
    assert rows["odd"].error.startswith("`odd` is not a run: its recipe.json ")
    assert find_run("odd", asker.LOCAL) == rows["odd"]


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("{", "The status.json of the run `odd` cannot be read; resume the run"),
        ("[1]", "cannot be read"),
        ('{"state": "melted"}', "says `melted`, which is unknown here"),
        ('{"state": ["done"]}', "unknown here"),
        ('{"state": "done", "step": "7"}', "has scores that are not numbers"),
        ('{"state": "done", "step": 7, "best_loss": "low"}', "has scores that are not numbers"),
    ],
)
def test_a_broken_status_is_listed_as_failed_with_what_is_known(
    content: str, error: str, trained: Path
) -> None:
    (put(trained, "odd", name="My run").path / "status.json").write_text(content)
    (row,) = list_runs(asker.LOCAL)
    assert (row.name, row.state, row.steps) == ("My run", "failed", 30)
    assert error in row.error
    assert str(runs_folder()) not in row.error
    RunFolder(runs_folder() / "odd").set_status("done", step=30, steps=None)
    assert [(row.state, row.step, row.steps) for row in list_runs(asker.LOCAL)] == [
        ("done", 30, 30)
    ]


def test_a_folder_that_may_not_be_read_and_a_file_among_the_runs_are_no_harm(
    trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(trained, "good")
    odd = put(trained, "odd")
    (runs_folder() / "file").write_text("x")
    true_state = listing._true_state

    def refused(path: Path, state: str | None) -> str:
        if path == odd.path:
            raise PermissionError(13, "Permission denied", str(path))
        return true_state(path, state)

    monkeypatch.setattr(listing, "_true_state", refused)
    rows = {row.id: (row.state, row.error) for row in list_runs(asker.LOCAL)}
    error = "The files of the run `odd` cannot be read (Permission denied); train it again."
    assert rows == {"good": ("done", ""), "odd": ("failed", error)}


def test_a_name_has_nothing_that_cannot_be_shown() -> None:
    assert clean_name(" a\tb\x00c\u202ed\u2066 \ud800é 👩\u200d🔬 ") == "a b cd é 👩\u200d🔬"
    assert [clean_name(name) for name in ("", " \n", "\u202e", "\u200b \u200d")] == [""] * 4


def test_a_run_is_renamed_by_its_owner_alone(trained: Path) -> None:
    put(trained, "one")
    rename_run("one", asker.LOCAL, "  Better\nname ")
    assert list_runs(asker.LOCAL)[0].name == "Better name"
    with pytest.raises(UserError, match="There is no run `one` of yours"):
        rename_run("one", "bob", "x")
    for name in ("", "  ", "x" * 81):
        with pytest.raises(
            UserError,
            match=f"has 1 to 80 characters and this one has {len(name.strip())}; give another",
        ):
            rename_run("one", asker.LOCAL, name)


def test_a_run_is_deleted_whole_and_not_while_it_trains(trained: Path) -> None:
    folder = put(trained, "one")
    with pytest.raises(UserError, match="There is no run `one` of yours"):
        delete_run("one", "bob")
    with (
        FileLock(folder.lock_file),
        pytest.raises(UserError, match="is being trained; stop it first, then delete it"),
    ):
        delete_run("one", asker.LOCAL)
    delete_run("one", asker.LOCAL)
    assert list_runs(asker.LOCAL) == []
    with pytest.raises(UserError, match="There is no run `one` of yours"):
        delete_run("one", asker.LOCAL)
    empty_trash(time.time() + UNDO_SECONDS + 1)
    assert list(runs_folder().iterdir()) == []


def test_a_deletion_can_be_undone_for_a_minute(trained: Path) -> None:
    before = put(trained, "one").about()
    delete_run("one", asker.LOCAL)
    empty_trash()
    with pytest.raises(UserError, match="cannot be restored"):
        restore_run("one", "bob")
    restore_run("one", asker.LOCAL)
    assert [row.id for row in list_runs(asker.LOCAL)] == ["one"]
    assert RunFolder(runs_folder() / "one").about() == before
    delete_run("one", asker.LOCAL)
    empty_trash(time.time() + UNDO_SECONDS + 1)
    for gone in ("one", "../runs", "never"):
        with pytest.raises(UserError, match="cannot be restored"):
            restore_run(gone, asker.LOCAL)


def test_a_zip_that_was_never_opened_whole_is_removed_after_a_day(trained: Path) -> None:
    folder = put(trained, f"{listing.OPENING}0a1b")
    assert list_runs(asker.LOCAL) == []
    empty_trash(time.time() + listing.OPENING_SECONDS - 60)
    assert folder.path.is_dir()
    empty_trash(time.time() + listing.OPENING_SECONDS + 60)
    assert not folder.path.exists()


@pytest.mark.parametrize(
    ("taken", "free"),
    [([], "a"), (["b"], "a"), (["a"], "a 2"), (["a", "a 2", "a 3"], "a 4"), (["a", "a 3"], "a 2")],
)
def test_a_name_that_is_taken_gets_a_number(taken: list[str], free: str) -> None:
    assert listing.free_name("a", taken) == free
    long = "x" * listing.LONGEST_NAME
    assert listing.checked_name(listing.free_name(long, [long])).endswith("x 2")
    assert listing.free_name("a long name", ["a long"], longest=6) == "a lo 2"


def test_shipped_runs_stay_as_they_are() -> None:
    with pytest.raises(
        UserError,
        match="`demo-en-fr` ships with the program and cannot be renamed; train a run of your own",
    ):
        rename_run("demo-en-fr", asker.LOCAL, "mine")
    with pytest.raises(
        UserError, match="`demo-en-fr` ships with the program and cannot be deleted"
    ):
        delete_run("demo-en-fr", asker.LOCAL)


def test_three_hundred_runs_are_parsed_once(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    about = RunFolder(trained).about()
    parsed = []
    for number in range(300):
        folder = RunFolder(runs_folder() / f"run-{number}")
        folder.path.mkdir(parents=True)
        (folder.path / "recipe.json").write_text(json.dumps(about))
        (folder.path / "status.json").write_text(
            json.dumps({"format": 1, "state": "done", "step": 30})
        )
    read = RunFolder.about
    monkeypatch.setattr(
        listing.RunFolder, "about", lambda self: parsed.append(self.id) or read(self)
    )
    assert len(list_runs(asker.LOCAL)) == len(parsed) == 300
    assert len(list_runs(asker.LOCAL)) == len(parsed) == 300
    os.utime(runs_folder() / "run-7" / "recipe.json")
    list_runs(asker.LOCAL)
    assert parsed[300:] == ["run-7"]


def test_tags_and_a_comment_are_cleaned_kept_and_listed(trained: Path) -> None:
    put(trained, "one", name="mine")
    before = RunFolder(runs_folder() / "one").about()
    annotate("one", asker.LOCAL, tags=[" baseline ", "sweep:lr", "", "baseline", "a\u202eb"])
    annotate("one", asker.LOCAL, comment="  first \x00line\n\n*second*\u202e  ")
    row = list_runs(asker.LOCAL)[0]
    assert (row.tags, row.comment, row.name) == (
        ("baseline", "sweep:lr", "ab"),
        "first line\n\n*second*",
        "mine",
    )
    annotate("one", asker.LOCAL, tags=())
    assert (list_runs(asker.LOCAL)[0].tags, list_runs(asker.LOCAL)[0].comment) == (
        (),
        "first line\n\n*second*",
    )
    assert RunFolder(runs_folder() / "one").about() == before | {
        "tags": [],
        "comment": "first line\n\n*second*",
    }


def test_annotations_that_cannot_be_are_a_sentence_and_change_nothing(trained: Path) -> None:
    put(trained, "one")
    annotate("one", asker.LOCAL, tags=["x" * 40] + [str(n) for n in range(9)], comment="x" * 2000)
    kept = list_runs(asker.LOCAL)[0]
    with pytest.raises(
        UserError, match="A run has at most 10 tags and these are 11; leave some out"
    ):
        annotate("one", asker.LOCAL, tags=map(str, range(11)))
    with pytest.raises(
        UserError, match=r"A tag has at most 40 characters and `x{40}…` has 41; shorten it"
    ):
        annotate("one", asker.LOCAL, tags=["x" * 41])
    with pytest.raises(
        UserError, match="A note has at most 2,000 characters and this one has 2,001; shorten it"
    ):
        annotate("one", asker.LOCAL, tags=["good"], comment="x" * 2001)
    with pytest.raises(UserError, match="There is no run `one` of yours"):
        annotate("one", "bob", tags=["x"])
    with pytest.raises(UserError, match="ships with the program and cannot be annotated"):
        annotate("demo-en-fr", asker.LOCAL, comment="x")
    assert list_runs(asker.LOCAL) == [kept]


@pytest.mark.parametrize(
    ("about", "read"),
    [
        ({}, ((), "", "")),
        ({"tags": "no list", "comment": 7, "init_from": "a"}, ((), "", "")),
        (
            {"tags": ["a", 7, None, "b"], "comment": None, "init_from": {"run": 7}},
            (("a", "b"), "", ""),
        ),
        ({"tags": {"a": 1}, "comment": ["x"], "init_from": []}, ((), "", "")),
        (
            {"tags": ["a"], "comment": "x", "init_from": {"run": "first", "step": 20}},
            (("a",), "x", "first"),
        ),
    ],
)
def test_annotations_of_a_wrong_kind_are_passed_over(
    about: dict[str, object], read: object, trained: Path
) -> None:
    folder = put(trained, "one")
    folder.write_about(
        {
            **{
                key: value
                for key, value in folder.about().items()
                if key not in ("tags", "comment", "init_from")
            },
            **about,
        }
    )
    (row,) = list_runs(asker.LOCAL)
    assert (row.tags, row.comment, row.init_from) == read
    assert (row.state, row.is_paused) == ("done", False)

"""Runs that leave as a zip and come back: whose they are, within which limits, and how they train on."""

import io
import shlex
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from s2s.config import DeniedError, UserError, asker
from s2s.files.stored import usage
from s2s.jobs import run_archives, run_service, training
from s2s.jobs.model_import import import_folder
from s2s.library import Sharing, sharing
from s2s.library.checkpoints import load
from s2s.library.own import find_run, list_runs
from s2s.model import weights_path
from s2s.runs import RunFolder, portable, runs_folder
from tests.conftest import make_run
from tests.pretrained.checkpoints import make_checkpoint
from tests.runs.zips import files_of, with_json, zipped
from tests.storing import store_run

PUBLIC = "abcdefgh01234567"
EVIL = "rm -rf ~"


@pytest.fixture
def hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)


def downloaded(run: str, workspace: str) -> io.BytesIO:
    with asker.acting_as(workspace):
        return io.BytesIO(run_archives.download(run))


def brought_in(content: io.BytesIO, workspace: str) -> str:
    with asker.acting_as(workspace):
        return run_archives.bring_in(content.getvalue(), "x.zip", workspace)


def test_a_run_that_came_back_trains_on_to_the_same_bits(tmp_path: Path) -> None:
    stayed = RunFolder(make_run(tmp_path / "run", {}))
    run_archives.export(str(stayed.path), tmp_path / "run.zip")
    with (tmp_path / "run.zip").open("rb") as raw:
        back = run_archives.open_at(raw, "run.zip", tmp_path / "back")
    for folder in (stayed, back):
        list(training.run(training.resume(folder.path, training.Continuation(steps=32))))
    for name in ("step-00000032.safetensors", "step-00000032.state.safetensors"):
        first, second = (load_file(folder.checkpoints / name) for folder in (stayed, back))
        assert first.keys() == second.keys()
        assert all(torch.equal(first[key], second[key]) for key in first)
    losses = [
        [(line["step"], line["loss"]) for line in folder.lines("metrics") if "loss" in line]
        for folder in (stayed, back)
    ]
    assert losses[0] == losses[1]
    assert back.about()["command"] == stayed.about()["command"]


@pytest.mark.usefixtures("hosted")
def test_who_opens_a_run_has_a_new_one_of_their_own() -> None:
    folder = store_run(PUBLIC, "ann")
    with asker.acting_as("ann"):
        sharing.share(sharing.thing("run", PUBLIC, "ann"), Sharing(link=True, data=True))
    content = downloaded(PUBLIC, "ann")
    first, second = (brought_in(content, "bob") for _ in range(2))
    assert len({PUBLIC, first, second}) == 3
    assert [row.id for row in list_runs("ann")] == [PUBLIC]
    assert {row.id for row in list_runs("bob")} == {first, second}
    name = RunFolder(folder).about()["name"]
    assert {row.name for row in list_runs("bob")} == {name, f"{name} 2"}
    for run in (first, second):
        assert RunFolder(runs_folder() / run).about()["owner"] == "bob"
        assert sharing.sharing("run", run) == Sharing()
        assert find_run(run, "ann") is None
        own, theirs = (load(runs_folder() / each).translate(["1 2 3"]) for each in (PUBLIC, run))
        assert [one.log_prob for one in own] == [one.log_prob for one in theirs]
    assert usage("bob").runs == 2
    assert usage("bob").n_bytes > 2 * 100_000


@pytest.mark.usefixtures("hosted")
def test_only_its_owner_downloads_a_run_and_everybody_a_demo() -> None:
    store_run(PUBLIC, "ann")
    for workspace in ("bob", "", asker.OPERATOR):
        with pytest.raises(DeniedError, match="There is no run `abcdefgh01234567` here"):
            downloaded(PUBLIC, workspace)
    with asker.acting_as("ann"):
        sharing.share(sharing.thing("run", PUBLIC, "ann"), Sharing(link=True, data=True))
    with pytest.raises(DeniedError, match=r"belongs to somebody else: .* but not download it"):
        downloaded(PUBLIC, "bob")
    with pytest.raises(DeniedError):
        downloaded("../runs/abcdefgh01234567", "ann")
    for workspace in ("ann", "bob"):
        run = brought_in(downloaded("demo-tasks", workspace), workspace)
        assert run_service.find(run, workspace).state == "done"


@pytest.mark.usefixtures("hosted")
@pytest.mark.parametrize(
    ("limit", "value", "message"),
    [
        ("S2S_MAX_RUNS", "1", "You have stored 1 runs and may store 1 runs"),
        ("S2S_MAX_BYTES", "150_000", "may store 0.1 MB|may store 0.2 MB"),
        ("S2S_MAX_TOTAL_BYTES", "150_000", "This server is full"),
        ("S2S_MAX_PARAMETERS", "100", "at most 100 may be trained here"),
    ],
)
def test_what_a_workspace_may_not_store_is_not_opened(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: str, message: str
) -> None:
    store_run(PUBLIC, "ann")
    content = downloaded(PUBLIC, "ann")
    monkeypatch.setenv(limit, value)
    with pytest.raises(UserError, match=message):
        brought_in(content, "ann")
    assert [path.name for path in runs_folder().iterdir()] == [PUBLIC]


@pytest.mark.usefixtures("hosted")
def test_without_a_workspace_nothing_is_opened() -> None:
    content = downloaded("demo-tasks", "ann")
    with pytest.raises(UserError, match="Nothing can be stored without a workspace"):
        brought_in(content, "")
    assert not runs_folder().exists()


def test_owner_and_command_are_those_of_who_opens_it() -> None:
    folder = RunFolder(store_run(PUBLIC, "local"))
    files = with_json(files_of(folder), "recipe.json", owner="bob", command=EVIL, name="\u202e")
    about = RunFolder(runs_folder() / brought_in(zipped(files), "local")).about()
    assert about["owner"] == "local"
    assert about["command"] == folder.about()["command"]
    assert about["name"] == "x-zip"


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("starting_settings", {"num_beams": 10**9}, "`num_beams` 1000000000 is out of range"),
        ("starting_settings", {"num_beams": "x"}, "`num_beams` is 'x'; give a whole number"),
        ("init_from", {"run": "`rm -rf ~`", "step": 1}, ""),
        ("changes", [{"step": 1, "lr": 0.5}], ""),
        ("imported", {"from": "; rm -rf ~"}, ""),
    ],
)
def test_what_a_recipe_names_is_checked_or_quoted(key: str, value: object, message: str) -> None:
    folder = RunFolder(store_run(PUBLIC, "local"))
    content = zipped(with_json(files_of(folder), "recipe.json", **{key: value}))
    if message:
        with pytest.raises(UserError, match=message):
            brought_in(content, "local")
        return
    about = RunFolder(runs_folder() / brought_in(content, "local")).about()
    assert about[key] == value
    assert not {"rm", ";"} & {*shlex.split(about["command"])}


def test_a_published_checkpoint_comes_back_as_the_run_that_it_is(tmp_path: Path) -> None:
    make_checkpoint("marian", tmp_path / "checkpoint")
    run = import_folder(tmp_path / "checkpoint", tmp_path / "run")
    run_archives.export(str(run.path), tmp_path / "run.zip")
    with (tmp_path / "run.zip").open("rb") as raw:
        back = run_archives.open_at(raw, "run.zip", tmp_path / "back")
    assert back.about() == portable.about_run(run.about())
    assert back.about()["imported"]["from"] == "checkpoint"
    assert str(tmp_path) not in (back.path / "recipe.json").read_text()
    first, second = (load(each.path).translate(["the house"]) for each in (run, back))
    assert [(one.text, one.log_prob) for one in first] == [
        (one.text, one.log_prob) for one in second
    ]


def test_a_run_in_training_is_downloaded_as_far_as_it_is() -> None:
    folder = RunFolder(store_run(PUBLIC, "local"))
    folder.set_status("running", step=2, steps=2, best_step=2)
    run = brought_in(downloaded(PUBLIC, "local"), "local")
    assert run_service.find(run, "local").state == "interrupted"
    assert weights_path(runs_folder() / run / "checkpoints", 2).is_file()


def test_a_run_that_is_too_large_for_a_page_says_how_else(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = RunFolder(store_run(PUBLIC, "local"))
    assert run_archives.too_large(folder) == ""
    monkeypatch.setattr(run_archives, "MAX_DOWNLOAD", 50_000)
    with pytest.raises(UserError, match=r"more than the 0 MB .*`python -m s2s export RUN --to run"):
        downloaded(PUBLIC, "local")
    monkeypatch.setenv("S2S_HOSTED", "1")
    assert "Export all, under My workspace, has it" in run_archives.too_large(folder)


def test_an_export_replaces_no_file(tmp_path: Path) -> None:
    out = tmp_path / "run.zip"
    out.write_text("mine")
    with pytest.raises(UserError, match="exists already; give another name"):
        run_archives.export("demo-tasks", out)
    assert out.read_text() == "mine"
    with pytest.raises(UserError, match="cannot be written"):
        run_archives.export("demo-tasks", out / "run.zip")
    run_archives.export("demo-tasks", tmp_path / "new" / "run.zip")
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["run.zip"]

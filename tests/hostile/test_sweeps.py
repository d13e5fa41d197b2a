"""A sweep of another workspace, named by its tag, its runs or their jobs: it reads like none, and nothing happens."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from s2s import settings
from s2s.config import PRESETS, UserError, asker
from s2s.data import load_preview
from s2s.jobs import forecast, run_service, sweep, training
from s2s.jobs.extrapolation import ExtrapolationSettings
from s2s.library import sharing
from s2s.library.own import annotate
from s2s.links import share
from s2s.processes import queue
from s2s.questions import SeedSpread, Sweep
from s2s.runs import RunFolder, runs_folder
from s2s.ui.kit import cached
from s2s.ui.kit.queueing import free_group, queue_resume
from s2s.ui.positions import extrapolation
from s2s.ui.runs import actions, sweeps
from tests.conftest import make_run
from tests.hostile.home import Things, things_of, visiting
from tests.hostile.test_strangers import _everything
from tests.screen import opened

NAME = "lr grid"  # as anybody might guess it
SMALL = PRESETS["small"].recipe
NONE = "0123456789abcdef"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Things, str]]:
    """The home, ann's things, which are one sweep with a control run, and the id of the job of its queued run."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("S2S_HOME", str(home))
        ann = things_of("ann")
        tags = [
            f"{sweep.TAG}{NAME}",
            f"{sweep.TAG}{ExtrapolationSettings().name}",
            f"{sweep.CONTROL}{NAME}",
        ]
        RunFolder(runs_folder() / ann.run).amend(lambda about: {"tags": tags})
        queue.delete_jobs(ann.queued)
        spec = {
            "recipe": SMALL.to_json(),
            "source": f"corpus:{ann.dataset}",
            "valid": None,
            "preset": "small",
            "name": "secretann lr 0.1",
            "tags": tags,
            "init_from": f"{ann.run}@30",
        }
        yield str(home), ann, queue.submit("train", "ann", ann.queued, spec)


@pytest.fixture
def anns(made: tuple[str, Things, str], monkeypatch: pytest.MonkeyPatch) -> tuple[Things, str]:
    home, things, job = made
    monkeypatch.setenv("S2S_HOME", home)
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    return things, job


SHOWN: tuple[Callable[[str], Any], ...] = (
    lambda id: sweeps.sweeps(cached.own_runs()),
    lambda id: cached.runs(),
    lambda id: cached.SCREEN.answer(Sweep((id,), NAME)),
    cached.recipe,
    lambda id: cached.SCREEN.answer(SeedSpread((id,))),
    lambda id: run_service.find(id, "eve"),
    lambda id: run_service.last_log(id, "eve"),
    lambda id: extrapolation._own_runs(ExtrapolationSettings()),
    lambda id: free_group(NAME, sweep.TAG),
)
ACTS: tuple[Callable[[str], Any], ...] = (
    lambda id: run_service.stop(id, "eve"),
    lambda id: run_service.pause(id, "eve"),
    lambda id: run_service.unpause(id, "eve"),
    lambda id: run_service.step_once(id, "eve"),
    lambda id: run_service.change_lr(id, "eve", 0.1),
    lambda id: run_service.rename(id, "eve", "mine"),
    lambda id: run_service.delete(id, "eve"),
    lambda id: run_service.restore(id, "eve"),
    lambda id: annotate(id, "eve", tags=[f"{sweep.TAG}mine"]),
    queue_resume,
    cached.open_run,
)


def told(act: Callable[[str], Any], id: str) -> str:
    """What it says of an id, without that."""
    try:
        return repr(act(id)).replace(id, "")
    except UserError as error:
        return str(error).replace(id, "")


def test_by_its_tag_its_runs_and_their_jobs_it_reads_like_none(
    anns: tuple[Things, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    things, job = anns
    with visiting(monkeypatch, "ann"):
        assert len(sweeps.sweeps(cached.own_runs())[NAME]) == 2
    before = queue.latest(things.queued)
    with visiting(monkeypatch, "eve"):
        differ = [
            (number, id, told(act, id), told(act, NONE))
            for number, act in enumerate((*SHOWN, *ACTS))
            for id in (things.run, things.queued, job)
            if told(act, id) != told(act, NONE)
        ]
    assert not differ
    assert queue.latest(things.queued) == before
    assert (runs_folder() / things.run / "recipe.json").is_file()


@pytest.mark.parametrize(
    ("page", "view"),
    [
        ("runs", {"tab": "sweeps", "sweep": NAME}),
        ("runs", {"tab": "side-by-side", "compared": "{run} {queued}"}),
        (
            "train",
            {"source": "corpus:{dataset}", "sweep": "train.lr=0.1 0.2", "init_from": "{run}"},
        ),
        ("positions", {}),
    ],
)
def test_its_addresses_show_a_stranger_nothing_of_it(
    page: str, view: dict[str, str], anns: tuple[Things, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    things, _ = anns
    packed = share.pack({key: value.format(**vars(things)) for key, value in view.items()})
    for run in (things.run, things.queued):
        with visiting(monkeypatch, "eve"):
            screen = opened(page, run=run, set=packed)
        assert not screen.exception
        shown = _everything(screen)
        assert not [word for word in (things.secret, things.probe) if word in shown]


def test_a_guest_of_one_run_learns_neither_its_tags_nor_the_others(
    anns: tuple[Things, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    things, _ = anns
    with asker.acting_as("ann"):
        sharing.share(
            sharing.thing("run", things.run, "ann"), sharing.Sharing(link=True, data=True)
        )
    try:
        with visiting(monkeypatch, "eve"):
            row = run_service.find(things.run, "eve")
            assert (row.tags, actions._control_run(row)) == ((), None)
            screen = opened(
                "runs", run=things.run, set=share.pack({"tab": "sweeps", "sweep": NAME})
            )
            assert things.queued not in _everything(screen)
            assert not sweeps.sweeps(cached.own_runs())
    finally:
        shutil.rmtree(settings.home() / "sharing")


@pytest.mark.parametrize("what", ["source", "valid", "init_from"])
def test_a_sweep_of_anothers_data_or_weights_is_refused_whole(
    what: str, anns: tuple[Things, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    things, _ = anns
    mine = training.RunRequest(SMALL, "builtin:mini-en-fr", owner="eve")
    cost = forecast(SMALL, load_preview("builtin:mini-en-fr"))
    said = []
    for id in (things, replace(things, run=NONE, dataset=NONE)):
        theirs = {"init_from": id.run}.get(what, f"corpus:{id.dataset}")
        second = replace(mine, **{what: theirs})
        with visiting(monkeypatch, "eve"), pytest.raises(UserError) as refused:
            sweep.submit([mine, second], [cost, cost])
        said.append(str(refused.value).replace(id.run, "").replace(id.dataset, ""))
        assert queue.jobs("eve") == []
    assert said[0] == said[1]


@pytest.mark.usefixtures("anns")
def test_the_same_name_joins_no_two_workspaces(monkeypatch: pytest.MonkeyPatch) -> None:
    own = make_run(runs_folder() / "evesrun000000000", {})
    RunFolder(own).amend(lambda about: {"owner": "eve", "tags": [f"{sweep.TAG}{NAME}"]})
    try:
        with visiting(monkeypatch, "eve"):
            cached.refresh_runs()
            (row,) = sweeps.sweeps(cached.own_runs())[NAME]
            assert row.id == own.name
        with visiting(monkeypatch, "ann"):
            cached.refresh_runs()
            assert own.name not in {one.id for one in sweeps.sweeps(cached.own_runs())[NAME]}
    finally:
        shutil.rmtree(own)

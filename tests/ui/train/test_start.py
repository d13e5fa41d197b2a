"""A run from the button to its end. Jobs wait: a test does the worker's part itself."""

import dataclasses
import json
import shutil
from collections.abc import Mapping

import pytest
from streamlit.testing.v1 import AppTest

from s2s.config import PRESETS, Recipe, asker, override
from s2s.jobs import run_service, training
from s2s.library import Library
from s2s.links.share import pack
from s2s.processes import queue
from s2s.runs import RunFolder, runs_folder
from s2s.ui.kit import cached
from s2s.ui.kit.text import plain
from tests.conftest import TINY
from tests.jobs.context import FakeContext
from tests.screen import lost, opened, page_text


def finish(job: queue.Job) -> None:
    """Do what a worker's child does."""
    for _ in training.work(job, FakeContext()):
        pass
    queue.finish(job.id, "w", "done")


def submit_from_the_page(changes: Mapping[str, object] | None = None) -> tuple[AppTest, str]:
    """Press Train with a tiny recipe."""
    values = {"source": "synthetic:reverse", "preset": "small"} | {
        key: str(value) for key, value in {**TINY, **(changes or {})}.items()
    }
    for short in ("model.d_ff", "model.n_layers"):
        value = values.pop(short)
        values |= {
            short.replace("model.", f"model.{stack}."): value for stack in ("encoder", "decoder")
        }
    screen = opened("train", set=pack(values))
    assert not lost(screen)
    screen.text_input(key="train name").set_value("<b>my</b> **run**")
    screen.button(key="train").click().run()
    assert not screen.exception
    return screen, screen.session_state["run"]


@pytest.mark.slow
def test_train_queues_the_run_shows_it_to_the_end_and_continues_it() -> None:
    short = {"train.steps": 4, "train.watch.validate_every": 2, "train.watch.save_every": 4}
    screen, run_id = submit_from_the_page(short)
    (job,) = queue.jobs(asker.LOCAL)
    assert job.run == run_id
    recipe = Recipe.from_json(job.spec["recipe"])
    expected = override(PRESETS["small"].recipe, TINY)
    assert recipe == dataclasses.replace(expected, train=recipe.train)
    assert recipe.train.steps == 4
    waiting = screen.get("progress")[0].proto.text
    assert waiting == "Waiting: next to start, starts within a minute."
    assert plain("<b>my</b> **run**") in [each.value for each in screen.subheader]
    claimed = queue.claim("w", "h", job.slot, 60)
    assert claimed
    finish(claimed)
    cached.refresh_runs()
    screen.run()
    assert not screen.exception
    assert run_service.find(run_id, asker.LOCAL).state == "done"
    assert len(picture_of_curves(screen)) == 2
    again = opened("train", run=run_id)
    assert "Step 4 of 4" in again.get("progress")[0].proto.text
    again.number_input(key=f"to step {run_id}").set_value(5).run()
    again.button(key="go on").click().run()
    assert not again.exception
    job = queue.latest(run_id)
    assert job
    finish(job)
    assert Library().run(run_id).status()["step"] == 5


def picture_of_curves(screen: AppTest) -> list[str]:
    figure = json.loads(screen.get("plotly_chart")[0].proto.spec)
    return [trace["name"] for trace in figure["data"]]


def test_a_waiting_run_points_to_its_training_and_can_be_stopped_and_taken_up_again() -> None:
    screen, run_id = submit_from_the_page()
    cached.refresh_runs()
    for path in ("", "compare", "attention"):
        without_checkpoint = opened(path, run=run_id)
        assert not without_checkpoint.exception
        assert "has no checkpoint yet" in page_text(without_checkpoint)
    screen.button(key="stop").click().run()
    assert run_service.find(run_id, asker.LOCAL).state == "stopped"
    cached.refresh_runs()
    screen = opened("train", run=run_id)
    screen.button(key="resume").click().run()
    assert not screen.exception
    assert run_service.find(run_id, asker.LOCAL).state == "queued"


def test_the_last_step_of_one_run_is_not_that_of_the_next(own_run: str) -> None:
    other = RunFolder(runs_folder() / "other00000000000")
    shutil.copytree(Library().run(own_run).path, other.path)
    cached.refresh_runs()
    screen = opened("train", run=own_run)
    screen.number_input(key=f"to step {own_run}").set_value(99).run()
    usual = opened("train", run=other.id).number_input(key=f"to step {other.id}").value
    screen.selectbox(key="run").set_value(cached.label(other.id)).run()
    assert screen.number_input(key=f"to step {other.id}").value == usual != 99

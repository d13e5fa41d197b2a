"""Deleting a saved dataset: the button names it, asks twice, and counts the runs that need it."""

import pytest

from s2s import settings
from s2s.config import PRESETS, override
from s2s.data import files, saved_datasets
from s2s.jobs import training
from s2s.share import pack
from s2s.ui.kit import cached
from tests.screen import opened, said


def saved(text: str, name: str) -> str:
    return saved_datasets.save(files.from_pasted(text), name=name, owner=settings.OWNER)


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_WORKER", "elsewhere")
    cached.refresh_runs()


def test_the_button_names_its_dataset() -> None:
    first = saved("a ||| b", "mine")
    second = saved("c ||| d", "*theirs*")
    screen = opened("data", set=pack({"source": f"corpus:{first}"}))
    assert screen.button(key=f"delete text {first}").label == "Delete mine"
    screen.button(key=f"delete text {first}").click().run()
    assert not screen.exception
    assert [text.hash for text in saved_datasets.listing(settings.OWNER)] == [second]
    assert f"delete text {first}" not in {each.key for each in screen.button}
    assert "train on" not in {
        each.key for each in screen.button
    }  # no other is chosen for the visitor
    screen.selectbox(key="saved").set_value(f"corpus:{second}").run()
    assert screen.button(key=f"delete text {second}").label == "Delete \\*theirs\\*"


def test_runs_that_need_a_dataset_are_counted() -> None:
    needed = saved("a ||| b\nc ||| d", "mine")
    spare = saved("c ||| d", "other")
    recipe = override(PRESETS["mini-t5"].recipe, {"train.steps": 5})
    for name in ("one", "two"):
        training.submit(
            training.RunRequest(
                recipe, f"corpus:{needed}", preset="mini-t5", name=name, owner=settings.OWNER
            )
        )
    cached.refresh_runs()
    assert "2 waiting, training or stopped runs need it" in said(
        opened("data", set=pack({"source": f"corpus:{needed}"}))
    )
    assert "stopped run" not in said(opened("data", set=pack({"source": f"corpus:{spare}"})))

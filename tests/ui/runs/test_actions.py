"""What can be done with a run."""

import json

import pytest

from s2s import settings
from s2s.config import asker
from s2s.jobs import run_service
from s2s.library import Library
from s2s.ui.kit import cached
from tests.conftest import make_run
from tests.screen import opened, page_text

DEMO = "demo-en-fr"


def test_runs_lists_renames_and_deletes(own_run: str) -> None:
    screen = opened("runs", run=own_run)
    row = screen.dataframe[0].value.iloc[0]
    assert "done" in row["state"]
    assert row["steps"] == "30 of 30"
    lines = Library().run(own_run).lines("metrics")
    assert row["loss"] == pytest.approx(
        min(line["loss"] for line in lines if line["kind"] == "valid")
    )
    screen.text_input(key=f"rename {own_run}").set_value("*a* better name").run()
    assert not screen.exception
    assert run_service.find(own_run, asker.LOCAL).name == "*a* better name"
    screen.button(key="delete").click().run()
    assert not screen.exception
    assert not (settings.home() / "runs" / own_run).exists()
    assert "No runs of your own yet" in page_text(screen)
    screen.button(key="undo deletion").click().run()
    assert not screen.exception
    assert screen.dataframe[0].value["name"].tolist()[0] == "*a* better name"
    assert screen.selectbox(key="run").value == own_run
    assert "undo deletion" not in [each.key for each in screen.button]


def test_the_chosen_row_is_the_run_that_is_acted_on(own_run: str) -> None:
    make_run(settings.home() / "runs" / "second0000000000", {})
    cached.refresh_runs()
    screen = opened("runs", run=own_run)
    screen.selectbox(key="run").set_value("second0000000000").run()
    proto = screen.dataframe[0].proto
    ids = [row.id for row in cached.own_runs()]
    assert json.loads(proto.selection_default)["selection"]["rows"] == [
        ids.index("second0000000000")
    ]


def test_the_demo_can_be_neither_renamed_nor_deleted() -> None:
    screen = opened("runs", run=DEMO)
    assert "ships with the program" in page_text(screen)
    assert not [each for each in screen.button if each.key == "delete"]

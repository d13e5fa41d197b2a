"""The parts of the view Roles say what was measured."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from benchmarks.make import measurements
from s2s.analysis import heads
from s2s.jobs import head_roles, head_service
from s2s.jobs.registry import JOBS
from s2s.links.share import pack
from s2s.processes import queue
from s2s.runs import Measurement, runs_folder
from s2s.ui.heads.role_picture import SHORT
from s2s.ui.kit import cached
from s2s.ui.kit.test_sets import described
from tests.conftest import make_run
from tests.harvest import code_of, compared, executed
from tests.jobs.context import FakeContext
from tests.screen import opened, page_text
from tests.ui.test_reproduce import unfolded

SPLIT = "agreement"


@pytest.fixture(autouse=True)
def _no_list_of_another_home() -> None:
    cached.refresh_runs()


def work(asked: Measurement) -> None:
    """Measure as a worker does."""
    head_service.submit(asked)
    job = queue.claim("w", "h", "express", 600.0)
    assert job is not None
    list(JOBS[job.kind].work(job, FakeContext()))
    queue.finish(job.id, job.worker, "done")


def figures(screen: AppTest) -> list[dict[str, object]]:
    return [json.loads(each.proto.spec) for each in screen.get("plotly_chart")]


def shown(least: int, **values: str) -> AppTest:
    """A part of what ships; the page's code computes all its numbers, at least so many."""
    screen = unfolded("heads", set=pack({"test": SPLIT, "n": str(measurements.N), **values}))
    n_numbers, lacking = compared(screen, executed(screen))
    assert not lacking
    assert n_numbers >= least
    return screen


def test_every_part_shows_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_service, "measure", head_service.result)  # it ships
    run_id = "demo-en-fr"
    step = cached.open_run(run_id).step
    sample = described(run_id, SPLIT, measurements.N)
    kept = head_service.result(Measurement(run_id, step, "roles", sample))
    assert kept is not None
    found = head_roles.read_result(kept)

    screen = shown(300, head="encoder.2.4")
    (picture,) = figures(screen)
    words = [text.split("<br>")[0] for text in picture["data"][3]["text"]]
    assert words == [SHORT[slug] for slug in found.roles.kinds["encoder"].role.ravel()]
    detail, table = screen.dataframe[0].value, screen.dataframe[1].value
    strengths = found.roles.kinds["encoder"].strengths
    strongest = max(float(each[1, 3]) for each in strengths.values())
    assert detail["Strength"].max() == round(strongest, 3)
    assert len(table) == 24

    screen = shown(60, part="relations")
    rows = screen.dataframe[0].value
    assert len(rows) == len(found.relations)
    (across,) = (
        one
        for one in found.relations
        if (one.kind, one.direction) == ("decoder", "verb-subject-across")
    )
    assert f"in **{across.held_out:.0%}** of the other half" in page_text(screen)
    assert f"{heads.DIRECTIONS[across.direction].label}" in {*rows["Relation"]}

    screen = shown(40, part="induction", score="copying")
    score = found.induction["encoder"]["copying"]
    rows = screen.dataframe[0].value
    (best,) = rows[(rows["Attention"] == "encoder") & (rows["Score"] == "Attention to copies")][
        "Its score"
    ]
    assert best == round(float(score.score.max()), 3)
    assert "mean weight" in json.dumps(figures(screen))
    screen = shown(40, part="induction", score="direct")
    assert "share of the weight" in json.dumps(figures(screen))


def test_without_gold_and_with_one_checkpoint_the_page_says_why() -> None:
    run_id = "0123456789abcdef"
    path = make_run(runs_folder() / run_id, {"train.steps": 2})
    assert path.exists()
    cached.refresh_runs()
    sample = described(run_id, "held out", 12)
    work(Measurement(run_id, 2, "roles", sample))
    screen = opened("heads", run=run_id, set=pack({"n": "12", "part": "relations"}))
    assert not screen.exception
    assert "no gold relations" in page_text(screen)
    screen = opened("heads", run=run_id, set=pack({"n": "12", "part": "training"}))
    assert not screen.exception
    assert "single checkpoint" in page_text(screen)
    assert not [each for each in screen.button if each.label.startswith("Measure")]


def test_the_history_of_a_run_is_an_animation_and_curves_beside_the_loss(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run_id = "0123456789abcdef"
    make_run(runs_folder() / run_id, {})
    cached.refresh_runs()
    work(Measurement(run_id, 30, "roles-history", described(run_id, "held out", 12)))
    screen = unfolded("heads", run=run_id, set=pack({"n": "12", "part": "training"}))
    monkeypatch.setattr(head_service, "measure", head_service.result)  # it was measured above
    n_numbers, lacking = compared(screen, executed(screen))
    assert not lacking
    assert n_numbers > 25
    animation, curves = figures(screen)
    assert [frame["name"] for frame in animation["frames"]] == ["10", "20", "30"]
    assert curves["data"][-1]["name"] == "validation loss"


def test_every_role_has_a_short_name_whose_first_letters_are_its_own() -> None:
    assert {*SHORT} == {*heads.CORPUS_ROLES}
    assert len({name[:2] for name in SHORT.values()}) == len(SHORT)


@pytest.mark.parametrize(("part", "head"), [("roles", "cross.2"), ("training", "")])
def test_before_a_measurement_the_code_only_measures(part: str, head: str) -> None:
    view = {"n": "13", "part": part} | ({"head": head} if head else {})
    screen = unfolded("heads", run="demo-en-fr", set=pack(view))
    assert not screen.exception
    assert "head_service.measure(" in code_of(screen)[1]

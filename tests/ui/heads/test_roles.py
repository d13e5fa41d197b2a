"""The parts of the view Roles say what was measured."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping

import pytest
from streamlit.testing.v1 import AppTest

from s2s.analysis import heads
from s2s.jobs import head_service
from s2s.jobs.registry import JOBS
from s2s.links.share import pack
from s2s.plots.head_roles_view import SHORT
from s2s.processes import queue
from s2s.questions import Have, HeadRoles, Question, RolesOverTraining
from s2s.runs import Measurement, runs_folder
from s2s.ui.kit import cached
from s2s.ui.kit.test_sets import described
from tests.conftest import make_run
from tests.jobs.context import FakeContext
from tests.screen import opened, page_text

SPLIT = "agreement"
ASKED = HeadRoles("demo-en-fr", SPLIT)


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


def figures(screen: AppTest) -> list[Mapping[str, object]]:
    return [json.loads(each.proto.spec) for each in screen.get("plotly_chart")]


def said(screen: AppTest) -> str:
    bodies = (html.unescape(str(each.proto.body)) for each in screen.get("html"))
    return "\n".join(body for body in bodies if "finding" in body)


def shown(question: HeadRoles) -> AppTest:
    """What ships of a part, with its finding."""
    given = {"part": question.part} | question.changed
    screen = opened("heads", set=pack({name: str(value) for name, value in given.items()}))
    assert not screen.exception
    assert question.finding(Have().answer(question)) in said(screen)
    return screen


def test_every_part_shows_what_was_measured() -> None:
    found = Have().answer(ASKED)
    screen = shown(HeadRoles("demo-en-fr", SPLIT, head="encoder.2.4"))
    (picture,) = figures(screen)
    words = [text.split("<br>")[0] for text in picture["data"][3]["text"]]  # type: ignore[index]
    assert words == [SHORT[slug] for slug in found.kinds["encoder"].role.ravel()]
    detail, table = screen.dataframe[0].value, screen.dataframe[1].value
    strengths = found.kinds["encoder"].strengths
    strongest = max(float(each[1, 3]) for each in strengths.values())
    assert detail["Strength"].max() == pytest.approx(100 * strongest)
    assert len(table) == 24
    screen = shown(HeadRoles("demo-en-fr", SPLIT, part="relations"))
    rows = screen.dataframe[0].value
    assert len(rows) == len(found.relations)
    assert {*rows["Relation"]} == {heads.DIRECTIONS[one.direction].label for one in found.relations}
    screen = shown(HeadRoles("demo-en-fr", SPLIT, part="induction", score="copying"))
    rows = screen.dataframe[0].value
    is_it = (rows["Attention"] == "encoder") & (rows["Score"] == "Attention to copies")
    (best,) = rows[is_it]["Its score"]
    assert best == pytest.approx(100 * float(found.induction["encoder"]["copying"].score.max()))
    assert "mean weight" in json.dumps(figures(screen))
    screen = shown(HeadRoles("demo-en-fr", SPLIT, part="induction", score="direct"))
    assert "share of the weight" in json.dumps(figures(screen))


def test_without_gold_and_with_one_checkpoint_the_page_says_why() -> None:
    run_id = "0123456789abcdef"
    make_run(runs_folder() / run_id, {"train.steps": 2})
    cached.refresh_runs()
    work(Measurement(run_id, 2, "roles", described(run_id, "held out", 12)))
    screen = opened("heads", run=run_id, set=pack({"n": "12", "part": "relations"}))
    assert not screen.exception
    assert "no gold relations" in page_text(screen)
    screen = opened("heads", run=run_id, set=pack({"n": "12", "part": "training"}))
    assert not screen.exception
    assert "single checkpoint" in page_text(screen)
    assert not [each for each in screen.button if each.label.startswith("Measure")]


def test_the_history_of_a_run_is_an_animation_and_curves_beside_the_loss() -> None:
    run_id = "0123456789abcdef"
    make_run(runs_folder() / run_id, {})
    cached.refresh_runs()
    work(Measurement(run_id, 30, "roles-history", described(run_id, "held out", 12)))
    screen = opened("heads", run=run_id, set=pack({"n": "12", "part": "training"}))
    assert not screen.exception
    curves, animation = figures(screen)
    assert [frame["name"] for frame in animation["frames"]] == ["10", "20", "30"]  # type: ignore[attr-defined]
    assert curves["data"][-1]["name"] == "validation loss"  # type: ignore[index]
    question: Question[object] = RolesOverTraining(run_id, n=12)
    assert question.finding(Have().answer(question)) in said(screen)


def test_every_role_has_a_short_name_whose_first_letters_are_its_own() -> None:
    assert {*SHORT} == {*heads.CORPUS_ROLES}
    assert len({name[:2] for name in SHORT.values()}) == len(SHORT)

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import s2s
from s2s.config import UserError
from s2s.data import Gold, Link, Numbering, Pair
from s2s.jobs import head_service
from s2s.jobs.registry import JOBS
from s2s.links.share import pack
from s2s.processes import queue
from s2s.questions import AlignmentError, HeadAlignment
from s2s.runs import MeasurementFolder, measurements
from tests.jobs.context import FakeContext
from tests.screen import opened, page_text

REDUCTIONS = ("mean", "norm", "shift", "rollout")
METHODS = ("target", "both")
CONTENTS = [("a.en", b"the red house\nno\n"), ("a.fr", b"la maison rouge\nnon\n")]


def scored() -> dict[str, Any]:
    """A result of two layers with three heads; the second head of layer 2 is best, under the last reduction."""
    error = np.linspace(0.9, 0.3, 4 * 2 * 6).reshape(4, 2, 2, 3)
    error[3, 1, 1, 1] = 0.05
    scores = {"error": error, "low": error - 0.02, "high": error + 0.02}
    scores |= {"precision": 1 - error, "recall": 1 - error}
    return {
        "gold": True,
        "n": 7,
        "left_out": {"without gold links": 2},
        "reductions": REDUCTIONS,
        "methods": METHODS,
        **{key: values.tolist() for key, values in scores.items()},
    }


def agreeing(*, has_pairs: bool = True) -> dict[str, Any]:
    f1 = np.full((4, 2, 6, 6), 0.25)
    f1[:, :, range(6), range(6)] = 1
    return {
        "gold": False,
        "n": 7,
        "left_out": {},
        "reductions": REDUCTIONS,
        "methods": METHODS,
        "with_others": np.full((4, 2, 2, 3), 0.25).tolist(),
        "f1": f1.tolist() if has_pairs else None,
    }


def answers(monkeypatch: pytest.MonkeyPatch, found: dict[str, Any]) -> None:
    """This is stored of whatever is asked."""
    monkeypatch.setattr(measurements, "place", lambda request: f"here {id(found)}")
    monkeypatch.setattr(measurements, "result", lambda request: found)


def figure(screen: Any) -> dict[str, Any]:
    return dict(json.loads(screen.get("plotly_chart")[0].proto.spec))


def test_the_best_cell_is_framed_named_and_linked(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, scored())
    screen = opened("heads", set=pack({"view": "alignment", "links": "both"}))
    assert not screen.exception
    drawn = figure(screen)
    title = drawn["layout"]["title"]["text"]
    assert all(
        part in title for part in ("AER", "intersection", "demo-en-fr", "step", "7 sentences")
    )
    names = [note["text"] for note in drawn["layout"]["annotations"]]
    assert names == ["Weights", "Norm-weighted", "Shifted by one", "Rollout"]
    frames = drawn["layout"]["shapes"]
    assert len(frames) == 2 * 4  # black around white, in each grid
    assert (frames[-1]["x0"] + frames[-1]["x1"], frames[-1]["y0"] + frames[-1]["y1"]) == (2, 2)
    said = AlignmentError().finding(read(scored()))
    assert "Head 2 of layer 2 finds the gold links best: AER 0.050" in said
    assert "rollout, intersection; the lowest of 48 cells" in said
    assert said in "".join(str(each.proto.body) for each in screen.get("html"))
    assert "2 without gold links" in page_text(screen)
    table = screen.dataframe[0].value
    assert len(table) == len(REDUCTIONS) * len(METHODS)
    assert table["AER"].is_monotonic_increasing
    link = next(each for each in screen.get("page_link") if "Its links" in each.proto.label)
    assert "layer=2" in link.proto.query_string
    assert "reduce=rollout" in link.proto.query_string


def test_without_gold_the_page_shows_agreement_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, agreeing())
    screen = opened("heads", set=pack({"view": "alignment"}))
    assert not screen.exception
    assert "no gold links" in "".join(str(each.proto.body) for each in screen.get("html"))
    layout = figure(screen)["layout"]
    assert "Agreement" in layout["title"]["text"]
    assert layout["xaxis"]["ticktext"] == ["1.1", "1.2", "1.3", "2.1", "2.2", "2.3"]
    answers(monkeypatch, agreeing(has_pairs=False))
    layout = figure(screen.run())["layout"]  # as of a model with many heads
    assert "with all others" in layout["title"]["text"]
    assert layout["xaxis"]["ticktext"] == ["1", "2", "3"]


def test_own_files_are_measured_by_a_click_and_found_by_the_menu_s_program() -> None:
    screen = opened("heads", set=pack({"view": "alignment"}))
    files = [*CONTENTS, ("a.align", b"0-0 1-2 2-1\n0-0\n")]
    for (name, content), key in zip(files, ("sources", "targets", "links"), strict=True):
        screen.file_uploader(f"alignment {key}").set_value([(name, content, "text/plain")])
    screen.run()
    (button,) = (each for each in screen.button if each.label.startswith("Measure"))
    assert "2 sentences" in button.label
    button.click().run()
    job = queue.claim("w", "h", "express", 600.0)
    assert job is not None
    list(JOBS[job.kind].work(job, FakeContext()))
    queue.finish(job.id, job.worker, "done")
    screen.run()
    assert not screen.exception
    assert "2 sentences: uploaded" in figure(screen)["layout"]["title"]["text"]
    assert not (MeasurementFolder(job.run).path / "pairs.jsonl").exists()
    links = [each.proto for each in screen.get("page_link") if each.proto.label.startswith("Its")]
    assert [link.query_string.count("src=") for link in links] == [0]
    screen.session_state["menu alignment error"] = True  # open
    program = next(str(each.value) for each in screen.run().code if each.language == "python")
    names: dict[str, Any] = {}
    exec(program.replace("s2s.ask", "asked = s2s.ask"), names)
    assert names["asked"].answer.n == 2
    with pytest.raises(UserError, match="upload them again"):
        s2s.ask(replace(names["asked"].question, uploaded="another"))
    screen.file_uploader("alignment links").set_value([("a.align", b"9-0\n\n", "text/plain")])
    screen.run()
    assert "Line 1 of a.align links source word 9" in page_text(screen)
    assert not screen.get("plotly_chart")  # of other sentences


def read(found: dict[str, Any]) -> HeadAlignment:
    return AlignmentError().answer_of(found)


def test_every_cell_is_in_the_table() -> None:
    table = AlignmentError().table(read(scored()))
    assert len(table.rows) == 48
    assert table.rows[0][:5] == ["Rollout", "Intersection", 2, 2, 0.05]
    assert all(row[5] < row[4] for row in table.rows)


def test_a_row_of_agreement_is_a_head() -> None:
    table = AlignmentError().table(read(agreeing()))
    assert [row[0] for row in table.rows] == ["1.1", "1.2", "1.3", "2.1", "2.2", "2.3"]
    at = table.columns.index("Rollout, with 1.3")
    assert [row[at] for row in table.rows] == [0.25, 0.25, 1, 0.25, 0.25, 0.25]
    assert len(table.columns) == 1 + 4 + 4 * 6
    assert len(AlignmentError().table(read(agreeing(has_pairs=False))).columns) == 5


def test_no_head_is_said_to_find_links_that_it_mostly_misses() -> None:
    missed = scored() | {"error": (np.array(scored()["error"]) / 2 + 0.5).tolist()}
    said = AlignmentError().finding(read(missed))
    assert said.startswith("No head finds the gold links: the best is head 2 of layer 2")
    undefined = np.full((4, 2, 2, 3), np.nan).astype(object)
    undefined[:] = None
    assert AlignmentError().finding(read(scored() | {"error": undefined.tolist()})) == ""


def test_own_files_become_pairs_with_gold() -> None:
    found = head_service.aligned_pairs([*CONTENTS, ("a.align", b"0-0 1-2 2p1\n0-0\n")], Numbering())
    assert found == [
        Pair(
            "the red house",
            "la maison rouge",
            Gold((Link(0, 0), Link(1, 2)), possible=(Link(2, 1),)),
        ),
        Pair("no", "non", Gold((Link(0, 0),))),
    ]


@pytest.mark.parametrize(
    ("links", "why"),
    [(b"0-0\n", "1 lines, and there are 2 pairs"), (b"0-0\n1-0\n", "Line 2 .* source word 1")],
)
def test_an_alignment_of_other_sentences_is_refused(links: bytes, why: str) -> None:
    with pytest.raises(UserError, match=why):
        head_service.aligned_pairs([*CONTENTS, ("a.align", links)], Numbering())

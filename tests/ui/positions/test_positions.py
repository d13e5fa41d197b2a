import base64
import json
import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from s2s import settings
from s2s.config import POSITION_KINDS, asker
from s2s.demo import shipped_results
from s2s.jobs import extrapolation, training
from s2s.links.share import pack, unpack
from s2s.processes import queue
from s2s.questions import SHOWN, PositionKinds
from s2s.ui.kit import cached
from s2s.ui.positions import page
from tests.conftest import make_run
from tests.jobs.context import FakeContext
from tests.screen import box, link, lost, opened, page_text
from tests.ui.states.test_same_word import settings_of

SMALL = {"model.d_model": 16, "model.positions.max_length": 64}


@pytest.fixture(autouse=True)
def _no_worker() -> None:
    """Jobs wait: a test does the work itself."""
    cached.refresh_runs()


def at(view: str, **values: str) -> AppTest:
    return opened("positions", set=pack({"view": view, **values}))


def figures(screen: AppTest) -> list[dict[str, Any]]:
    return [json.loads(each.proto.spec) for each in screen.get("plotly_chart")]


def array(given: Any) -> np.ndarray[Any, Any]:
    """What a figure sends as numbers."""
    if not isinstance(given, dict):
        return np.array(given)
    found = np.frombuffer(base64.b64decode(given["bdata"]), given["dtype"])
    return (
        found.reshape([int(side) for side in str(given["shape"]).split(",")])
        if "shape" in given
        else found
    )


def html_of(screen: AppTest) -> str:
    return " ".join(str(each.proto.body) for each in screen.get("html"))


PAIRS = [
    (view, *[*POSITION_KINDS][first : first + 2])
    for view in SHOWN
    for first in range(0, len(POSITION_KINDS), 2)
]


@pytest.mark.parametrize("view_and_kinds", PAIRS, ids=" ".join)
def test_every_encoding_has_a_finding_and_a_picture(view_and_kinds: tuple[str, ...]) -> None:
    view, *kinds = view_and_kinds
    screen = at(view, **dict(zip(("encoding", "beside"), kinds, strict=False)))
    assert not screen.exception
    assert not screen.error
    assert not lost(screen)
    assert html_of(screen).count("class='finding'") == len(kinds)
    for kind in kinds:
        label = POSITION_KINDS[kind].label
        titles = [each["layout"].get("title", {}).get("text", "") for each in figures(screen)]
        assert any(label in title for title in titles) or "There is nothing" in str(figures(screen))
    assert all(each.proto.alt for each in screen.get("plotly_chart"))


def test_a_view_of_words_says_why_sinusoids_and_which_settings_differ() -> None:
    screen = at("rotation", offset="9", base="500.0")
    assert "“9 positions later” is one and the same matrix" in html_of(screen)
    assert settings_of(screen).replace("\\", "") == "Settings: frequency base 500.0"


def test_two_encodings_stand_beside_each_other_with_the_settings_of_both() -> None:
    screen = at(
        "matrix", encoding="sinusoidal", beside="alibi", d_model="8", length="20", heads="4"
    )
    assert not screen.exception
    waves, scores = (array(figure["data"][0]["z"]) for figure in figures(screen))
    assert waves.shape == (20, 8)
    assert scores.shape == (4, 39)
    # beside itself it would say nothing new
    screen.selectbox(key="positions encoding").set_value("alibi").run()
    assert not screen.exception
    assert len(figures(screen)) == 1


@pytest.mark.parametrize(
    ("values", "sentences"),
    [
        (
            {"view": "carpet", "beside": "gone", "encoding": "<b>x</b>", "color": "red"},
            ["view: there is no carpet", "encoding: there is no <b>x</b>", "color means nothing"],
        ),
        (
            {"d_model": "1e9", "length": "many", "task": "sort", "base": "-1", "steps": "7"},
            [f"{name}: there is no" for name in ("d_model", "length", "task", "base", "steps")],
        ),
    ],
)
def test_a_link_that_asks_for_what_is_not_there(
    values: dict[str, str], sentences: list[str]
) -> None:
    screen = opened("positions", set=pack(values))
    assert not screen.exception
    told = re.sub(r"\\|`|\u2060", "", " ".join(lost(screen))).lower()
    assert [sentence for sentence in sentences if sentence not in told] == []
    assert screen.get("plotly_chart")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"encoding": "rotary", "d_head": "33"}, "is odd and rotary positions rotate pairs"),
        ({"encoding": "sinusoidal", "d_model": "7"}, "is odd and sinusoidal positions need pairs"),
        ({"encoding": "relative", "buckets": "200", "max_distance": "9"}, "too small for"),
        ({"encoding": "alibi", "heads": "64", "length": "2048"}, "give at most 724 positions"),
        ({"view": "rotation", "offset": "500"}, "leads beyond 128 positions; give at most 127"),
    ],
)
def test_sizes_that_no_such_model_has_are_refused_beside_their_controls(
    values: dict[str, str], said: str
) -> None:
    screen = at(**{"view": "matrix", **values})
    assert not screen.exception
    assert said in re.sub(r"\\|`|\u2060", "", page_text(screen))
    assert screen.selectbox(key="positions encoding").value == values.get("encoding", "sinusoidal")


def test_the_share_link_opens_the_same_view() -> None:
    screen = at("waves", encoding="rotary", beside="sinusoidal", pair="3", base="500.0")
    packed = str(screen.session_state["set"])
    expected = {
        "view": "waves",
        "encoding": "rotary",
        "beside": "sinusoidal",
        "pair": "3",
        "base": "500.0",
    }
    assert unpack(packed).items() >= expected.items()
    assert "set=" in link(screen)
    again = opened("positions", set=packed)
    assert [figure["layout"]["title"] for figure in figures(again)] == [
        figure["layout"]["title"] for figure in figures(screen)
    ]


def test_a_link_of_an_encoding_without_a_view_opens_its_numbers() -> None:
    screen = opened("positions", set="encoding:alibi")
    assert screen.segmented_control(key="positions view").value == "matrix"


def test_every_setting_changes_some_picture() -> None:
    used = {
        name
        for kind in POSITION_KINDS
        for view in SHOWN
        for name in PositionKinds(kind, show=view).used
    }
    given = {"encoding", "run", "show"}
    assert used | given == {row.name for row in PositionKinds.declared()}
    assert {*page.labels()} == {"model", *SHOWN, "longer"}


def test_two_words_are_swapped_and_the_finding_says_what_changes() -> None:
    screen = opened("positions", src="the red house")
    assert not screen.exception
    assert "the encoder cannot tell that “the” and “house” are swapped" in html_of(screen)
    (bars,) = figures(screen)
    with_positions, without = (array(trace["y"]) for trace in bars["data"])
    assert with_positions.max() > 0.1
    assert without.max() < 1e-4
    (table,) = screen.dataframe
    assert list(table.value["token"]) == ["the", "red", "house", "</s>"]
    screen.selectbox(key="positions other_word").set_value("2").run()
    assert "“the” and “red” are swapped" in html_of(screen)
    said = unpack(str(screen.session_state["set"]))
    assert (said["swap"], said["with"]) == ("1", "2")
    screen.selectbox(key="positions other_word").set_value("1").run()
    assert "leaves the sentence as it is" in html_of(screen)


def test_a_sentence_is_kept_by_the_views_that_do_not_show_it() -> None:
    screen = opened("positions", src="the red house", set=pack({"view": "matrix"}))
    assert "src=the+red+house" in link(screen)
    assert "src=the+cat+sits+on+the+mat" in link(opened("positions"))
    screen.segmented_control(key="positions view").set_value("model").run()
    assert not screen.exception
    assert box(screen) == "the red house"


@pytest.mark.parametrize(
    ("text", "said"), [("", "press an example"), ("house", "two words or more")]
)
def test_without_two_words_the_page_asks_for_them(text: str, said: str) -> None:
    screen = opened("positions", src=text, set=pack({"view": "model"}))
    assert not screen.exception
    assert said in page_text(screen)


def test_markup_in_the_sentence_is_inert() -> None:
    text = "**bold** :material/home: <img src=x onerror=alert(1)> `x` $x^2$ :red[x]"
    screen = opened("positions", src=text, set=pack({"view": "model"}))
    assert not screen.exception
    labels = screen.selectbox(key="positions word").options
    assert all(label.startswith(f"swap {n} · ") for n, label in enumerate(labels, 1))


def own(kind: str) -> None:
    """The visitor's run with positions of this kind."""
    changes = {**SMALL, "model.positions.kind": kind, "train.steps": 1}
    make_run(settings.home() / "runs" / "mine", changes)
    cached.refresh_runs()


def of_mine(view: str, encoding: str = "learned", **values: str) -> AppTest:
    given = {"view": view, "encoding": encoding, **values}
    screen = opened("positions", run="mine", set=pack(given))
    assert not screen.exception
    return screen


def test_a_run_of_ones_own_shows_the_vectors_it_learned() -> None:
    own("learned")
    for view in ("matrix", "waves", "distance"):
        screen = of_mine(view, length="16")
        assert "What it learns is this run's" in page_text(screen)
        assert " · step 1<br>" in str(figures(screen)[0]["layout"]["title"])
    vectors = array(figures(of_mine("matrix", length="2000"))[0]["data"][0]["z"])
    assert vectors.shape == (64, 16)
    assert len(of_mine("model").dataframe) == 1


def test_a_run_of_ones_own_shows_the_scores_it_learned() -> None:
    own("relative")
    screen = of_mine("distance", "relative")
    assert "What it learns is this run's" in page_text(screen)
    assert not of_mine("model").dataframe  # nothing is added to its embeddings


@pytest.mark.parametrize(("task", "score"), [("reverse", "digits"), ("copy", "whole")])
def test_the_shipped_control_runs_are_there_at_once(task: str, score: str) -> None:
    screen = at("longer", task=task, score=score)
    assert not lost(screen)
    (figure,) = figures(screen)
    named = [trace["name"] for trace in figure["data"] if trace.get("showlegend", True)]
    measured = {result.kind for result in shipped_results(task)}
    assert named == [row.label for kind, row in POSITION_KINDS.items() if kind in measured]
    assert "shipped" in figure["layout"]["title"]["text"]
    assert "up to 32" in page_text(screen)
    assert not queue.jobs(asker.LOCAL)


@pytest.mark.slow
def test_control_runs_are_queued_trained_and_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extrapolation, "LENGTHS", (4, 13))
    screen = at("longer", steps="100", seed="3")
    assert "No model has been measured yet" in html_of(screen)
    # what is typed just before the click: the browser sends both at once, before the button was drawn with it
    screen.number_input(key="positions steps").set_value(200)
    screen.button(key="positions train").click().run()
    assert not screen.exception
    assert not screen.error
    jobs = queue.jobs(asker.LOCAL)
    assert [job.spec["recipe"]["train"]["steps"] for job in jobs] == [200] * len(POSITION_KINDS)
    assert {job.spec["recipe"]["model"]["positions"]["kind"] for job in jobs} == set(POSITION_KINDS)
    assert f"0 of {len(POSITION_KINDS)} runs trained" in str(screen.get("progress")[0].proto.text)
    assert "positions train" not in [button.key for button in screen.button]
    job = queue.claim("w", "h", jobs[0].slot, 60)
    assert job
    job.spec["source"] += "#rows=200"
    job.spec["recipe"]["train"] |= {"steps": 5, "warmup_steps": 1}
    list(training.work(job, FakeContext()))
    queue.finish(job.id, "w", "done")
    cached.refresh_runs()
    screen.run()
    assert not screen.exception
    assert [trace["name"] for trace in figures(screen)[0]["data"]] == ["Sinusoidal"]
    assert f"1 of {len(POSITION_KINDS)} runs trained" in str(screen.get("progress")[0].proto.text)
    assert "trained here" in figures(screen)[0]["layout"]["title"]["text"]
    assert "has learned the task" in html_of(screen)

import base64
import json
import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from s2s import settings
from s2s.analysis import positions as engine
from s2s.config import POSITION_KINDS, Positions, asker
from s2s.jobs import extrapolation, training
from s2s.library import Library
from s2s.links.share import pack, unpack
from s2s.processes import queue
from s2s.ui.kit import cached
from s2s.ui.positions.settings import PositionSettings
from s2s.ui.positions.views import ABSENT, PICTURES
from tests.conftest import make_run
from tests.harvest import compared, executed
from tests.jobs.context import FakeContext
from tests.screen import box, link, lost, opened, page_text
from tests.ui.test_reproduce import unfolded

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


def assert_its_code_computes_it(screen: AppTest, least: int) -> None:
    """All numbers of a page with its section open, and at least so many."""
    n_numbers, lacking = compared(screen, executed(screen))
    assert not lacking
    assert n_numbers >= least


def test_the_page_opens_with_the_models_own_sinusoids() -> None:
    screen = unfolded("positions", set="view:matrix")
    assert_its_code_computes_it(screen, 16_000)
    (figure,) = figures(screen)
    np.testing.assert_allclose(
        array(figure["data"][0]["z"]), engine.sinusoid_vectors(128, 128, Positions()), atol=1e-6
    )
    assert "added to the word" in page_text(screen)
    assert "Knows" not in page_text(screen)  # the settings are the visitor's own, not the run's


def of_view(view: str) -> list[str]:
    """The encodings with a picture there, and some without one."""
    absent = [kind for other, kind in ABSENT if other == view == "waves"]
    return [*PICTURES[view], *absent, *(["none"] if view == "rotation" else [])]


PAIRS = [
    (view, *kinds[first : first + 2])
    for view in PICTURES
    for kinds in [of_view(view)]
    for first in range(0, len(kinds), 2)
]


@pytest.mark.parametrize("view_and_kinds", PAIRS, ids=" ".join)
def test_every_encoding_has_a_picture_or_a_sentence(view_and_kinds: tuple[str, ...]) -> None:
    view, *kinds = view_and_kinds
    screen = at(view, **dict(zip(("encoding", "beside"), kinds, strict=False)))
    assert not screen.exception
    assert not screen.error
    assert not lost(screen)
    for kind in kinds:
        is_drawn = kind in PICTURES[view] and kind != "learned"  # the demo's are not learned
        label = POSITION_KINDS[kind].label
        (own,) = (
            each for each in screen.columns if label in [text.value for text in each.subheader]
        )
        assert (bool(own.get("plotly_chart")), bool(own.info)) == (is_drawn, not is_drawn)
    assert all(each.proto.alt for each in screen.get("plotly_chart"))
    labels = [each.label for each in screen.get("download_button")]
    assert labels.count("Download data (CSV)") == len(screen.get("plotly_chart"))
    controls = [each for name in ("selectbox", "number_input") for each in getattr(screen, name)]
    assert len(controls) <= 10


def test_sentences_stand_only_where_there_is_no_picture() -> None:
    assert not [pair for pair in ABSENT if pair[1] in PICTURES[pair[0]]]
    used = {
        name
        for pictures in PICTURES.values()
        for picture in pictures.values()
        for name in picture.settings
    }
    assert used == set(PositionSettings.__dataclass_fields__)


def test_two_encodings_stand_beside_each_other_with_the_settings_of_both() -> None:
    screen = at(
        "matrix",
        encoding="sinusoidal",
        beside="relative",
        d_model="8",
        length="20",
        buckets="8",
        max_distance="10",
    )
    assert not screen.exception
    waves, buckets = (array(figure["data"][0]["z"]) for figure in figures(screen))
    assert waves.shape == (20, 8)
    far = np.arange(20)
    expected = engine.buckets(
        (far[None] - far[:, None]).ravel(),
        Positions("relative", buckets=8, max_distance=10),
        is_causal=False,
    )
    np.testing.assert_array_equal(buckets, expected.reshape(20, 20))
    screen.selectbox(key="positions encoding").set_value(
        "relative"
    ).run()  # beside itself it would say nothing new
    assert not screen.exception
    assert len(figures(screen)) == 1


def test_an_odd_width_is_drawn_and_explained() -> None:
    screen = at("matrix", d_model="7", length="30")
    assert array(figures(screen)[0]["data"][0]["z"]).shape == (30, 7)
    assert "the last sine has no cosine" in page_text(screen)
    assert "Take 8" in page_text(screen)
    turned = at("rotation", d_model="7", length="30")
    assert float(turned.metric[0].value) < 1e-5
    assert "left out" in page_text(turned)


def test_the_rotation_is_checked_in_a_number() -> None:
    screen = at("rotation", encoding="rotary", offset="9")
    assert not screen.exception
    assert float(screen.metric[0].value) < 1e-3
    assert "9" in screen.metric[0].label


@pytest.mark.parametrize(
    ("values", "sentences"),
    [
        (
            {"view": "carpet", "encoding": "<b>x</b>", "beside": "gone", "color": "red"},
            [
                "View: there is no carpet here",
                "link's color means nothing",
            ],
        ),
        (
            {"d_model": "1e9", "length": "many", "task": "sort"},
            [f"link's {name} cannot be used" for name in ("d_model", "length", "task")],
        ),
        ({"d_head": "33"}, ["is odd and rotary positions rotate pairs"]),
        ({"buckets": "200", "max_distance": "9"}, ["too small for"]),
    ],
)
def test_a_link_that_asks_for_what_is_not_there(
    values: dict[str, str], sentences: list[str]
) -> None:
    screen = opened("positions", set=pack(values))
    assert not screen.exception
    told = re.sub(r"\\|`|\u2060", "", " ".join(lost(screen)))
    assert all(sentence in told for sentence in sentences)
    assert screen.get("plotly_chart")


def test_a_wrong_value_is_said_under_its_control_and_does_not_follow_to_another_view() -> None:
    screen = at("rotation")
    screen.number_input(key="positions offset").set_value(500).run()
    assert not screen.exception
    assert "leads beyond 128 positions; give at most 127" in page_text(screen)
    assert not screen.get("plotly_chart")
    screen.segmented_control(key="positions view").set_value("matrix").run()
    assert not screen.exception
    assert not screen.error
    assert screen.get("plotly_chart")


def test_the_share_link_opens_the_same_view() -> None:
    screen = at("waves", encoding="rotary", beside="sinusoidal", pair="3", base="500.0")
    packed = str(screen.session_state["set"])
    assert (
        unpack(packed).items()
        >= {
            "view": "waves",
            "encoding": "rotary",
            "beside": "sinusoidal",
            "pair": "3",
            "base": "500.0",
        }.items()
    )
    assert "set=" in link(screen)
    again = opened("positions", set=packed)
    assert [figure["layout"]["title"] for figure in figures(again)] == [
        figure["layout"]["title"] for figure in figures(screen)
    ]


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


def html_of(screen: AppTest) -> str:
    return " ".join(str(each.proto.body) for each in screen.get("html"))


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


def test_a_run_of_ones_own_shows_the_vectors_that_it_learned() -> None:
    own("learned")
    for view in ("matrix", "waves"):
        assert of_mine(view).get("plotly_chart")
    for length in (64, 16):
        screen = of_mine("distance", length=str(length))
        assert array(figures(screen)[1]["data"][0]["z"]).shape == (length, length)
    assert of_mine("model").dataframe


def test_a_run_of_ones_own_shows_the_scores_of_distances_that_it_learned() -> None:
    own("relative")
    assert not of_mine("distance").get("plotly_chart")  # it has no learned vectors
    assert len(of_mine("distance", "relative").get("plotly_chart")) == 2
    assert not of_mine("model").dataframe


def test_a_matrix_of_buckets_beyond_the_screen_shows_buckets() -> None:
    screen = at("matrix", encoding="relative", length="1024")
    (figure,) = figures(screen)
    (cells,) = figure["data"]
    shown = array(cells["z"])
    positions = np.arange(0, 1024, 4)
    pairs = positions[None] - positions[:, None]
    wanted = engine.buckets(pairs.ravel(), Positions("relative"), is_causal=False)
    np.testing.assert_array_equal(shown, wanted.reshape(shown.shape))
    assert (cells["dx"], cells["dy"]) == (4, 4)
    assert "one position in 4 drawn" in figure["layout"]["title"]["text"]


@pytest.mark.parametrize(("task", "score"), [("reverse", "digits"), ("copy", "whole")])
def test_the_shipped_control_runs_are_there_at_once(task: str, score: str) -> None:
    screen = unfolded("positions", set=pack({"view": "longer", "task": task, "score": score}))
    assert_its_code_computes_it(screen, 200)
    assert not lost(screen)
    (figure,) = figures(screen)
    named = [trace["name"] for trace in figure["data"] if trace.get("showlegend", True)]
    assert named == [row.label for row in POSITION_KINDS.values()]
    assert "shipped" in figure["layout"]["title"]["text"]
    assert "up to 32" in page_text(screen)
    assert not queue.jobs(asker.LOCAL)


@pytest.mark.slow
def test_control_runs_are_queued_trained_and_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extrapolation, "LENGTHS", (4, 13))
    screen = at("longer", steps="100", seed="3")
    assert "No model has been measured yet" in json.dumps(figures(screen))
    # what is typed just before the click: the browser sends both at once, before the button was drawn with it
    screen.number_input(key="positions steps").set_value(200)
    screen.button(key="positions train").click().run()
    assert not screen.exception
    assert not screen.error
    jobs = queue.jobs(asker.LOCAL)
    assert [job.spec["recipe"]["train"]["steps"] for job in jobs] == [200] * len(POSITION_KINDS)
    assert {job.spec["recipe"]["model"]["positions"]["kind"] for job in jobs} == set(POSITION_KINDS)
    assert "0 of 6 runs trained" in str(screen.get("progress")[0].proto.text)
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
    assert "1 of 6 runs trained" in str(screen.get("progress")[0].proto.text)
    assert "trained here" in figures(screen)[0]["layout"]["title"]["text"]
    assert extrapolation.saved(Library().run(job.run), "reverse") is not None

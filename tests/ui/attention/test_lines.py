"""The lines of Attention, and the files that can be downloaded of any of its maps."""

import csv
import io
import json
from functools import partial
from xml.etree import ElementTree

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import s2s
from s2s.analysis import Attention, HeadSelection, reduced
from s2s.analysis.simplify import strongest_cells, without_sinks
from s2s.plots import svg
from s2s.runs import Run
from s2s.ui.attention import export
from s2s.ui.attention import lines as attention_lines
from s2s.ui.attention.request import AttentionRequest
from tests.screen import component, link, lost, opened, page_text

DEMO = "demo-en-fr"
TEXT = "the red house"


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load(DEMO)


@pytest.fixture(scope="module")
def attention(run: Run) -> Attention:
    return run.attention(TEXT, run.translate([TEXT])[0].text)


def lines(settings: str = "", **params: str) -> AppTest:
    screen = opened(
        "attention",
        run=DEMO,
        src=TEXT,
        set=",".join(filter(None, ("view:lines", settings))),
        **params,
    )
    assert not screen.exception
    return screen


def drawn(screen: AppTest) -> dict[str, object]:
    """The data of the component."""
    return component(screen, "heads")


def joined(screen: AppTest) -> dict[str, list[list[float]]]:
    return {head["name"]: head["links"] for head in drawn(screen)["heads"]}


def expected(attention: Attention, which: HeadSelection, share: float) -> list[list[float]]:
    return [
        [row, key, pytest.approx(weight, abs=1e-4)]
        for row, key, weight in strongest_cells(reduced(attention, which).weights, share)
    ]


@pytest.mark.parametrize("kind", ["cross", "decoder"])
def test_a_link_opens_the_lines_of_the_models_own_weights(kind: str, attention: Attention) -> None:
    screen = lines(kind=kind, layer="1", head="3")
    assert not lost(screen)
    assert list(joined(screen).values()) == [expected(attention, HeadSelection(kind, 0, 2), 0.75)]
    view = attention.view(kind)
    assert (drawn(screen)["rows"], drawn(screen)["keys"]) == ([*view.rows], [*view.keys])
    assert "75%" in page_text(screen)


def test_all_lines_are_drawn_at_a_share_of_one_and_the_share_is_in_the_link(
    attention: Attention,
) -> None:
    screen = lines("share:1.0", kind="encoder")
    (each,) = joined(screen).values()
    assert len(each) == attention.encoder.shape[-1] ** 2
    assert "All lines are drawn" in page_text(screen)
    assert "share%3A1.0" in link(screen)
    screen.slider(key="attention share").set_value(0.5).run()
    assert list(joined(screen).values()) == [expected(attention, HeadSelection("encoder", 1), 0.5)]
    assert "share%3A0.5" in link(screen)


def test_several_heads_are_drawn_side_by_side_and_are_in_the_link(attention: Attention) -> None:
    screen = lines("heads:1.2 2.4")
    assert joined(screen) == {
        "1.2": expected(attention, HeadSelection("cross", 0, 1), 0.75),
        "2.4": expected(attention, HeadSelection("cross", 1, 3), 0.75),
    }
    screen.multiselect(key="attention heads").set_value(["2.1"]).run()
    assert [*joined(screen)] == ["2.1"]
    assert "heads%3A2.1" in link(screen)


def test_several_heads_are_simplified_like_one(attention: Attention) -> None:
    screen = lines("heads:2.1 2.2,drop:1")
    tidy = without_sinks(reduced(attention, HeadSelection("cross", 1, 1))).picture
    assert drawn(screen)["keys"] == ["the", "red", "house"]
    assert len(joined(screen)["2.2"]) == len(strongest_cells(tidy.weights))


def test_what_a_link_asks_for_and_does_not_exist_is_reported_and_left_out() -> None:
    screen = lines("heads:1.2 7.1,share:7")
    assert [*joined(screen)] == ["1.2"]
    assert len(lost(screen)) == 1
    assert "no head 7.1 of cross attention" in page_text(screen)
    assert "share: there is no 7 here" in page_text(screen)
    assert "share: there is no <b> here" in page_text(lines("share:<b>"))


def test_of_too_many_lines_the_strongest_are_drawn(
    attention: Attention, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention_lines, "MAX_LINES", 6)
    screen = lines("share:1.0", kind="encoder")
    (each,) = joined(screen).values()
    assert len(each) == 6
    assert "Only the 6 strongest of 16 lines are drawn" in page_text(screen)
    weights = np.sort(reduced(attention, HeadSelection("encoder", 1)).weights.ravel())
    assert sorted(weight for *_, weight in each) == pytest.approx(weights[-6:], abs=1e-4)


def request(run: Run, attention: Attention, which: HeadSelection) -> AttentionRequest:
    picture = reduced(attention, which)
    return AttentionRequest(
        run, "=<b>the</b>", "la", "la", attention, which, "mean", picture, picture, "Without `<s>`."
    )


def kept(run: Run, attention: Attention, *places: HeadSelection) -> export.AttentionExport:
    pictures = {which: reduced(attention, which) for which in places}
    first = next(iter(pictures.values()))
    draw = partial(svg.heatmap, first.weights, first.keys, first.rows, verb=first.verb)
    name = export.maps_name(pictures)
    return export.make_export(request(run, attention, places[0]), draw, pictures, "A note.", name)


def test_the_numbers_are_the_librarys_own(run: Run, attention: Attention) -> None:
    files = kept(run, attention, HeadSelection("cross", 1, 0))
    head, *rows = csv.reader(io.StringIO(files.csv()))
    assert head == ["predicts", *attention.src_tokens]
    assert [row[0] for row in rows] == [*attention.tgt_tokens]
    np.testing.assert_allclose(
        np.array([row[1:] for row in rows], float), attention.cross[1, 0], atol=1e-6
    )
    content = json.loads(files.json())
    (picture,) = content.pop("pictures")
    assert content == {
        "run": DEMO,
        "step": 1500,
        "kind": "cross",
        "reduction": "mean",
        "tidying": "Without <s>.",
        "source": "=<b>the</b>",
        "target": "la",
    }
    assert (picture["layer"], picture["head"], picture["name"]) == (
        2,
        1,
        "layer 2 of 2 · head 1 of 4",
    )
    assert (picture["rows"], picture["keys"]) == ([*attention.tgt_tokens], [*attention.src_tokens])
    np.testing.assert_array_equal(np.array(picture["weights"], np.float32), attention.cross[1, 0])


def test_several_heads_are_in_one_table_each_by_its_name(run: Run, attention: Attention) -> None:
    files = kept(run, attention, HeadSelection("cross", 0, 1), HeadSelection("cross", 1, 3))
    head, *rows = csv.reader(io.StringIO(files.csv()))
    assert head == ["head", "predicts", *attention.src_tokens]
    n_rows = len(attention.tgt_tokens)
    assert [row[0] for row in rows] == ["1.2"] * n_rows + ["2.4"] * n_rows
    np.testing.assert_allclose(
        np.array([row[2:] for row in rows[n_rows:]], float), attention.cross[1, 3], atol=1e-6
    )
    assert [picture["head"] for picture in json.loads(files.json())["pictures"]] == [2, 4]
    assert files.title == "cross-attention · heads 1.2, 2.4 (layer.head)"


def test_the_picture_names_its_run_and_visitors_text_is_escaped(
    run: Run, attention: Attention
) -> None:
    files = kept(run, attention, HeadSelection("cross", 1, 0))
    about = "".join(ElementTree.fromstring(files.svg()).itertext())
    for part in (
        DEMO,
        "step 1,500",
        "cross-attention",
        "layer 2 of 2",
        "head 1 of 4",
        "weights",
        "Without <s>.",
        "A note.",
        "=<b>the</b>",
    ):
        assert part in about
    assert "<b>" not in files.html()
    assert "=&lt;b&gt;the&lt;/b&gt;" in files.html()


@pytest.mark.parametrize("view", ["map", "lines"])
def test_every_picture_offers_its_files_when_the_popover_opens(view: str) -> None:
    screen = opened("attention", run=DEMO, src=TEXT, set=f"view:{view}")
    before = {button.label for button in screen.get("download_button")}
    screen.session_state["save attention"] = True
    screen.run()
    assert not screen.exception
    assert {button.label for button in screen.get("download_button")} - before == {
        "SVG",
        "HTML",
        "CSV",
        "JSON",
    }

"""The lines of Attention, and the files that can be downloaded of any of its maps."""

import csv
import io
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import s2s
from s2s import reports
from s2s.analysis import Attention, HeadSelection, reduced
from s2s.analysis.simplify import strongest_cells, without_sinks
from s2s.plots import Picture, attention_view, links_view
from s2s.questions import AttentionLines, AttentionOf, ForcedAttention, Have
from s2s.runs import Run
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
    monkeypatch.setattr(links_view, "MAX_LINES", 6)
    screen = lines("share:1.0", kind="encoder")
    (each,) = joined(screen).values()
    assert len(each) == 6
    assert "Only the 6 strongest of 16 lines are drawn" in page_text(screen)
    weights = np.sort(reduced(attention, HeadSelection("encoder", 1)).weights.ravel())
    assert sorted(weight for *_, weight in each) == pytest.approx(weights[-6:], abs=1e-4)


def shown(**fields: str) -> tuple[AttentionLines, ForcedAttention, Picture]:
    question = AttentionLines(DEMO, "=<b>the</b>", "la", **fields)
    answer = Have().answer(question)
    return question, answer, links_view.lines(question, answer, "the model")[0]


def test_the_numbers_are_the_librarys_own_and_several_heads_are_in_one_table(run: Run) -> None:
    attention = run.attention("=<b>the</b>", "la")
    _, _, picture = shown(heads="1.2 2.4")
    head, *rows = csv.reader(io.StringIO(picture.table.csv()))
    assert head == ["head", "predicts", *attention.src_tokens]
    n_rows = len(attention.tgt_tokens)
    assert [row[0] for row in rows] == ["1.2"] * n_rows + ["2.4"] * n_rows
    np.testing.assert_allclose(
        np.array([row[2:] for row in rows[n_rows:]], float), attention.cross[1, 3], atol=1e-6
    )
    assert picture.title == "the model\ncross-attention · heads 1.2, 2.4 (layer.head)"


def test_a_file_names_its_run_and_visitors_text_is_escaped() -> None:
    question, answer, _ = shown()
    (picture,) = attention_view.pictures(
        replace(AttentionOf(DEMO, question.text, "la"), layer="2", head="1", drop=True), answer, "m"
    )
    about = "".join(ElementTree.fromstring(picture.svg()).itertext())
    said = (
        "m · weights",
        "cross-attention",
        "layer 2 of 2",
        "head 1 of 4",
        "is hidden",
        "=<b>the</b>",
    )
    for part in said:
        assert part in about
    page = reports.pictures.page("a title", [picture])
    assert "<b>" not in page


@pytest.mark.parametrize("view", ["map", "lines"])
def test_every_picture_offers_its_files_and_code_when_the_menu_opens(view: str) -> None:
    screen = opened("attention", run=DEMO, src=TEXT, set=f"view:{view}")
    before = {button.label for button in screen.get("download_button")}
    screen.session_state[f"menu {view}"] = True
    screen.run()
    assert not screen.exception
    assert {button.label for button in screen.get("download_button")} - before == {
        "SVG",
        "HTML",
        "CSV",
        "JSON",
    }
    assert any("s2s.ask(" in str(code.value) for code in screen.code)

from urllib.parse import unquote

import pandas as pd
from streamlit.testing.v1 import AppTest

from s2s.questions import GoldOf, Have
from s2s.ui.attention import alignment
from tests.screen import link, lost, opened, page_text, picture

DEMO = "demo-en-es"
TEXT = "the red house"


def finding(screen: AppTest) -> str:
    """What the picture shows, in words; empty where nothing is said."""
    bodies = [str(each.proto.body) for each in screen.get("html")]
    return next((body for body in bodies if "data-answer" in body), "")


def linked(screen: AppTest) -> pd.DataFrame:
    """The table of links, opened."""
    screen.session_state[alignment.ROWS] = True
    screen.run()
    return next(each.value for each in screen.dataframe if "source position" in each.value)


def press(screen: AppTest, label: str) -> AppTest:
    button = next(button for button in screen.button if button.label == label)
    return button.click().run()


def test_a_button_shows_the_head_that_matches_the_gold_alignment_best() -> None:
    screen = opened("attention", run=DEMO, src=TEXT, layer="1", head="1", set="view:alignment")
    best = Have().answer(alignment.Alignment(DEMO, TEXT)).best
    press(screen, "Show that head")
    assert not screen.exception
    assert f"layer {best[0] + 1} of 2 · head {best[1] + 1} of 4" in picture(screen)[0]
    assert "exactly those of the gold alignment" in finding(screen)
    table = linked(screen)
    pairs = dict(zip(table["target"], table["source"], strict=True))
    assert (pairs["roja"], pairs["casa"]) == ("red", "house")
    assert "Show that head" not in [button.label for button in screen.button]
    screen.session_state["menu alignment"] = True
    labels = [button.label for button in screen.run().get("download_button")]
    assert labels[-5:] == ["SVG", "HTML", "CSV", "JSON", "Links (i-j)"]


def test_a_link_opens_the_method_and_its_share() -> None:
    screen = opened(
        "attention",
        run=DEMO,
        src=TEXT,
        layer="1",
        head="1",
        reduce="norm",
        set="view:alignment,links:share,share:0.5",
    )
    assert next(each for each in screen.slider if "hare" in each.label).value == 0.5
    assert "links:share" in unquote(link(screen))
    assert "norms" in picture(screen)[0]
    question = alignment.Alignment(
        DEMO, TEXT, links="share", share="0.5", layer="1", head="1", reduce="norm"
    )
    found = Have().answer(question)
    table = linked(screen)
    assert {*zip(table["source position"], table["target position"], strict=True)} == found.links
    screen.selectbox(key="attention links").set_value("both").run()
    assert not [each for each in screen.slider if "hare" in each.label]


def test_another_target_is_offered_the_known_one() -> None:
    screen = opened("attention", run=DEMO, src=TEXT, tgt="la casa", set="view:alignment")
    assert not finding(screen)
    assert (
        "There is a gold alignment of this source with another target: *la casa roja*"
        in page_text(screen)
    )
    assert "exactly those" in finding(press(screen, "Show that target"))


def test_a_sentence_with_known_alignment_brings_its_target() -> None:
    screen = opened("attention", run=DEMO, src="my cat", set="view:alignment")
    offered = screen.selectbox(key=alignment.EXAMPLE)
    assert offered.value is None
    src = offered.options[7]
    offered.set_value(src).run()
    assert screen.text_input(key="src").value == src
    gold = Have().answer(GoldOf(DEMO)).targets
    assert screen.text_input(key="tgt box").value == gold[src][0].tgt
    assert "the gold alignment" in finding(screen)


def test_other_kinds_and_unknown_methods_are_said() -> None:
    screen = opened(
        "attention", run=DEMO, src=TEXT, kind="encoder", set="view:alignment,links:magic"
    )
    assert not screen.exception
    assert any("there is no magic here" in sentence for sentence in lost(screen))
    assert finding(press(screen, "Show cross-attention"))

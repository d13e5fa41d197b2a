import csv
import io
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import s2s
from s2s.analysis.alignment import alignment_error_rate, best_sources, merge_to_words, word_indices
from s2s.analysis.alignment_links import LINK_METHODS
from s2s.ui.attention import alignment
from s2s.ui.kit import gold_alignment
from tests.screen import link, lost, opened, page_text, picture

DEMO = "demo-en-es"
TEXT = "the red house"
TARGET = "la casa roja"


def words(text: str = TEXT, target: str = TARGET) -> np.ndarray:
    """(layers, heads, tgt_words, src_words) of the demo."""
    attention = s2s.load(DEMO).attention(text, target)
    return merge_to_words(
        attention.cross,
        word_indices(attention.tgt_tokens, is_whole=True),
        word_indices(attention.src_tokens, is_whole=True),
    )


def numbers(screen: AppTest) -> dict[str, str]:
    return {each.label: each.value for each in screen.metric}


def linked(screen: AppTest) -> pd.DataFrame:
    """The table of links."""
    return next(each.value for each in screen.dataframe if "source position" in each.value)


def test_the_best_cross_head_puts_roja_on_red_and_casa_on_house() -> None:
    rates = alignment_error_rate(
        [best_sources(words())], [gold_alignment.of(s2s.load(DEMO))[TEXT][0].links]
    )
    layer, head = (int(place) for place in np.unravel_index(rates.argmin(), rates.shape))
    first = opened("attention", run=DEMO, src=TEXT, layer="1", head="1", set="view:alignment")
    assert f"head {head + 1} of layer {layer + 1}" in page_text(first).lower()
    next(button for button in first.button if button.label == "Show that head").click().run()
    assert f"layer {layer + 1} of 2 · head {head + 1} of 4" in picture(first)[0]
    table = linked(first)
    pairs = dict(zip(table["target"], table["source"], strict=True))
    assert (pairs["roja"], pairs["casa"]) == ("red", "house")
    assert numbers(first)["Alignment error"] == "0.00"


@pytest.mark.parametrize("slug", ["both", "grow-diag-final"])
def test_links_and_their_error_are_those_of_the_library(slug: str) -> None:
    text = "the cat sits on the mat"
    target = "el gato está sentado sobre la alfombra"
    screen = opened(
        "attention",
        run=DEMO,
        src=text,
        tgt=target,
        layer="1",
        head="3",
        set=f"view:alignment,links:{slug}",
    )
    assert not screen.exception
    weights = words(text, target)[0, 2]
    np.testing.assert_allclose(picture(screen)[1], weights, atol=1e-6)
    found = LINK_METHODS[slug].extract(weights)
    known = gold_alignment.of(s2s.load(DEMO))[text][0].links
    table = linked(screen)
    places_of = list(zip(table["source position"], table["target position"], strict=True))
    assert set(places_of) == found
    assert [each == "yes" for each in table["correct"]] == [each in known for each in places_of]
    hits = len(found & known)
    expected = {
        "Precision": hits / len(found),
        "Recall": hits / len(known),
        "Alignment error": 1 - 2 * hits / (len(found) + len(known)),
    }
    assert numbers(screen) == {label: f"{value:.2f}" for label, value in expected.items()}
    assert f"links:{slug}" in unquote(link(screen))


def test_a_share_limits_the_links_as_it_says() -> None:
    screen = opened(
        "attention", run=DEMO, src=TEXT, layer="mean", set="view:alignment,links:share,share:0.5"
    )
    assert next(each for each in screen.slider if "hare" in each.label).value == 0.5
    table = linked(screen)
    found = set(zip(table["source position"], table["target position"], strict=True))
    assert found == alignment.by_share(words().mean((0, 1)), 0.5)


def test_another_target_is_offered_the_known_one() -> None:
    screen = opened("attention", run=DEMO, src=TEXT, tgt="la casa", set="view:alignment")
    assert not screen.metric
    assert (
        "There is a gold alignment of this source with another target: *la casa roja*"
        in page_text(screen)
    )
    next(button for button in screen.button if button.label == "Show that target").click().run()
    assert numbers(screen)["Alignment error"] == "0.00"


def test_a_sentence_with_known_alignment_brings_its_target() -> None:
    screen = opened("attention", run=DEMO, src="my cat", set="view:alignment")
    offered = screen.selectbox(key=alignment.EXAMPLE)
    assert offered.value is None
    src = offered.options[7]
    offered.set_value(src).run()
    assert screen.text_input(key="src").value == src
    assert screen.text_input(key="tgt box").value == gold_alignment.of(s2s.load(DEMO))[src][0].tgt
    assert len(numbers(screen)) == 3


def test_other_kinds_and_unknown_methods_are_said() -> None:
    screen = opened(
        "attention", run=DEMO, src=TEXT, kind="encoder", set="view:alignment,links:magic"
    )
    assert not screen.exception
    next(button for button in screen.button if button.label == "Show cross-attention").click().run()
    assert any("there is no magic here" in sentence for sentence in lost(screen))
    assert len(screen.metric) == 3


def test_downloaded_links_are_safe_in_a_spreadsheet() -> None:
    text = alignment.links_csv(
        ("a", "b", "source", "target", "weight", "correct"), [(0, 1, "=cmd()", "x,y", 0.25, "yes")]
    )
    assert list(csv.reader(io.StringIO(text))) == [
        ["a", "b", "source", "target", "weight", "correct"],
        ["0", "1", "'=cmd()", "x,y", "0.25", "yes"],
    ]

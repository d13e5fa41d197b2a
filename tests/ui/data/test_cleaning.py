"""The panels Cleaning and Statistics on a small dataset, each on a page of its own."""

import csv
import io
import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from s2s.config import Cleaning
from s2s.data import LINT_RULES, Corpus, Pair, clean, enabled_rules, lint_pairs, load
from s2s.plots import PLOTS
from s2s.ui.data import cleaning as panels

PAIRS = (
    *(Pair(f"the house {n}", f"la maison {n}") for n in range(1, 90)),
    Pair("", "x"),
    Pair("*same* :red[a]", "*same* :red[a]"),
    Pair("the house 1", "la maison 1"),
    Pair("room 7", "chambre 8"),
    Pair("word " * 101, "mot " * 101),
)


def page() -> None:
    import streamlit as st

    from s2s.config import Cleaning
    from s2s.data import lint_pairs
    from s2s.ui.data import cleaning
    from tests.ui.data.test_cleaning import PAIRS

    now = st.session_state.get("now", Cleaning())
    st.session_state["now"] = cleaning.panel(lint_pairs(PAIRS, cleaning=now), now, key="t")


def opened() -> AppTest:
    screen = AppTest.from_function(page, default_timeout=20).run()
    assert not screen.exception
    return screen


def choose(screen: AppTest, **rules: str) -> Cleaning:
    """One click after another."""
    for rule, choice in rules.items():
        screen.segmented_control(key=f"clean t {rule}").set_value(choice).run()
        assert not screen.exception
    now: Cleaning = screen.session_state["now"]
    return now


def test_untouched_it_says_what_the_recipe_says() -> None:
    screen = opened()
    assert choose(screen) == Cleaning()
    assert screen.info[0].value == "Drops 1 of 94 pairs (1.1 %), leaves 93."


def test_every_rule_has_a_row_with_its_count() -> None:
    screen = opened()
    said = " ".join(text.value for text in screen.markdown)
    for key, rule in LINT_RULES.items():
        assert f"**{rule.label}**" in said
        if key == "invisible":  # repaired, never dropped
            continue
        assert screen.segmented_control(key=f"clean t {key}").value == (
            "drop" if key in enabled_rules(Cleaning()) else "keep"
        )


def test_clicks_add_up_and_the_effect_is_what_cleaning_does() -> None:
    screen = opened()
    wanted = choose(screen, duplicates="drop", numbers="drop", empty="keep", max_words="drop")
    assert wanted == Cleaning(duplicates=True, numbers=True, empty=False, max_words=100)
    left = len(clean(Corpus("t", "train", PAIRS), wanted))
    assert screen.info[
        0
    ].value == f"Drops {94 - left} of 94 pairs ({(94 - left) / 94:.1%}), leaves {left}.".replace(
        "%", " %"
    )
    for rule in ("duplicates", "numbers", "max_words"):
        screen.segmented_control(key=f"clean t {rule}").set_value("keep")
    assert choose(screen.run()) == Cleaning(empty=False)
    assert screen.info[0].value == "Drops nothing: all 94 pairs stay."


def test_a_limit_is_a_number_of_the_recipe() -> None:
    screen = opened()
    choose(screen, max_words="drop", max_ratio="drop")
    screen.number_input(key="clean t max_words limit").set_value(200).run()
    assert choose(screen) == Cleaning(max_words=200, max_ratio=3.0)
    screen.run()
    assert (
        screen.info[0].value == "Drops 1 of 94 pairs (1.1 %), leaves 93."
    )  # counted anew: the long one stays


def test_a_link_turns_the_switches() -> None:
    screen = opened()
    choose(screen, copies="drop")
    screen.session_state["now"] = Cleaning(markup=True, max_words=50)
    screen.run()
    assert choose(screen) == Cleaning(markup=True, max_words=50)
    assert screen.segmented_control(key="clean t copies").value == "keep"
    assert screen.number_input(key="clean t max_words limit").value == 50


def test_examples_are_shown_one_rule_at_a_time_as_they_stand() -> None:
    screen = opened()
    assert list(screen.dataframe[0].value["line"]) == [90]
    screen.button_group(key="clean t examples").set_value("copies").run()
    (row,) = screen.dataframe[0].value.itertuples(index=False)
    assert list(row) == [91, "*same* :red[a]", "*same* :red[a]", "Both sides are the same."]


def test_the_counts_are_a_table() -> None:
    report = lint_pairs(PAIRS)
    head, *rows, total = csv.reader(io.StringIO(panels._table(report, ["empty"])))
    assert head == ["rule", "pairs", "share", "choice"]
    assert [row[0] for row in rows] == list(LINT_RULES)
    assert [int(row[1]) for row in rows] == [found.n for found in report.found.values()]
    assert [row[0] for row in rows if row[3] == "drop"] == ["empty"]
    assert total[:2] == ["all that are dropped", "1"]


def statistics_page(empty: bool) -> None:
    from s2s.data import Corpus, Preview, Statistics
    from s2s.ui.data import statistics
    from tests.ui.data.test_cleaning import PAIRS

    text = Corpus("t", "train", () if empty else PAIRS)
    statistics.panel(Statistics.of(text), Preview.of(text), "*my* text")


@pytest.mark.parametrize("empty", [False, True])
def test_statistics_are_six_pictures_with_their_sentences(empty: bool) -> None:
    screen = AppTest.from_function(statistics_page, args=(empty,), default_timeout=20).run()
    assert not screen.exception
    pictures: list[dict[str, Any]] = [
        json.loads(chart.proto.spec) for chart in screen.get("plotly_chart")
    ]
    assert len(pictures) == len(screen.get("download_button")) == 6
    said = [caption.value for caption in screen.caption]
    for name in (
        "sentence_lengths",
        "length_ratio",
        "vocabulary_growth",
        "coverage",
        "word_frequencies",
    ):
        assert any(PLOTS[name].caption in caption for caption in said)
    assert all(bool(picture["data"]) is not empty for picture in pictures)
    if not empty:
        assert any("distinct words occur only once" in caption for caption in said)
        assert not any(":red[" in caption for caption in said)  # a visitor's word is no Markdown


def test_a_source_with_several_targets_is_counted_in_the_direction_that_is_learned() -> None:
    report = lint_pairs(load("builtin:mini-en-fr").pairs)
    assert panels.several_targets(report, is_reversed=False) == ""
    said = panels.several_targets(report, is_reversed=True)
    assert said.startswith("1 source has several targets.")
    more = lint_pairs([Pair(src, tgt) for src in "ab" for tgt in "xy"])
    assert panels.several_targets(more, is_reversed=False).startswith("2 sources have")

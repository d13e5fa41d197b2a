"""Which rules drop pairs: switches that write the recipe, and the page that says what they do."""

import pytest
from streamlit.testing.v1 import AppTest

from s2s.config import Cleaning, Recipe, override
from s2s.data import LINT_RULES, Pair, enabled_rules
from s2s.links.share import pack
from s2s.ui.data import cleaning as panels
from s2s.ui.kit.pictures import SHOWN
from s2s.ui.kit.recipe_state import PREFIX, RECIPE_KEYS
from tests.screen import opened as opened_page
from tests.screen import settled

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

    from s2s.data import lint_pairs
    from s2s.ui.data import cleaning
    from tests.ui.data.test_cleaning import PAIRS, chosen

    now = chosen(st.session_state)
    cleaning.rules(lint_pairs(PAIRS, cleaning=now), now)


def chosen(state: object) -> Cleaning:
    """What the recipe in the session drops."""
    values = {key: state[PREFIX + key] for key in RECIPE_KEYS if PREFIX + key in state}  # type: ignore[index, operator]
    return override(Recipe(), values).data.clean


def opened() -> AppTest:
    screen = AppTest.from_function(page, default_timeout=20).run()
    assert not screen.exception
    return screen


def choose(screen: AppTest, *rules: str) -> Cleaning:
    """The recipe when these are pressed, and no other."""
    screen.button_group(key=panels.KEY).set_value(list(rules)).run()
    assert not screen.exception
    return chosen(screen.session_state)


def test_a_rule_is_offered_where_it_matches_or_the_recipe_has_it() -> None:
    screen = opened()
    offered = screen.button_group(key=panels.KEY)
    assert offered.value == [*enabled_rules(Cleaning())] == ["empty", "overlap"]
    matching = ("empty", "duplicates", "copies", "max_words", "numbers", "overlap")
    counts = (1, 1, 1, 1, 1, 0)
    labels = [f"{LINT_RULES[rule].label} ({n})" for rule, n in zip(matching, counts, strict=True)]
    assert offered.options == labels


def test_pressed_rules_are_the_recipe_and_those_with_a_limit_get_it() -> None:
    screen = opened()
    assert choose(screen, "duplicates", "max_words") == Cleaning(
        empty=False, overlap=False, duplicates=True, max_words=100
    )
    assert screen.button_group(key=panels.KEY).value == ["duplicates", "max_words"]
    assert choose(screen, "empty") == Cleaning(overlap=False)


def test_what_a_link_drops_is_pressed() -> None:
    screen = opened()
    screen.session_state[f"{PREFIX}data.clean.copies"] = True
    screen.session_state[f"{PREFIX}data.clean.max_words"] = 50
    screen.run()
    assert "copies" in screen.button_group(key=panels.KEY).value
    assert choose(screen, "copies", "max_words") == Cleaning(
        empty=False, overlap=False, copies=True, max_words=50
    )


@pytest.fixture(scope="module")
def mended() -> str:
    return pack({"source": "builtin:mini-en-fr", "view": "Cleaning", "data.clean.max_words": "2"})


def test_the_page_says_what_the_rules_drop_and_shows_examples_of_one(mended: str) -> None:
    screen = settled(opened_page("data", set=mended))
    shown = screen.session_state[SHOWN]
    assert shown["faults"].finding.startswith("Drops 2 of 5 pairs (40 %), leaves 3.")
    assert [row[0] for row in shown["faults"].table.rows if row[3] == "yes"] == ["Empty", "Long"]
    assert len(shown["examples"].table.rows) == 2

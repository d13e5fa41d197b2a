import re

import pytest

from s2s.decode import STRATEGIES
from s2s.links.share import unpack
from s2s.questions.views import tabs
from s2s.ui.steps import TABS
from s2s.ui.steps.view_state import STATE
from tests.screen import box, link, lost, opened, page_text

DEMO = "demo-en-fr"


def held(screen) -> dict[str, str]:
    return unpack(screen.session_state["set"])


def test_a_newcomer_sees_the_tree_of_a_demo_sentence_and_how_to_read_it() -> None:
    screen = opened("steps", run="demo-en-fr")
    assert not screen.exception
    assert box(screen) == "the cat sits on the mat"
    assert held(screen) == {
        "strategy": "beam",
        "num_beams": "5",
        "length_penalty": "1.0",
        "length_formula": "power",
        "early_stopping": "false",
        "view": "tree",
        "pruned": "few",
    }
    assert "set" not in screen.query_params
    assert "From left to right, token by token" in page_text(screen)
    assert screen.get("plotly_chart")


TREES_ELSEWHERE = {"beam", "beam_sample", "diverse_beam", "sample"}  # in other tests of Steps


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name not in TREES_ELSEWHERE])
def test_every_strategy_has_a_tree(strategy: str) -> None:
    screen = opened("steps", src="the red house", set=f"strategy:{strategy},max_new_tokens:6")
    assert not screen.exception
    assert held(screen)["strategy"] == strategy
    assert held(screen)["max_new_tokens"] == "6"
    is_whole = strategy in ("greedy", "beam")
    assert ("are not recorded" in page_text(screen)) == (not is_whole)


@pytest.mark.parametrize(
    ("packed", "sentences"),
    [
        ("strategy:beem,view:shrub", ["no strategy beem", "there is no shrub here"]),
        ("strategy:beam,num_beams:0,node:-3", ["num_beams", "no node -3"]),
        (
            "strategy:beam,zork:1,node:99999,rank_penalty:many,rank_formula:worst,pruned:sometimes",
            [
                "zork",
                "no node 99999",
                "there is no many here",
                "there is no worst here",
                "there is no sometimes here",
            ],
        ),
    ],
)
def test_a_broken_link_shows_the_page_and_reports_what_was_lost(
    packed: str, sentences: list[str]
) -> None:
    screen = opened("steps", set=packed)
    assert not screen.exception
    told = re.sub(r"\\(.)|[`\u2060]", r"\1", " ".join(lost(screen)))
    assert all(sentence in told for sentence in sentences)
    assert screen.get("plotly_chart")
    assert held(screen)["strategy"] == "beam"


def test_settings_that_do_not_go_together_are_a_sentence_at_their_control() -> None:
    screen = opened("steps", set="strategy:diverse_beam")
    screen.number_input(key="steps diverse_beam num_beam_groups").set_value(4).run()
    assert not screen.exception
    assert "does not divide" in page_text(screen)
    assert not screen.get("plotly_chart")
    screen.number_input(key="steps diverse_beam num_beams").set_value(8).run()
    assert screen.get("plotly_chart")
    assert held(screen)["num_beam_groups"] == "4"


def test_an_empty_box_says_what_to_do() -> None:
    screen = opened("steps", src="  ")
    assert not screen.exception
    assert "Type a sentence above" in page_text(screen)
    assert not screen.get("plotly_chart")


def test_state_of_a_sentence_or_a_search_is_reset_with_it() -> None:
    values = "strategy:beam,node:3,at:2,rank_penalty:0.5,pruned:all"
    screen = opened("steps", src="the red house", set=values)
    assert {"node", "at", "rank_penalty", "pruned"} <= set(held(screen))
    screen.number_input(key="steps beam num_beams").set_value(3).run()
    assert not screen.exception
    assert set(held(screen)) >= {"at", "pruned"}
    assert not {"node", "rank_penalty"} & set(held(screen))
    screen.text_input(key="src").set_value("the cat sleeps").run()
    assert not screen.exception
    assert "at" not in held(screen)
    assert held(screen)["pruned"] == "all"


def test_the_share_link_opens_the_same_view() -> None:
    screen = opened(
        "steps", src="the red house", set="strategy:beam,num_beams:3,node:2,rank_penalty:0.5"
    )
    assert held(screen)["num_beams"] == "3"
    written = link(screen)
    assert f"run={DEMO}" in written
    again = opened(
        "steps", src="the red house", run=DEMO, step="1500", set=screen.session_state["set"]
    )
    assert again.session_state["set"] == screen.session_state["set"]
    assert again.get("plotly_chart")[0].proto.spec == screen.get("plotly_chart")[0].proto.spec


def test_undeclared_state_is_an_error() -> None:
    with pytest.raises(ValueError, match="declares no `colour`"):
        STATE.remember(colour="red")
    assert list(TABS) == list(tabs("steps"))
    assert next(iter(TABS)) == STATE.declaration().view

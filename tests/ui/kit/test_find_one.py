"""Find one on Compare, Steps and Attention: what it opens has the property, and what it says is true."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

import s2s
from s2s.data import gold_agreement
from s2s.links.share import unpack
from s2s.questions import validation_pairs
from s2s.runs import runs_folder
from s2s.runs.properties import Decoding, Finding, PropertySettings, findings
from s2s.ui.kit import cached, dataset_sentences, find_one
from s2s.ui.kit.find_one import MOST, Searched, SearchPosition, in_order, within
from tests.screen import box, link, opened, page_text

DEMO = "demo-en-fr"
SEED = 7
HOUSE = "the red house"


@pytest.fixture(autouse=True)
def _seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_one.random, "randrange", lambda n: SEED)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches in this process; one in a process of its own, which takes seconds to start, is in test_background.py."""

    def judged(*given: Any) -> Iterator[list[Finding]]:
        yield findings(*given)

    monkeypatch.setattr(find_one, "_judged", judged)


def click(screen: AppTest, label: str) -> AppTest:
    """One of the menu's properties."""
    (menu,) = (each for each in screen.get("menu_button") if each.proto.label == "Find one")
    return menu.click(label).run(timeout=60)


def found(screen: AppTest) -> str:
    """What the link says of it."""
    assert not screen.exception
    return unpack(parse_qs(urlsplit(link(screen)).query)["set"][0]).get("find", "")


def test_attention_opens_a_sink_at_its_head_and_goes_on_in_the_order_of_the_seed(
    here: None,
) -> None:
    run = s2s.load(DEMO)
    order = in_order(dataset_sentences.of(run, MOST).texts, SEED)
    screen = click(opened("attention", src=HOUSE), "Attention sink")
    at = SearchPosition.read(found(screen))
    assert at == SearchPosition("sink", SEED, order.index(box(screen)))
    asked = order[: at.number + 1]
    judged = findings(run, "sink", asked, PropertySettings((Decoding("beam"),)))
    assert [one.holds for one in judged] == [False] * at.number + [True]
    kind, layer, head = judged[-1].head or ("", 0, 0)
    view = parse_qs(urlsplit(link(screen)).query)
    assert (view["kind"], view["layer"], view["head"]) == (
        [kind],
        [f"{layer + 1}"],
        [f"{head + 1}"],
    )
    assert judged[-1].why.replace("`", "") in page_text(screen)

    click(screen, "Agreement across a clause")
    first = found(screen)
    assert gold_agreement(box(screen)) is not None
    screen.button(key="attention find another").click().run()
    later = SearchPosition.read(found(screen))
    assert later is not None
    assert later.number > int(first.rpartition(".")[2])
    skipped = order[int(first.rpartition(".")[2]) + 1 : later.number]
    assert not any(map(gold_agreement, skipped))
    assert gold_agreement(order[later.number]) is not None

    again = opened("attention", src=box(screen), set=f"find:{later}")  # the link says it, too
    assert "Agreement across a clause." in page_text(again)
    again.text_input(key="src").set_value(HOUSE).run()
    assert found(again) == ""
    assert "Agreement across a clause." not in page_text(again)


def test_compare_finds_columns_that_differ_and_adds_one_where_there_is_one(
    here: None,
) -> None:
    screen = click(
        opened("compare", src=HOUSE, c1=f"{DEMO}!sample!temperature:2"), "Strategies differ"
    )
    at = SearchPosition.read(found(screen))
    assert at is not None
    run = s2s.load(DEMO)
    one, other = (
        run.translate([box(screen)], name, **settings)[0].text
        for name, settings in (("sample", {"temperature": 2.0}), ("greedy", {}))
    )
    assert one != other
    assert "row 2 (greedy) writes" in page_text(screen)
    assert "Row 1 (sample (temperature 2.0)) writes" in page_text(screen)
    click(screen, "Unknown word")
    assert "Unknown word: none in 2,500 sentences" in page_text(screen)
    assert found(screen) == str(at)


def test_a_search_that_was_left_ends_where_something_else_is_shown(here: None) -> None:
    screen = opened("attention", src=HOUSE)
    for changed, value in (("run", "demo-en-es"), ("src", "the cat sleeps")):
        shown = screen.session_state["run"], HOUSE
        screen.session_state["attention find wanted"] = SearchPosition("sink", SEED, 0)
        screen.session_state["attention find wanted from"] = shown
        screen.session_state[changed] = value
        screen.run()
        assert found(screen) == ""
        assert box(screen) == (value if changed == "src" else HOUSE)


def test_a_run_whose_dataset_is_gone_searches_what_it_keeps_and_says_so() -> None:
    folder = runs_folder() / "mine"
    shutil.copytree(cached.DEMO_FOLDER / DEMO, folder)
    recipe = json.loads((folder / "recipe.json").read_text())
    recipe.update(owner="local", source="corpus:0123456789abcdef")
    (folder / "recipe.json").write_text(json.dumps(recipe))
    screen = click(opened("steps", run="mine", src=HOUSE), "Unknown word")
    text = page_text(screen)
    n = len(validation_pairs(s2s.load("mine")))
    assert f"none in {n} sentences" in text
    assert "no saved dataset" in text


def test_a_hostile_link_says_no_position() -> None:
    for text in (
        "",
        "sink",
        "sink.1",
        "sink.-1.2",
        "sink.1.x",
        "sinks.1.2",
        f"sink.1.{'9' * 9}",
        "<b>.1.2",
    ):
        assert SearchPosition.read(text) is None
    assert SearchPosition.read("sink.7.13") == SearchPosition("sink", 7, 13)


def test_a_search_ends_after_its_time_and_starting_a_process_does_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter([0.0, 0.0, 0.0, 30.0, 30.0, 31.0, 33.0, 36.0])
    monkeypatch.setattr(find_one.time, "monotonic", lambda: next(clock))

    def steps() -> Iterator[Searched]:
        yield from (Searched(n) for n in (0, 0, 16, 48, 112, 176))

    seen = [(done.n, seconds) for done, seconds in within(3.0, steps())]
    assert seen == [(0, 0.0), (0, 1.0), (16, 2.0), (48, 4.0)]


def test_search_stops_at_the_first_that_fits(here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    run = s2s.load(DEMO)
    sentences = [HOUSE] * 20 + ["the cats who chased the mouse were black"] * 2
    settings = PropertySettings((Decoding("greedy"),), gold_agreement)
    (last,) = find_one.search(run, "agreement_across_clause", sentences, settings)
    why = "`were` agrees with `cats`, across `who chased the mouse`."
    assert last == Searched(21, sentences[20], Finding(True, why))
    many = PropertySettings((Decoding("beam", {"num_beams": 10}),))
    monkeypatch.setattr(find_one, "FIRST_BATCH", 2)
    monkeypatch.setattr(find_one, "ROWS", 40)
    steps = find_one.search(run, "search_error", [HOUSE] * 12, many)
    assert [each.n for each in steps] == [2, 6, 10, 12]  # at most 40 hypotheses at once

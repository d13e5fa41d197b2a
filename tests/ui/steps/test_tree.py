"""The search tree on the page: what is chosen in it, ranked below it and kept in the link."""

import re

import pytest

import s2s
from s2s.links.share import unpack
from s2s.runs import Run
from tests.screen import html_table, lost, opened, page_text, translation

SOURCE = "the cat who chased the mouse was black"
LAZY = "the teachers who saw the queens who painted the church are lazy"
FRIEND = "the friend who knows the easy story that the kings know ran"
SET = "strategy:beam,num_beams:5"


def ranking(screen) -> dict[str, list[str]]:
    """The columns of the finished hypotheses."""
    rows = html_table(screen, "tokens, with </s>")
    return {name: [row[name] for row in rows] for name in rows[0]}


def held(screen) -> dict[str, str]:
    return unpack(screen.session_state["set"])


def test_a_chosen_token_has_its_alternatives_and_what_became_of_them() -> None:
    screen = opened("steps", src=SOURCE)
    assert "Each step ranks 10 candidates for 5 beams" in page_text(screen)
    assert "Scroll the tree sideways" in page_text(screen)
    assert "node" not in held(screen)
    run = s2s.load("demo-en-fr")
    (found,) = run.translate([SOURCE])
    tree = run.tree(found)
    other = next(
        number
        for number, node in enumerate(tree.nodes)
        if node.step == 2 and node.state == "pruned"
    )
    screen.selectbox(key="steps node").set_value(other).run()
    assert not screen.exception
    assert held(screen)["node"] == str(other)
    assert tree.nodes[other].reason in page_text(screen)
    table = screen.dataframe[0].value
    assert list(table["outcome"])[list(table["inspected"]).index("▶")] == tree.nodes[other].reason


def test_the_slider_ranks_the_finished_ones_and_decodes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = opened("steps", src=FRIEND, set=SET)
    table = ranking(screen)
    assert table["rank as decoded"] == table["rank"]
    monkeypatch.setattr(Run, "translate", None)
    monkeypatch.setattr(Run, "tree", None)
    screen.slider(key="steps rank_penalty").set_value(0.0).run()
    assert not screen.exception
    assert held(screen)["rank_penalty"] == "0"
    ranked = ranking(screen)
    assert ranked["text"] != table["text"]
    assert sorted(ranked["text"]) == sorted(table["text"])
    screen.slider(key="steps rank_penalty").set_value(1.0).run()
    assert "rank_penalty" not in held(screen)


def test_decoding_with_the_rankings_setting_puts_it_into_the_search() -> None:
    screen = opened("steps", src=SOURCE, set=f"{SET},rank_penalty:0.3,rank_formula:gnmt")
    screen.button(key="decode so 0").click().run()
    assert not screen.exception
    values = held(screen)
    assert (values["length_penalty"], values["length_formula"]) == ("0.3", "gnmt")
    assert not {"rank_penalty", "rank_formula"} & set(values)
    columns = list(ranking(screen))
    assert "score (nats / ((5 + length) / 6)^0.3)" in columns


def test_strategies_without_a_length_penalty_have_a_table_and_no_slider() -> None:
    screen = opened("steps", src=SOURCE, set="strategy:sample,num_return_sequences:6")
    assert not screen.exception
    assert not screen.slider
    table = ranking(screen)
    assert sum(map(int, table["times drawn"])) == 6
    scores = [float(score.replace("−", "-")) for score in table["score (nats)"]]
    assert scores == sorted(scores, reverse=True)


def test_the_page_says_at_which_length_penalty_another_hypothesis_wins() -> None:
    screen = opened("steps", src=LAZY, set=SET)
    before = translation(screen)
    said = " ".join(str(each.proto.body) for each in screen.get("html"))
    ((penalty, other),) = re.findall(r"From length_penalty ([\d.]+) on, “(.*?)” \(", said)
    screen.button(key="decode so 0").click().run()
    assert not screen.exception
    assert screen.number_input(key="steps beam length_penalty").value == float(penalty)
    assert translation(screen).replace("'", "&#x27;") == other != before


def test_a_node_that_is_not_there_is_reported() -> None:
    screen = opened("steps", src=SOURCE, set=f"{SET},node:99999")
    assert any("no node 99999" in each for each in lost(screen))
    assert "node" not in held(screen)

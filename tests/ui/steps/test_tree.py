import csv
import html
import io
import json
import math
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import s2s
from s2s.decode.tree import SearchTree
from s2s.runs import Decoded, Run
from s2s.ui.kit.captions import nats
from s2s.ui.steps import tree as page
from tests.screen import opened, page_text

EOS = 2
SOURCE = "the cat who chased the mouse was black"


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load("demo-en-fr")


def searched(run: Run, strategy: str = "beam", **settings: Any) -> tuple[Decoded, SearchTree]:
    (found,) = run.translate([SOURCE], strategy, **settings)
    return found, run.tree(found, strategy, **settings)


def points(screen: AppTest) -> dict[int, dict[str, Any]]:
    """The nodes of the picture by their numbers."""
    figure = json.loads(screen.get("plotly_chart")[0].proto.spec)
    found = {}
    for trace in figure["data"]:
        for at, number in enumerate(trace.get("customdata", ())):
            found[number] = {
                "step": trace["x"][at],
                "text": trace["text"][at],
                "said": trace["hovertext"][at],
                "state": trace["name"],
            }
    return found


def test_every_number_of_the_picture_is_the_librarys(run: Run) -> None:
    screen = opened("steps", src=SOURCE, set="strategy:beam,num_beams:4,pruned:all")
    _, tree = searched(run, num_beams=4)
    shown = points(screen)
    assert set(shown) == set(range(len(tree.nodes)))
    for number, node in enumerate(tree.nodes[1:], 1):
        token = run.tgt_tokenizer.tokens([node.token])[0]
        assert shown[number]["step"] == node.step
        assert (
            html.unescape(shown[number]["text"].removeprefix("<b>").removesuffix("</b>")) == token
        )
        assert shown[number]["text"].startswith("<b>") == node.is_best
        assert nats(node.log_prob) in shown[number]["said"]
        assert html.escape(node.reason, quote=False) in " ".join(
            shown[number]["said"].split("<br>")
        )
    title = json.loads(screen.get("plotly_chart")[0].proto.spec)["layout"]["title"]["text"]
    assert title == f"demo-en-fr · step 1,500<br>search tree · beam · {tree.n_steps} steps"


@pytest.mark.parametrize("strategy", ["beam", "sample", "greedy"])
def test_the_log_probability_of_every_hypothesis_is_that_of_scoring(
    run: Run, strategy: str
) -> None:
    settings = {"num_return_sequences": 6} if strategy == "sample" else {}
    _, tree = searched(run, strategy, **settings)
    texts = {number: run.tgt_tokenizer.decode(tree.ids(number)) for number in tree.finished}
    whole = [
        number
        for number, text in texts.items()
        if (*run.tgt_tokenizer.encode(text), EOS) == tree.ids(number)
    ]
    assert whole
    scores = run.score([SOURCE] * len(whole), [texts[number] for number in whole])
    assert [tree.nodes[number].log_prob for number in whole] == pytest.approx(scores, abs=1e-3)


def test_the_table_to_download_has_every_node(run: Run) -> None:
    _, tree = searched(run, num_beams=3)
    words = ["start", *run.tgt_tokenizer.tokens([node.token for node in tree.nodes[1:]])]
    rows = list(csv.DictReader(io.StringIO(page.nodes_csv(tree, words))))
    assert len(rows) == len(tree.nodes)
    for row, node, word in zip(rows, tree.nodes, words, strict=True):
        assert (row["token"], row["state"], row["reason"]) == (word, node.state, node.reason)
        assert float(row["log_prob"]) == node.log_prob
        assert row["score"] == ("" if node.score is None else str(node.score))
        if node.step:
            assert float(row["token_log_prob"]) == page.own_log_prob(tree, node)
            assert float(row["probability"]) == math.exp(page.own_log_prob(tree, node))


def test_a_chosen_word_has_its_alternatives_and_what_became_of_them(run: Run) -> None:
    screen = opened("steps", src=SOURCE)
    assert "Each step ranks 10 candidates for 5 beams" in page_text(screen)
    assert "Scroll the tree sideways to see all" in page_text(screen)
    assert_sums_are_known(screen, is_known=True)
    found, tree = searched(run)
    usual = screen.selectbox(key="steps node").value
    own = [value for value in found.hypotheses[0].token_log_probs[:-1]]
    assert page.own_log_prob(tree, tree.nodes[usual]) == pytest.approx(min(own), abs=1e-5)
    other = next(
        number
        for number, node in enumerate(tree.nodes)
        if node.step == 2 and node.state == "pruned"
    )
    screen.selectbox(key="steps node").set_value(other).run()
    assert not screen.exception
    assert f"node:{other}" in screen.session_state["set"]
    assert tree.nodes[other].reason in page_text(screen)
    table = screen.dataframe[0].value
    nexts = tree.next_tokens[tree.nodes[other].parent]
    assert list(table["token"])[: len(nexts)] == run.tgt_tokenizer.tokens(
        [each.token for each in nexts]
    )
    assert list(table["probability"])[: len(nexts)] == pytest.approx(
        [100 * math.exp(each.log_prob) for each in nexts], abs=1e-4
    )
    assert list(table["outcome"])[list(table[""]).index("▶")] == tree.nodes[other].reason


def test_a_sum_that_the_strategy_did_not_count_is_not_made_up() -> None:
    screen = opened("steps", src=SOURCE, set="strategy:beam_sample,temperature:2")
    assert not screen.exception
    assert_sums_are_known(screen, is_known=False)


def assert_sums_are_known(screen: AppTest, *, is_known: bool) -> None:
    assert ("are not recorded" in page_text(screen)) is not is_known
    table = screen.dataframe[0].value
    others = [
        total
        for total, outcome in zip(table["sum so far"], table["outcome"], strict=True)
        if outcome.startswith(("not considered", "not among", "not taken"))
    ]
    assert others
    assert all(math.isfinite(total) == is_known for total in others)


def test_greedy_ranks_no_candidates_for_beams() -> None:
    greedy = page_text(opened("steps", src=SOURCE, set="strategy:greedy"))
    assert "candidates for" not in greedy


def test_what_is_not_drawn_is_counted() -> None:
    screen = opened("steps", src=SOURCE, set="strategy:beam,num_beams:20")
    assert not screen.exception
    n_drawn = len(points(screen))
    _, tree = searched(s2s.load("demo-en-fr"), num_beams=20)
    assert f"{len(tree.nodes) - n_drawn} of {len(tree.nodes) - 1} nodes are not drawn" in page_text(
        screen
    )
    assert n_drawn < len(tree.nodes)

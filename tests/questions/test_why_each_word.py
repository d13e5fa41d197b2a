"""A search's tree beside greedy's path: its numbers are the library's, and each finding is said where it holds."""

import html
import math
from dataclasses import replace
from typing import Any

import pytest

import s2s
from s2s.config import override
from s2s.decode import Beam
from s2s.decode.tree import SearchTree, rerank
from s2s.plots import Picture
from s2s.questions import Have, Searched, WhyEachWord, ranking
from s2s.questions.views import view_of
from s2s.questions.why_each_word import FINDINGS
from s2s.runs import Decoded, DecodedHypothesis, Run
from s2s.words import nats

DEMO, EOS = "demo-en-fr", 2
SOURCE = "the cat who chased the mouse was black"
KING = "the king who has the toys that the woman has arrives in spring"
FRIEND = "the friend who knows the easy story that the kings know ran"
BANK = "the bank is by the river"


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load(DEMO)


def asked(text: str, strategy: str = "beam", settings: str = "{}", **shown: Any) -> WhyEachWord:
    return WhyEachWord(DEMO, text, strategy, settings, **shown)


def answer(text: str, strategy: str = "beam", settings: str = "{}") -> Searched:
    return Have().answer(asked(text, strategy, settings))


def pictures(question: WhyEachWord) -> list[Picture]:
    return view_of(question).pictures(question, Have().answer(question), "a model")


def with_greedy(found: Searched, log_prob: float) -> Searched:
    """The same beside another greedy translation's log-probability."""
    assert found.greedy
    return replace(found, greedy=replace(found.greedy, log_prob=log_prob))


def test_each_finding_is_said_where_it_holds_and_not_where_it_would_be_false() -> None:
    king, friend, bank = (answer(text) for text in (KING, FRIEND, BANK))
    cases = (
        (king, "“que” where greedy writes “qui”. Its translation is 2.0 times", bank),
        (friend, "but its score is worse: −0.270 against −0.277 nats / length", king),
        (with_greedy(friend, -0.1), "no worse score: the search missed it", friend),
        (answer(FRIEND, "sample"), "Sampling left greedy's path", answer(FRIEND, "greedy")),
        (answer(KING, "greedy"), "least certain at step 8: “ont” had 26%, “arrive” 11%", king),
        (bank, "wrote what greedy search writes", king),
    )
    for place, (found, words, other) in enumerate(cases):
        said = asked("").finding(found)
        assert words in said
        assert FINDINGS[place].said(found) == said
        assert words not in asked("").finding(other)
    assert not asked("").finding(answer(""))


def test_a_constrained_search_did_not_miss_a_text_without_its_words() -> None:
    found = answer("the red house", "constrained", '{"force_words": "noire"}')
    assert found.is_parted
    assert "missed" not in asked("").finding(found)


def searched(run: Run, strategy: str = "beam", **settings: Any) -> tuple[Decoded, SearchTree]:
    (found,) = run.translate([SOURCE], strategy, **settings)
    return found, run.tree(found, strategy, **settings)


def test_every_number_of_the_picture_is_the_librarys(run: Run) -> None:
    question = asked(SOURCE, settings='{"num_beams": 4}', pruned="all")
    tree_picture, *_ = pictures(question)
    _, tree = searched(run, num_beams=4)
    points = {
        number: (trace.x[at], trace.text[at], trace.hovertext[at])
        for trace in tree_picture.figure.data
        for at, number in enumerate(trace.customdata or ())
    }
    assert set(points) == set(range(len(tree.nodes)))
    for number, node in enumerate(tree.nodes[1:], 1):
        step, text, said = points[number]
        assert step == node.step
        token = html.unescape(text.removeprefix("<b>").removesuffix("</b>"))
        assert token == run.tgt_tokenizer.tokens([node.token])[0]
        assert text.startswith("<b>") == node.is_best
        assert nats(node.log_prob) in said
        assert html.escape(node.reason, quote=False) in " ".join(said.split("<br>"))
    rows = [
        dict(zip(tree_picture.table.columns, row, strict=True)) for row in tree_picture.table.rows
    ]
    for row, node in zip(rows, tree.nodes, strict=True):
        assert (row["state"], row["reason"], row["score"]) == (node.state, node.reason, node.score)
        if node.step:
            own = node.log_prob - tree.nodes[node.parent].log_prob
            assert (row["token_log_prob"], row["probability"]) == (own, math.exp(own))


@pytest.mark.parametrize("strategy", ["beam", "sample", "greedy"])
def test_the_log_probability_of_every_hypothesis_is_that_of_scoring(
    run: Run, strategy: str
) -> None:
    settings = '{"num_return_sequences": 6}' if strategy == "sample" else "{}"
    found = answer(SOURCE, strategy, settings)
    whole = [
        number
        for number, text in found.texts.items()
        if (*run.tgt_tokenizer.encode(text), EOS) == found.tree.ids(number)
    ]
    assert whole
    scores = run.score([SOURCE] * len(whole), [found.texts[number] for number in whole])
    assert [found.tree.nodes[number].log_prob for number in whole] == pytest.approx(
        scores, abs=1e-3
    )


def test_a_wide_tree_begins_where_the_search_left_greedys_path() -> None:
    tree, *_ = pictures(asked(KING))
    assert tree.title.endswith("14 steps, from step 7")
    assert min(min(trace.x) for trace in tree.figure.data if trace.customdata) == 6
    assert any(trace.name == "greedy's path" for trace in tree.figure.data)
    whole, *_ = pictures(asked(KING, whole=True))
    assert whole.title.endswith("14 steps")
    assert whole.figure.layout.width > tree.figure.layout.width
    narrow, *_ = pictures(asked(BANK))
    assert narrow.title.endswith("9 steps")
    assert not any(trace.name == "greedy's path" for trace in narrow.figure.data)


def test_a_sum_that_the_strategy_did_not_count_is_not_made_up() -> None:
    for strategy, settings, is_known in (
        ("beam", "{}", True),
        ("beam_sample", '{"temperature": 2}', False),
    ):
        _, alternatives, _ = pictures(asked(SOURCE, strategy, settings))
        others = [
            total
            for _, _, _, total, outcome in alternatives.table.rows
            if outcome.startswith(("not considered", "not among", "not taken"))
        ]
        assert others
        assert all((total is not None) == is_known for total in others)


def test_alternatives_are_the_most_probable_tokens_after_the_same_prefix() -> None:
    found = answer(SOURCE)
    assert found.greedy
    assert found.log_prob_of(found.least_certain) == pytest.approx(
        min(found.greedy.token_log_probs[:-1]), abs=1e-5
    )
    pruned = next(
        number
        for number, node in enumerate(found.tree.nodes)
        if node.step == 2 and node.state == "pruned"
    )
    _, alternatives, _ = pictures(asked(SOURCE, node=str(pruned)))
    node = found.tree.nodes[pruned]
    nexts = found.tree.next_tokens[node.parent]
    rows = alternatives.table.rows
    assert [row[2] for row in rows][: len(nexts)] == [math.exp(each.log_prob) for each in nexts]
    assert [row[4] for row in rows if row[0]] == [node.reason]
    assert node.reason in alternatives.caption


def test_another_length_penalty_ranks_the_same_hypotheses(run: Run) -> None:
    _, tree = searched(run, num_beams=5)
    found = answer(SOURCE, settings='{"num_beams": 5}')
    for penalty, formula in ((-2.0, "power"), (0.0, "power"), (0.3, "gnmt")):
        question = asked(
            SOURCE, settings='{"num_beams": 5}', rank_penalty=str(penalty), rank_formula=formula
        )
        other = override(Beam(num_beams=5), {"length_penalty": penalty, "length_formula": formula})
        assert list(ranking.ranking(question, found).ranked) == rerank(tree, other)


def test_the_ranking_says_at_which_length_penalty_another_hypothesis_wins() -> None:
    question = asked(FRIEND)
    found = answer(FRIEND)
    ranked = ranking.ranking(question, found)
    said = ranking.ranking_finding(ranked)
    (penalty,) = ranked.other_winners
    assert said.startswith(f"From length_penalty {penalty:g} down, “")
    assert "(10 tokens) wins among these 7 hypotheses." in said
    lower = ranking.ranking(replace(question, rank_penalty=str(penalty)), found)
    assert ranking.ranking_finding(lower).endswith("would be first.")
    assert lower.now in said
    bank = ranking.ranking(asked(BANK), answer(BANK))
    assert "No length_penalty changes" in ranking.ranking_finding(bank)
    drawn = answer(SOURCE, "sample", '{"num_return_sequences": 6}')
    table = ranking.ranking_table(drawn, ranking.ranking(asked(SOURCE), drawn))
    assert ranking.ranking_finding(ranking.ranking(asked(SOURCE), drawn)) == ""
    assert table.columns[-1] == "times drawn"
    assert sum(row[-1] for row in table.rows) == 6


def test_log_probabilities_are_the_models_own_whatever_the_search_adds(run: Run) -> None:
    settings = {"num_beams": 4, "num_beam_groups": 2}
    (found,) = run.translate([SOURCE], "diverse_beam", **settings)
    own: dict[str, DecodedHypothesis] = {one.text: one for one in found.hypotheses}
    question = asked(SOURCE, "diverse_beam", '{"num_beams": 4, "num_beam_groups": 2}')
    *_, ranked = pictures(question)
    shown = {row[1]: row[3] for row in ranked.table.rows if row[1] in own}
    assert shown == pytest.approx({text: own[text].log_prob for text in shown})
    assert shown


def test_what_is_not_drawn_is_counted_and_greedy_ranks_no_candidates_for_beams() -> None:
    tree, *_ = pictures(asked(SOURCE, settings='{"num_beams": 20}'))
    n_drawn = sum(len(trace.customdata or ()) for trace in tree.figure.data)
    n_nodes = len(tree.table.rows)
    assert f"{n_nodes - n_drawn} of {n_nodes - 1} nodes are not drawn" in tree.caption
    assert "Each step ranks 40 candidates for 20 beams" in tree.caption
    assert "candidates for" not in pictures(asked(SOURCE, "greedy"))[0].caption

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

import s2s
from s2s.analysis import AttentionMap, GoldLinks, Links, score_links
from s2s.analysis.alignment import alignment_error_rate, best_sources, merge_to_words, word_indices
from s2s.analysis.alignment_links import LINK_METHODS, by_share
from s2s.config import UserError
from s2s.plots.links_view import alignment as pictures
from s2s.questions import Aligned, Alignment, Finding, GoldOf, Have
from s2s.questions.alignment import BEST, SCORES
from s2s.runs import Run

DEMO = "demo-en-es"
TEXT = "the cat sits on the mat"
TARGET = "el gato está sentado sobre la alfombra"
ASKED = Alignment(DEMO, TEXT, TARGET)


def words(text: str = TEXT, target: str = TARGET) -> np.ndarray:
    """(layers, heads, tgt_words, src_words) of the demo."""
    attention = s2s.load(DEMO).attention(text, target)
    return merge_to_words(
        attention.cross,
        word_indices(attention.tgt_tokens, is_whole=True),
        word_indices(attention.src_tokens, is_whole=True),
    )


def gold() -> Links:
    links = Have().answer(GoldOf(DEMO)).links(TEXT, TARGET)
    assert links
    return links


@pytest.mark.parametrize("slug", LINK_METHODS)
def test_links_and_scores_are_those_of_the_library(slug: str) -> None:
    question = replace(ASKED, links=slug, layer="1", head="3")
    answer = Have().answer(question)
    weights = words()[0, 2]
    np.testing.assert_allclose(answer.words.weights, weights, atol=1e-6)
    assert answer.links == LINK_METHODS[slug].extract(weights)
    assert answer.scores == score_links(answer.links, GoldLinks(gold()))
    table = question.table(answer)
    assert {(row[0], row[1]) for row in table.rows} == answer.links
    assert [row[-1] == "yes" for row in table.rows] == [
        tuple(row[:2]) in gold() for row in table.rows
    ]


def test_every_head_has_its_error_and_the_best_is_named() -> None:
    answer = Have().answer(ASKED)
    rates = alignment_error_rate([best_sources(words())], [gold()])
    np.testing.assert_allclose(answer.errors, rates)
    layer, head = (int(index) for index in np.unravel_index(rates.argmin(), rates.shape))
    assert answer.best == (layer, head)
    assert f"head {head + 1} of layer {layer + 1}" in ASKED.finding(answer).lower()


def test_a_share_limits_the_links() -> None:
    question = replace(ASKED, links="share", share="0.5", layer="mean")
    assert Have().answer(question).links == by_share(words().mean((0, 1)), 0.5)


class Guest(Have):
    def may_see_data(self, run: Run) -> bool:
        return False


def test_who_may_not_see_the_dataset_gets_no_gold_links_not_even_from_memory() -> None:
    assert Have().answer(ASKED).gold
    answer = Guest().answer(ASKED)
    assert (answer.gold, answer.scores, answer.errors) == (None, None, None)
    assert ASKED.finding(answer) == ""
    assert Have().answer(ASKED).gold


def test_another_target_than_the_aligned_one_has_no_gold_links() -> None:
    assert Have().answer(replace(ASKED, target="el gato")).gold is None


@pytest.mark.parametrize(
    ("change", "message"),
    [({"layer": "9"}, "9"), ({"links": "magic"}, "magic"), ({"share": "2"}, "share")],
)
def test_what_there_is_not_is_refused(change: dict[str, str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        Have().answer(replace(ASKED, **change))


def found(links: Links, known: Links | None, errors: list[float] | None = None) -> Aligned:
    weights = np.full((2, 2), 0.5, np.float32)
    picture = AttentionMap(weights, ("la", "casa"), ("=cmd()", "x,y"), "predicts", "one head")
    scores = score_links(links, GoldLinks(known)) if known else None
    rates = None if errors is None else np.array([errors])
    return Aligned("a b", "c d", picture, links, known, scores, rates)


ONE = frozenset({(0, 0)})
TWO = frozenset({(0, 0), (1, 1)})
NONE: Links = frozenset()


@pytest.mark.parametrize(
    ("answer", "score", "best"),
    [
        (found(TWO, None), "", ""),
        (found(TWO, TWO, [1.0, 0.0]), "exactly those", "Head 2 of layer 1 matches the gold alignment exactly."),
        (found(ONE, TWO, [0.0, 0.0]), "Of 1 link, 1 is correct; the gold alignment has 2 links: precision 1.00, recall"
            " 0.50, alignment error 0.33.", "2 heads match the gold alignment exactly"),
        (found(TWO, ONE, [0.5, 0.25]), "Of 2 links, 1 is correct; the gold alignment has 1 link:", "Head 2 of layer 1"
            " matches the gold alignment best, with an alignment error of 0.25."),
        (found(frozenset({(1, 0)}), ONE, [0.5, 0.5]), "Of 1 link, none is correct", "2 heads match the gold alignment"
            " best, with an alignment error of 0.50, for example head 1 of layer 1."),
        (found(NONE, ONE, [1.0, 0.5]), "No words are linked; the gold alignment has 1 link.", "Head 2"),
    ],
)  # fmt: skip
def test_findings_say_what_is_so(answer: Aligned, score: str, best: str) -> None:
    sentence = ASKED.finding(answer)
    assert score in sentence
    assert best in sentence
    assert bool(sentence) == bool(score)


@pytest.mark.parametrize(
    ("finding", "answer"),
    [
        (SCORES[0], found(ONE, TWO, [0.0])),
        (SCORES[1], found(NONE, TWO, [0.0])),
        (SCORES[2], found(TWO, None)),
        (BEST[0], found(ONE, TWO, [0.0, 0.0])),
        (BEST[1], found(ONE, TWO, [0.5, 0.5])),
        (BEST[2], found(ONE, TWO, [0.5, 0.5])),
        (BEST[3], found(TWO, None)),
        (BEST[2], found(ONE, TWO, [1.0])),  # which has no link right
        (BEST[3], found(ONE, TWO, [1.0, 1.0])),
    ],
)
def test_no_finding_is_said_where_it_is_false(finding: Finding, answer: Aligned) -> None:
    assert finding.said(answer) == ""


def test_the_files_have_the_links() -> None:
    answer = found(TWO, ONE, [0.5])
    (picture,) = pictures(ASKED, answer, "a run")
    header, *rows = csv.reader(io.StringIO(picture.table.csv()))
    assert header == ["source position", "target position", "source", "target", "weight", "correct"]
    assert rows[0] == ["0", "0", "'=cmd()", "la", "0.5", "yes"]
    assert rows[1][-1] == "no"
    (file,) = picture.files
    assert (file.name, file.content()) == (".align", "0-0 1-1\n")
    assert picture.vector
    assert "a run" in picture.vector(title="a run", caption="")

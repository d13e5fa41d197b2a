import csv
import io
import re

import numpy as np
import pytest

import s2s
from s2s.decode.mbr import utilities
from s2s.ui.steps import samples
from s2s.ui.steps.samples import SampleRow
from tests.screen import opened, page_text, picture

SOURCE = "the cat who chased the mouse was black"


@pytest.mark.parametrize(
    ("utility", "more"), [("chrf", ""), ("bleu", ",num_return_sequences:2,max_new_tokens:5")]
)
def test_the_winner_has_the_highest_mean_and_it_is_the_score_of_decoding(
    utility: str, more: str
) -> None:
    screen = opened(
        "steps",
        src=SOURCE,
        set=f"strategy:mbr,num_samples:12,epsilon_cutoff:0,utility:{utility},view:samples{more}",
    )
    assert not screen.exception
    limits = {"num_return_sequences": 2, "max_new_tokens": 5} if more else {}
    (found,) = s2s.load("demo-en-fr").translate(
        [SOURCE], "mbr", num_samples=12, epsilon_cutoff=0.0, utility=utility, **limits
    )
    _, pairs = picture(screen)
    table = screen.dataframe[0].value
    drawn = table["times drawn"].to_numpy()
    assert drawn.sum() == 12
    means = pairs @ drawn / 12
    assert means == pytest.approx(table.iloc[:, 3].to_numpy(), abs=1e-3)
    assert means.argmax() == 0
    assert table.iloc[0, 3] == pytest.approx(found.score, abs=1e-9)
    assert table["text"][0] == found.text
    assert f"{found.score:.1f}" in page_text(screen)


def test_another_strategy_offers_to_switch_to_mbr() -> None:
    screen = opened("steps", src=SOURCE, set="strategy:beam,view:samples")
    assert not screen.get("plotly_chart")
    screen.button(key="use mbr").click().run()
    assert not screen.exception
    assert screen.session_state["set"].startswith("strategy:mbr")
    assert screen.get("plotly_chart")


def test_best_first_and_of_equal_ones_the_more_probable() -> None:
    texts = ["a dog", "a dog", "a cat", "the cat sat"]
    found = utilities(texts, "chrf")
    rows, pairs = samples.ranked(found, {"a dog": -2.0, "a cat": -1.0, "the cat sat": -3.0})
    assert [row.expected for row in rows] == sorted(found.expected.values(), reverse=True)
    assert [row.times for row in rows] == [found.counts[row.text] for row in rows]
    np.testing.assert_allclose(
        pairs @ [row.times for row in rows] / 4, [row.expected for row in rows]
    )
    twins = utilities(["ab", "cd"], "chrf")
    assert [row.text for row in samples.ranked(twins, {"ab": -2.0, "cd": -1.0})[0]] == ["cd", "ab"]


def test_the_table_to_download_has_texts_means_and_pairs() -> None:
    rows = [SampleRow("=cmd()", 2, 70.0, -1.5), SampleRow("b", 1, 40.0, -2.5)]
    lines = list(
        csv.DictReader(
            io.StringIO(samples.table_csv(rows, np.array([[100.0, 10.0], [20.0, 100.0]])))
        )
    )
    assert [line["text"] for line in lines] == ["'=cmd()", "b"]
    assert [float(line["beside_2"]) for line in lines] == [10.0, 100.0]
    assert [line["times_drawn"] for line in lines] == ["2", "1"]


def test_one_text_alone_has_nothing_to_win() -> None:
    screen = opened(
        "steps",
        src="the red house",
        set="strategy:mbr,num_samples:5,epsilon_cutoff:0,temperature:0.05,view:samples",
    )
    assert not screen.exception
    assert re.search("All 5 samples are the same text", page_text(screen))

import pytest

from s2s import plots
from s2s.plots.truncation import FilterResult
from s2s.words import fine_percent

BARS = [("le", 0.6), ("<b>la</b>", 0.3), ("un", 0.05)]
THRESHOLDS = [
    FilterResult("top_k", [True, True, False], 0, 2),
    FilterResult("min_p", [True, False, False], 0, 1, 0.5),
    FilterResult("typical_p", [False, True, True], 4),
    FilterResult("all together", [True, False, False], 0, 1),
]


def test_the_bars_are_the_probabilities_and_say_so() -> None:
    figure = plots.truncation(BARS, (7, 0.05), THRESHOLDS, title="run · step 1\nposition 1")
    bars = figure.data[0]
    assert list(bars.x) == [0.6, 0.3, 0.05]
    assert list(bars.text) == ["60%", "30%", "5.0%"]
    assert list(figure.layout.yaxis.ticktext) == ["le", "&lt;b&gt;la&lt;/b&gt;", "un", "7 others"]
    assert figure.layout.title.text == "run · step 1<br>position 1"
    assert "5.0% in total" in [note.text for note in figure.layout.annotations]
    filled = [color != "rgba(0, 0, 0, 0)" for color in bars.marker.color]
    assert filled == [True, False, False]  # what the last filter keeps is solid


def test_every_filter_has_its_marks_and_its_cut() -> None:
    figure = plots.truncation(BARS, (7, 0.05), THRESHOLDS, title="")
    kept, gone, counts, threshold = figure.data[1:]
    assert set(zip(kept.x, kept.y, strict=True)) == {(0, 0), (0, 1), (1, 0), (2, 1), (2, 2), (3, 0)}
    assert len(kept.x) + len(gone.x) == len(THRESHOLDS) * len(BARS)
    assert kept.marker.symbol != gone.marker.symbol
    assert (list(counts.x), list(counts.text)) == ([2], ["+4"])
    assert list(threshold.x) == [0.5, 0.5]
    assert threshold.name == "min_p: removes below 50%"
    caps = [(line.x0 + 0.42, line.y0) for line in figure.layout.shapes if line.xref == "x2"]
    assert caps == [
        (0, 1.5),
        (1, 0.5),
        (3, 0.5),
    ]  # typical_p has none: what it keeps is not the highest
    assert sorted(line.y0 for line in figure.layout.shapes if line.xref == "paper") == [0.5, 1.5]
    assert [note.text for note in figure.layout.annotations][: len(THRESHOLDS)] == [
        cut.name for cut in THRESHOLDS
    ]


def test_a_threshold_below_the_last_bar_is_counted_and_not_drawn() -> None:
    figure = plots.truncation(BARS, (7, 0.05), [FilterResult("top_k", [True] * 3, 5, 8)], title="")
    assert not figure.layout.shapes
    assert list(figure.data[3].text) == ["+5"]


def test_logarithmic_bars_hold_all_of_them() -> None:
    figure = plots.truncation(
        [("a", 0.9), ("b", 1e-4), ("c", 0.0)], (0, 0.0), THRESHOLDS[:1], title="", is_log=True
    )
    low, high = figure.layout.xaxis.range
    assert figure.layout.xaxis.type == "log"
    assert low < -4
    assert high > 0
    assert len(figure.layout.yaxis.ticktext) == 3  # no row for others where there are none


def test_without_tokens_it_says_why() -> None:
    assert (
        "no probabilities"
        in plots.truncation([], (0, 0.0), [], title="").layout.annotations[0].text
    )


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (1.0, "100%"),
        (0.254, "25%"),
        (0.0994, "9.9%"),
        (0.0031, "0.3%"),
        (0.00043, "0.043%"),
        (1e-9, "<0.001%"),
    ],
)
def test_small_shares_are_formatted_with_enough_digits(share: float, text: str) -> None:
    assert fine_percent(share) == text

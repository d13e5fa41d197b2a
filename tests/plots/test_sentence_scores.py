from s2s import plots
from s2s.plots.score_plots import MOST_POINTS


def test_a_sentence_is_a_point_that_says_its_number_and_text() -> None:
    figure = plots.sentence_scores(
        [1.0, 2.0], [0.5, 0.25], ["a <b>", "c"], title="t", x_label="<i>x</i>", y_label="chrF"
    )
    (dots,) = figure.data
    assert (list(dots.x), list(dots.y)) == ([1.0, 2.0], [0.5, 0.25])
    assert list(dots.customdata) == ["1: a &lt;b&gt;", "2: c"]
    assert figure.layout.xaxis.title.text == "&lt;i&gt;x&lt;/i&gt;"


def test_of_many_sentences_some_are_drawn_evenly_spread() -> None:
    n = 3 * MOST_POINTS
    figure = plots.sentence_scores(
        [*range(n)], [*range(n)], ["a"] * n, title="", x_label="", y_label=""
    )
    assert list(figure.data[0].x) == [*range(0, n, 3)]

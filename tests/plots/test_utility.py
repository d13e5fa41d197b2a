import numpy as np
import pytest

from s2s.plots import utility
from s2s.plots.samples_view import labels

PAIRS = np.array([[100.0, 40.0, 61.4], [30.0, 100.0, 20.0], [55.0, 10.0, 100.0]])
MEANS = [80.04, 50.0, 41.26]
COUNTS = [4, 1, 2]


def test_the_cells_are_the_pairs_and_the_rows_say_their_means() -> None:
    figure = utility(PAIRS, MEANS, COUNTS, title="a run\nchrF of 7 samples", measure="chrF")
    cells, numbers = figure.data
    np.testing.assert_allclose(cells.z, PAIRS, atol=1e-4)
    assert (cells.zmin, cells.zmax) == (0, 100)
    assert list(numbers.text) == ["100", "40", "61", "30", "100", "20", "55", "10", "100"]
    assert (
        list(figure.layout.yaxis.ticktext)
        == ["★ 1 ×4 · 80", "2 · 50", "3 ×2 · 41.3"]
        == labels(MEANS, COUNTS)
    )
    assert figure.layout.title.text == "a run<br>chrF of 7 samples"
    assert cells.customdata[0][2] == "sample 1 with reference 3"


def test_of_many_samples_the_colors_have_a_scale_instead_of_numbers() -> None:
    figure = utility(np.full((40, 40), 50.0), [50.0] * 40, [1] * 40, title="", measure="BLEU")
    (cells,) = figure.data
    assert cells.showscale
    assert cells.colorbar.title.text == "BLEU"


def test_what_does_not_fit_is_refused_and_nothing_says_why() -> None:
    with pytest.raises(ValueError, match="pairs are"):
        utility(PAIRS, MEANS[:2], COUNTS, title="", measure="chrF")
    assert (
        "no samples"
        in utility(np.empty((0, 0)), [], [], title="", measure="chrF").layout.annotations[0].text
    )

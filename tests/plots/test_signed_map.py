import numpy as np

from s2s.plots.tensor import MOST_LABELS, signed_map


def test_what_rounds_to_zero_has_no_sign() -> None:
    figure = signed_map(
        np.array([[-0.004, -0.006], [1.234, 0.0]]), ["a", "b"], ["c", "d"], title=""
    )
    assert list(figure.data[1].text) == ["0", "−.01", "1.2", "0"]


def test_of_many_columns_some_have_labels_and_hover_names_all() -> None:
    names = [f"<{at}>" for at in range(40)]
    figure = signed_map(np.ones((2, 40)), ["a", "b"], names, title="")
    assert len(figure.layout.xaxis.ticktext) <= MOST_LABELS
    assert figure.layout.xaxis.ticktext[1] == "&lt;3&gt;"
    assert list(figure.layout.xaxis.tickvals)[:2] == [0, 3]
    assert figure.data[0].customdata[1][7] == "&lt;7&gt;"
    assert "customdata" in figure.data[0].hovertemplate


def test_a_map_without_cells_says_so() -> None:
    figure = signed_map(np.ones((0, 2)), [], ["c", "d"], title="")
    assert "no numbers" in figure.layout.annotations[0].text

"""The picture before Plotly says what Plotly's says."""

import re

import numpy as np

from s2s.plots import heatmap, static_heatmap
from s2s.plots.attention import MAX_CELLS

WEIGHTS = np.array([[0.74, 0.26, 0.0], [0.0, 1.0, 0.0]], np.float32)
KEYS = ["the", "<b>cat</b>", "</s>"]
ROWS = ["le", "chat"]


def test_it_holds_the_same_numbers_tokens_and_title() -> None:
    found = static_heatmap(WEIGHTS, KEYS, ROWS, title="run · step 5\n<i>cross</i>")
    assert re.findall(r"<i [^>]*>(.*?)</i>", found) == [".74", ".26", ".00", ".00", "1.00", ".00"]
    assert re.findall(r"<em>(.*?)</em>", found) == ["the", "&lt;b&gt;cat&lt;/b&gt;", "&lt;/s&gt;"]
    assert re.findall(r"<b>(.*?)</b>", found) == ["", "le", "chat"]
    assert "<p>run · step 5<br>&lt;i&gt;cross&lt;/i&gt;</p>" in found


def test_its_cells_stand_where_plotly_draws_them() -> None:
    layout = heatmap(WEIGHTS, KEYS, ROWS, title="t").layout
    found = static_heatmap(WEIGHTS, KEYS, ROWS, title="t")
    left, above, row = (
        int(each)
        for each in re.search(r"columns:(\d+)px.*rows:(\d+)px repeat\(2,(\d+)px\)", found).groups()
    )
    top = int(re.search(r"top:(\d+)px", found)[1])
    assert left == layout.margin.l
    assert top + above == layout.margin.t
    assert layout.height == layout.margin.t + layout.margin.b + 2 * row


def test_nothing_and_very_much_wait_for_plotly() -> None:
    assert static_heatmap(np.zeros((0, 0), np.float32), [], [], title="t") == ""
    side = int(MAX_CELLS**0.5) + 1
    assert (
        static_heatmap(np.zeros((side, side), np.float32), ["a"] * side, ["b"] * side, title="t")
        == ""
    )


def test_a_long_sentence_leaves_its_tokens_to_plotly() -> None:
    found = static_heatmap(np.zeros((1, 9), np.float32), ["token"] * 9, ["x"], title="t")
    assert "token" not in found
    assert found.count("<i ") == 9

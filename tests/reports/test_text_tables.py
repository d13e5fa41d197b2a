"""Visitors' texts in tables and rows of tokens are escaped, and differences marked."""

import math

from s2s.plots import ComparedRows, TokenRows
from s2s.reports import compared_rows, differences, token_rows


def test_marks_and_texts_are_escaped() -> None:
    shown, found = differences.highlighted("<b>a</b> x", "a & x")
    marked = (
        '<del title="not here">a &amp;</del> <ins title="only here">&lt;b&gt;a&lt;/b&gt;</ins> x'
    )
    assert shown == marked
    assert found is not None
    assert not found.is_empty
    assert differences.highlighted("<i>", None) == ("&lt;i&gt;", None)
    columns = ("<i>row", "text", "share")
    row = ("1 · <b>\n<u>", "<b>a</b> x", "<9%")
    for other, share in (("a & x", 0.5), (None, math.nan)):
        figure = ComparedRows(columns, [row], ("text",), [other], ("<s>", "<q>"), "share", [share])
        html = compared_rows(figure)
        assert (marked in html) is (other is not None) is ("&lt;q&gt;" in html)
        assert not any(tag in html for tag in ("<b>", "<i>", "<u>", "<9", "<q>"))
    assert "<i>" not in token_rows(TokenRows(["<i>"], [["<i>"]], [[-1.0]]))

"""Numbers as CSV, as HTML and in a terminal."""

import csv
import io

from s2s.questions import Table

TABLE = Table(("token", "weight"), [["a\nb<", 0.123456789], ["日", float("nan")], ["c", 12.0]])


def test_csv_has_every_digit_and_nothing_for_what_is_missing() -> None:
    head, *rows = csv.reader(io.StringIO(TABLE.csv()))
    assert head == ["token", "weight"]
    assert [row[1] for row in rows] == ["0.123456789", "", "12.0"]


def test_a_terminal_has_columns_numbers_on_the_right_and_no_control_characters() -> None:
    assert TABLE.text().split("\n") == [
        "token  weight",
        "a b<   0.1235",
        "日",
        "c          12",
    ]
    assert Table(("a", "b"), []).text() == "a  b"


def test_html_is_escaped_and_counts_what_it_leaves_out() -> None:
    assert "<td>a\nb&lt;</td><td>0.1235</td>" in TABLE.html()
    assert Table(("a",), [[0]] * 130).html().endswith("<p>30 more rows</p>")

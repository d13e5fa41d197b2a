"""No table to download makes a spreadsheet compute what somebody wrote into a sentence or a name."""

import csv
import io
import re
from pathlib import Path

import pytest

from s2s.files import csv_cell, csv_writer
from tests.screen import ROOT

FORMULAS = (
    '=HYPERLINK("http://evil.example","a")',
    "+1+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "the cat\r=1+1",  # a spreadsheet would begin a row there
    "＝1+1",
    "+",
    "=",
)


def test_no_cell_begins_like_a_formula() -> None:
    out = io.StringIO()
    rows = csv_writer(out)
    rows.writerow(FORMULAS)
    rows.writerows([FORMULAS, FORMULAS])
    for cell in (cell for row in csv.reader(io.StringIO(out.getvalue())) for cell in row):
        assert len(cell) < 2 or cell[0] not in "=+-@\t\r\n＝＋－＠"


@pytest.mark.parametrize("value", ["-1.5", "+3", "-1,200", "1e-3", "-0.5 %", "-", "a=b", 3, -2.5])
def test_numbers_and_other_words_stay_as_they_are(value: object) -> None:
    assert csv_cell(value) == value


def test_every_table_is_written_by_these_functions() -> None:
    found = [
        str(path)
        for folder in ("s2s", "pages")
        for path in Path(ROOT / folder).rglob("*.py")
        if path != ROOT / "s2s/files/atomic.py"
        and re.search(r"\.to_csv\b|csv\.(writer|DictWriter)", path.read_text())
    ]
    assert not found

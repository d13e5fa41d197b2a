"""Scores of sentences come as they are written; anything else is refused in a sentence that names the line."""

import struct
from random import Random

import pytest

from s2s.config import UserError
from s2s.data.formats import number_column
from s2s.data.formats.number_column import read_numbers


def test_a_column_of_numbers_is_found() -> None:
    for name, text, column in [
        ("a.txt", "0.5\n-1e-3\n3\n", ""),
        ("a.txt", "0.5\r\n-1e-3\r\n3\n\n\n", ""),
        ("a.csv", "0.5\n-1e-3\n3\n", ""),
        ("a.csv", "COMET\n0.5\n-1e-3\n3\n", ""),
        ("a.tsv", "source\tCOMET\nx\t0.5\ny\t-1e-3\nz\t3\n", ""),
        ("a.tsv", "1\t0.5\n2\t-1e-3\n3\t3\n", "2"),
        ("a.csv", "id,COMET\n1,0.5\n2,-1e-3\n3,3\n", "comet"),
        ("a.csv", '"x, y",0.5\n"y",-1e-3\n"z",3\n', ""),
        ("a.jsonl", '{"s": "x", "COMET": 0.5}\n{"COMET": -1e-3}\n\n{"COMET": "3"}\n', ""),
        ("a.jsonl", '{"i": 1, "c": 0.5}\n{"c": -0.001}\n{"i": 2, "c": 3}\n', "c"),
    ]:
        assert read_numbers(name, text.encode(), column, most=3) == [0.5, -0.001, 3.0]


def test_anything_else_is_refused_in_a_sentence() -> None:
    for name, text, column, sentence in [
        ("a.txt", "0.5\nnan\n", "", "Line 2 of `a.txt` is `nan`; a score is a number from"),
        ("a.txt", "inf\n0.5\n", "", "Line 1 of `a.txt` is `inf`"),
        ("a.txt", "1e12\n", "", "is `1e12`; a score is a number from -1,000,000,000 to"),
        ("a.txt", "0.5\n\n0.7\n", "", "Line 2 of `a.txt` has no score"),
        ("a.txt", "score\n0.5\n", "", "Line 1 of `a.txt` is `score`"),
        ("a.txt", "0.5\n0,83\n", "", "write a decimal point instead of the comma"),
        ("a.txt", "0.5\t0.6\n", "", "Line 1 of `a.txt` has 2 columns (`0.5\t0.6`)"),
        ("a.txt", "0 x 1\n", "", "has 3 columns"),
        ("a.txt", "1\n2\n3\n4\n5\n6\n", "", "more than 3 rows; give one number per sentence"),
        ("a.txt", "", "", "`a.txt` is empty"),
        ("a.txt", "٣\n", "", "Line 1 of `a.txt` is `٣`"),
        ("a.csv", "nan\n0.5\n0.6\n", "", "Line 1 of `a.csv` is `nan`"),
        ("a.csv", "a,b\n1,2\n3,4\n", "", "has 2 columns of numbers (`a`, `b`), and one is needed"),
        ("a.tsv", "1\t2\n3\t4\n", "", "has 2 columns of numbers (1, 2)"),
        ("a.tsv", "x\ty\nz\tw\n", "", "has 2 columns, and none of numbers"),
        ("a.tsv", "x\t1\ny\nz\t3\n", "", "Line 2 of `a.tsv` has another number of columns"),
        ("a.csv", "s,COMET\nx,0.5\ny,nan\n", "COMET", "Line 3 of `a.csv` is `nan`"),
        ("a.csv", "s,COMET\nx,0.5\ny,\n", "COMET", "Line 3 of `a.csv` has no score"),
        (
            "a.csv",
            "s,COMET\nx,0.5\n",
            "COMT",
            "no column `COMT` in `a.csv`; the nearest are `COMET`",
        ),
        ("a.csv", "s,COMET\nx,0.5\n", "9", "give a number from 1 to 2"),
        ("a.csv", ",".join("1" * 101), "", "more than 100 columns"),
        ("a.jsonl", '{"c": 1}\n{"d": 1}\n', "c", "Line 2 of `a.jsonl` has no score"),
        ("a.jsonl", '{"c": NaN}\n', "", "Line 1 of `a.jsonl` is `nan`"),
        ("a.jsonl", '{"c": true}\n', "", "Line 1 of `a.jsonl` is `True`"),
        ("a.jsonl", "0.5\n", "", "is JSON but not an object"),
        ("a.jsonl", "{\n", "", "Line 1 of `a.jsonl` is not JSON"),
        ("a.jsonl", "".join(f'{{"{i}": 1}}\n' for i in range(101)), "", "more than 3 rows"),
        ("a.xlsx", "", "", "`a.xlsx` is not a file of scores; give .txt, .tsv, .csv or .jsonl"),
        ("a", "1\n", "", "`a` is not a file of scores"),
    ]:
        with pytest.raises(UserError) as error:
            read_numbers(name, text.encode(), column, most=3)
        assert sentence in str(error.value)
        assert len(str(error.value)) < 400


def test_every_digit_survives() -> None:
    draw = Random(0)
    drawn = (struct.unpack("d", draw.randbytes(8))[0] for _ in range(2000))
    values = [value for value in drawn if abs(value) <= 1e9]
    values += [0.1, 1e9, -1e9, 5e-324, 1e-7, 1 / 3, *(draw.uniform(-1e9, 1e9) for _ in range(200))]
    content = "".join(f"{value!r}\n" for value in values).encode()
    assert read_numbers("a.txt", content, most=len(values)) == values


def test_wide_objects_are_refused_before_they_fill_the_memory() -> None:
    content = "".join(f'{{"{i}": 1}}\n' for i in range(500)).encode()
    with pytest.raises(UserError, match=f"more than {number_column.MOST_COLUMNS} columns"):
        read_numbers("a.jsonl", content, most=1000)


def test_a_long_line_of_digits_is_read_in_linear_time() -> None:
    with pytest.raises(UserError, match=r"Line 1 of `a\.txt` is `111"):
        read_numbers("a.txt", b"1" * 900_000 + b"x\n", most=3)

"""Files that are right, and one clear sentence for each way in which they may be wrong."""

import csv
import errno
import io
import itertools
import json
import os
import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from s2s.config import UserError
from s2s.data import Pair, load
from s2s.data.files import FileOptions, decode_lines, from_bytes, from_pasted, offered, read_aligned
from tests.samples import sample

HOUSE = (Pair("the house", "das Haus"), Pair("the tree", "der Baum"))


@pytest.fixture
def put(tmp_path):
    """Writes a file, text as UTF-8, and returns its path as a SPEC."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


def refused(spec, message):
    with pytest.raises(UserError, match=message) as caught:
        load(spec)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "END"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks_make_no_difference(put, end, last, mark):
    src = put("a.en", mark + end.join(pair.src for pair in HOUSE) + last.replace("END", end))
    tgt = put("a.de", mark + end.join(pair.tgt for pair in HOUSE) + last.replace("END", end))
    tsv = put(
        "a.tsv",
        mark + end.join(f"{pair.src}\t{pair.tgt}" for pair in HOUSE) + last.replace("END", end),
    )
    csv = put(
        "a.csv",
        mark + end.join(f"{pair.src},{pair.tgt}" for pair in HOUSE) + last.replace("END", end),
    )
    jsonl = put(
        "a.jsonl",
        mark
        + end.join(json.dumps({"src": pair.src, "tgt": pair.tgt}) for pair in HOUSE)
        + last.replace("END", end),
    )
    assert (
        load(f"{src},{tgt}").pairs
        == load(tsv).pairs
        == load(csv).pairs
        == load(jsonl).pairs
        == HOUSE
    )


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\u00a0"])
def test_other_separators_are_part_of_the_text(put, odd):
    src = put("a.en", f"one{odd}two\nthree\n")
    tgt = put("a.de", "eins\ndrei\n")
    assert load(f"{src},{tgt}").pairs[0].src == f"one{odd}two"
    assert load(put("a.tsv", f"one{odd}two\teins\n")).pairs == (Pair(f"one{odd}two", "eins"),)


def test_a_file_name_may_have_a_comma(put):
    src = put("a,b.en", "one\n")
    tgt = put("a,b.de", "eins\n")
    assert load(f"{src},{tgt}").pairs == (Pair("one", "eins"),)
    assert load(put("c,d.tsv", "one\teins\n")).pairs == (Pair("one", "eins"),)


def test_quotation_marks_are_plain_in_tsv_and_quote_in_csv(put):
    assert load(put("a.tsv", '"one\teins"\n')).pairs == (Pair('"one', 'eins"'),)
    assert load(put("a.csv", '"one, ""two""",eins\n')).pairs == (Pair('one, "two"', "eins"),)


def test_a_line_break_in_a_field_becomes_a_space(put):
    assert load(put("a.csv", '"one\r\n\r\ntwo",eins\n')).pairs == (Pair("one two", "eins"),)
    assert load(put("a.jsonl", json.dumps({"src": "one\ntwo", "tgt": "eins\rzwei"}))).pairs == (
        Pair("one two", "eins zwei"),
    )


def test_pairs_with_an_empty_side_are_dropped_and_counted(put):
    src = put("a.en", "one\n\n \nfour\n")
    tgt = put("a.de", "eins\nzwei\ndrei\n\n")
    corpus = load(f"{src},{tgt}")
    assert corpus.pairs == (Pair("one", "eins"),)
    assert corpus.notes == ("3 pairs with an empty side dropped.",)
    assert (
        load(put("a.tsv", "one\teins\ntwo\t\n")).notes[-1] == "1 pair with an empty side dropped."
    )


def test_rows_of_another_width_are_dropped_and_counted(put):
    corpus = load(put("a.tsv", "one\teins\ntwo\nthree\tdrei\tx\n\nfour\tvier\n"))
    assert corpus.pairs == (Pair("one", "eins"), Pair("four", "vier"))
    assert (
        corpus.notes[-1]
        == "2 rows without exactly 2 fields, as row 1 has, dropped (the first at line 2)."
    )


def test_objects_without_both_texts_are_dropped_and_counted(put):
    rows = [
        {"src": "one", "tgt": "eins"},
        {"src": "two"},
        {"src": "three", "tgt": None},
        {"src": 4, "tgt": "vier"},
    ]
    corpus = load(put("a.jsonl", "\n\n".join(map(json.dumps, rows))))
    assert corpus.pairs == (Pair("one", "eins"), Pair("4", "vier"))
    assert corpus.notes[-1] == "2 rows without a text in both fields dropped (the first at line 3)."


def test_texts_inside_translation_are_columns(put):
    path = put("a.jsonl", json.dumps({"id": 1, "translation": {"de": "Haus", "en": "house"}}))
    assert load(f"{path}#src=en,tgt=de").pairs == (Pair("house", "Haus"),)


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\r\n\r\nb\n\n", ["a", "", "b", ""]),
        ("\ufeffa\x85b\u2028c".encode(), ["a\x85b\u2028c"]),
    ],
)
def test_lines_of_bytes_keep_the_empty_ones(content, lines):
    assert decode_lines(content, "standard input") == lines


def test_aligned_lines_keep_the_empty_ones(put):
    src = put("a.en", "one\n\nthree\n")
    tgt = put("a.de", "eins\nzwei\n\n")
    assert read_aligned(src, tgt) == (["one", "", "three"], ["eins", "zwei", ""])
    with pytest.raises(UserError, match=r"There is no file `none\.de`"):
        read_aligned(src, "none.de")


@pytest.mark.parametrize(
    ("header", "src", "tgt"),
    [
        ("src\ttgt\tnote", "1", "2"),
        ("Target\tSource\tnote", "2", "1"),
        ("note\ten\tde", "2", "3"),
        (" EN \tScore\tFR", "1", "3"),
        ("note\tinput\toutput", "2", "3"),
        ("mr\ttext\tnote", "1", "2"),
        ("reference\tnote\tmr", "3", "1"),
    ],
)
def test_a_first_row_of_common_names_is_a_header(put, header, src, tgt):
    corpus = load(put("a.tsv", f"{header}\n1\t2\t3\n"))
    assert corpus.pairs == (Pair(src, tgt),)
    assert corpus.notes[0].startswith("Row 1 is a header: `")


@pytest.mark.parametrize(
    "first", ["hello\thallo", "source\tQuelle", "en\tin", "no\tnein", "en\ten"]
)
def test_any_other_first_row_is_data(put, first):
    corpus = load(put("a.tsv", f"{first}\none\teins\n"))
    assert corpus.pairs[0] == Pair(*first.split("\t"))
    assert corpus.notes == (
        "Row 1 is data, not a header: column 1 is the source, column 2 the target.",
    )


def test_a_requested_column_name_makes_the_first_row_a_header(put):
    path = put("a.csv", "Links,Rechts,Rest\n1,2,3\n")
    assert load(path).pairs[0] == Pair("Links", "Rechts")
    assert load(f"{path}#src=Rechts,tgt=rest").pairs == (Pair("2", "3"),)
    assert load(f"{path}#src=Rest").pairs == (Pair("3", "1"),)
    assert load(f"{path}#tgt=Links").pairs == (Pair("2", "1"),)
    assert load(f"{path}#src=Rest").notes == (
        "Row 1 is a header: `Rest` is the source, `Links` the target. Not read: `Rechts`.",
    )


def test_columns_can_be_chosen_by_number(put):
    path = put("a.csv", "a,b,c\n1,2,3\n")
    assert load(f"{path}#src=3,tgt=1").pairs == (Pair("c", "a"), Pair("3", "1"))
    assert load(f"{path}#src=3,tgt=1").notes == (
        "Row 1 is data, not a header: column 3 is the source, column 1 the target, and 1 more is not read.",
    )


def test_the_header_can_be_forced_and_forbidden(put):
    path = put("a.tsv", "it\tes\nwater\tagua\n")
    assert load(path).pairs == (Pair("water", "agua"),)
    assert load(f"{path}#header=no").pairs == (Pair("it", "es"), Pair("water", "agua"))
    assert load(put("b.tsv", "x\ty\n1\t2\n") + "#header=yes").pairs == (Pair("1", "2"),)


def test_a_wrong_column_gets_the_nearest(put):
    path = put("a.csv", "english,deutsch\n1,2\n")
    refused(
        f"{path}#src=englsh",
        r"no column `englsh` in `.*a\.csv`; the nearest are `english`, `deutsch`, or give a number from 1 to 2\.",
    )
    refused(f"{path}#src=3", r"There is no column `3` .* or give a number from 1 to 2")
    refused(f"{path}#src=1,tgt=1", r"`#src=1,tgt=1` is the same column twice; choose two of the 2")
    refused(f"{path}#header=no,src=english", r"no column `english`")
    refused(
        put("a.jsonl", '{"src": "a", "tgt": "b"}') + "#tgt=tgd",
        r"no column `tgd` .*; the nearest are `tgt`",
    )


def test_aligned_files_have_no_columns(put):
    src = put("a.en", "one\n")
    tgt = put("a.de", "eins\n")
    refused(
        f"{src},{tgt}#src=en",
        r"`src`, `tgt`, `header`, .* are for tables, and .* is not one; leave them out",
    )
    refused(f"{src},{tgt}#header=no", r"are for tables")


def test_a_missing_file_is_refused(put, tmp_path):
    refused("none.tsv", r"There is no file `none\.tsv`; check the name and the folder\.")
    refused(
        f"{put('a.en', 'one')},none.de",
        r"There is no file `none\.de`; two aligned files are given as FILE\.src,FILE\.tgt\.",
    )
    refused(str(tmp_path), r"is a folder; give a file in it\.")


@pytest.mark.parametrize("name", ["a.xlsx", "a.txt", "a.gz", "a.txt.gz", "a"])
def test_an_unknown_extension_is_refused(put, name):
    allowed = r"give a \.tsv, .* or \.tmx file, a \.zip of these, or two text files as FILE\.src,FILE\.tgt"
    refused(put(name, "one\teins\n"), rf"which is not supported; {allowed}")


def test_unequal_line_counts_are_refused(put):
    src = put("a.en", "one\ntwo\nthree\n")
    short = put("a.de", "eins")
    gap = put("b.de", "eins\n\nzwei\ndrei")
    stretched = put("c.de", "eins" + "x" * 50 + "\nzwei")
    refused(
        f"{src},{short}",
        r"`.*a\.en` has 3 lines and `.*a\.de` has 1, but .*; nothing looks wrong before line 2",
    )
    refused(
        f"{src},{gap}",
        r"has 3 lines and .* has 4, .* has an empty line, line 2, and the other has none",
    )
    refused(
        f"{src},{stretched}",
        r"; line 1 is the first that looks wrong, check there and above; so few",
    )


@pytest.mark.parametrize("content", ["", "\n", " \r\n\r\n", "\ufeff"])
@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.jsonl", "a.en"])
def test_an_empty_file_is_refused(put, name, content):
    path = put(name, content)
    spec = f"{path},{put('a.de', 'eins')}" if name == "a.en" else path
    refused(spec, rf"`.*{name}` is empty; give a file with at least one pair\.")


def test_a_file_without_a_whole_pair_is_refused(put):
    src = put("a.en", "one\n\n")
    tgt = put("a.de", "\nzwei\n")
    refused(f"{src},{tgt}", r"has no pair with text on both sides; give at least one")
    refused(put("a.tsv", "src\ttgt\n"), r"has no pair with text on both sides")


def test_a_single_column_is_refused(put):
    refused(
        put("a.tsv", "one\ntwo\n"),
        r"has only one column: row 1 has no tab; put a tab between source and target\.",
    )
    refused(put("b.tsv", "one,eins\n"), r"row 1 has no tab; row 1 seems to use a comma; put a tab")
    refused(
        put("a.csv", "one\ntwo\n"), r"row 1 has no comma; put a comma between source and target\."
    )
    refused(
        put("a.jsonl", '{"text": "one"}'),
        r"Line 1 of `.*` has fewer than two fields; write objects such as \{",
    )


@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.jsonl"])
def test_another_encoding_under_a_utf_8_mark_is_refused(put, name):
    content = b"\xef\xbb\xbf" + "a\tb\nxyz\u00e9\tc\n".encode("latin-1")
    refused(
        put(name, content),
        r"is not UTF-8: byte 0xE9 at offset 10 \(line 2\); save it as UTF-8 and try again\.",
    )


def test_a_binary_file_is_refused(put):
    refused(
        put("a.csv", b"PK\x03\x04\x00\x00zip"),
        r"is not text: it has a NUL byte at offset 4; export it as UTF-8 text and try again\.",
    )
    refused(
        "text:" + put("a.txt", b"abc\x00"), r"`.*a\.txt` is not text: it has a NUL byte at offset 3"
    )


def test_a_broken_json_line_is_refused(put):
    good = '{"src": "one", "tgt": "eins"}\n'
    refused(
        put("a.jsonl", good + '{"src": "two", \n'),
        r"Line 2 of `.*` is not JSON \(.*\); write one object per line, such as \{\"src\"",
    )
    refused(put("b.jsonl", good + "\n[1, 2]\n"), r"Line 3 of `.*` is JSON but not an object")
    refused(
        put("c.jsonl", good + '{"src": "\\ud800", "tgt": "x"}'),
        r"Line 2 of `.*` has half of a character \(the lone surrogate `.ud800`\)",
    )
    refused(put("d.jsonl", "[" * 100_000), r"Line 1 of `.*` is not JSON")


def test_broken_quoting_is_refused(put):
    refused(
        put("a.csv", 'one,eins\n"two,zwei\nthree,drei\n'),
        r"The row at line 2 of `.*` is not CSV \(unexpected end of data\); close every",
    )
    refused(put("b.csv", 'one,eins\n\n"two"x,zwei\n'), r"The row at line 3 of `.*` is not CSV")


def test_a_file_without_permission_is_refused(put, monkeypatch):
    def forbidden(path, mode):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    path = put("a.tsv", "one\teins\n")
    monkeypatch.setattr(Path, "open", forbidden)  # root, who often runs tests, may read any file
    refused(path, r"cannot be read \(Permission denied\); check its permissions")


SAME = {
    "a.tsv": "note\ten\tde\n1\thouse\tHaus\n2\ttree\n3\t\tBaum\n4\tdog\tHund\n",
    "a.csv": 'Frage,Antwort\n"one\n\ntwo",eins\n\nthree,"drei, vier"\n',
    "a.jsonl": '{"translation": {"de": "Haus", "en": "house"}}\n{"de": 1}\n',
    "empty.csv": "\n \n",
    "quote.csv": 'one,eins\n"two,zwei\n',
    "semicolon.csv": "one;eins\n",
    "one.tsv": "one\ntwo\n",
    "none.tsv": "src\ttgt\n\tx\n",
    "broken.jsonl": '{"src": "a", "tgt": "b"}\n{\n',
    "utf16.csv": "one,eins\n".encode("utf-16"),
    "latin.csv": "\u00e9t\u00e9,summer\n".encode("latin-1"),
    "zip.csv": b"PK\x03\x04\x00\x00zip",
}


def outcome(read):
    """What a reader gives, or what it says."""
    try:
        corpus = read()
    except UserError as error:
        return str(error)
    return corpus.spec, corpus.split, corpus.pairs, corpus.notes


@pytest.mark.parametrize(
    "options",
    [
        FileOptions(),
        FileOptions(src="1"),
        FileOptions(tgt="en"),
        FileOptions(header="no"),
        FileOptions(rows=1),
    ],
)
@pytest.mark.parametrize("name", SAME)
def test_uploaded_bytes_are_read_as_the_same_file_on_disk(
    put, tmp_path, monkeypatch, name, options
):
    put(name, SAME[name])
    monkeypatch.chdir(tmp_path)
    given = ",".join(
        f"{key}={value}"
        for key, value in options.to_json().items()
        if value not in ("", None, "auto")
    )
    on_disk = outcome(lambda: load(f"{name}#{given}" if given else name))
    uploaded = outcome(lambda: from_bytes([(name, Path(name).read_bytes())], options))
    assert uploaded == on_disk if isinstance(on_disk, str) else uploaded == (name, *on_disk[1:])


@pytest.mark.parametrize(
    "tgt", ["eins\nzwei\n", "eins\n\n", "eins\n", "eins\n\u00fc\n".encode("latin-1"), "", b"eins\0"]
)
def test_two_uploaded_texts_are_read_as_two_files_on_disk(put, tmp_path, monkeypatch, tgt):
    put("a.en", "one\r\ntwo"), put("a.de", tgt)
    monkeypatch.chdir(tmp_path)
    on_disk = outcome(lambda: load("a.en,a.de"))
    uploaded = outcome(
        lambda: from_bytes([(name, Path(name).read_bytes()) for name in ("a.en", "a.de")])
    )
    assert (
        uploaded == on_disk
        if isinstance(on_disk, str)
        else uploaded == ("a.en + a.de", *on_disk[1:])
    )


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (
            (),
            r"0 files were given; give one \.tsv, .* or \.tmx table, two text files aligned line"
            r" by line, or a \.zip of these\.",
        ),
        (("a.en", "a.de", "a.fr"), r"3 files were given; give one"),
        (("a.tsv", "b.tsv", "c.tsv"), r"3 files were given"),
        (
            ("notes.txt",),
            r"`notes\.txt` alone has no targets; add the second file, aligned line by line, or give one",
        ),
        (("noextension",), r"`noextension` alone has no targets"),
        (
            ("a.csv", "b.CSV"),
            r"`a\.csv` and `b\.CSV` are two tables, but only one can be read at a time; remove one of them\.",
        ),
    ],
)
def test_files_that_make_no_pairs_are_refused(names, message):
    with pytest.raises(UserError, match=message):
        from_bytes([(name, b"one,eins\n") for name in names])


class Table(NamedTuple):
    """What the page's pickers of columns are made of."""

    columns: tuple[str, ...]
    src: str
    tgt: str
    has_header: bool
    labels: tuple[str, ...]

    @property
    def header(self):
        return "yes" if self.has_header else "no"


def table(name, content, options=FileOptions()):  # noqa: B008 (frozen)
    with tempfile.TemporaryDirectory() as folder:
        (path := Path(folder) / name).write_bytes(content)
        offer = offered([path], options)
    return Table(
        tuple(column.name for column in offer.columns),
        offer.src,
        offer.tgt,
        offer.has_header,
        offer.labels,
    )


NASTY = [
    "en",
    "de",
    "EN",
    " en ",
    "de",
    "",
    " ",
    "source",
    "1",
    "2",
    "3",
    "99",
    "\u0663",
    "\u00b2",
    "\u00df",
    "SS",
]
NASTY += ["a,b", 'say "x"', "#", "x=y", "two\nlines"]


def nasty(seed):
    """Four columns with names to stumble over, and under each the same word in every row."""
    names = random.Random(seed).sample(NASTY, 4)
    written = io.StringIO()
    csv.writer(written).writerows([names, *[["w1", "w2", "w3", "w4"]] * 2])
    return names, written.getvalue().encode()


@pytest.mark.parametrize("header", ["auto", "yes", "no"])
def test_a_column_that_was_picked_is_the_one_that_is_read(header):
    for seed in range(25):
        names, content = nasty(seed)
        found = table("a.csv", content, FileOptions(header=header))
        assert len(set(found.columns)) == len(found.columns) == len(found.labels) == 4
        for src, tgt in itertools.permutations(range(4), 2):
            for again in (found.header, header):
                picked = FileOptions(src=found.columns[src], tgt=found.columns[tgt], header=again)
                row = from_bytes([("a.csv", content)], picked).pairs[-1]
                assert row == Pair(f"w{src + 1}", f"w{tgt + 1}"), names


def repeated(names):
    """The numbers, from 1, of the columns that have a name which another has, too."""
    counts = Counter(map(str.strip, names))
    return {str(at) for at, name in enumerate(names, 1) if name and counts[name.strip()] > 1}


@pytest.mark.parametrize("header", ["auto", "yes", "no"])
def test_the_columns_read_by_default_are_those_announced(header):
    for seed in range(25):
        names, content = nasty(seed)
        found = table("a.csv", content, FileOptions(header=header))
        if found.has_header and {found.src, found.tgt} & repeated(names):
            with pytest.raises(UserError, match=r"has 2 columns named `.*choose by number"):
                from_bytes([("a.csv", content)], FileOptions(header=header))
            continue
        default = from_bytes([("a.csv", content)], FileOptions(header=header))
        asked = from_bytes(
            [("a.csv", content)], FileOptions(src=found.src, tgt=found.tgt, header=found.header)
        )
        assert (asked.pairs, asked.notes) == (default.pairs, default.notes), names
        assert found.has_header == default.notes[0].startswith("Row 1 is a header")


def test_a_field_of_jsonl_that_was_picked_is_the_one_that_is_read():
    fields = {"1": "w1", " en": "w2", "en": "w3", "": "w4", "DE": "w5", "de": "w6"}
    content = json.dumps(fields).encode()
    found = table("a.jsonl", content)
    assert found.columns == ("1", "2", "3", "4", "DE", "de")
    assert found.labels == (
        "column 1 (1)",
        "column 2 (en)",
        "column 3 (en)",
        "column 4",
        "DE",
        "de",
    )
    assert (found.src, found.tgt, found.has_header) == ("2", "3", True)
    for (src, one), (tgt, other) in itertools.permutations(
        zip(found.columns, fields.values(), strict=True), 2
    ):
        assert from_bytes([("a.jsonl", content)], FileOptions(src=src, tgt=tgt)).pairs == (
            Pair(one, other),
        )


def test_columns_are_offered_with_labels():
    assert table("a.tsv", b"id\ten\tde\n1\thouse\tHaus\n") == (
        ("id", "en", "de"),
        "en",
        "de",
        True,
        ("id", "en", "de"),
    )
    labels = ("column 1 (the house)", "column 2 (das Haus)", "column 3")
    assert table("a.tsv", b"the house\tdas Haus\t\n") == (("1", "2", "3"), "1", "2", False, labels)
    both = ("Frage", "Antwort")
    assert table("a.csv", b"Frage,Antwort\n1,2\n", FileOptions(src="Antwort")) == (
        both,
        "Antwort",
        "Frage",
        True,
        both,
    )


def test_a_number_of_thousands_of_digits_is_no_column():
    with pytest.raises(UserError, match="There is no column `99999"):
        table("a.csv", b"one,eins\n", FileOptions(src="9" * 5000))


def test_pasted_lines_are_pairs():
    for end in ["\n", "\r\n", "\n \n\n"]:
        for between in ["\t", "|||", " ||| ", " \t "]:
            text = end.join(f"{pair.src}{between}{pair.tgt}" for pair in HOUSE)
            corpus = from_pasted(f"\n{text}\n")
            assert (corpus.spec, corpus.split, corpus.pairs, corpus.notes) == (
                "pasted text",
                "train",
                HOUSE,
                (),
            )


def test_pasted_lines_that_are_no_pair_are_counted():
    corpus = from_pasted(
        "one ||| eins\n\ntwo - zwei\nthree\tdrei\tx\nfour ||| \nfive | fuenf\na ||| b\tc ||| d\n"
    )
    assert corpus.pairs == (Pair("one", "eins"), Pair("a ||| b", "c ||| d"))
    assert corpus.notes == (
        "3 lines without exactly one tab or `|||` dropped (the first at line 3).",
        "1 pair with an empty side dropped.",
    )


def test_pasted_texts_that_are_too_long_are_truncated_with_a_note():
    corpus = from_pasted(f"{'a' * 100_001} ||| eins\ntwo ||| zwei\n")
    assert corpus.pairs == (Pair("a" * 100_000, "eins"), Pair("two", "zwei"))
    assert corpus.notes == (
        "1 text was truncated to 100,000 characters, the limit of one text (`cell`).",
    )


@pytest.mark.parametrize("text", ["", "\n\n", "one\ntwo", "one |||", "\teins", "a ||| b ||| c"])
def test_pasted_text_without_a_pair_is_refused_with_an_example(text):
    with pytest.raises(
        UserError,
        match=r"no pair; write one pair per line, as `source \|\|\| target` or with a tab between the two\.$",
    ):
        from_pasted(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [("a\0 ||| b", "is not text: it has a NUL"), ("b ||| \ud800", "has half of a character")],
)
def test_pasted_text_with_unusable_characters_is_refused(text, message):
    with pytest.raises(UserError, match=f"`pasted text` {message}"):
        from_pasted(text)


@pytest.mark.parametrize("names", [("captions.en", "captions.de"), ("restaurants.csv",)])
def test_real_files_are_the_same_from_memory(put, names):
    lines = [sample(name).read_bytes().splitlines(keepends=True)[:500] for name in names]
    paths = [Path(put(name, b"".join(first))) for name, first in zip(names, lines, strict=True)]
    uploaded = from_bytes([(path.name, path.read_bytes()) for path in paths])
    on_disk = load(",".join(map(str, paths)))
    assert len(uploaded) >= 10
    assert (uploaded.hash, uploaded.notes) == (on_disk.hash, on_disk.notes)

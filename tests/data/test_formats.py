"""Every format that is read: what goes in comes out, columns are found and said, bombs and hostile archives are
refused.
"""

import csv
import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from s2s.config import UserError
from s2s.data import Pair, load, splits
from s2s.data.files import FileOptions, from_bytes, offered, opened
from s2s.data.formats.table import TABLES, suffix
from s2s.data.formats.tables import FORMATS
from s2s.data.options import Caps
from s2s.data.repository import library
from s2s.hub.layout import KINDS, OTHER_KINDS
from tests import spawned
from tests.data import written
from tests.data.written import WRITERS, zipped

WORLD = (
    Pair("שלום עולם, מה שלומך?", "مرحبا بالعالم"),
    Pair("我喜欢吃苹果。", "リンゴが好きです。"),
    Pair("สวัสดีชาวโลก", "Chào thế giới"),
    Pair("e\u0301\u0323 a\u0308 Z\u0351\u036b", "é ä naïve"),
    Pair("👩‍👩‍👧‍👦 🇫🇷 👍🏽", "family & flag <b>bold</b> |||"),
    Pair('say "x", and; more | bars', "it's 'so' \\n \\u00e9 %s {0}"),
    Pair('=HYPERLINK("http://x")', "+1-1 @SUM(A1)"),
    Pair("\u200fمرحبا\u200e (abc)", "\u202ereversed\u202c \u2028 \x85 end"),
)
PLAIN = (Pair("the house", "das Haus"), Pair("the tree", "der Baum"))


@pytest.fixture
def put(tmp_path):
    """Writes a file and returns its path as a SPEC."""

    def write(name, content):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(tmp_path / name)

    return write


def refused(spec, message):
    with pytest.raises(UserError, match=message) as caught:
        load(spec)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", WRITERS)
def test_every_script_survives_every_format(put, name):
    corpus = load(put(name, WRITERS[name](WORLD)))
    assert corpus.pairs == WORLD
    assert from_bytes([(name, WRITERS[name](WORLD))]).pairs == WORLD


def test_every_format_is_tested():
    assert set(TABLES) <= {suffix(name) for name in WRITERS}


def test_every_file_that_is_read_has_one_reader():
    by_library = {f".{kind}" for kind in library.BUILDERS}
    assert set(TABLES) <= set(FORMATS)
    assert not by_library & set(FORMATS)
    assert by_library | set(FORMATS) == {f".{kind}" for kind in (*KINDS, *OTHER_KINDS)}


@pytest.mark.parametrize("name", WRITERS)
def test_what_is_offered_is_what_is_read(put, name):
    path = Path(put(name, WRITERS[name](WORLD)))
    offer = offered([path])
    assert offer.kind == ("aligned" if name == "moses.zip" else "table")
    assert len(offer.columns) == len(offer.labels) >= 2
    assert {offer.src, offer.tgt} <= {column.name for column in offer.columns}
    src, tgt = (
        [column.name for column in offer.columns].index(picked) for picked in (offer.src, offer.tgt)
    )
    assert [(row[src], row[tgt]) for row in offer.samples] == [
        (pair.src, pair.tgt) for pair in WORLD[:5]
    ]
    assert load(f"{path}#src={offer.tgt},tgt={offer.src}").pairs == tuple(
        Pair(pair.tgt, pair.src) for pair in WORLD
    )
    assert offer.reason
    assert str(path.parent) not in str(offer)


@pytest.mark.parametrize("name", [name for name in WRITERS if not name.endswith(".zip")])
def test_only_the_first_rows_are_looked_at(put, monkeypatch, name):
    monkeypatch.setattr("s2s.data.formats.streams.CHUNK", 1 << 11)
    many = [
        Pair(f"source text number {n * 7919}", f"target text number {n * 104729}")
        for n in range(1500)
    ]
    path = Path(put(name, WRITERS[name](many)))
    seen = []
    monkeypatch.setattr(
        "s2s.data.formats.streams.ReadingBudget.check_time", lambda budget, _: seen.append(1)
    )
    assert len(offered([path]).samples) == 5
    if not name.endswith(".parquet.gz"):  # whose end must be known first
        assert len(seen) < 15
    assert len(load(str(path))) == 1500


@pytest.mark.parametrize("name", [name for name in WRITERS if not name.endswith(".zip")])
def test_an_empty_or_broken_file_of_every_format_is_refused(put, name):
    for content in (b"", b"\0" * 50, b"\xff\xfe" * 25, WRITERS[name](WORLD)[:15]):
        refused(put(name, content), rf"`.*{name}`")


def test_delimiters_are_found(put):
    for mark in ",;\t|":
        path = put("a.csv", f"the house{mark}das Haus\nthe tree{mark}der Baum\n")
        assert load(path).pairs == PLAIN
        assert offered([Path(path)]).delimiter == mark
    assert load(put("b.csv", "a; b,c\nd; e,f\n")).pairs[0] == Pair(
        "a; b", "c"
    )  # a comma comes first


def test_the_semicolon_of_an_entity_is_no_delimiter(put):
    table = 'Tom &amp; Jerry;Tom et Jerry\na &lt; b;a &#60; b\nAT&T;AT&T\n"x; &#x3C;";y\n'
    path = put("a.csv", table)
    assert offered([Path(path)]).delimiter == ";"
    assert load(path).pairs == (
        Pair("Tom &amp; Jerry", "Tom et Jerry"),
        Pair("a &lt; b", "a &#60; b"),
        Pair("AT&T", "AT&T"),
        Pair("x; &#x3C;", "y"),
    )
    every_row = put("b.csv", "R&amp;D is one|R&amp;D est une\nA&amp;B|A&amp;B\n")
    assert offered([Path(every_row)]).delimiter == "|"
    refused(put("c.csv", "Tom &amp; Jerry\n"), "only one column: row 1 has no comma; put")


COMMA_TOO = "a semicolon; a comma would fit, too"
AMBIGUOUS = [
    ("Hello, world;Bonjour, monde\nYes, please;Oui, merci\n", Pair("Hello, world", "Bonjour, monde"), COMMA_TOO),
    ("Hello, you|Salut, toi\n", Pair("Hello, you", "Salut, toi"), "a bar; a comma would fit, too"),
    ("Hello, world;Bonjour\nYes, please;Oui\n", Pair("Hello, world", "Bonjour"), COMMA_TOO),
    ("one;two,three;four\nfive;six,seven;eight\n", Pair("one;two", "three;four"), "a comma; a semicolon would fit"),
    ("a;b\n", Pair("a", "b"), "separated by a semicolon."),
    ("a,b,c\n", Pair("a", "b"), "column 2 the target, and 1 more is not read."),
]  # fmt: skip


@pytest.mark.parametrize(("table", "first", "note"), AMBIGUOUS)
def test_of_two_delimiters_the_one_that_gives_pairs_is_used_and_said(put, table, first, note):
    corpus = load(put("a.csv", table))
    assert corpus.pairs[0] == first
    assert note in corpus.notes[0]
    assert load(put("c.csv", "a, b;c\nd;e, f, g\nh;i\n")).pairs[0] == Pair("a, b", "c")


def test_lone_carriage_returns_end_rows_of_csv(put):
    assert load(put("a.csv", "the house,das Haus\rthe tree,der Baum\r")).pairs == PLAIN
    assert load(put("b.csv", '"the\rhouse",das Haus\r\nthe tree,der Baum')).pairs == PLAIN


def test_a_word_above_numbers_makes_a_header(put):
    rows = "".join(f"{n}\tone\teins\n" for n in range(4))
    corpus = load(put("a.tsv", f"nr\tFrage\tAntwort\n{rows}"))
    assert (corpus.pairs[0], len(corpus)) == (Pair("one", "eins"), 4)
    assert corpus.notes == ("Row 1 is a header: `Frage` is the source, `Antwort` the target.",)
    assert load(put("b.tsv", rows)).notes == (
        "Row 1 is data, not a header: column 2 is the source, column 3 the target, and 1 more is not read.",
    )


def test_lists_are_joined_as_turns(put):
    rows = {
        "dialogue": [["Hi!", "Hello."], ["Bye!"], []],
        "summary": ["Two greet.", "One leaves.", "Nobody."],
    }
    lines = "\n".join(
        json.dumps(dict(zip(rows, row, strict=True))) for row in zip(*rows.values(), strict=True)
    )
    for path in (put("a.jsonl", lines), put("a.parquet", written.table(rows))):
        corpus = load(path)
        assert corpus.pairs == (
            Pair("Hi! <turn> Hello.", "Two greet."),
            Pair("Bye!", "One leaves."),
        )
        assert corpus.notes[1].startswith("1 row without a text in both fields dropped")
        assert [column.kind for column in offered([Path(path)]).columns] == ["texts", "text"]


def test_a_column_of_prefixes_mixes_tasks(put):
    path = put("a.tsv", "task\tsrc\ttgt\nsummarize\tlong\tshort\nreverse:\tab\tba\n\tx\ty\n")
    assert load(f"{path}#prefix=task").pairs == (
        Pair("summarize: long", "short"),
        Pair("reverse: ab", "ba"),
        Pair("x", "y"),
    )
    refused(f"{path}#prefix=tsk", r"no column `tsk` .* the nearest are `task`")


def test_other_kinds_of_columns_are_no_texts(put):
    content = written.table({"n": [1, 2], "a": ["x", None], "b": ["y", "z"], "raw": [b"q", b"r"]})
    corpus = load(put("a.parquet", content))
    assert corpus.pairs == (Pair("x", "y"),)
    assert corpus.notes == (
        "`a` is the source, `b` the target.",
        "1 row without a text in both fields dropped (the first at row 2).",
    )
    assert [column.kind for column in offered([Path(put("b.parquet", content))]).columns] == [
        "other",
        "text",
        "text",
        "other",
    ]
    for name, one in (
        ("1.parquet", written.table({"text": ["a"], "id": [1]})),
        ("1.csv", b"text\n"),
        ("1.jsonl", b'{"text": "a"}'),
    ):
        assert offered([Path(put(name, one))]).kind == "plain"


def test_numbers_after_a_text_are_targets_unless_their_name_says_otherwise(put):
    sums = "12+5\t17\n3+4\t7\n20+1\t21\n8+8\t16\n"
    path = put("sums.tsv", sums)
    assert (offered([Path(path)]).kind, len(load(path).pairs)) == ("table", 4)
    asked = put("asked.csv", "question,answer\none and two,3\ntwo and two,4\nsix,6\nten,10\n")
    offer = offered([Path(asked)])
    assert (offer.kind, offer.src, offer.tgt) == ("table", "question", "answer")
    rated = put("rated.csv", "review,rating\ngood,5\nbad,1\nfair,3\nfine,4\n")
    assert offered([Path(rated)]).kind == "plain"


def test_a_long_field_does_not_decide_what_the_delimiter_is(put):
    before = csv.field_size_limit(100)  # a fresh process has 131,072
    try:
        long = put("long.csv", b'source;target\n"' + b"x" * 200 + b'";y\n')
        assert load(long).pairs == (Pair("x" * 200, "y"),)
    finally:
        csv.field_size_limit(before)


def test_json_lists_are_read_in_parts(put, monkeypatch):
    content = WRITERS["a.json"](WORLD * 30)
    for size in (7, 100, 1 << 18):
        monkeypatch.setattr("s2s.data.formats.streams.CHUNK", size)
        assert load(put("a.json", content)).pairs == WORLD * 30
    refused(put("b.json", b'[{"src": "a", "tgt": "b"}, {"src": '), r"Line 1 of `.*` is not JSON")
    refused(
        put("c.json", b'[{"src": "a", "tgt": "b"}]\n{"src": "c", "tgt": "d"}'),
        r"More follows the list of objects that ends at line 1 of ",
    )
    refused(
        put("d.json", b'[\n{"src": "a", "tgt": "b"}, 7]'),
        r"Line 2 of `.*` is (not JSON|JSON but no object)",
    )
    refused(put("e.json", b"[" * 100_000), r"Line 1 of `.*` is not JSON")
    refused(put("f.json", b"[]"), r"`.*f\.json` is empty")
    refused(
        put("g.json", b'[{"src": "' + b"x" * 2_000_000),
        r"The object at line 1 of .* longer than 1 MB",
    )


@pytest.mark.parametrize("end", ["", ",", ", \n", "\n"])
def test_a_truncated_json_list_is_refused(put, end):
    whole = '[\n{"src": "a", "tgt": "b"},\n{"src": "c", "tgt": "d"}'
    refused(
        put("a.json", whole + end),
        r"The list of objects of `.*a\.json` has no end after line \d: the file is truncated",
    )
    assert len(load(put("b.json", f"{whole}{end}]{end}"))) == 2
    assert len(load(put("c.json", whole.removeprefix("[") + end))) == 2  # no list, objects only


def test_tmx_codes_are_left_out_and_languages_are_columns(put):
    unit = "<tu><tuv lang='EN-us'><seg>a <bpt i='1'>&lt;b></bpt>bold<ept i='1'>&lt;/b></ept> <hi>x</hi></seg></tuv>"
    path = put(
        "a.tmx",
        f"<tmx><body>{unit}<tuv"
        f" xml:lang='de'><seg>fett</seg></tuv></tu>{unit}</tu>{unit.upper().lower()}</tu></body></tmx>",
    )
    corpus = load(path)
    assert corpus.pairs == (Pair("a bold x", "fett"),)
    assert corpus.notes == (
        "`EN-us` is the source, `de` the target.",
        "2 rows without a text in both languages dropped (the first at line 1).",
    )
    utf_16 = WRITERS["a.tmx"](PLAIN).decode().replace("UTF-8", "UTF-16").encode("utf-16")
    assert load(put("b.tmx", utf_16)).pairs == PLAIN
    refused(put("c.tmx", f"<tmx><body>{unit}</tu></body></tmx>"), "has texts in only one language")
    refused(put("d.tmx", "<tmx><body>"), r"is not a complete \.tmx file \(.* near line 1\)")
    refused(put("e.tmx", "<tmx><body></body></tmx>"), r"has no translation unit")


def test_entities_of_tmx_are_refused(put):
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    refused(
        put("a.tmx", f'<!DOCTYPE tmx [<!ENTITY l0 "ha">{laughs}]><tmx>&l9;</tmx>'),
        r"declares XML entities, which are not supported",
    )
    refused(
        put("b.tmx", '<!DOCTYPE tmx [<!ENTITY x SYSTEM "file:///etc/passwd">]><tmx>&x;</tmx>'),
        r"declares XML entities",
    )
    refused(put("c.tmx", "<tmx " + "a" * 3_000_000), r"Line 1 of .* is longer than 1 MB")


def test_rows_and_cells_beyond_the_limit_are_truncated_and_noted(put):
    for name in ("a.tsv", "a.csv", "a.jsonl", "a.json", "a.parquet", "a.tmx", "moses.zip"):
        path = put(name, WRITERS[name]([Pair("x" * 30, "y")] * 5))
        corpus = opened(path, FileOptions(), Caps(rows=3, cell=20))["train"]()
        assert corpus.pairs == (Pair("x" * 20, "y"),) * 3
        assert corpus.notes[-2:] == (
            "Only the first 3 rows were read, the limit (`rows`).",
            "3 texts were truncated to 20 characters, the limit of one text (`cell`).",
        )
    long = put("b.csv", f"one,{'x' * 300_000}\n")
    assert len(load(long).pairs[0].tgt) == Caps().cell


@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.jsonl", "a.parquet", "a.tmx", "moses.zip"])
def test_a_sample_of_a_table_above_the_limit_says_what_it_is_of(name):
    """The rows that a seed names stay those of the first ones, which alone are read."""
    content = WRITERS[name]([Pair(f"x {n}", f"y {n}") for n in range(9)])

    def read(rows, limit):
        return from_bytes([(name, content)], FileOptions(rows=rows, sample=1), Caps(rows=limit))

    limited = "Only the first 6 rows were read, the limit (`rows`)."
    notes = read(2, 6).notes
    assert [limited, "2 of the first 6 pairs, drawn at random with seed 1."] == [*notes[-2:]]
    notes = read(None, 6).notes
    assert [
        limited,
        "These 6 pairs are the first, not a sample; `rows` says how many of them to draw.",
    ] == [*notes[-2:]]
    assert read(2, 9).notes[-1] == "2 of 9 pairs, drawn at random with seed 1."
    assert read(2, 6).pairs == read(2, 6).pairs
    assert len(read(None, 9)) == 9
    assert not any("sample" in note for note in read(None, 9).notes)


@pytest.mark.parametrize(
    ("names", "left"),
    [(("en", "de"), ""), (("de", "en"), ""), (("src", "tgt"), ""), (("tgt", "src"), "")],
)
def test_a_zip_of_splits_is_read_by_split(put, names, left):
    sides = {"en": "house", "de": "Haus", "src": "house", "tgt": "Haus"}
    members = {
        f"x/{split}.{name}": f"{sides[name]} {split}\n".encode()
        for split in ("dev", "training", "test2016")
        for name in names
    }
    members |= {
        "__MACOSX/x/._train.en": b"\0",
        "x/README.md": b"#",
        "x/flickr.en": b"a\n",
        "x/flickr.de": b"b\n",
    }
    path = put("a.zip", zipped(members))
    assert splits(path) == ("train", "valid", "test")
    one, other = (
        ("house", "Haus") if {"src", "tgt"} == set(names) or names[0] == "en" else ("Haus", "house")
    )
    assert load(path, "valid").pairs == (Pair(f"{one} dev", f"{other} dev"),)
    assert load(f"{path}#split=test,src={names[1]},tgt={names[0]}").split == "test"
    offer = offered([Path(path)])
    assert (offer.kind, offer.splits, {column.name for column in offer.columns}) == (
        "splits",
        ("train", "valid", "test"),
        set(names),
    )
    assert load(path).notes == (
        "Left out of `" + path + "`: `x/README.md`, `x/flickr.en`, `x/flickr.de`.",
    )


def test_zips_with_other_names_are_read(put):
    one = b"the house\n"
    other = b"das Haus\n"
    pair = (Pair("the house", "das Haus"),)
    assert load(
        put("a.zip", zipped({"Books.de-en.de": other, "Books.de-en.en": one, "LICENSE": b"x"}))
    ).pairs == (Pair("das Haus", "the house"),)
    assert load(put("b.zip", zipped({"source.txt": one, "target.txt": other}))).pairs == pair
    assert load(put("c.zip", zipped({"en/all.txt": one, "de/all.txt": other}))).pairs == pair
    assert load(put("d.zip", zipped({"one.txt": one, "two.txt": other}))).pairs == pair
    same = load(put("f.zip", zipped({"complex.en": one, "simple.en": other})))
    assert [{pair.src, pair.tgt} for pair in same.pairs] == [{"the house", "das Haus"}]
    three = put("e.zip", zipped({"t.en": one, "t.de": other, "t.fr": b"la maison\n"}))
    assert load(f"{three}#src=fr,tgt=en").pairs == (Pair("la maison", "the house"),)
    assert len(offered([Path(three)]).columns) == 3
    odd = put("g.zip", zipped({"one, first.txt": one, "two#2.txt": other}))
    assert {column.name for column in offered([Path(odd)]).columns} == {
        "one, first.txt",
        "two#2.txt",
    }
    assert load(f"{odd}#src=1,tgt=2").pairs == pair
    assert load(f"{odd}#src=2").pairs == (Pair("das Haus", "the house"),)
    refused(f"{odd}#src=3", r"There is no text in `.*g\.zip` `3`")
    refused(f"{odd}#src=1,tgt=1", r"is the same text twice")
    refused(f"{three}#src=it", r"There is no text in `.*e\.zip` `it`")
    refused(f"{three}#src=en,tgt=en", r"is the same text twice")


HOSTILE = {
    "inner.zip": (
        zipped({"a.zip": b"PK"}),
        r"holds `a\.zip`, an archive in an archive; extract it first",
    ),
    "inner.tar.gz": (
        zipped({"a.tsv": b"a\tb\n", "b.tar": b""}),
        r"holds `b\.tar`, an archive in an archive",
    ),
    "nothing": (
        zipped({"photo.png": b"x"}),
        r"has neither a table nor two matching texts; put in one table",
    ),
    "empty": (zipped({}), r"has neither"),
    "many": (zipped({f"{n}.tsv": b"" for n in range(1001)}), r"has more than 1,000 members"),
    "tables": (
        zipped({"a.tsv": b"a\tb\n", "b.tsv": b"a\tb\n"}),
        r"has several files, none of them named after a split, such as `a\.tsv`",
    ),
    "twice": (
        zipped({"dev.tsv": b"a\tb\n", "valid.tsv": b"a\tb\n"}),
        r"has several files for the split valid",
    ),
    "no zip": (b"PK\x03\x04 nothing", r"is not a complete \.zip file"),
    "cut": (zipped({"a.tsv": b"a\tb\n" * 1000})[:-30], r"is not a complete \.zip file"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_zip_that_cannot_be_read(put, case):
    content, message = HOSTILE[case]
    refused(put("x.zip", content), message)


def test_an_encrypted_member_is_refused(put):
    content = bytearray(zipped({"a.tsv": b"a\tb\n"}))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    refused(
        put("x.zip", bytes(content)),
        r"`a\.tsv` in `.*x\.zip` is encrypted; compress it again without a password",
    )


@pytest.mark.parametrize(
    "name", ["../../up.tsv", "/etc/abs.tsv", "..\\..\\up.tsv", "a/\n`b`.tsv", "C:\\x.tsv"]
)
def test_hostile_paths_are_read_and_never_written(tmp_path, monkeypatch, name):
    inner = tmp_path / "in" / "ner"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    (inner / "x.zip").write_bytes(zipped({name: b"the house\tdas Haus\n"}))
    before = sorted(path for path in tmp_path.rglob("*"))
    assert load("x.zip").pairs == PLAIN[:1]
    assert sorted(path for path in tmp_path.rglob("*")) == before
    (inner / "x.zip").write_bytes(zipped({name: b"one column\n"}))
    refused("x.zip", r"in x\.zip` has only one column")


def test_the_size_that_a_member_claims_is_not_believed(put):
    content = bytearray(zipped({"a.tsv": b"the house\tdas Haus\n" * 5000}))
    at = content.index(b"PK\x01\x02") + 24
    content[at : at + 4] = (10).to_bytes(4, "little")
    refused(put("x.zip", bytes(content)), r"`a\.tsv in .*x\.zip` is damaged or incomplete")


def read_all(paths: list[str]) -> tuple[list[str], int]:
    """What is said of each, and by how many kB the memory of this process grew meanwhile, at most."""

    def memory(key: str) -> int:
        return int(Path("/proc/self/status").read_text().split(f"{key}:")[1].split()[0])

    before = memory("VmRSS")
    said = []
    for path in paths:
        try:
            said.append(f"read {len(load(path))}")
        except UserError as error:
            said.append(f"refused {error}")
    return said, memory("VmHWM") - before


def parquet_bomb(path, store_schema=False):
    values = pa.DictionaryArray.from_arrays(
        pa.array([0] * 500_000, pa.int32()), pa.array(["a" * 1000])
    )
    pq.write_table(pa.table({"src": values, "tgt": values}), path, store_schema=store_schema)


def dictionary_bomb(path):
    """Its columns stay dictionaries when they are read: a batch of them weighs next to nothing."""
    parquet_bomb(path, store_schema=True)


def gzip_bomb(path):
    path.write_bytes(gzip.compress((b"x" * 40 + b"\t" + b"y" * 58 + b"\n") * 60_000) * 10)


def zip_bomb(path):
    path.write_bytes(
        written.zipped({"a.jsonl": b'{"src": "%s", "tgt": "b"}\n' % (b"a" * 4000) * 5_000})
    )


BOMBS = {
    "a.parquet": parquet_bomb,
    "b.parquet": dictionary_bomb,
    "a.tsv.gz": gzip_bomb,
    "a.zip": zip_bomb,
}


@pytest.mark.system
def test_a_bomb_is_refused_in_little_memory(tmp_path):
    for name, make in BOMBS.items():
        make(tmp_path / name)
        assert (tmp_path / name).stat().st_size < 500_000
    said, growth = spawned.call(read_all, [str(tmp_path / name) for name in BOMBS])
    for sentence, name in zip(said, BOMBS, strict=True):
        assert sentence.startswith("refused")
        assert f"{name}` decompresses to more than 100 times its size" in sentence
    assert growth < 100_000  # kB; some 50,000


def test_what_belongs_together_is_offered(put):
    one = Path(put("t.de", "das Haus\n"))
    other = Path(put("t.en.gz", gzip.compress(b"the house\n")))
    offer = offered([one, other])
    assert (offer.kind, offer.labels, offer.src, offer.tgt) == (
        "aligned",
        ("t.de", "t.en.gz"),
        "t.de",
        "t.en.gz",
    )
    assert offer.samples == (("das Haus", "the house"),)
    assert load(f"{one},{other}").pairs == (Pair("das Haus", "the house"),)
    target = Path(put("x.tgt", "b\n"))
    source = Path(put("x.src", "a\n"))
    assert offered([target, source]).src == "x.src"
    alone = offered([Path(put("book.txt", "It was.\n"))])
    assert (alone.kind, alone.samples, alone.encoding) == ("plain", (("It was.",),), "UTF-8")
    with pytest.raises(UserError, match=r"^`t\.de` and|3 files were given; .* or a \.zip of these"):
        offered([one, other, source])


def test_where_two_files_are_misaligned_is_reported(put):
    pairs = load("synthetic:reverse#rows=500").pairs
    src = [f"{pair.src}\n" for pair in pairs]
    tgt = [f"{pair.tgt}\n" for pair in pairs]
    del tgt[200:202]
    refused(
        f"{put('a.en', ''.join(src))},{put('a.fr', ''.join(tgt))}",
        r"has 500 lines and .* has 498, .*; `.*a\.en` seems to have 2 lines too many from"
        r" about line 201 on \(`.+`\)",
    )


@pytest.mark.parametrize("as_dictionary", [False, True])
def test_one_text_of_many_megabytes_in_a_small_file_is_refused(
    tmp_path: Path, as_dictionary: bool
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    column = pa.array(["x" * 30_000_000, "y"])
    table = pa.table({"src": column, "tgt": pa.array(["a", "b"])})
    path = tmp_path / "a.parquet"
    pq.write_table(table, path, compression="zstd", use_dictionary=as_dictionary)
    del table, column
    assert path.stat().st_size < 100_000
    with pytest.raises(UserError, match="decompresses to more than 100 times its size"):
        load(str(path))


def test_an_empty_line_that_the_other_file_has_not_is_named_exactly(put):
    lines = [f"the house number {at}" + " and so on" * (at % 7) for at in range(300)]
    other = [*lines[:150], "", *lines[150:200], "  ", *lines[200:]]
    put("a.en", "\n".join(lines) + "\n")
    put("a.de", "\n".join(other) + "\n")
    refused(
        put("a.en", "\n".join(lines)) + "," + put("a.de", "\n".join(other)),
        r"has 2 empty lines \(line 151 is the first\)",
    )

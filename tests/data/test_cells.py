"""Which columns of a table are text, where names do not tell, in every format."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import datasets
import pandas as pd
import pytest

from s2s.config import UserError
from s2s.data import Corpus, load
from s2s.data.files import offered
from s2s.data.formats.cells import content
from s2s.data.in_memory import as_corpus

from . import written

EN = ("The house is old.", "I like tea.", "We go home.", "She sings.")
DE = ("Das Haus ist alt.", "Ich mag Tee.", "Wir gehen heim.", "Sie singt.")
NUMBERS: Mapping[str, Sequence[Any]] = {
    "number": [1, 2, 3, 4],
    "words": ["one", "two", "three", "four"],
}


def delimited(rows: Sequence[Sequence[object]], delimiter: str) -> bytes:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows(rows)
    return out.getvalue().encode()


def saved(folder: Path, name: str, table: Mapping[str, Sequence[Any]]) -> str:
    rows = list(zip(*table.values(), strict=True))
    made = {
        ".csv": lambda: delimited([[*table], *rows], ","),
        ".tsv": lambda: delimited([[*table], *rows], "\t"),
        ".jsonl": lambda: "\n".join(
            json.dumps(dict(zip(table, row, strict=True))) for row in rows
        ).encode(),
        ".parquet": lambda: written.table(table),
    }
    path = folder / name
    path.write_bytes(made[path.suffix]())
    return str(path)


def sides(corpus: Corpus) -> list[tuple[str, str]]:
    return [(pair.src, pair.tgt) for pair in corpus.pairs]


@pytest.mark.parametrize("kind", [".csv", ".tsv", ".jsonl", ".parquet", "DataFrame", "Dataset"])
def test_numbers_are_read_beside_words_and_as_named(kind: str, tmp_path: Path) -> None:
    expected = [("1", "one"), ("2", "two"), ("3", "three"), ("4", "four")]
    if kind.startswith("."):
        path = saved(tmp_path, f"a{kind}", NUMBERS)
        found, named = load(path), load(f"{path}#src=words,tgt=number")
    else:
        make = {"DataFrame": pd.DataFrame, "Dataset": datasets.Dataset.from_dict}[kind]
        found, named = (as_corpus(make(NUMBERS), names) for names in ((), ("words", "number")))
    assert sides(found) == expected
    assert "`number` is the source, `words` the target." in found.notes[0]
    assert sides(named) == [(tgt, src) for src, tgt in expected]


def test_a_column_that_cannot_be_read_is_not_called_missing() -> None:
    frame = pd.DataFrame({"text": ["a"], "is_good": [True]})
    with pytest.raises(UserError, match="`is_good` holds bool; choose one of text"):
        as_corpus(frame, ("text", "is_good"))


@pytest.mark.parametrize(
    "beside",
    [
        ("http://a.de/1", "http://a.de/x?y", "https://b.org", "www.c.fr/d"),
        ("sent-0001", "sent-0002", "sent-0003", "sent-0010"),
        ("2020-01-01", "2020-01-02", "2020-11-03", "2021-01-01"),
        ("eng", "eng", "eng", "eng"),
        ("0.98", "1", "0.5", "1e-3"),
        ("clip1.mp3", "clip2.mp3", "a/b.wav", "c.mp3"),
        ("train", "train", "train", "train"),
    ],
)
def test_what_is_no_text_is_passed_over_and_said(beside: tuple[str, ...], tmp_path: Path) -> None:
    expected = list(zip(EN, DE, strict=True))
    path = tmp_path / "a.tsv"
    path.write_bytes(delimited(list(zip(beside, EN, beside, DE, strict=True)), "\t"))
    corpus = load(str(path))
    assert sides(corpus) == expected
    assert f"column 1 ({content(beside)})" in corpus.notes[0] or content(beside) == "numbers"
    named = {"first": beside, "one": EN, "more": beside, "other": DE}
    for found in (
        load(saved(tmp_path, "a.jsonl", named)),
        load(saved(tmp_path, "a.parquet", named)),
        as_corpus(pd.DataFrame(named)),
    ):
        assert sides(found) == expected


def test_two_columns_are_read_whatever_they_hold(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("2020-01-01\tJan 1\n2020-02-03\tFeb 3\n2020-03-04\tMar 4\n")
    assert sides(load(str(path)))[0] == ("2020-01-01", "Jan 1")


@pytest.mark.parametrize(
    "header",
    ["english_sentence,hindi_sentence", "text_en,text_de", "English words,French words",
     "utterance_raw,utterance_norm", "Source Text,Target Text", "lemma,form", "ewe,twi",
     "Swahili,Kikuyu"],
)  # fmt: skip
def test_a_header_is_seen(header: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [header.split(","), *zip(EN, DE, strict=True)]
    path.write_bytes(delimited(rows, ","))
    assert sides(load(str(path))) == list(zip(EN, DE, strict=True))


def test_a_word_above_words_is_no_header(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("house,haus\ntree,baum\na dog,ein hund\nthe cat,die katze\n")
    assert len(load(str(path))) == 4


@pytest.mark.parametrize("first", ["I speak English,Ich spreche Deutsch", "eng,deu"])
def test_a_first_row_is_no_header_for_a_language_in_it(first: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{first}\n{first}\nI go,Ich gehe\n")
    assert len(load(str(path))) == 3


def inflections() -> list[tuple[str, str, str]]:
    return [(f"lemma {at:03}", f"V;{at % 55}", f"form {at:03}x") for at in range(400)]


@pytest.mark.parametrize("has_header", [True, False])
def test_few_targets_are_said_with_another_column(has_header: bool, tmp_path: Path) -> None:
    rows = [("lemma", "features", "form")] * has_header + inflections()
    path = tmp_path / "a.tsv"
    path.write_bytes(delimited(rows, "\t"))
    name, column = ("`form`", "form") if has_header else ("column 3", "3")
    assert load(str(path)).notes[1] == (
        "400 sources have 55 targets; another column may be the target:"
        f" {name}, with `#tgt={column}`."
    )
    assert offered([path]).likelier == column
    assert len(load(f"{path}#tgt={column}").notes) == 1


LABELED = [(f"It was number {at}.", ("pos", "neg", "none")[at % 3]) for at in range(40)]


@pytest.mark.parametrize("header", ["text,label", "Kommentar,Urteil", "x,y", "tweet,sentiment"])
def test_a_word_above_few_repeated_labels_makes_a_header(header: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(delimited([header.split(","), *LABELED], ","))
    assert sides(load(str(path))) == LABELED


def test_a_label_that_comes_again_is_no_header(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(delimited([("Good", "pos"), *LABELED], ","))
    assert len(load(str(path))) == 41


def test_a_number_that_comes_again_is_no_header(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("".join(f"अंक{at}\tank{at}\t{1 + at % 3}\n" for at in range(9)))
    assert len(load(str(path))) == 9


@pytest.mark.parametrize(
    "header", ["Wort,Wortart,Übersetzung", "mot,nature,traduction", "palabra,clase,significado"]
)
def test_names_in_another_language_make_a_header(header: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(
        delimited([header.split(","), ("Hund", "N", "dog"), ("Uhr", "N", "watch")], ",")
    )
    assert len(load(str(path))) == 2


@pytest.mark.parametrize("kind", [".csv", ".jsonl", "DataFrame"])
def test_a_column_called_a_label_is_the_target_of_the_only_text(kind: str, tmp_path: Path) -> None:
    texts, labels = zip(*LABELED, strict=True)
    table = {"id": [f"r-{at}" for at in range(40)], "sentiment": labels, "review": texts}
    frame = pd.DataFrame(table)
    given = load(saved(tmp_path, f"a{kind}", table)) if kind[0] == "." else as_corpus(frame)
    assert sides(given) == LABELED


def test_few_sources_of_many_targets_are_said_with_the_other_way_round(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(delimited([(label, text) for text, label in LABELED], "\t"))
    assert load(str(path)).notes[1] == (
        "3 sources have 40 targets; the other way round may be meant: column 2 -> column 1,"
        " with `#src=2,tgt=1`."
    )
    assert len(load(f"{path}#src=2,tgt=1").notes) == 1


def test_texts_that_are_not_read_are_said_but_not_the_parts_of_those_that_are(
    tmp_path: Path,
) -> None:
    table = {"question": EN, "title": DE, "answer": DE, "passage": EN, "n": [1, 2, 3, 4]}
    path = saved(tmp_path, "a.jsonl", table)
    assert load(path).notes[0].endswith(" Not read: `title`, `passage`.")
    table = {"instruction": EN, "input": DE, "output": EN, "note": DE}
    assert load(saved(tmp_path, "b.jsonl", table)).notes[0].endswith(" Not read: `note`.")


def test_a_column_of_true_and_false_is_refused_by_name(tmp_path: Path) -> None:
    path = saved(tmp_path, "a.jsonl", {"question": EN, "answer": [True, False, True, False]})
    with pytest.raises(UserError, match=r"`answer` in .* holds true or false; choose a column"):
        load(path)


def test_ids_are_no_indonesian(tmp_path: Path) -> None:
    table = {"id": ["0", "1", "2", "3"], "tokens": EN, "ner_tags": DE}
    assert sides(load(saved(tmp_path, "a.jsonl", table))) == list(zip(EN, DE, strict=True))


def test_a_preview_of_an_encoding_begins_with_rows_that_show_it(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    rows = "a\tb\n" * 9 + "the house\tбольшой дом\nI read\tя люблю читать\n"
    path.write_bytes(rows.encode("cp1251"))
    assert offered([path]).samples[0] == ("the house", "большой дом")


def test_words_with_numbers_are_no_ids_where_they_are_needed(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("".join(f"lemma{at}\tV;PST\tform{at}\n" for at in range(20)))
    assert sides(load(str(path)))[0] == ("lemma0", "form0")


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_quotation_marks_around_fields_of_a_tsv(quoting: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    frame = pd.DataFrame({"source": ['He said "no".', "a"], "target": ['"Nein", so er.', "x\ny"]})
    frame.to_csv(path, sep="\t", index=False, quoting=quoting)
    assert "`#quotes=remove` removes them" in load(str(path)).notes[-1]
    assert offered([path]).is_quoted
    found = load(f"{path}#quotes=remove")
    assert sides(found) == [('He said "no".', '"Nein", so er.'), ("a", "x y")]
    assert not any("quot" in note for note in found.notes)


def test_speech_in_quotation_marks_is_not_taken_for_quoting(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text('He came.\tEr kam.\n"Hello."\t"Hallo."\n')
    assert not offered([path]).is_quoted
    assert len(load(str(path)).notes) == 1


@pytest.mark.parametrize(
    "table",
    ["1\tYes, sir\tJa, Herr\n2\tNo, sir\tNein, Herr\n", "1\tYes, sir\tJa\n2\tNo,sir\tNein\nx\n3\ta,b\tc\n"]
)  # fmt: skip
def test_a_tab_is_the_delimiter_though_texts_have_commas(table: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(table)
    assert sides(load(str(path)))[0][0] == "Yes, sir"


def test_names_of_several_columns_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("en,note,note,de\na,b,c,x\n")
    assert offered([path]).repeated == ("note",)

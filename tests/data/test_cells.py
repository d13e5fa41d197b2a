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
        ("9. März 2021", "12 de mayo de 2021", "1-Jan-2020", "3 janvier 2020"),
        ("5eece87", "6f84a33", "0012345", "abcdef1"),
        ("menu.open", "menu.file.save", "btn_ok", "title.home"),
        ("GEN 1:1", "GEN 1:2", "1 Sam 3:4", "1. Mose 3,4"),
        ("Gen.1.1", "Gen.1.2", "1Sam.3.4", "Ps.23.1"),
        ("[2022-01-01 10:00]", "[2022-01-01 10:01]", "[2022-01-02 09:00]", "[2022-02-01 11:00]"),
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


@pytest.mark.parametrize("name", ["", "id", "Unnamed: 0", "sent_id"])
def test_ids_beside_one_text_are_no_pairs(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(delimited([(name, "text"), *enumerate(EN)], ","))
    with pytest.raises(UserError, match="`text` is the only column of text in"):
        load(str(path))
    assert len(load(f"{path}#src=1,tgt=2")) == len(EN)


def test_several_numbers_beside_one_text_are_no_pairs(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(delimited([("a", "b", "words"), (1, 2, "x"), (3, 5, "y"), (2, 9, "z")], ","))
    with pytest.raises(UserError, match="give the source and the target a column each"):
        load(str(path))


def test_a_language_beside_numbers_and_words_is_no_target(tmp_path: Path) -> None:
    given = {**NUMBERS, "lang": ["en"] * 4}
    expected = list(zip(map(str, NUMBERS["number"]), NUMBERS["words"], strict=True))
    assert sides(load(saved(tmp_path, "a.csv", given))) == expected
    assert sides(as_corpus(pd.DataFrame(given))) == expected


@pytest.mark.parametrize("name", ["year", "time", "date"])
def test_a_time_beside_words_is_the_source(name: str, tmp_path: Path) -> None:
    for times in ([1990, 2001, 2010], ["19:20", "20:00", "20:10"]):
        given = {name: times, "spoken": ["a b", "c", "d"]}
        expected = list(zip(map(str, times), given["spoken"], strict=True))
        assert sides(load(saved(tmp_path, "a.parquet", given))) == expected
        assert sides(load(saved(tmp_path, "a.csv", given))) == expected
        assert sides(as_corpus(pd.DataFrame(given))) == expected


@pytest.mark.parametrize(
    "header",
    ["english_sentence,hindi_sentence", "text_en,text_de", "English words,French words",
     "utterance_raw,utterance_norm", "Source Text,Target Text", "lemma,form", "ewe,twi",
     "Swahili,Kikuyu", "Lause,Satz", "Texte de départ,Texte d'arrivée", "Русский,Английский", "原文,译文",
     "English (US),German (Austria)", "German term,Greek term"],
)  # fmt: skip
def test_a_header_is_seen(header: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [header.split(","), *zip(EN, DE, strict=True)]
    path.write_bytes(delimited(rows, ","))
    assert sides(load(str(path))) == list(zip(EN, DE, strict=True))


@pytest.mark.parametrize("again", ["a/b.xml", "97%", "news"])
def test_a_row_whose_cell_comes_again_is_no_header(again: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    first = (again, "One day", "Eines Tages")
    path.write_bytes(delimited([first, *((again, *row) for row in zip(EN, DE, strict=True))], ","))
    assert sides(load(str(path)))[0] == first[1:]


@pytest.mark.parametrize(
    "first",
    [
        ("Resumption of the session", "Wiederaufnahme der Sitzungsperiode"),
        ("Chapter 1", "Kapitel 1"),
    ],
)
def test_a_title_above_sentences_is_no_header(first: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(delimited([first, *zip(EN, DE, strict=True)], ","))
    assert sides(load(str(path)))[0] == first


def test_a_word_above_words_is_no_header(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("house,haus\ntree,baum\na dog,ein hund\nthe cat,die katze\n")
    assert len(load(str(path))) == 4


@pytest.mark.parametrize("first", ["I speak English,Ich spreche Deutsch", "eng,deu"])
def test_a_first_row_is_no_header_for_a_language_in_it(first: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{first}\n{first}\nI go,Ich gehe\n")
    assert len(load(str(path))) == 3


def labelled(labels: Sequence[str], n: int = 60) -> list[tuple[str, str, str]]:
    return [(labels[at * at % len(labels)], f"word {at}.", f"Wort {at}.") for at in range(n)]


@pytest.mark.parametrize(
    "labels",
    [("train", "test", "dev"), ("annotator 1", "annotator 2"), ("ann", "bob7", "CK", "dan", "eve")],
)
@pytest.mark.parametrize("is_sorted", [False, True])
def test_labels_are_no_texts(labels: Sequence[str], is_sorted: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    rows = sorted(labelled(labels)) if is_sorted else labelled(labels)
    path.write_bytes(delimited(rows, "\t"))
    for corpus in (load(str(path)), as_corpus(pd.DataFrame(rows))):
        assert sides(corpus) == [row[1:] for row in rows]
        assert "(labels)" in corpus.notes[0]


@pytest.mark.parametrize("n", [10, 150])
def test_lemmas_are_texts_though_each_has_many_forms(n: int, tmp_path: Path) -> None:
    lemmas = [lemma for lemma in ("abandonar", "beber", "cantar") for _ in range(n)]
    rows = [
        (lemma, f"{lemma[:-2]}{'aeiou'[at % 5]}{'mnrst'[at // 5 % 5]}", f"V;{at}")
        for at, lemma in enumerate(lemmas)
    ]
    path = tmp_path / "a.tsv"
    path.write_bytes(delimited(rows, "\t"))
    assert sides(load(str(path))) == [row[:2] for row in rows]


def test_columns_of_a_translation_tool(tmp_path: Path) -> None:
    names = ("ID", "English (United States)", "German (Germany)", "Comment", "Status")
    rows = [
        (f"{at}", *row[1:], "" if at % 3 else "check", ("Draft", "Confirmed", "Edited")[at % 7 % 3])
        for at, row in enumerate(labelled(["x"]))
    ]
    path = tmp_path / "a.csv"
    path.write_bytes(delimited([names, *rows], ";"))
    assert sides(load(str(path))) == [row[1:3] for row in rows]


@pytest.mark.parametrize("kind", [".csv", ".jsonl", ".parquet", "DataFrame", "Dataset"])
def test_numbers_beside_a_gap_stay_whole(kind: str, tmp_path: Path) -> None:
    given: dict[str, list[Any]] = {"number": [1.0, None, 30.0], "words": ["one", "two", "thirty"]}
    if kind.startswith("."):
        corpus = load(saved(tmp_path, f"a{kind}", given))
    else:
        make = {"DataFrame": pd.DataFrame, "Dataset": datasets.Dataset.from_dict}[kind]
        corpus = as_corpus(make(given))
    assert sides(corpus) == [("1", "one"), ("30", "thirty")]
    assert "Whole numbers are read without `.0`: `1.0` is `1`." in corpus.notes


def test_what_pandas_writes_for_a_missing_text_is_none() -> None:
    frame = pd.DataFrame({"source": ["a", None, "c"], "target": ["x", "y", "z"]})
    frame["source"] = frame["source"].astype(object).where(frame["source"].notna(), float("nan"))
    assert sides(as_corpus(frame.to_dict("records"))) == [("a", "x"), ("c", "z")]


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
    with pytest.raises(
        UserError, match=r"only column of text in .* \(others: `answer` \(true or false\)\)"
    ):
        load(path)


def test_ids_are_no_indonesian(tmp_path: Path) -> None:
    table = {"id": ["0", "1", "2", "3"], "tokens": EN, "ner_tags": DE}
    assert sides(load(saved(tmp_path, "a.jsonl", table))) == list(zip(EN, DE, strict=True))


def test_a_preview_of_an_encoding_begins_with_rows_that_show_it(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    rows = "a\tb\n" * 9 + "the house\tбольшой дом\nI read\tя люблю читать\n"
    path.write_bytes(rows.encode("cp1251"))
    assert offered([path]).samples[0] == ("the house", "большой дом")


def test_the_same_is_said_in_python(tmp_path: Path) -> None:
    frame = pd.DataFrame(inflections(), columns=["lemma", "features", "form"])
    said = "400 sources have 55 targets; another column may be the target: `form`, with"
    assert (
        as_corpus(frame, ("lemma", "features")).notes[1] == f'{said} `columns=("lemma", "form")`.'
    )
    table = datasets.Dataset.from_pandas(frame)
    found = Corpus.from_datasets(table, "lemma", "features")
    assert found.notes[1] == f'{said} `src="lemma", tgt="form"`.'
    table.save_to_disk(tmp_path / "a")
    spec = f"disk:{tmp_path / 'a'}#src=lemma,tgt=features"
    assert f"{said} `#tgt=form`." in load(spec).notes
    named = pd.DataFrame({"day": [f"2020-01-0{at}" for at in range(1, 5)], "one": EN, "two": DE})
    assert as_corpus(named).notes[0].endswith(" Not text: `day` (dates).")


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

"""Where a dataset comes from: those that ship, files, pasted text."""

import html
import re

import pytest

from s2s.config import asker
from s2s.data import load, load_preview
from s2s.library.own import list_datasets
from s2s.links.share import unpack
from s2s.questions import Table
from s2s.ui.data import upload_form
from s2s.ui.data.views import texts_table
from s2s.ui.kit.pictures import SHOWN
from tests.screen import opened, page_text, settled
from tests.ui.data.uploading import (
    PAIRS,
    assert_same_after_a_reload,
    pairs,
    reopened,
    side,
    uploaded,
)


def test_data_shows_a_dataset() -> None:
    screen = opened("data", set="source:builtin:en-fr")
    assert tuple(pairs(screen)[0]) == load_preview("builtin:en-fr").rows[0]
    assert "first 100 of 20,000" in page_text(screen)


def test_data_begins_with_what_a_visitor_has_and_offers_the_shipped_below() -> None:
    screen = opened("data")
    assert len(screen.file_uploader) == len(screen.text_area) == 1
    assert not pairs(screen)
    screen.button_group(key="shipped").set_value("builtin:mini-en-fr").run()
    assert len(pairs(screen)) == 5
    assert unpack(screen.session_state["set"])["source"] == "builtin:mini-en-fr"


def test_an_address_with_a_view_and_no_dataset_shows_the_default_one() -> None:
    screen = opened("data", set="view:Task")
    assert screen.segmented_control(key="origin").value == "Built-in"
    assert "task" in screen.session_state[SHOWN]


def test_the_example_file_is_read_as_pairs() -> None:
    screen = uploaded(("example.tsv", upload_form._example().encode()))
    assert pairs(screen) == [[*row] for row in load_preview(upload_form.EXAMPLE).rows[:100]]


def test_an_uploaded_table_is_read_saved_and_taken_to_training() -> None:
    screen = uploaded(("pairs.tsv", PAIRS))
    assert len(pairs(screen)) == 3
    assert "1 pair with an empty side dropped" in page_text(screen)
    assert "Only a saved dataset can be linked" in page_text(screen)
    screen.button(key="train on").click().run()
    (text,) = list_datasets(asker.LOCAL)
    assert text.name == "pairs.tsv"
    assert [pair.src for pair in load(text.spec).pairs] == [
        "the red house",
        "the cat",
        "<b>x</b> **y**",
    ]


def test_any_two_columns_can_be_picked() -> None:
    table = b"id,en,split,de,fr\n1,the house,train,das Haus,la maison\n2,the cat,train,die Katze,le chat\n"
    screen = uploaded(("five.csv", table))
    pick = next(each for each in screen.selectbox if each.label == "Target column")
    assert pick.value == "de"
    settled(pick.set_value("fr").run())
    assert side(screen, "target") == ["la maison", "le chat"]
    next(each for each in screen.selectbox if each.label == "Source column").set_value("fr").run()
    assert "same column" in page_text(screen)


@pytest.mark.parametrize("n_files", [1, 2])
def test_another_encoding_is_asked_for_with_a_preview(n_files: int) -> None:
    en, ru = ("the house", "I read"), ("большой дом", "я люблю читать")
    table = "".join(f"{src}\t{tgt}\n" for src, tgt in zip(en, ru, strict=True))
    given = {"a.tsv": table} if n_files == 1 else {"a.en": "\n".join(en), "a.ru": "\n".join(ru)}
    screen = uploaded(*((name, text.encode("cp1251")) for name, text in given.items()))
    assert "This looks like Windows-1251 (Russian), not UTF-8" in page_text(screen)
    assert screen.dataframe[0].value.to_numpy().tolist() == [[text] for text in ru]
    assert not pairs(screen)
    click = next(each for each in screen.button if each.label == "Read as Windows-1251 (Russian)")
    settled(click.click().run())
    assert side(screen, "target") == list(ru)
    assert "was read as Windows-1251" in page_text(screen)
    again = reopened(screen)
    assert pairs(again) == pairs(screen)


def test_a_third_column_says_the_task_and_the_header_can_be_taken_for_data() -> None:
    table = b"task,input,output\nsummarize,a long text,short\nreverse,a b,b a\n"
    screen = uploaded(("tasks.csv", table))
    settled(
        next(each for each in screen.selectbox if each.label == "Task column")
        .set_value("task")
        .run()
    )
    assert_same_after_a_reload(screen, "Task column", "task")
    assert side(screen, "source") == ["summarize: a long text", "reverse: a b"]
    settled(
        next(each for each in screen.toggle if each.label.startswith("Row 1"))
        .set_value(False)
        .run()
    )
    assert pairs(screen)[0][0] == "task: input"
    assert_same_after_a_reload(screen, "Row 1 holds the column names", False)


def test_two_files_are_aligned_and_can_be_swapped() -> None:
    screen = uploaded(("a.en", b"one\ntwo\n"), ("a.de", b"eins\nzwei\n"))
    assert pairs(screen)[0] == ["one", "eins"]
    assert "The source is a.en" in page_text(screen)
    settled(next(each for each in screen.toggle if "Swap" in each.label).set_value(True).run())
    assert pairs(screen)[0] == ["eins", "one"]
    assert_same_after_a_reload(screen, "Swap the two files", True)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([("a.en", b"one\ntwo\n"), ("a.de", b"eins\n")], "2 lines"),
        ([("a.txt", b"text\n"), ("b.tsv", b"a\tb\n"), ("c.txt", b"x\n")], "3 files"),
        ([("a.png", b"\x89PNG\x00\x00")], "a.png"),
        ([("<b>.csv", b"")], "<b>.csv"),
        ([("a.jsonl", b'{"en": "a\\u0000", "de": "x"}\n')], "has a NUL character"),
        ([("a.jsonl", b'{"en": "a\\ud800", "de": "x"}\n')], "has half of a character"),
    ],
)
def test_a_bad_upload_is_refused_in_a_sentence_beside_it(
    given: list[tuple[str, bytes]], sentence: str
) -> None:
    screen = uploaded(*given)
    (wrong,) = screen.error
    assert sentence in wrong.value.replace("\\", "").replace("\u2060", "")
    assert (
        "/" not in wrong.value.replace("</b>", "") or "tmp" not in wrong.value
    )  # no path of the server
    assert not pairs(screen)
    assert len(screen.file_uploader) == 1  # for another one, at once


def test_pasted_pairs_are_read() -> None:
    screen = opened("data", set="source:paste%3A")
    settled(
        screen.text_area(key="paste")
        .set_value("the house ||| la maison\nthe cat\tle chat\nnothing\n")
        .run()
    )
    assert len(pairs(screen)) == 2
    assert "1 line" in page_text(screen)


def test_text_without_pairs_is_refused_and_can_be_corrected() -> None:
    screen = opened("data", set="source:paste%3A")
    settled(screen.text_area(key="paste").set_value("no target here").run())
    assert screen.error
    settled(screen.text_area(key="paste").set_value("a target ||| une cible").run())
    assert pairs(screen) == [["a target", "une cible"]]


def test_an_older_address_does_not_leave_an_upload() -> None:
    """Of two requests at once, the browser's second still has the address from before the first."""
    screen = opened("data")
    settled(
        screen.text_area(key="paste")
        .set_value("the house ||| la maison\nthe cat ||| le chat")
        .run()
    )
    settled(screen.segmented_control(key="data view").set_value("Task").run())
    assert unpack(screen.session_state["set"])["source"].startswith("upload:")
    for given, shown in (("view:Cleaning", "Cleaning"), ("", "Pairs")):
        screen.query_params["set"] = given
        settled(screen.run())
        assert screen.segmented_control(key="origin").value == "Upload"
        assert len(pairs(screen)) == (0 if shown == "Cleaning" else 2)
        assert screen.segmented_control(key="data view").value == shown


def test_how_lists_in_a_column_are_read_can_be_chosen() -> None:
    table = b'{"source": ["the", "house"], "target": ["das", "Haus"]}\n{"source": ["a"], "target": ["b"]}\n'
    screen = uploaded(("lists.jsonl", table))
    assert side(screen, "source") == ["the house", "a"]
    assert "hold lists of texts: each was joined by spaces" in page_text(screen)
    pick = next(each for each in screen.radio if each.label.startswith("Each list"))
    settled(pick.set_value("line").run())
    assert_same_after_a_reload(screen, "Each list of texts becomes", "line")
    assert side(screen, "source") == ["the", "house", "a"]


def test_a_long_text_ends_in_an_ellipsis_and_has_the_rest_inside() -> None:
    text = "a word & " * 20
    body = texts_table(Table(("line", "source"), [[1, text], [2, "<b>short</b>"]]))
    (first, rest) = re.findall(r"<summary>(.*?) …</summary>… (.*?)</details>", body)[0]
    assert html.unescape(f"{first} {rest}") == text
    assert "&lt;b&gt;short" in body
    assert body.count("<details>") == 1

"""An upload is a folder for as long as the visit keeps it, and no longer."""

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner import RerunException
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.testing.v1 import AppTest

from s2s import settings
from s2s.config import asker
from s2s.data import load, saved_datasets
from s2s.library.own import list_datasets
from s2s.links.share import pack
from s2s.ui.data import uploads
from tests.screen import opened, page_text, settled
from tests.ui.data.uploading import (
    PAIRS,
    assert_same_after_a_reload,
    pairs,
    reopened,
    side,
    uploaded,
)


class Interrupted(dict[str, object]):
    """The session's state at the moment of another click."""

    def __setitem__(self, key: str, value: object) -> None:
        raise RerunException(RerunData())


def test_a_click_while_files_are_uploaded_leaves_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "session_state", Interrupted())
    with pytest.raises(RerunException):
        uploads.begin("Upload", "pairs.tsv", [("pairs.tsv", PAIRS)])
    assert not list((settings.home() / "incoming").iterdir())


TABLE = b"id,en,de,fr\n1,the house,das Haus,la maison\n2,the cat,die Katze,le chat\n"


def has_train_button(screen: AppTest) -> bool:
    return any(each.key == "train on" for each in screen.button)


def test_a_reload_opens_the_upload_with_its_columns_and_its_cleaning() -> None:
    screen = uploaded(("five.csv", TABLE))
    pick = next(each for each in screen.selectbox if each.label == "Target column")
    settled(pick.set_value("fr").run())
    screen.session_state["set data.clean.copies"] = True
    settled(screen.run())
    again = reopened(screen)
    assert side(again, "target") == ["la maison", "le chat"]
    assert again.segmented_control(key="origin").value == "Upload"
    assert again.session_state["set data.clean.copies"]
    again.button(key="train on").click().run()
    (dataset,) = list_datasets(asker.LOCAL)
    assert [pair.tgt for pair in load(dataset.spec).pairs] == ["la maison", "le chat"]
    for tab in (
        screen.run(),
        reopened(screen),
    ):  # the first tab, and Back: it is a saved dataset now
        assert tab.segmented_control(key="origin").value == "Saved"
        assert side(settled(tab), "target") == ["la maison", "le chat"]


def test_a_reload_splits_plain_text_as_it_was_split() -> None:
    screen = uploaded(("a.txt", b"one\n\ntwo\nthree\n"))
    label = "Split plain text into"
    settled(
        next(each for each in screen.selectbox if each.label == label).set_value("dialogue").run()
    )
    assert_same_after_a_reload(screen, label, "dialogue")


def test_a_reload_opens_what_was_pasted() -> None:
    screen = opened("data")
    settled(screen.text_area(key="paste").set_value("the house ||| la maison").run())
    again = reopened(screen)
    assert pairs(again) == [["the house", "la maison"]]
    assert again.session_state["paste"] == "the house ||| la maison"


def test_an_upload_that_is_gone_is_said_and_leaves_nothing_to_train_on() -> None:
    screen = uploaded(("pairs.tsv", PAIRS))
    other = reopened(screen)
    address = str(screen.session_state["set"])
    screen.button(key="drop Upload").click().run()
    assert "pairs.tsv was deleted" in page_text(screen)
    assert not list((settings.home() / "incoming").glob("*/*"))
    for tab in (other.run(), opened("data", set=address)):
        assert "no longer here" in page_text(tab)
        assert tab.segmented_control(key="origin").value == "Upload"
        assert len(tab.file_uploader) == 1
    for tab in (screen, other, reopened(other)):
        assert not pairs(tab)
        assert not has_train_button(tab)


def test_a_reload_before_there_is_a_dataset_offers_no_other() -> None:
    screen = opened("data")
    screen.segmented_control(key="origin").set_value("Hub").run()
    again = reopened(screen)
    assert again.segmented_control(key="origin").value == "Hub"
    assert not has_train_button(again)


@pytest.mark.parametrize("source", ["corpus:0123456789abcdef", "file:/etc/passwd"])
def test_a_link_to_a_dataset_that_is_not_here_chooses_no_other(source: str) -> None:
    saved_datasets.save(load("builtin:mini-en-fr"), name="another", owner=asker.LOCAL)
    screen = opened("data", set=pack({"source": source}))
    for tab in (screen, reopened(screen)):
        assert f"There is no dataset {source}" in page_text(tab)
        assert not has_train_button(tab)


def test_a_click_takes_the_column_that_may_rather_be_the_target() -> None:
    rows = "".join(f"lemma {at:03}\tV;{at % 55}\tform {at:03}\n" for at in range(400))
    screen = uploaded(("forms.tsv", f"lemma\tfeatures\tform\n{rows}".encode()))
    assert "400 sources have 55 targets; another column may be the target" in page_text(screen)
    button = next(each for each in screen.button if "as the target" in each.label)
    settled(button.click().run())
    assert side(screen, "target")[0] == "form 000"
    assert "another column may be" not in page_text(screen)
    assert_same_after_a_reload(screen, "Target column", "form")


def test_a_click_swaps_labels_with_the_texts_that_they_label() -> None:
    rows = "".join(f"{'HUM' if at % 2 else 'LOC'}\tWho is number {at}?\n" for at in range(40))
    screen = uploaded(("questions.tsv", rows.encode()))
    assert "2 sources have 40 targets; the other way round may be meant" in page_text(screen)
    settled(next(e for e in screen.button if e.label == "Swap source and target").click().run())
    assert side(screen, "target")[0] == "LOC"
    assert "other way round" not in page_text(screen)
    assert_same_after_a_reload(screen, "Target column", "1")


def test_quotation_marks_around_fields_are_removed_by_a_switch() -> None:
    screen = uploaded(("quoted.tsv", b'src\ttgt\n"He said ""no"""\tnein\na\tb\n'))
    label = "Remove the quotation marks around fields"
    settled(next(each for each in screen.toggle if each.label == label).set_value(True).run())
    assert side(screen, "source")[0] == 'He said "no"'
    assert_same_after_a_reload(screen, label, True)


def test_names_of_several_columns_are_said() -> None:
    screen = uploaded(("twice.csv", b"en,note,note,de\na,b,c,x\n"))
    assert "Several columns are named note; they are chosen by their number." in page_text(
        screen
    ).replace("`", "")

"""Stored texts come back as they were, belong to one owner, and never leave their folder."""

import dataclasses
import json
import shutil
from pathlib import Path

import pytest

from s2s import settings
from s2s.config import UserError
from s2s.data import Corpus, Gold, Link, Pair, absolute, load, saved_datasets, splits
from s2s.library import Library
from s2s.library.own import list_datasets
from tests.conftest import full_disk

ODD = (
    "one",
    " two ",
    "\ufeffthree",
    "four\u2028five\x85six",
    '"quoted"',
    "tab\there",
    "é",
    "e\u0301",
    "#",
    "\u3000wide",
    "😀 ||| ,",
)
CORPUS = Corpus(
    "a.csv",
    "train",
    tuple(Pair(src, tgt) for src in ODD for tgt in ODD),
    ("Row 1 is a header.", "3 rows dropped."),
)


@pytest.fixture
def clock(monkeypatch):
    """Every look at the clock is a second later."""
    times = (f"2026-01-01T00:00:{second:02}+00:00" for second in range(60))
    monkeypatch.setattr("s2s.files.stored.now", lambda: next(times))


def keep(text="one", owner="anna", name="mine"):
    return saved_datasets.save(
        Corpus("pasted text", "train", (Pair(text, "eins"),)), name=name, owner=owner
    )


def folder(hash):
    return settings.home() / "corpora" / hash


def about(hash):
    return json.loads((folder(hash) / "about.json").read_text())


def test_a_stored_text_comes_back_exactly():
    hash = saved_datasets.save(CORPUS, name="mine", owner="anna")
    found = load(f"corpus:{hash}")
    assert (found.spec, found.split, found.pairs, found.notes) == (
        f"corpus:{hash}",
        "train",
        CORPUS.pairs,
        CORPUS.notes,
    )
    assert found.hash == CORPUS.hash
    assert splits(f"corpus:{hash}") == ("train",)
    assert len(load(f"corpus:{hash}#rows=2")) == 2


def test_line_breaks_become_spaces_and_gold_alignments_are_dropped():
    pair = Pair("one\r\ntwo", "eins\rzwei", Gold((Link(0, 0),)))
    hash = saved_datasets.save(Corpus("builtin:en-fr", "valid", (pair,)), name="mine", owner="anna")
    assert load(f"corpus:{hash}").pairs == (Pair("one two", "eins zwei"),)
    assert sorted(path.name for path in folder(hash).iterdir()) == [
        "about.json",
        "train.src",
        "train.tgt",
    ]


def test_the_folder_says_what_it_holds(clock):
    hash = saved_datasets.save(CORPUS, name=" my\ntext ", owner="anna")
    assert about(hash) == {
        "format": 1,
        "name": "my text",
        "owner": "anna",
        "created": "2026-01-01T00:00:00+00:00",
        "n_pairs": 121,
        "data_hash": CORPUS.hash,
        "notes": list(CORPUS.notes),
    }


def keep_references(*more):
    pairs = (Pair("one", "eins", more=more), Pair("two", "zwei"))
    return saved_datasets.save(Corpus("table", "train", pairs), name="mine", owner="anna")


def test_further_references_are_kept_and_tell_one_dataset_from_another():
    hash = keep_references("ein\nMann", "'ne")
    assert [pair.more for pair in load(f"corpus:{hash}").pairs] == [("ein\nMann", "'ne"), ()]
    assert (folder(hash) / "train.refs").read_text() == '["ein\\nMann", "\'ne"]\n[]\n'
    assert keep_references("ein\nMann", "'ne") == hash
    without = keep_references()
    assert without != hash
    assert "references" not in about(without)  # as it was written before there were any
    assert [pair.more for pair in load(f"corpus:{without}").pairs] == [(), ()]


@pytest.mark.parametrize("content", [None, "", '["eins"]\n', '["x"]\n[]\n', "[]\n{}\n", "[\n[\n"])
def test_further_references_that_were_changed_are_noticed(content):
    hash = keep_references("ein")
    path = folder(hash) / "train.refs"
    path.unlink() if content is None else path.write_text(content)
    with pytest.raises(UserError, match=r"was changed after it was saved|cannot be read"):
        load(f"corpus:{hash}")


def test_the_hash_is_of_owner_and_texts_alone():
    hashes = [keep(), keep(owner="bert"), keep("two"), keep(name="other")]
    assert hashes[3] == hashes[0]
    assert len(set(hashes)) == 3
    assert all(saved_datasets.DATASET_HASH.fullmatch(hash) for hash in hashes)


def test_stored_texts_are_the_owners_newest_first(clock):
    first = keep("one")
    second = keep("two")
    _ = keep("three", owner="bert")
    assert list_datasets("anna") == [
        saved_datasets.SavedDataset(second, "mine", 1, "2026-01-01T00:00:01+00:00"),
        saved_datasets.SavedDataset(first, "mine", 1, "2026-01-01T00:00:00+00:00"),
    ]
    assert [row.spec for row in list_datasets("anna")] == [f"corpus:{second}", f"corpus:{first}"]
    assert list_datasets("nobody") == []


def test_storing_again_changes_the_name_and_nothing_else(clock):
    hash = keep(name="old")
    before = about(hash)
    assert keep(name="new") == hash
    assert about(hash) == before | {"name": "new"}
    assert len(list_datasets("anna")) == 1


def test_a_text_is_renamed_and_deleted():
    hash = keep()
    other = keep("two")
    saved_datasets.rename(Library("anna").dataset(hash, "change"), "better")
    assert {row.name for row in list_datasets("anna")} == {"better", "mine"}
    saved_datasets.delete(Library("anna").dataset(hash, "delete"))
    assert [row.hash for row in list_datasets("anna")] == [other]
    assert [path.name for path in (settings.home() / "corpora").iterdir()] == [other]
    with pytest.raises(UserError, match=rf"There is no saved dataset `{hash}` here"):
        load(f"corpus:{hash}")


@pytest.mark.parametrize(
    "change",
    [
        lambda hash: saved_datasets.delete(Library("bert").dataset(hash, "delete")),
        lambda hash: saved_datasets.rename(Library("bert").dataset(hash, "change"), "his"),
    ],
)
def test_a_text_of_another_owner_is_left_alone(change):
    hash = keep()
    with pytest.raises(UserError, match=rf"There is no saved dataset `{hash}` here"):
        change(hash)
    assert [row.name for row in list_datasets("anna")] == ["mine"]


@pytest.mark.parametrize("name", ["", "  ", "\n"])
def test_a_text_needs_a_name(name):
    hash = keep()
    with pytest.raises(UserError, match=r"The dataset has no name; give it one\."):
        keep(name=name)
    with pytest.raises(UserError, match="has no name"):
        saved_datasets.rename(Library("anna").dataset(hash, "change"), name)


OUTSIDE = [
    "",
    ".",
    "..",
    "../secret",
    "../corpora/{}",
    "{}/",
    "{}\n",
    "./{}",
    "{}/../{}",
    "/etc/passwd",
]
OUTSIDE += [sign * 16 for sign in ("0", "00", "A", "٣", "\0", ".")] + ["0" * 15]


@pytest.mark.parametrize("place", OUTSIDE)
def test_what_is_no_hash_never_becomes_a_path(place):
    hash = keep()
    shutil.copytree(folder(hash), settings.home() / "secret")
    shutil.copytree(folder(hash), folder("A" * 16))  # which is there, but no hash
    place = place.format(hash, hash)
    for attempt in (
        lambda: load(f"corpus:{place}"),
        lambda: saved_datasets.delete(Library("anna").dataset(place, "delete")),
        lambda: saved_datasets.rename(Library("anna").dataset(place, "change"), "x"),
    ):
        with pytest.raises(
            UserError,
            match=r"There is no saved dataset `[^`]*` here; choose another one, or upload",
        ):
            attempt()
    assert (settings.home() / "secret").is_dir()
    assert len(list_datasets("anna")) == 1


def spoil(hash, **changes):
    (folder(hash) / "about.json").write_text(json.dumps(about(hash) | changes))


SPOILT = {
    "no about": lambda hash: (folder(hash) / "about.json").unlink(),
    "half an about": lambda hash: (folder(hash) / "about.json").write_text('{"format": 1, "na'),
    "a list": lambda hash: (folder(hash) / "about.json").write_text("[]"),
    "no format": lambda hash: (folder(hash) / "about.json").write_text("{}"),
    "a newer format": lambda hash: spoil(hash, format=2),
    "a strange date": lambda hash: spoil(hash, created=5),
    "no hashes": lambda hash: spoil(hash, references=[]),
    "no owner": lambda hash: spoil(hash, owner=None),
    "a folder for about": lambda hash: (
        (folder(hash) / "about.json").unlink(),
        (folder(hash) / "about.json").mkdir(),
    ),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_broken_folder_is_left_out_and_answered_in_a_sentence(how):
    whole = keep("whole")
    hash = keep()
    SPOILT[how](hash)
    assert [row.hash for row in list_datasets("anna")] == [whole]
    with pytest.raises(UserError, match=rf"saved dataset `{hash}`") as caught:
        load(f"corpus:{hash}")
    assert str(settings.home()) not in str(caught.value)


def test_a_newer_format_is_refused():
    hash = keep()
    spoil(hash, format=2)
    with pytest.raises(
        UserError, match=rf"`{hash}` has format 2, newer than the supported format 1; update s2s\."
    ):
        load(f"corpus:{hash}")


@pytest.mark.parametrize("content", [b"", b"two\n", b"one\nmore\n", b"\xff\n", None])
def test_texts_that_were_changed_are_noticed_and_mended_by_storing_again(content):
    hash = keep()
    (folder(hash) / "train.src").unlink() if content is None else (
        folder(hash) / "train.src"
    ).write_bytes(content)
    with pytest.raises(
        UserError,
        match=rf"The saved dataset `{hash}` (was changed after it was saved|cannot be read)",
    ) as caught:
        load(f"corpus:{hash}")
    assert str(settings.home()) not in str(caught.value)
    assert load(f"corpus:{keep()}").pairs == (Pair("one", "eins"),)


def test_a_full_disk_stores_nothing_and_names_no_folder():
    with (
        full_disk(300),
        pytest.raises(
            UserError, match=r"`mine` cannot be saved \(File too large\); delete a dataset"
        ) as caught,
    ):
        saved_datasets.save(CORPUS, name="mine", owner="anna")
    assert str(settings.home()) not in str(caught.value)
    assert list_datasets("anna") == []
    assert (
        load(f"corpus:{saved_datasets.save(CORPUS, name='mine', owner='anna')}").hash == CORPUS.hash
    )


def test_a_folder_that_cannot_be_moved_is_not_half_deleted(monkeypatch):
    def refuse(source, target):
        raise PermissionError(13, "Permission denied")

    hash = keep()
    monkeypatch.setattr(saved_datasets.os, "replace", refuse)
    with pytest.raises(
        UserError, match=rf"`{hash}` cannot be deleted \(Permission denied\); try again later\."
    ):
        saved_datasets.delete(Library("anna").dataset(hash, "delete"))
    assert load(f"corpus:{hash}").pairs == (Pair("one", "eins"),)


def test_the_same_text_of_a_dataset_that_has_another_owner_now_is_one_of_its_own():
    first = saved_datasets.save(CORPUS, name="mine", owner="anna")
    path = folder(first) / "about.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"owner": "account"}))
    second = saved_datasets.save(CORPUS, name="again", owner="anna")
    assert second != first
    assert saved_datasets.save(CORPUS, name="third", owner="anna") == second
    assert [row.name for row in list_datasets("account")] == ["mine"]
    assert [row.name for row in list_datasets("anna")] == ["third"]


def test_an_upload_that_cannot_be_moved_can_be_saved_later(tmp_path, monkeypatch):
    def refuse(source, target):
        if Path(source).name == "upload":
            raise PermissionError(13, "Permission denied")
        replace(source, target)

    replace = saved_datasets.os.replace
    saved_datasets.write_upload(tmp_path / "upload", CORPUS)
    with monkeypatch.context() as patch:
        patch.setattr(saved_datasets.os, "replace", refuse)
        with pytest.raises(UserError, match=r"`mine` cannot be saved \(Permission denied\)"):
            saved_datasets.keep_upload(tmp_path / "upload", name="mine", owner="anna")
    hash = saved_datasets.keep_upload(tmp_path / "upload", name="mine", owner="anna")
    assert load(f"corpus:{hash}").pairs == CORPUS.pairs
    assert not (folder(hash) / saved_datasets.UPLOAD_FILE).exists()


def test_a_spec_of_a_stored_text_means_the_same_from_every_folder(tmp_path, monkeypatch):
    hash = keep()
    monkeypatch.chdir(tmp_path)
    assert absolute(f"corpus:{hash}#rows=1") == f"corpus:{hash}#rows=1"


def test_a_stored_text_is_stored_again_under_the_same_hash():
    hash = saved_datasets.save(CORPUS, name="mine", owner="anna")
    again = dataclasses.replace(load(f"corpus:{hash}"), notes=())
    assert saved_datasets.save(again, name="mine", owner="anna") == hash
    assert Path(folder(hash)).is_dir()

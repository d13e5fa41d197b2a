"""A hosted database from when there was a gallery: what was published stays its owner's, and its owner is told once."""

import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from s2s import lessons, settings
from s2s.config import asker
from s2s.files import database
from s2s.hosted import exports, rows
from s2s.library.own import delete_short_link
from s2s.links import short as short_links
from s2s.links.short import Content

HOUSE = Content("attention", {"run": "r1", "src": "the red house"}, "A red house", "Look at *la*.")
NEW = "BCDFGHJKMN"
OLD = "KFRWTPH"  # letters of the first links
HIDDEN = "CDFGHJKMNP"  # which the operator had taken out
PRIVATE = "DFGHJKMNPR"
LINK = """INSERT INTO short_links (letters, owner, digest, format, page, view, title, note, created, opened, published,
    hidden) VALUES ('{}', '{}', '{}', 1, 'attention', '{}', 'A red house', 'Look at *la*.', {}, 1e12, {}, {})"""
REPORT = "INSERT INTO gallery_reports VALUES ('{}', 'bob', 'It is spam.', 1.0)"


@contextmanager
def before_the_end(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """The database as the version before left it; afterwards the next use migrates it."""
    ending = next(
        number
        for number, statements in enumerate(database.MIGRATIONS)
        if "DROP TABLE gallery_reports" in statements
    )
    url = settings.database_url()
    database.engine.cache_clear()
    with patch.context() as older:
        older.setattr(database, "MIGRATIONS", database.MIGRATIONS[:ending])
        yield
        database.engine(url).dispose()
    database.engine.cache_clear()


def store_published() -> None:
    """Two views that Ana published, one that the operator had taken out, and one that she never published."""
    view = json.dumps(HOUSE.view)
    published = ((NEW, 30.0, False), (OLD, 20.0, False), (HIDDEN, 0.0, True), (PRIVATE, 0.0, False))
    with database.begin() as connection:
        for created, (letters, since, is_hidden) in enumerate(published):
            row = LINK.format(letters, "ana", letters, view, created, since, is_hidden)
            connection.exec_driver_sql(row)
        connection.exec_driver_sql(REPORT.format(NEW))


@pytest.fixture
def hosted(monkeypatch: pytest.MonkeyPatch) -> str:
    """Ana's workspace; returns the class that she had opened."""
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    with before_the_end(monkeypatch), asker.acting_as("ana"):
        store_published()
        lessons.add_lesson(lessons.LESSONS["five-minutes"])
        lessons.note_step("five-minutes", 2, "right")
        opened = lessons.open_class("five-minutes").id
        with asker.acting_as("bob"):
            lessons.join_class(opened, 3, 1)
    return opened


def test_published_links_keep_their_letters_and_words(hosted: str) -> None:
    for letters in (NEW, OLD, HIDDEN, PRIVATE):
        link = short_links.find(letters)
        assert (link.owner, link.content) == ("ana", HOUSE)


def test_only_their_owner_is_told_and_once(hosted: str) -> None:
    for who in ("bob", asker.NOBODY):
        with asker.acting_as(who):
            assert short_links.once_published() == []
    with asker.acting_as("ana"):
        assert [link.letters for link in short_links.once_published()] == [NEW, OLD]
        short_links.forget_that_published()
        assert short_links.once_published() == []
        assert [link.letters for link in short_links.own()] == [NEW, OLD, HIDDEN, PRIVATE]
        delete_short_link(OLD)
        assert len(short_links.own()) == 3


def test_they_are_exported_with_the_workspace(hosted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "require", lambda verb, workspace: None)
    with asker.acting_as("ana"):
        path = exports.find_export(exports.write_export("ana", "cookie"), "cookie")
    assert path
    exported = json.loads(zipfile.ZipFile(path).read("short-links.json"))
    assert [link["letters"] for link in exported][:2] == ["BCD-FGHJ-KMN", "KFR-WTPH"]
    assert {(link["title"], link["note"]) for link in exported} == {(HOUSE.title, HOUSE.note)}


def test_lessons_progress_and_classes_stay_and_participants_are_asked_again(hosted: str) -> None:
    with asker.acting_as("ana"):
        (own,) = lessons.own_lessons()
        assert own.lesson.title == lessons.LESSONS["five-minutes"].title
        assert lessons.all_progress()["five-minutes"].answers == {2: "right"}
        assert [each.id for each in lessons.own_classes()] == [hosted]
        assert not lessons.participants(hosted)  # who agreed to less than teachers see now
    with asker.acting_as("bob"):
        assert not lessons.is_participant(hosted)

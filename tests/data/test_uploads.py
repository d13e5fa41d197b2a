"""An upload is a folder with a record: it is opened by its id, for a day, and what nobody can reach is deleted."""

import json
import os
import time
from pathlib import Path

import pytest

from s2s import settings
from s2s.config import DeniedError
from s2s.data import load, profile, uploads
from s2s.data.uploads import Upload
from s2s.library import Library
from tests.data.test_profile import PAIRS, done


def begun() -> Upload:
    return uploads.begin("Upload", "pairs.tsv", [("pairs.tsv", PAIRS)], owner="anna")


def read(upload: Upload, spec: str) -> list[str]:
    """The sources of the preview that this SPEC gives."""
    upload.read(spec)
    assert done(upload.profile).error == ""
    return [src for src, _ in (upload.profile.result("preview") or {})["rows"]]


@pytest.mark.usefixtures("_here")
def test_an_upload_is_opened_by_its_id_and_is_not_read_again() -> None:
    first = begun()
    assert read(first, "pairs.tsv#src=src,tgt=tgt")[0] == "one"
    again = Library("anna").upload(first.id)
    assert (again.name, again.files, again.spec) == (first.name, first.files, first.spec)
    again.read("pairs.tsv#src=src,tgt=tgt")
    assert not again.profile.request
    assert again.profile.result("preview") == first.profile.result("preview")


@pytest.mark.usefixtures("_here")
def test_two_pages_read_one_upload_in_different_ways() -> None:
    one = begun()
    other = Library("anna").upload(one.id)
    assert read(one, "pairs.tsv#src=src,tgt=tgt")[0] == "one"
    assert read(other, "pairs.tsv#src=tgt,tgt=src")[0] == "eins"
    assert read(one, "pairs.tsv#src=src,tgt=tgt")[0] == "one"
    assert load(one.save("mine")).pairs[0].src == "one"
    assert not other.is_there
    assert Library("anna").upload(one.id).saved == one.saved


@pytest.mark.usefixtures("_here")
def test_one_upload_has_few_readings_at_a_time() -> None:
    upload = begun()
    for rows in range(1, 6):
        read(upload, f"pairs.tsv#rows={rows}")
    readings = [path for path in upload.folder.iterdir() if path.is_dir()]
    assert len(readings) == 1 + uploads.MAX_READINGS  # with the files


@pytest.mark.parametrize("id", ["", "../incoming", "x" * 16, "0" * 15, "..", "a/b"])
def test_no_other_id_opens_anything(id: str) -> None:
    begun()
    with pytest.raises(DeniedError):
        Library("anna").upload(id)


def test_an_upload_is_its_owners_and_lasts_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    upload = begun()
    with pytest.raises(DeniedError):
        Library("bert").upload(upload.id)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 86_500)
    with pytest.raises(DeniedError):
        Library("anna").upload(upload.id)
    assert not upload.is_there


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff", b"[" * 100_000])
def test_a_damaged_record_opens_nothing(content: bytes) -> None:
    upload = begun()
    (upload.folder / uploads.RECORD).write_bytes(content)
    with pytest.raises(DeniedError):
        Library("anna").upload(upload.id)


def test_what_is_old_or_unreachable_is_deleted() -> None:
    def aged(path: Path, seconds: float) -> Path:
        past = time.time() - seconds
        os.utime(path, (past, past))
        return path

    young = begun()
    old = begun()
    record = old.folder / uploads.RECORD
    record.write_text(
        json.dumps(json.loads(record.read_bytes()) | {"created": "2020-01-01T00:00:00+00:00"})
    )
    in_use = aged(begun().folder, 7_000)
    begins = profile.new_upload().folder
    unreachable = aged(profile.new_upload().folder, 7_000)
    corpora = settings.home() / "corpora"
    (corpora / ".unfinished").mkdir(parents=True)
    (corpora / ".new").mkdir()
    aged(corpora / ".unfinished", 7_000)
    uploads.delete_old_uploads()
    assert {young.folder, in_use, begins} == {*(settings.home() / "incoming").iterdir()}
    assert not old.folder.exists()
    assert not unreachable.exists()
    assert [path.name for path in corpora.iterdir()] == [".new"]


def test_what_a_killed_process_left_is_deleted_and_what_is_being_written_stays() -> None:
    home = settings.home()
    kept = [
        home / "evaluations" / "e" / "scores.json",
        home / "evaluations" / "e" / ".scores.json.0123abcd",
    ]
    left = [
        home / "runs" / "r" / ".status.json.0123abcd",
        home / "corpora" / "c" / ".preview.json.89abcdef",
    ]
    past = time.time() - 7_000
    for path in (*kept, *left):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    for path in (kept[0], *left):
        os.utime(path, (past, past))
    uploads.delete_old_uploads()
    assert all(path.exists() for path in kept)
    assert not any(path.exists() for path in left)

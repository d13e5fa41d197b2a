import os
from pathlib import Path

import pytest

from s2s import files
from s2s.config import UserError
from tests.conftest import full_disk


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "status.json"
    files.write_json(path, {"step": 1})
    with (
        full_disk(1000),
        pytest.raises(
            UserError,
            match=r"status.json` cannot be written \(File too large\); choose another folder",
        ),
    ):
        files.write_bytes(path, b"x" * 5000)
    assert path.read_text() == '{\n "step": 1\n}\n'
    assert list(tmp_path.iterdir()) == [path]


def test_an_unfinished_last_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    files.append_line(path, {"text": "é\u2028x"})
    files.append_line(path, {"step": 2})
    with path.open("a") as file:
        file.write('{"step": 3')
    assert files.read_lines(path) == [{"text": "é\u2028x"}, {"step": 2}]
    assert files.read_lines(tmp_path / "nothing.jsonl") == []


def test_files_can_be_read_by_those_the_umask_allows(tmp_path: Path) -> None:
    files.write_text(tmp_path / "a.txt", "x")
    assert (tmp_path / "a.txt").stat().st_mode & 0o044


def test_only_old_folders_are_removed(tmp_path: Path) -> None:
    old, new, gone = (tmp_path / name for name in ("old", "new", "gone"))
    for folder, changed in ((old, 900), (new, 990)):
        files.write_text(folder / "a.txt", "x")
        os.utime(folder, (changed, changed))
    files.remove_older([old, gone, new], files.UNDO_SECONDS, now=1000)
    assert list(tmp_path.iterdir()) == [new]


def test_a_new_folder_is_whole_or_not_there(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"

    def fail() -> None:
        with files.new_folder(out) as folder:
            (folder / "half").write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert list(out.parent.iterdir()) == []
    with files.new_folder(out) as folder:
        (folder / "all").write_text("all")
        assert not out.exists()
    assert [path.name for path in out.parent.rglob("*")] == ["out", "all"]
    with pytest.raises(UserError, match="exists already"), files.new_folder(out):
        pass
    with pytest.raises(UserError, match="cannot be written"), files.new_folder(out / "all" / "a"):
        pass

"""`python -m benchmarks.fetch`, with a server of this machine: what is fetched, what is refused, what is left alone."""

import gzip
import hashlib
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from benchmarks import fetch
from benchmarks.serving import DATA

TEXT = b"a man\na woman\n"
OTHER = b"something else\n"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        """Print nothing."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """Serves two repositories: one file as it should be, compressed, and one that was changed."""
    root = tmp_path / "served" / "someone" / "words" / "abc"
    root.mkdir(parents=True)
    (root / "train.en.gz").write_bytes(gzip.compress(TEXT))
    (root / "changed.en").write_bytes(OTHER)
    handler = partial(Quiet, directory=str(tmp_path / "served"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        serve = partial(http.serve_forever, poll_interval=0.01)
        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_address[1]}"
        http.shutdown()


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    """One dataset of three files with the same digest."""
    digest = hashlib.sha256(TEXT).hexdigest()
    files = {
        "train.en": ("train.en.gz", digest),
        "changed.en": ("changed.en", digest),
        "gone.en": ("gone.en", digest),
    }
    row = fetch.Dataset("https://github.com/someone/words", "Someone 2020", "free", "abc", files)
    monkeypatch.setattr(fetch, "DATASETS", {"words": row})


@pytest.mark.usefixtures("words")
def test_a_missing_file_is_fetched_and_others_are_told(
    tmp_path: Path, server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match=r"Missing or different: words/changed.en, words/gone.en"):
        fetch.main(["--folder", str(tmp_path / "data"), "--server", server])
    said = capsys.readouterr().out
    assert "https://github.com/someone/words" in said
    assert "train.en: fetched" in said
    assert "changed.en is not the file of the measurements" in said
    assert "gone.en could not be fetched: HTTP Error 404" in said
    assert [path.name for path in (tmp_path / "data" / "words").iterdir()] == ["train.en"]
    assert (tmp_path / "data" / "words" / "train.en").read_bytes() == TEXT
    assert fetch.state("words", "train.en", tmp_path / "data") == "ok"


@pytest.mark.usefixtures("words")
def test_a_file_that_is_there_is_checked_and_never_replaced(tmp_path: Path, server: str) -> None:
    path = tmp_path / "words" / "train.en"
    path.parent.mkdir()
    path.write_bytes(OTHER)
    with pytest.raises(SystemExit, match=r"words/train.en"):
        fetch.main(["words", "--folder", str(tmp_path), "--server", server])
    assert path.read_bytes() == OTHER


def test_the_files_of_the_measurements_have_the_noted_digests() -> None:
    """Those that are on this machine; Multi30k may be absent, and then only the notes are checked."""
    known = [(name, file) for name, row in fetch.DATASETS.items() for file in row.files]
    there = [(name, file) for name, file in known if (DATA / name / file).is_file()]
    assert {fetch.state(name, file, DATA) for name, file in there} <= {"ok"}
    for name, file in known:
        path, digest = fetch.DATASETS[name].files[file]
        assert len(digest) == 64
        assert fetch.DATASETS[name].address("https://host", path).startswith("https://host/")

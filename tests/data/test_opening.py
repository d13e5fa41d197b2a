"""What visitors bring is opened in processes of its own, under limits, and nowhere else."""

import ast
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from s2s import settings
from s2s.config import UserError
from s2s.data import Numbering, hub_samples, opening, profile
from s2s.data.opening import opened
from s2s.hub import Dataset, File, Split
from s2s.jobs import brought_sets, head_service, run_archives, test_sets
from s2s.lessons import LESSONS, lesson_file
from s2s.runs import Sentences
from tests.conftest import make_run
from tests.data import openers
from tests.screen import PAGES

ROOT = Path(__file__).parents[2]
TEXTS = [("a.en", b"x\ny\n"), ("a.fr", b"1\n2\n")]
OF_HUB = Dataset("a/b", "0" * 40, {"default": {"train": Split((File("a.jsonl", 1),))}})
# Every way by which something comes that a visitor made.
WAYS: dict[str, Callable[[], object]] = {
    "dataset": lambda: profile.new_upload().start(["preview"]),
    "dataset of the Hub": lambda: hub_samples.sample_hub_dataset(OF_HUB, "default", "train"),
    "test set": lambda: test_sets.from_uploads(TEXTS),
    "table": lambda: test_sets.table("t.csv", b"mr,ref\na,x\n"),
    "translations": lambda: test_sets.lines_of(TEXTS),
    "alignment": lambda: head_service.aligned_pairs([*TEXTS, ("a", b"0-0\n0-0\n")], Numbering()),
    "scores": lambda: opened(opening.numbers, [("a.txt", b"1\n")], column="", most=9),
    "dataset of a test": lambda: brought_sets.read(Sentences("", spec="hub:a/b")),
    "lesson": lambda: lesson_file.read("a.json", b"{}", pages=[""]),
    "run": lambda: run_archives.bring_in(b"PK", "a.zip", "local"),
}


@pytest.mark.system
@pytest.mark.parametrize("way", WAYS)
def test_without_another_process_nothing_is_opened(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(UserError, match=r"now \(Resource temporarily unavailable\); try again"):
        WAYS[way]()


def test_every_field_for_files_goes_one_of_these_ways() -> None:
    """A new field: add what opens its file to WAYS."""
    fields = {
        path.relative_to(ROOT).as_posix()
        for folder in ("s2s", "pages")
        for path in (ROOT / folder).rglob("*.py")
        if "st.file_uploader(" in path.read_text() or "accept_file" in path.read_text()
    }
    assert fields == {
        "s2s/ui/data/upload_form.py",
        "s2s/ui/evaluate/external.py",
        "s2s/ui/evaluate/files.py",
        "s2s/ui/evaluate/translate_file.py",
        "s2s/ui/heads/alignment_files.py",
        "s2s/ui/lessons/own.py",
        "s2s/ui/runs/run_zip.py",
    }


PARSERS = {
    *("read_alignments", "read_numbers", "read_references", "decode_lines", "from_bytes"),
    *("read_aligned", "zipfile", "tarfile", "gzip", "openpyxl", "pyarrow", "parsed"),
}


def test_the_dashboard_imports_nothing_that_opens_files() -> None:
    found = set()
    for path in [*(ROOT / "s2s" / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")]:
        text = path.read_text()
        nodes = ast.walk(ast.parse(text)) if any(name in text for name in PARSERS) else ()
        for node in nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {each.name.partition(".")[0] for each in node.names}
                found |= {(path.name, name) for name in names & PARSERS}
    # which packs our own files
    assert found == {("bundles.py", "gzip")}


@pytest.mark.system
@pytest.mark.parametrize(
    ("work", "sentence"),
    [
        (openers.takes_memory, "`a.txt` needs more memory than opening a file may take"),
        (openers.hangs, "`a.txt` was not read within 3 seconds"),
        (openers.dies, "The process that opened `a.txt` ended without a result"),
    ],
)
def test_what_a_hostile_file_may_cost(
    work: opening.Work, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if work is openers.hangs:
        monkeypatch.setattr(opening, "SECONDS", 3.0)
    with pytest.raises(UserError, match=sentence):
        opened(work, [("a.txt", b"1")])
    assert [path.suffix for path in (settings.home() / "incoming").iterdir() if path.is_dir()] == []


@pytest.mark.system
def test_the_process_finds_the_file_and_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_SECRET", "a secret of the server")
    environment, (content,), nothing = opened(openers.tells_environment, [("a.txt", b"content")])
    assert content == "content"
    assert nothing == []
    assert not [value for value in environment if "a secret of the server" in value]


@pytest.mark.system
def test_a_run_and_a_lesson_are_opened_by_another_process(tmp_path: Path) -> None:
    run_archives.export(str(make_run(tmp_path / "run", {})), tmp_path / "run.zip")
    run_id = run_archives.bring_in(tmp_path / "run.zip", "run.zip", "local")
    assert (settings.home() / "runs" / run_id / "recipe.json").is_file()
    content = lesson_file.write(LESSONS["five-minutes"]).encode()
    assert lesson_file.read("a.json", content, pages=PAGES).title == LESSONS["five-minutes"].title

"""A text is read beside the program, under limits, and what is found out lies in its folder."""

import csv
import gc
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from s2s import settings
from s2s.config import DataConfig, Recipe, UserError, override
from s2s.data import load, profile, reader, saved_datasets
from s2s.data.options import Caps
from s2s.data.profile import MAX_WAIT
from s2s.data.sections import PROFILE_SECTIONS, Progress
from s2s.library.own import list_datasets
from s2s.processes.bounds import UNLIMITED
from tests import other_systems
from tests.data.reading import ProcessHere
from tests.spawned import wait_for

PAIRS = b"src\ttgt\none\teins\ntwo\tzwei\ntwo\tzwei\n<b>x</b>\ty\n"


def done(of: profile.ProfileFolder, seconds: float = 30) -> profile.ReadingState:
    until = time.monotonic() + seconds
    while not (state := of.state()).is_over:
        assert time.monotonic() < until
        time.sleep(0.02)
    return state


def brought(name: str, content: bytes) -> profile.ProfileFolder:
    of = profile.new_upload()
    of.spec = of.add_file(name, content)
    return of


@pytest.mark.system
def test_a_file_becomes_an_upload_that_can_be_saved() -> None:
    of = brought("pairs.tsv", PAIRS)
    of.start(["offer", "text", "preview", "lint"])
    assert done(of).error == ""
    assert of.result("preview")["n_pairs"] == 4
    assert of.result("offer")["labels"] == ["src", "tgt"]
    assert (
        of.result("lint") is not None
        or of.result(PROFILE_SECTIONS["lint"].name("lint", DataConfig())) is not None
    )
    hash = saved_datasets.keep_upload(of.folder, name="pairs.tsv", owner="anna")
    assert [pair.tgt for pair in load(f"corpus:{hash}").pairs] == ["eins", "zwei", "zwei", "y"]
    assert not of.folder.exists()
    again = profile.profile_of(f"corpus:{hash}")
    assert again.result("preview")["n_pairs"] == 4
    assert [row.name for row in list_datasets("anna")] == ["pairs.tsv"]


@pytest.mark.system
def test_a_home_may_be_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("S2S_HOME", "home")
    of = brought("pairs.tsv", PAIRS)
    of.start(["preview"])
    assert done(of).error == ""
    assert of.result("preview")["n_pairs"] == 4


@pytest.mark.usefixtures("_here")
def test_the_same_text_is_kept_once_and_another_owner_has_its_own() -> None:
    hashes = []
    for owner in ("anna", "anna", "bert"):
        of = brought("pairs.tsv", PAIRS)
        of.start(["text"])
        done(of)
        hashes.append(saved_datasets.keep_upload(of.folder, name="mine", owner=owner))
    assert hashes[0] == hashes[1] != hashes[2]
    assert len(list((settings.home() / "corpora").iterdir())) == 2


@pytest.mark.usefixtures("_here")
@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("pairs.tsv", b"", "`pairs.tsv` is empty"),
        ("pairs.tsv", b"one column\n", "one column"),
        ("pairs.parquet", b"PAR1 no parquet", "`pairs.parquet`"),
    ],
)
def test_what_cannot_be_read_is_said_by_the_files_own_name(
    name: str, content: bytes, sentence: str
) -> None:
    of = brought(name, content)
    of.start(["offer", "text", "preview"])
    state = done(of)
    assert sentence in state.error
    assert str(settings.home()) not in state.error
    with pytest.raises(UserError, match="no longer exists"):
        saved_datasets.keep_upload(of.folder, name=name, owner="anna")


PATHS = ["../../evil.tsv", "/etc/passwd.tsv", "..\\evil.tsv", ".hidden.tsv"]
HOSTILE = [
    *PATHS,
    "a,b#c=d.tsv",
    "x" * 300 + ".tsv",
    "\u202eevil.tsv",
    "hub:a.tsv",
    "😀" * 80 + ".tsv",
]


@pytest.mark.usefixtures("_here")
@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_leads_out_of_the_folder_or_means_something_in_a_spec(name: str) -> None:
    of = brought(name, PAIRS)
    (file,) = (of.folder / "files").iterdir()
    assert file.parent == of.folder / "files"
    assert file.name == of.spec
    assert not set(file.name) & set(",#=/\\")
    assert not file.name.startswith(".")
    assert file.suffix == ".tsv"
    of.start(["text"])
    assert done(of).error == ""


@pytest.mark.system
def test_a_reading_that_takes_too_long_is_ended_and_said() -> None:
    of = brought("pairs.tsv", PAIRS * 40_000)
    of.start(["text", "preview", "lint"], caps=Caps(seconds=0.3))
    assert "took longer" in done(of).error


def test_a_reader_may_wait_and_then_read_before_it_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[float] = []

    class Unfinished(ProcessHere):
        def order(self, _: object, *, seconds: float, **__: object) -> int:  # type: ignore[override]
            given.append(seconds)
            return 1

        def answers(self, _: int, seconds: float, __: object) -> Iterator[Any]:
            given.append(seconds)
            raise TimeoutError

        def close(self) -> None:
            given.append(0)

    monkeypatch.setattr(profile, "Process", Unfinished)
    of = brought("pairs.tsv", PAIRS)
    of.start(["preview"], caps=Caps(seconds=10))
    assert "took longer" in done(of).error
    of.stop()
    assert given[:3] == [MAX_WAIT + 10, MAX_WAIT + 10 + profile.GRACE, 0]


@pytest.mark.system
def test_a_reading_can_be_stopped_and_started_again() -> None:
    of = brought("pairs.tsv", PAIRS * 4_000)
    of.start(["text", "preview", "lint"])
    assert not of.state().is_over
    of.stop()
    assert of.state() == profile.ReadingState(error="Reading was stopped.", is_over=True)
    of.spec += "#rows=2"
    of.start(["text", "preview"])
    assert done(of).error == ""
    assert of.result("preview")["n_pairs"] == 2


@pytest.mark.system
def test_a_process_that_dies_is_said() -> None:
    of = brought("pairs.tsv", PAIRS * 40_000)
    of.start(["text", "preview", "lint"])
    assert of._reading
    os.kill(of._reading._process.process.pid, signal.SIGKILL)
    assert "ran out of memory" in done(of).error


READER = "from s2s.processes import child; child.main('s2s.data.reader:read')"


@pytest.mark.system
def test_a_system_without_limits_reads_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """macOS, Windows: the reader watches its own memory and time."""
    started = subprocess.Popen

    def elsewhere(command: list[str], **options: object) -> "subprocess.Popen[bytes]":
        assert command[1:] == ["-P", "-m", "s2s.processes.child", "s2s.data.reader:read"]
        return started(other_systems.command(READER, "asyncio, filelock"), **options)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", elsewhere)
    of = brought("pairs.tsv", PAIRS)
    of.start(["preview"])
    assert done(of).error == ""
    assert of.result("preview")["n_pairs"] == 4
    assert (settings.home() / "log" / "reader.log").read_text().count(UNLIMITED) == 1
    of = brought("pairs.tsv", PAIRS * 40_000)
    of.start(["text", "preview", "lint"], caps=Caps(seconds=0.3))
    assert done(of).error.startswith("Reading took longer than")


@pytest.mark.usefixtures("_here")
def test_the_share_grows_and_says_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "UPDATE_SECONDS", 0.001)
    messages: list[Mapping[str, Any]] = []
    hear = profile.Reading._hear

    def heard(reading: profile.Reading, line: Mapping[str, Any]) -> None:
        hear(reading, line)
        messages.append({**line, "state": reading.state()})

    monkeypatch.setattr(profile.Reading, "_hear", heard)
    of = brought("pairs.tsv", PAIRS * 2_000)
    of.start(["text", "preview", "lint"])
    assert done(of).share == 1
    assert all(message["state"].share == message["share"] for message in messages)
    shares = [message["share"] for message in messages]
    assert shares == sorted(shares)
    assert len(set(shares)) > 4
    assert {"Reading the dataset.", "Counting."} <= {message["doing"] for message in messages}


@pytest.mark.system
def test_a_token_is_written_nowhere_and_nothing_is_imported_from_the_uploaded_files() -> None:
    of = brought("pairs.tsv", PAIRS)
    for module in ("json.py", "numpy.py", "csv.py", "s2s.py"):
        of.add_file(module, b"open('/tmp/imported', 'w'); raise SystemExit")
    of.start(["text", "preview"], token="hf_very_secret")
    assert of._reading
    command = " ".join(psutil.Process(of._reading._process.process.pid).cmdline())
    assert done(of).error == ""
    assert "secret" not in command
    assert not [
        path
        for path in settings.home().rglob("*")
        if path.is_file() and b"secret" in path.read_bytes()
    ]
    assert "secret" not in repr(of)


def test_results_hang_on_the_settings_that_matter() -> None:
    usual = DataConfig()
    other = override(DataConfig(), {"clean.max_words": 3})
    assert PROFILE_SECTIONS["lint"].name("lint", usual) != PROFILE_SECTIONS["lint"].name(
        "lint", other
    )
    assert PROFILE_SECTIONS["lint"].name("lint", usual) == PROFILE_SECTIONS["lint"].name(
        "lint", override(DataConfig(), {"task": "copy"})
    )
    assert PROFILE_SECTIONS["statistics"].name("statistics", usual) != PROFILE_SECTIONS[
        "statistics"
    ].name("statistics", override(DataConfig(), {"task": "copy"}))


def test_two_files_of_one_name_stay_two() -> None:
    of = profile.new_upload()
    names = [of.add_file("a.txt", b"one\n"), of.add_file("a.txt", b"eins\n")]
    assert [(of.folder / "files" / name).read_bytes() for name in names] == [b"one\n", b"eins\n"]


@pytest.mark.usefixtures("_here")
def test_an_upload_is_profiled_again_without_being_fetched_again() -> None:
    of = brought("pairs.tsv", PAIRS)
    of.start(["text"])
    assert done(of).error == ""
    (of.folder / "files" / "pairs.tsv").unlink()
    of.start(["statistics"])
    assert done(of).error == ""
    (of.folder / "draft.json").unlink()
    of.start(["statistics"])
    assert "There is no file `pairs.tsv`" in done(of).error


@pytest.mark.usefixtures("_here")
def test_only_the_text_is_kept_and_what_holds_for_it() -> None:
    of = brought("pairs.tsv", PAIRS)
    of.start(["offer", "text", "preview", "lint", "statistics", "export"])
    assert done(of).error == ""
    assert list(of.folder.glob("export-*.parquet"))
    folder = (
        settings.home()
        / "corpora"
        / saved_datasets.keep_upload(of.folder, name="mine", owner="anna")
    )
    lint = PROFILE_SECTIONS["lint"].name("lint", DataConfig())
    assert {path.name for path in folder.iterdir()} == {
        "about.json",
        "train.src",
        "train.tgt",
        "train.lines",
        "preview.json",
        f"{lint}.json",
    }


@pytest.mark.usefixtures("_here")
def test_a_result_goes_with_its_file() -> None:
    of = brought("pairs.tsv", PAIRS)
    of.start(["offer", "text", "preview"])
    assert done(of).error == ""
    names = []
    for most in (50, 60, 70):
        data = override(Recipe(), {"data.clean.max_words": most}).data
        names.append(PROFILE_SECTIONS["export"].name("export", data))
        of.start(["export"], data=data)
        assert done(of).error == ""
    for name in names:
        assert (of.result(name) is None) == (not (of.folder / f"{name}.parquet").exists())
    assert of.result(names[0]) is None
    assert of.result(names[2]) is not None


@pytest.mark.system
def test_a_reading_goes_on_when_the_visitor_has_left() -> None:
    of = brought("pairs.tsv", PAIRS * 100)
    folder = of.folder
    of.start(["text", "preview"])
    del of
    gc.collect()
    wait_for((folder / "preview.json").is_file)


@pytest.mark.system
def test_two_visits_read_one_folder_without_disturbing_each_other() -> None:
    visits = [profile.profile_of("builtin:mini-en-fr") for _ in range(2)]
    for visit in visits:
        visit.start(["preview"])
    assert [done(visit).error for visit in visits] == ["", ""]
    assert {path.name for path in visits[0].folder.iterdir()} == {"preview.json"}


@pytest.mark.parametrize(
    "spec",
    ["builtin:../../x", "corpus:../../etc/passwd", "text:/etc/passwd", "hub:a/b", "", "..:.."],
)
def test_no_spec_leads_out_of_the_folder_of_studies(spec: str) -> None:
    with pytest.raises(UserError, match="There is no dataset"):
        profile.profile_of(spec)


def test_a_broken_result_is_no_result() -> None:
    of = profile.new_upload()
    Path(of.folder / "preview.json").write_text("{")
    Path(of.folder / "lint.json").write_text(json.dumps([1]))
    assert of.result("preview") is None
    assert of.result("lint") is None
    assert of.result("x") is None


def test_a_word_of_less_never_takes_the_bar_back() -> None:
    told: list[float] = []
    progress = Progress(lambda share, **_: told.append(share), total=4.0)
    progress.stage("Reading the dataset.", 3.0)
    for share in (0.5, 0.1, 0.8):
        progress.update(share)
    assert told == [0.0, 0.375, 0.375, 0.6]


@pytest.mark.usefixtures("_here")
def test_flagged_pairs_have_the_lines_of_the_file_and_are_texts_in_a_spreadsheet() -> None:
    of = brought("pairs.tsv", b"src\ttgt\n\none\teins\n\t\none\teins\n=1+1\t<b>x</b>\n")
    of.start(["text", "preview", "lint", "flagged"])
    assert done(of).error == ""
    assert of.result("preview")["lines"] == [3, 5, 6]
    name = PROFILE_SECTIONS["flagged"].name("flagged", DataConfig())
    assert of.result(name) == {"n_rows": 3, "is_whole": True}
    table = list(csv.reader((of.folder / f"{name}.csv").read_text().splitlines()))
    assert [row[:2] for row in table[1:]] == [
        ["5", "duplicates"],
        ["6", "markup"],
        ["6", "numbers"],
    ]
    assert table[2][3:] == ["'=1+1", "<b>x</b>"]
    hash = saved_datasets.keep_upload(of.folder, name="mine", owner="anna")
    assert [pair.line for pair in load(f"corpus:{hash}").pairs] == [3, 5, 6]
    (settings.home() / "corpora" / hash / "train.lines").write_text("1\n")
    assert [pair.line for pair in load(f"corpus:{hash}").pairs] == [0, 0, 0]

"""What hostile files cost the reader process, in seconds of its processor and in memory; and what errors repeat."""

import json
import re
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from s2s import cli, settings
from s2s.config import DataConfig, Recipe, UserError, asker, override, parse_assignments
from s2s.data import load, profile
from s2s.data.options import Caps
from s2s.processes.program import Process

resource = pytest.importorskip("resource")
CPU_SECONDS = 15  # of which the imports take one or two
MEMORY = 350_000  # kB
LONG = "x" * 5000
MOST_REPEATED = 500  # characters: two values of 200, and the file's name


def wide_rows(n_columns: int) -> list[str]:
    """A hundred objects that share no key."""
    row = json.dumps({f"kROW_{column}": "x" for column in range(n_columns)})
    return [row.replace("ROW", str(number)) for number in range(100)]


def wide_jsonl(path: Path) -> None:
    path.write_text("\n".join(wide_rows(20_000)))


def wide_json(path: Path) -> None:
    path.write_text(f"[{','.join(wide_rows(5_000))}]")


def wide_parquet(path: Path) -> None:
    pq.write_table(pa.table({f"column{at}": ["a", "b"] for at in range(4_000)}), path)


def wide_csv(path: Path) -> None:
    path.write_text(f"{'ab,' * 100_000}c\n" * 60)


WIDE = {"a.jsonl": wide_jsonl, "a.json": wide_json, "a.parquet": wide_parquet, "a.csv": wide_csv}


@pytest.mark.system
def test_too_wide_a_table_is_refused_at_little_cost(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    settings.home().mkdir(parents=True)
    with closing(Process(profile.READER)) as process:  # one for all orders
        pid = process.process.pid
        resource.prlimit(pid, resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        for name, write in WIDE.items():
            write(tmp_path / "files" / name)
            order = {
                "folder": str(tmp_path),
                "files": str(tmp_path / "files"),
                "spec": name,
                "parts": ["offer"],
                "data": DataConfig().to_json(),
                "caps": Caps().to_json(),
                "token": "",
                "workspace": asker.current(),
            }
            said = f"`{name}` has .* columns or more, and the limit is 1,000 .*; give only the col"
            with pytest.raises(UserError, match=said):
                list(process.answers(process.order(order)))
        status = Path(f"/proc/{pid}/status").read_text()
    peak_memory = re.search(r"VmHWM:\s*(\d+)", status)
    assert peak_memory
    assert int(peak_memory[1]) < MEMORY


def test_a_table_as_wide_as_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("\t".join(f"c{at}" for at in range(1000)) + "\n")
    assert load(str(path)).pairs[0].tgt == "c1"


def written(path: Path, content: str) -> str:
    path.write_text(content)
    return str(path)


LOADED = [
    LONG,
    f"{LONG}:x",
    f"builtin:{LONG}",
    f"corpus:{LONG}",
    f"hub:{LONG}",
    f"hub:a/b#revision={LONG}",
    f"text:{LONG}",
    f"{LONG},{LONG}",
    f"builtin:en-fr#split={LONG}",
    f"builtin:en-fr#{LONG}",
    f"builtin:en-fr#{LONG}=1",
    f"builtin:en-fr#rows={LONG}",
    f"builtin:en-fr#rows={'[' * 4000}",
    "FILE#src=" + LONG,
    "FILE#header=" + LONG,
    "FILE#src=1,tgt=" + "1" * 5000,
]


@pytest.mark.parametrize("spec", LOADED, ids=[spec[:30] for spec in LOADED])
def test_an_error_repeats_little_of_a_spec(spec: str, tmp_path: Path) -> None:
    file = written(tmp_path / "a.tsv", f"{LONG}a\t{LONG}b\nc\td\n")
    with pytest.raises(UserError) as wrong:
        load(spec.replace("FILE", file))
    assert len(str(wrong.value)) < MOST_REPEATED + len(file)


@pytest.mark.parametrize(
    "assignment",
    [
        LONG,
        f"{LONG}=1",
        f"train.seed={LONG}",
        f"model={LONG}",
        f"train.seed={'9' * 4000}",
        f"train={'[' * 4000}",
    ],
)
def test_an_error_repeats_little_of_a_setting(assignment: str) -> None:
    with pytest.raises(UserError) as wrong:
        override(Recipe(), parse_assignments([assignment]))
    assert len(str(wrong.value)) < MOST_REPEATED


@pytest.mark.parametrize(
    "arguments",
    [
        ["data", LONG, "--out", "x"],
        ["data", "builtin:en-fr", "--task", LONG, "--out", "x"],
        ["data", "builtin:en-fr", "--split", LONG, "--out", "x"],
        ["train", "--source", "builtin:first-steps", "--preset", LONG, "--out", "x"],
        ["train", "--source", "builtin:first-steps", "--recipe", LONG, "--out", "x"],
        ["train", "--source", "builtin:first-steps", "--init-from", LONG, "--out", "x"],
        ["train", "--resume", "--out", LONG],
        ["translate", LONG],
        ["translate", "demo-en-fr", "--strategy", LONG],
        ["translate", "demo-en-fr", "--n-best", LONG],
        ["score", "demo-en-fr", "--src", LONG, "--tgt", LONG],
        ["evaluate", "demo-en-fr", "--src", LONG, "--ref", LONG],
        [LONG],
        ["presets", LONG],
    ],
    ids=lambda arguments: " ".join(arguments)[:60],
)
def test_the_command_line_repeats_little(
    arguments: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        code = cli.main(arguments)
    except SystemExit as exit:
        code = exit.code
    assert code == 2
    sentence = capsys.readouterr().err
    assert "x" * 201 not in sentence
    assert "Traceback" not in sentence

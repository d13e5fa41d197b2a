"""Every table of figures says what the files in benchmarks/results say, and each of these is shown and traceable."""

import re
import subprocess
import sys
from dataclasses import replace

import pytest

from benchmarks import results, tables

RECORDS = {name: results.read(name) for name in results.names()}


def test_tables_are_made_from_the_records() -> None:
    different = [path.name for path in tables.stale()]
    assert not different, f"{different} differ; `python -m benchmarks.tables` writes them again."


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_tells_its_code_its_day_its_processor_and_its_command(name: str) -> None:
    record = RECORDS[name]
    assert re.fullmatch(r"[0-9a-f]{10}\+?", record.commit)
    assert re.match(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d", record.date)
    assert record.machine["cpu"]
    assert record.machine["load"] >= 0
    assert record.libraries["torch"]
    assert record.command.startswith(f"python -m benchmarks.{record.benchmark}")
    assert " /" not in record.command, "a path of the machine it was measured on"


def test_every_record_is_shown_somewhere() -> None:
    places = [
        found[2].split()
        for pattern in tables.FILES
        for path in results.ROOT.glob(pattern)
        for found in tables.PLACE.finditer(path.read_text())
    ]
    shown = {row.record for row in tables.HEADLINES} | {
        words[1] for words in places if len(words) > 1
    }
    assert ["headlines"] in places  # all of them, in docs/results.md
    assert set(RECORDS) <= shown


def test_a_changed_figure_changes_the_table(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    record = replace(
        next(iter(RECORDS.values())), results={"kills": 50, "runs": 21, "outcome": "all the same"}
    )
    results.write("crash", record)
    text = "before\n<!-- figures: headlines -->\nold\n<!-- end of figures -->\nafter\n"
    filled = tables.filled(text)
    assert results.read("crash") == record
    assert "50 SIGKILLs" in filled
    assert "all the same" in filled
    assert "old" not in filled
    assert filled.endswith("after\n")
    results.write("crash", replace(record, results={**record.results, "kills": 51}))
    assert "51 SIGKILLs" in tables.filled(filled)


@pytest.mark.system
def test_tables_are_made_without_torch() -> None:
    code = "import sys; from benchmarks import tables; tables.stale(); sys.exit('torch' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], cwd=results.ROOT, check=False).returncode == 0
    )

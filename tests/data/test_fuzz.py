"""Hundreds of broken and hostile files: each ends in pairs or in one sentence, soon, and in little memory."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from s2s.data import Pair
from tests.data.written import WRITERS

MAX_PEAK = 350_000  # kB


def test_a_file_is_the_same_at_another_time(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [Pair("the house", "das Haus"), Pair("a dog", "ein Hund")]
    now = {name: write(pairs) for name, write in WRITERS.items()}
    later = time.time() + 100_000_000
    monkeypatch.setattr(time, "time", lambda: later)
    assert {name: write(pairs) for name, write in WRITERS.items()} == now


@pytest.mark.system
@pytest.mark.skipif(sys.platform != "linux", reason="it needs limits and /proc")
def test_every_file_ends_in_pairs_or_in_a_sentence() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.data.fuzz"],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    n_files, n_pairs, n_endings, peak = map(int, done.stdout.split())
    assert n_files / 10 < n_pairs < n_files * 0.9  # both happen often
    assert n_endings > 20  # and for many reasons
    assert peak <= MAX_PEAK

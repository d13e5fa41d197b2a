"""Thousands of broken and hostile files: every one ends in pairs or in a sentence, soon, and in little memory."""

import os
import subprocess
import sys
from pathlib import Path

N_FILES = 2200
FIRST = int(os.environ.get("S2S_FUZZ_SEED", "0"))
PEAK = 300_000  # kB


def test_every_file_ends_in_pairs_or_in_a_sentence():
    command = [sys.executable, "-m", "tests.data.fuzz", str(FIRST), str(FIRST + N_FILES)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        timeout=300,
        check=False,
    )
    *ends, last = done.stdout.splitlines()
    assert done.returncode == 0, f"seed {last.split()[0]}: {done.stderr[-3000:]}"
    assert len(ends) == N_FILES
    n_pairs = sum(end.endswith("'pairs'") for end in ends)
    assert N_FILES / 10 < n_pairs < N_FILES * 0.9  # both happen often
    assert len({" ".join(end.split()[2:6]) for end in ends}) > 30  # and for many reasons
    assert int(last.split()[1]) <= PEAK, f"{last} kB"

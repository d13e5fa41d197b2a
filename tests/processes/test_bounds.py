import signal
import subprocess
import sys
from collections.abc import Callable

import psutil
import pytest

from s2s.processes import bounds
from tests import other_systems
from tests.other_systems import ROOT

# Takes 400 MB, a little at a time, as a search does.
GREEDY = """
import time
from s2s.processes import bounds
kept = []
with bounds.limited_memory(bounds.memory() + 100_000_000, lambda: print('too much', flush=True)):
    try:
        for _ in range(100):
            kept.append(bytearray(b'x' * 4_000_000))
            time.sleep(0.005)
    except MemoryError:
        print('refused')
"""
MODEST = """
from s2s.processes import bounds
for _ in range(2):
    with bounds.limited_memory(bounds.memory() + 100_000_000):
        kept = bytearray(b'x' * 10_000_000)
print('done')
"""
SLOW = "import time; from s2s.processes import bounds; bounds.end_after(0.1); time.sleep(30)"


def here(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, text=True, capture_output=True, check=False
    )


@pytest.mark.system
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux refuses memory")
def test_too_much_memory_is_refused() -> None:
    found = here(GREEDY)
    assert (found.returncode, found.stdout, found.stderr) == (0, "refused\n", "")


@pytest.mark.system
def test_without_a_limit_the_process_watches_its_memory_and_says_so_once() -> None:
    found = other_systems.run(GREEDY)
    assert found.stdout == "too much\n"
    assert bounds.is_killed(found.returncode)
    assert found.stderr == f"{bounds.UNLIMITED}\n"
    found = other_systems.run(MODEST)
    assert (found.returncode, found.stdout) == (0, "done\n")
    assert found.stderr == f"{bounds.UNLIMITED}\n"


@pytest.mark.system
def test_a_lower_limit_of_the_system_stays() -> None:
    code = "import resource; resource.setrlimit(resource.RLIMIT_AS, (9**10, 9**10))\n" + MODEST
    if sys.platform == "linux":
        assert here(code.replace("bounds.memory()", "9**11")).stdout == "done\n"


@pytest.mark.system
@pytest.mark.parametrize("start", [here, other_systems.run])
def test_a_slow_process_ends(start: Callable[[str], subprocess.CompletedProcess[str]]) -> None:
    assert bounds.is_time_over(start(SLOW).returncode)


def test_the_statuses_are_those_of_the_signals() -> None:
    assert bounds.is_time_over(-signal.SIGALRM)
    assert bounds.is_killed(-signal.SIGKILL)
    assert not any(bounds.is_killed(code) or bounds.is_time_over(code) for code in (0, 1, 2, -15))


def test_the_priority_is_lowered_by_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []
    monkeypatch.setattr("os.nice", given.append)
    bounds.nice(5)
    assert given == [5]
    monkeypatch.delattr("os.nice")
    monkeypatch.setattr(psutil, "BELOW_NORMAL_PRIORITY_CLASS", 16384, raising=False)
    monkeypatch.setattr(psutil.Process, "nice", lambda self, value: given.append(value))
    bounds.nice(5)
    assert given == [5, 16384]
    monkeypatch.delattr(psutil, "BELOW_NORMAL_PRIORITY_CLASS")
    bounds.nice(5)
    assert given == [5, 16384]

import platform
from pathlib import Path

import pytest
import torch

from s2s.model.fast.memory import LARGE, keep_freed_memory
from tests import spawned

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.system
POLICY = Path("/sys/kernel/mm/transparent_hugepage/enabled")
HAS_LARGE = POLICY.exists() and "[never]" not in POLICY.read_text()


def page_faults() -> int:
    """Those of 64 MB, 16,384 pages, which this process has had and freed before."""
    keep_freed_memory()
    torch.ones(2**24)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    torch.ones(2**24)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have no mallopt")
def test_freed_memory_is_used_again_without_page_faults() -> None:
    assert spawned.call(page_faults) < 1000


def memory() -> list[int]:
    """The bytes of this process in memory with 64 MB held, and those of them in large pages."""
    keep_freed_memory()
    held = torch.ones(2**24)
    lines = [line.split() for line in Path("/proc/self/smaps_rollup").read_text().splitlines()]
    del held
    return [1024 * int(line[1]) for line in lines if line[0] in ("Rss:", "AnonHugePages:")]


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have no mallopt")
def test_arrays_lie_in_large_pages_and_what_is_only_reserved_takes_no_memory() -> None:
    resident, large = spawned.call(memory)
    assert resident < 2**29 + 2**28
    assert large >= 2**26 - LARGE if HAS_LARGE else large == 0

import platform
import resource
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from s2s.model.fast.memory import LARGE, keep_freed_memory

POLICY = Path("/sys/kernel/mm/transparent_hugepage/enabled")
HAS_LARGE = POLICY.exists() and "[never]" not in POLICY.read_text()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have no mallopt")
def test_freed_memory_is_used_again_without_page_faults() -> None:
    keep_freed_memory()

    def faults() -> int:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        torch.ones(2**24)  # 64 MB: 16,384 pages
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    faults()
    assert faults() < 1000


SCRIPT = """
import torch
from s2s.model.fast.memory import keep_freed_memory
keep_freed_memory()
held = torch.ones(2**24)
print(*(line.split()[1] for line in open("/proc/self/smaps_rollup") if line.startswith(("Rss", "AnonHuge"))))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have no mallopt")
def test_arrays_lie_in_large_pages_and_what_is_only_reserved_takes_no_memory() -> None:
    shown = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[3],
    )
    resident, large = (int(kilobytes) * 1024 for kilobytes in shown.stdout.split())
    assert resident < 2**29 + 2**28
    assert large >= 2**26 - LARGE if HAS_LARGE else large == 0

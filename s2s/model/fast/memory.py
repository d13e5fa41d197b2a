"""How the process keeps memory for arrays: freed memory is reused, in large pages, and oneDNN keeps little."""

from __future__ import annotations

import ctypes
import functools
import os
from pathlib import Path
from types import MappingProxyType

# glibc's malloc.h
M_TRIM_THRESHOLD = -1
M_TOP_PAD = -2
M_MMAP_MAX = -4
MADV_HUGEPAGE = 14  # Linux' mman-common.h
ROOM = 2**30  # bytes of addresses, which cost nothing until they are written to
LARGE = 2**21  # bytes of a large page
# oneDNN caches code and working memory for the last shapes, and so does torch's binding of it: 1,024 each. Training,
# whose
# batches nearly all differ in shape, gathered 7 GB that way. With 64 it holds 1.2 GB and is as fast.
SHAPES = MappingProxyType({"ONEDNN_PRIMITIVE_CACHE_CAPACITY": "64", "LRU_CACHE_CAPACITY": "64"})


@functools.cache
def keep_freed_memory() -> None:
    """Reuse the memory of freed arrays; glibc would return large blocks to the system, and taking them again costs page
    faults.

    On Linux the first `ROOM` bytes come in pages of 2 MB where the system allows it: a processor remembers the
    addresses of some thousand pages, and an update of training walks through 600 MB. Does nothing without glibc.
    """
    library = ctypes.CDLL(None) if os.name == "posix" else None
    mallopt = getattr(library, "mallopt", None)
    if library is None or mallopt is None:
        return
    for option, value in ((M_MMAP_MAX, 0), (M_TRIM_THRESHOLD, 2**31 - 1), (M_TOP_PAD, 2**26)):
        mallopt(option, value)
    _reserve(library)


def keep_few_shapes() -> None:
    """Limit oneDNN's cache of shapes. Call it before the first oneDNN product of the process, which reads the limit."""
    for name, number in SHAPES.items():
        os.environ.setdefault(name, number)


def _reserve(library: ctypes.CDLL) -> None:
    """Enlarge the heap by `ROOM` and ask for large pages; a system without them keeps small ones."""
    library.malloc.restype = ctypes.c_void_p
    library.malloc.argtypes = [ctypes.c_size_t]
    library.free.argtypes = [ctypes.c_void_p]
    library.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    library.free(library.malloc(ROOM))
    try:
        lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    except OSError:  # a system without /proc keeps small pages
        return
    for line in lines:
        if line.endswith("[heap]"):
            start, end = (int(address, 16) for address in line.split()[0].split("-"))
            start = -(-start // LARGE) * LARGE
            library.madvise(start, max(0, end - start) // LARGE * LARGE, MADV_HUGEPAGE)

"""The memory that arrays are written to: kept by the process, in large pages; little of it by oneDNN. Knows nothing of models."""

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
# oneDNN keeps ready what it made for the last shapes, working memory and all, and torch's binding of it does so once more: 1,024 each,
# and training, whose batches nearly all have shapes of their own, gathered 7 GB. With 64 it holds 1.2 GB and is as fast.
SHAPES = MappingProxyType({"ONEDNN_PRIMITIVE_CACHE_CAPACITY": "64", "LRU_CACHE_CAPACITY": "64"})


@functools.cache
def keep_freed_memory() -> None:
    """Let this process reuse the memory of freed arrays where its C library is glibc, which else gives large ones back.

    Taking it anew costs a page fault for each 4 KB. On Linux the first `ROOM` of it comes in pages of 2 MB where the system
    allows it: a processor remembers where some thousand pages are, and an update of training walks through 600 MB.
    """
    library = ctypes.CDLL(None) if os.name == "posix" else None
    mallopt = getattr(library, "mallopt", None)
    if library is None or mallopt is None:
        return
    for option, value in ((M_MMAP_MAX, 0), (M_TRIM_THRESHOLD, 2**31 - 1), (M_TOP_PAD, 2**26)):
        mallopt(option, value)
    _reserve(library)


def keep_few_shapes() -> None:
    """Let oneDNN keep few shapes ready; before the first of its products in a process, which reads it."""
    for name, number in SHAPES.items():
        os.environ.setdefault(name, number)


def _reserve(library: ctypes.CDLL) -> None:
    """Make the heap so much larger, and ask for large pages in all of it; a system that has none goes on with small ones."""
    library.malloc.restype = ctypes.c_void_p
    library.malloc.argtypes = [ctypes.c_size_t]
    library.free.argtypes = [ctypes.c_void_p]
    library.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    library.free(library.malloc(ROOM))
    for line in Path("/proc/self/maps").read_text().splitlines():
        if line.endswith("[heap]"):
            start, end = (int(place, 16) for place in line.split()[0].split("-"))
            start = -(-start // LARGE) * LARGE
            library.madvise(start, max(0, end - start) // LARGE * LARGE, MADV_HUGEPAGE)

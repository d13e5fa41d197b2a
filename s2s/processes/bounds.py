"""What a process may take, by the means that its system has: priority, seconds and memory."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import ModuleType

import psutil

# Exit statuses as a shell reports them for SIGALRM and SIGKILL; Windows has neither signal.
TIME_OVER = 128 + 14
OUT_OF_MEMORY = 128 + 9
# What torch says in a RuntimeError, and the system where a library is imported.
NO_MEMORY = (
    "failed to map segment",
    "Cannot allocate memory",
    "can't allocate memory",
    "could not create a primitive",  # oneDNN, whose code found no room
    "not enough memory",
    "out of memory",
)
# Bytes of a process that reads what a visitor brings, and of one that it asks for a part.
READER_MEMORY = 4_000_000_000
LIBRARY_MEMORY = 2_000_000_000
LOOK = 0.1  # seconds between two looks at the memory, where a thread has to look
UNLIMITED = "This system cannot limit the memory of a process; every 0.1 s, the process checks its own instead."


def nice(niceness: int) -> None:
    """Lower the priority of the calling thread and those that it starts, 0 to 19; on Windows, of the whole process."""
    if hasattr(os, "nice"):
        os.nice(niceness)
    elif hasattr(psutil, "BELOW_NORMAL_PRIORITY_CLASS"):
        psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)


def end_after(seconds: float) -> None:
    """Ends this process after so many seconds; `is_time_over` knows its exit status."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(
            signal.ITIMER_REAL, seconds
        )  # its signal ends it in the middle of anything
        return
    timer = threading.Timer(seconds, os._exit, (TIME_OVER,))
    timer.daemon = True
    timer.start()


def is_time_over(code: int) -> bool:
    """Whether a process with this exit status (negative for a signal) was ended by `end_after`."""
    return code in (TIME_OVER, 128 - TIME_OVER)


def is_killed(code: int) -> bool:
    """Whether a process with this exit status was ended from outside or had too much memory."""
    return code in (OUT_OF_MEMORY, 128 - OUT_OF_MEMORY)


def is_out_of_memory(error: Exception) -> bool:
    """Whether an error of Python, torch or the system says that memory ran out."""
    return isinstance(error, MemoryError) or any(words in str(error) for words in NO_MEMORY)


def memory() -> int:
    """Bytes of this process, as `limited_memory` counts them: its addresses, or, where those have no limit, those in
    memory.
    """
    info = psutil.Process().memory_info()
    return int(info.vms if _resource() else info.rss)


@contextlib.contextmanager
def limited_memory(n_bytes: int, exceeded: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Limit this process to `n_bytes` of memory while this is open: more raises MemoryError.

    Where the system cannot refuse memory, a thread watches it, calls `exceeded` and ends the process with the status
    `OUT_OF_MEMORY`; on standard error, the process says so once.
    """
    resource = _resource()
    if resource is None:
        _say_unlimited()
        over = threading.Event()
        watch = (n_bytes, exceeded, over)
        threading.Thread(target=_watch, args=watch, name="memory", daemon=True).start()
        try:
            yield
        finally:
            over.set()
        return
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    allowed = n_bytes if hard == resource.RLIM_INFINITY else min(n_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))  # only the soft limit changes
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, hard))


def _resource() -> ModuleType | None:
    """The module `resource`, where its limit of memory is one: on macOS it has the name alone, and Windows lacks it."""
    if sys.platform != "linux":
        return None
    try:
        import resource
    except ImportError:
        return None
    return resource


@functools.cache
def _say_unlimited() -> None:
    print(UNLIMITED, file=sys.stderr, flush=True)


def _watch(n_bytes: int, exceeded: Callable[[], None], over: threading.Event) -> None:
    while not over.wait(LOOK):
        if memory() > n_bytes:
            exceeded()
            os._exit(OUT_OF_MEMORY)

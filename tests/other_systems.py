"""This system without what macOS or Windows lacks: for processes that a test starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
# What Windows has not, of what this project uses; macOS has a part of it.
MODULES = ("resource", "pwd", "grp", "fcntl")
NAMES = {
    "os": ("nice", "fork", "getsid", "setpgrp", "sched_getaffinity", "waitstatus_to_exitcode"),
    "signal": ("setitimer", "SIGALRM", "SIGKILL", "ITIMER_REAL"),
}
REMOVE = f"""
import os, pathlib, psutil, select, signal, subprocess, sys
for name in {MODULES}:
    sys.modules[name] = None
for name in {NAMES["os"]}:
    delattr(os, name)
for name in {NAMES["signal"]}:
    delattr(signal, name)
def away(*given, **more):
    raise OSError('a pipe is no socket here')
select.select = away
opened = pathlib.Path.open
def without_proc(self, *given, **more):
    if str(self).startswith(('/proc', '/sys')):
        raise FileNotFoundError(str(self))
    return opened(self, *given, **more)
pathlib.Path.open = without_proc
for name in ('read_text', 'write_text', 'read_bytes'):
    def method(self, *given, method=getattr(pathlib.Path, name), **more):
        if str(self).startswith(('/proc', '/sys')):
            raise FileNotFoundError(str(self))
        return method(self, *given, **more)
    setattr(pathlib.Path, name, method)
"""


def command(code: str, libraries: str = "asyncio") -> list[str]:
    """A Python of that system, which runs this code.

    Libraries keep what they need: these are imported before it is removed.
    """
    return [sys.executable, "-c", f"import {libraries}\n{REMOVE}{code}"]


def run(code: str, given: str = "", libraries: str = "asyncio") -> subprocess.CompletedProcess[str]:
    """What it printed and how it ended."""
    return subprocess.run(
        command(code, libraries),
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        input=given,
        text=True,
        capture_output=True,
        check=False,
    )

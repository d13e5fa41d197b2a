"""Openers that do what a hostile file might make one do; what they import is little."""

import os
import time

from s2s.data.opening import Files, opener


@opener
def takes_memory(files: Files) -> list[list[int]]:
    return [[len(bytearray(files[0][1].stat().st_size * 5_000_000_000))]]


@opener
def hangs(_: Files) -> list[list[int]]:
    time.sleep(60)
    return []


@opener
def dies(_: Files) -> list[list[int]]:
    os.abort()


@opener
def tells_environment(files: Files) -> list[list[str]]:
    return [[*os.environ.values()], [files[0][1].read_text()], []]

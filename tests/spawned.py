"""Processes for tests, forked from one that has imported torch and done nothing else: a new one takes seconds."""

import asyncio
import contextlib
import multiprocessing
import os
import sys
import time
import types
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TypeVar

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["s2s.jobs.training", "s2s.processes.worker"])
T = TypeVar("T")


def awaited(work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine returns, in a thread of its own: in this one, browser tests leave an event loop running."""
    with ThreadPoolExecutor(1) as other:
        return other.submit(asyncio.run, work).result()


def call(function: Callable[..., T], *arguments: object, **environment: str) -> T:
    """What the function returns in a process of its own."""
    (result,) = call_all(function, [arguments], **environment)
    return result


def call_all(
    function: Callable[..., T], calls: list[tuple[object, ...]], **environment: str
) -> list[T]:
    """What the function returns for each of these arguments, in a process each, all at once."""
    settings = ({**os.environ, **environment},)
    with without_main(), ProcessPoolExecutor(len(calls), CONTEXT, _set, settings) as pool:
        return [call.result() for call in [pool.submit(function, *each) for each in calls]]


@contextlib.contextmanager
def without_main() -> Iterator[None]:
    """A new process runs the file of `__main__` again, and a screen that was tested before left its page there."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def wait_for(what: Callable[[], object], seconds: float = 180.0) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it never came"
        time.sleep(0.02)


def start(
    arguments: list[str], environment: Mapping[str, str], out: Path, error: Path
) -> BaseProcess:
    """`python -m s2s` with these arguments, as a process that runs already."""
    process = CONTEXT.Process(target=_command, args=(arguments, dict(environment), out, error))
    with without_main():
        process.start()
    return process


def _command(arguments: list[str], environment: Mapping[str, str], out: Path, error: Path) -> None:
    from s2s.cli import main

    _set(environment)
    for path, number in ((out, 1), (error, 2)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    sys.exit(main(arguments))


def _set(environment: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)


def begin(function: Callable[..., object], *arguments: object, **environment: str) -> BaseProcess:
    """A process of its own that does this, for tests that end it."""
    settings = {**os.environ, **environment}
    process = CONTEXT.Process(target=_do, args=(function, arguments, settings))
    with without_main():
        process.start()
    return process


def _do(
    function: Callable[..., object], arguments: tuple[object, ...], environment: dict[str, str]
) -> None:
    _set(environment)
    function(*arguments)

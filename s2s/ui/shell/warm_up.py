"""What the server does once, before the first visitor."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import logging
import socket
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from s2s.config import asker
from s2s.data import delete_old_uploads
from s2s.hosted.monitoring import MONITOR
from s2s.ui.shell.forged import refuse_forged_values
from s2s.ui.shell.measured import measure_script_runs
from s2s.ui.shell.media import guard_downloads
from s2s.ui.streamlit_parts import CHARTS

HOUR = 3600.0  # seconds
WORKER_SECONDS = 10.0  # between two looks whether jobs need a worker
ERASE_SECONDS = 5.0  # between two tries
GARBAGE_SECONDS = 10.0  # between two collections, at least
GARBAGE_SHARE = 0.01  # of the time, at most: while garbage is collected every page stands still
FRAME = Path(__file__).parent / "frame.py"
HEAVY = (
    "torch",
    "pandas",
    "plotly.graph_objects",
    "plotly.express",
    CHARTS,
)


@contextlib.asynccontextmanager
async def warm_up(app: Any) -> AsyncIterator[None]:
    """Do imports, open the first demo and translate once, so that no visitor waits for them.

    What exists by then is frozen: Streamlit collects garbage after every run, and walking all of torch's objects each
    time costs 160 ms (measured).
    """
    measure_script_runs()
    for name in HEAVY:
        importlib.import_module(name)
    import torch

    from s2s import plots
    from s2s.config import Recipe
    from s2s.data import load_preview
    from s2s.demo import EVERYDAY, LESSONS
    from s2s.jobs import engine, forecast
    from s2s.processes import worker
    from s2s.questions import AttentionOf
    from s2s.ui.kit import cached, vocabulary

    torch.set_num_threads(1)  # one page's model must not stop the others
    for demo in [name for name in (EVERYDAY, LESSONS) if name in cached.runs()]:
        opened = cached.open_run(demo)
        question = AttentionOf(cached.named(opened), vocabulary.of(opened).examples[0])
        view = cached.SCREEN.answer(question).attention.view("cross")
        plots.heatmap(view.reduced(-1, None), view.keys, view.rows, title="").to_json()
    forecast(Recipe(), load_preview("builtin:mini-en-fr"))  # which measures the machine
    scaler = engine.start_scaler()
    if asker.is_hosted():
        guard_downloads()
        refuse_forged_values()
    gc.collect()
    gc.freeze()
    cleanups = [asyncio.create_task(task()) for task in CLEANUPS]
    yield
    for cleanup in cleanups:
        cleanup.cancel()
    if scaler:
        scaler.end()
    await asyncio.to_thread(worker.end)


async def _ensure_worker() -> None:
    from s2s.config import UserError
    from s2s.processes import queue, worker

    said = ""
    while True:
        try:
            await asyncio.to_thread(queue.hold_database)
            if await asyncio.to_thread(queue.is_anything_left, socket.gethostname()):
                await asyncio.to_thread(worker.ensure)
        except UserError as error:  # the demos work without a queue
            if str(error) != said:
                logging.getLogger(__name__).warning("%s", error)
            said = str(error)
        await asyncio.sleep(WORKER_SECONDS)


async def _delete_uploads() -> None:
    while True:
        await asyncio.to_thread(delete_old_uploads)
        await asyncio.sleep(HOUR)


async def _delete_expired() -> None:
    from s2s.config import UserError
    from s2s.hosted import delete_expired

    while True:
        try:
            await asyncio.to_thread(delete_expired)
        except UserError as error:  # the database is away: another hour
            logging.getLogger(__name__).warning("%s", error)
        await asyncio.sleep(HOUR)


async def _collect_garbage() -> None:
    """Collects garbage of all sessions at once, where anything was drawn since the last time.

    Streamlit's own way is a full collection after every run (`runner.postScriptGC`). With 50 sessions open, that was
    half of the server's work (measured).
    """
    drawn = 0.0
    took = 0.0
    while True:
        await asyncio.sleep(max(GARBAGE_SECONDS, took / GARBAGE_SHARE))
        if drawn != (drawn := MONITOR.seconds):
            started = time.perf_counter()
            await asyncio.to_thread(gc.collect)
            took = time.perf_counter() - started


async def _forget_sentences() -> None:
    """Empties the caches of sentences every hour, lest their locks gather."""
    from s2s.ui.kit import cached

    while True:
        await asyncio.sleep(HOUR)
        cached.forget_sentences()


async def _empty_trash() -> None:
    from s2s.files import UNDO_SECONDS
    from s2s.library.own import empty_trash

    while True:
        await asyncio.to_thread(empty_trash)
        await asyncio.sleep(UNDO_SECONDS)


async def _erase_deleted() -> None:
    from s2s.config import UserError
    from s2s.processes import queue

    while True:
        with contextlib.suppress(UserError):  # the database is away
            await asyncio.to_thread(queue.erase)
        await asyncio.sleep(ERASE_SECONDS)


CLEANUPS = (
    _ensure_worker,
    _delete_uploads,
    _delete_expired,
    _empty_trash,
    _erase_deleted,
    _collect_garbage,
    _forget_sentences,
)

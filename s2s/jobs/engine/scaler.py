"""How many workers a cluster has: as many as the queue needs, within limits.

One process at a time decides (a lease in the database); what it has started is in the database, too, so that another
one continues after it. Workers end by themselves when there is nothing to do.
"""

from __future__ import annotations

import json
import logging
import math
import os
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from s2s import files, settings
from s2s.config import UserError
from s2s.jobs.engine.ray_jobs import engine
from s2s.processes import environment, queue

TURN = 5.0  # seconds between two looks at queue and cluster
LEASE = 20.0  # seconds for which one process decides
PAUSE = 60.0  # seconds without new workers after one has failed
IDLE = 60  # seconds without work after which a worker ends
CPUS = 2  # of a worker: a long job, and short ones beside it
STATE = "engine"
HOLDER = "engine lease"
LOG = "engine.log"
DEAD = "The worker has died; if the job's process died with it, another worker resumes the job."
COMMAND = "python -m s2s worker"
KINDS = {"cpu": "express,long", "gpu": "gpu"}  # of workers, with their slots
# The cluster's dashboard shows a job's environment: these are set on its machines.
SECRET = "S2S_DATABASE_URL"
OF_APP = "S2S_WORKER"  # for the app alone


class Engine(Protocol):
    """Starts processes on other hosts; knows nothing of training."""

    def start(
        self, handle: str, command: str, environment: Mapping[str, str], *, cpus: int, gpus: int
    ) -> None: ...

    def alive(self, handle: str) -> bool: ...

    def has_failed(self, handle: str) -> bool: ...

    def kill(self, handle: str) -> None: ...

    def tail(self, handle: str, n: int = 50) -> list[str]: ...


@dataclass(frozen=True)
class EngineState:
    """What is known of the cluster's workers, as the database keeps it."""

    workers: dict[str, str] = field(default_factory=dict)  # kind by handle
    staying: tuple[str, ...] = ()  # handles of those that do not end by themselves
    trouble: str = ""  # a sentence
    not_before: float = 0.0  # no worker is started until then


def state() -> EngineState:
    """The state of the cluster as it was last written. Raises UnreachableError."""
    stored = queue.value(STATE)
    if not stored:
        return EngineState()
    return files.from_json(EngineState, json.loads(stored))


def workers_allowed() -> tuple[int, int]:
    """The least and the most workers (`S2S_WORKERS_MIN`, 0, and `S2S_WORKERS_MAX`, 4). Raises UserError."""
    least, most = (
        _whole(name, default) for name, default in (("S2S_WORKERS_MIN", 0), ("S2S_WORKERS_MAX", 4))
    )
    if most < max(1, least):
        raise UserError(
            f"`S2S_WORKERS_MAX` is {most}; give at least 1, and no fewer than S2S_WORKERS_MIN, which is {least}."
        )
    return least, most


def _whole(name: str, default: int) -> int:
    given = os.environ.get(name) or str(default)
    if not given.isdecimal() or len(given) > 4:
        raise UserError(f"`{name}` is {given[:20]}; give a whole number of workers, for example 4.")
    return int(given)


def wanted(live: Mapping[str, int], least: int, most: int) -> dict[str, int]:
    """Workers by kind for so many live jobs by slot; those with a GPU first.

    `wanted({"long": 3, "express": 20}, 0, 8)` is `{"gpu": 0, "cpu": 3}`.
    """
    gpu = min(live.get("gpu", 0), most)
    express = math.ceil(live.get("express", 0) / queue.AT_ONCE["express"])
    cpu = max(live.get("long", 0), express, least)
    return {"gpu": gpu, "cpu": min(cpu, most - gpu)}


class Scaler:
    """Starts as many workers as the queue needs, one scaler per app; calls `turn` again and again."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._holder = settings.new_id()
        self._over = threading.Event()

    def run(self) -> None:
        """Call `turn` until `end`; what goes wrong is in the state, or in the log where the database is away."""
        while not self._over.wait(TURN):
            try:
                self.turn(time.time())
            except UserError as error:
                logging.getLogger(__name__).warning("%s", error)

    def end(self) -> None:
        """Stop calling `turn`; the workers stay."""
        self._over.set()

    def turn(self, now: float) -> None:
        """Start the workers that are missing, unless another process decides. Raises UserError without a database."""
        if not queue.take_lease(HOLDER, self._holder, LEASE, now):
            return
        before = state()
        try:
            after = self._started(self._without_ended(before, now), now)
        except (
            UserError
        ) as error:  # the engine's; handles that are no workers yet are dropped at the next turn
            after = replace(state(), trouble=str(error))
        if after != state():
            _write(after)

    def _without_ended(self, known: EngineState, now: float) -> EngineState:
        if not known.workers:
            self._engine.alive(
                "nobody"
            )  # so that a cluster that is away is seen before a job needs it
        ended = [handle for handle in known.workers if not self._engine.alive(handle)]
        failed = [handle for handle in ended if self._engine.has_failed(handle)]
        for handle in failed:
            lines = self._engine.tail(handle)
            _log(handle, lines)
            for job in queue.live_jobs():
                if job.host.endswith(f"-{handle}"):
                    queue.keep_lines(job.id, lines)
            queue.note_dead_worker(f"-{handle}", DEAD)
        trouble = f"A worker on the cluster has failed; see log/{LOG}. The next one is started in a minute."
        alive = {handle: kind for handle, kind in known.workers.items() if handle not in ended}
        is_paused = now < known.not_before
        return EngineState(
            workers=alive,
            staying=tuple(handle for handle in known.staying if handle in alive),
            trouble=trouble if failed else known.trouble if is_paused else "",
            not_before=now + PAUSE if failed else known.not_before,
        )

    def _started(self, known: EngineState, now: float) -> EngineState:
        least, most = workers_allowed()
        if now < known.not_before:
            return known
        for handle in known.staying[least:]:
            self._engine.kill(handle)
            known = replace(known, staying=known.staying[:least])
        for kind, n in wanted(queue.live_by_slot(), least, most).items():
            for _ in range(n - sum(one == kind for one in known.workers.values())):
                handle = f"s2s-{settings.new_id()}"
                stays = kind == "cpu" and len(known.staying) < least
                known = replace(
                    known,
                    workers={**known.workers, handle: kind},
                    staying=(*known.staying, handle) if stays else known.staying,
                )
                _write(known)
                command = COMMAND if stays else f"{COMMAND} --idle {IDLE}"
                gpus = int(kind == "gpu")
                variables = _environment(handle, kind)
                self._engine.start(handle, command, variables, cpus=CPUS, gpus=gpus)
        return known


def check_settings() -> None:
    """Raises UserError where the settings of the engine are wrong."""
    if engine():
        workers_allowed()


def start_scaler() -> Scaler | None:
    """A scaler that works in a thread of its own; None where no engine is set, or its settings are wrong: the
    operator reads why.
    """
    try:
        check_settings()
        cluster = engine()
    except UserError as error:
        logging.getLogger(__name__).warning("%s", error)
        return None
    if cluster is None:
        return None
    scaler = Scaler(cluster)
    threading.Thread(target=scaler.run, name="scaler", daemon=True).start()
    return scaler


def _write(known: EngineState) -> None:
    queue.put_value(STATE, json.dumps(files.to_json(known)))


def _environment(handle: str, kind: str) -> dict[str, str]:
    """The environment of a worker: our own settings, without those that nobody else may read."""
    given = environment.for_jobs().items()
    kept = {name: value for name, value in given if name.startswith("S2S_")}
    for name in (SECRET, OF_APP):
        kept.pop(name, None)
    return {
        **kept,
        "S2S_HOME": str(settings.home().resolve()),
        "S2S_WORKER_NAME": handle,
        "S2S_WORKER_SLOTS": KINDS[kind],
    }


def _log(handle: str, lines: Sequence[str]) -> None:
    folder = settings.home() / "log"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOG).open("a", encoding="utf-8") as file:
        file.write("".join(f"{line}\n" for line in (f"{handle}:", *lines)))

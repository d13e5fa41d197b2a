"""Keeps the files of this process's machine equal to those of the others, in threads of its own."""

from __future__ import annotations

import contextlib
import json
import logging
import threading
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from filelock import Timeout

from s2s import settings, storage
from s2s.config import UserError
from s2s.files import TRASH, UNDO_SECONDS, remove_older
from s2s.store import cache, rows
from s2s.store import index as indexes
from s2s.store.objects import MissingError
from s2s.store.pull import pull, put_down, settle_conflicts
from s2s.store.push import push, push_deletion
from s2s.store.replica import KINDS, Replica
from s2s.synced import AwayError

log = logging.getLogger(__name__)
TURN = 0.5  # seconds between two looks at what has changed, here and elsewhere
LONGEST = 60.0  # seconds between two tries while the store is away
SCAN = 60.0  # seconds between two searches for changes that nobody told of
AGAIN = 5.0  # seconds after which a thing that could not be pulled is tried again
PATIENCE = 60.0  # seconds that a job waits for a store that is away


class Keeper:
    """Hears of changes (synced.py), pushes them, and where it follows, pulls those of others."""

    def __init__(self, replica: Replica, *, follows: bool) -> None:
        self.replica = replica
        self.follows = follows
        self._troubles: dict[str, str] = {}  # with the database or the store, by turn
        self._noted: dict[str, set[str]] = {}  # by thing the names that were written; "" is all
        self._large: dict[str, set[str]] = {}  # what the light pushes left
        self._failed: dict[str, float] = {}  # when a thing is to be pulled again
        self._guard = threading.Lock()
        self._light_push = threading.Lock()
        self._large_push = threading.Lock()
        self._over = threading.Event()
        self._threads: list[threading.Thread] = []
        self._scanned = -SCAN
        self._until = 0.0  # when this process ends, pushed or not
        self._number: int | None = None  # of the newest change that was pulled

    @property
    def trouble(self) -> str:
        """What is wrong with the database or the store now, a sentence; "" where nothing is."""
        return next(iter(self._troubles.values()), "")

    def start(self) -> None:
        """Start the threads."""
        turns = [self._push_light, self._push_large]
        turns += [self._follow, self._search] if self.follows else []
        for turn in turns:
            name = f"store {turn.__name__.strip('_')}"
            thread = threading.Thread(target=self._repeat, args=(turn,), name=name, daemon=True)
            thread.start()
            self._threads.append(thread)

    def close(self, patience: float = 10.0) -> None:
        """End the threads when what is left is pushed, or so many seconds later."""
        self._until = time.monotonic() + patience
        self._over.set()
        for thread in self._threads:
            thread.join()

    # what synced.py asks

    def changed(self, path: Path) -> None:
        """Note it; a thread pushes it."""
        if part := self.replica.thing_of(path):
            with self._guard:
                self._noted.setdefault(part[0], set()).add(part[1])

    def removed(self, path: Path) -> None:
        """Note it, where a crash of this process does not lose it. Another path than a thing's is a change of that."""
        part = self.replica.thing_of(path)
        if part and not part[1]:
            note = self._deletions() / part[0]
            note.parent.mkdir(parents=True, exist_ok=True)
            note.touch()
        else:
            self.changed(path)

    def used(self, path: Path) -> None:
        """Its copy here is dropped later than others."""
        if self.replica.thing_of(path):
            cache.touch(path)

    def bring(self, path: Path) -> None:
        """Download a file. Raises AwayError where that is impossible, for a job: for a minute; MissingError where it is
        lost.
        """
        until = time.monotonic() + (PATIENCE if self.replica.job else 0.0)
        while True:
            try:
                return cache.bring(self.replica, path)
            except MissingError:
                raise
            except UserError as error:
                if time.monotonic() > until:
                    raise AwayError(
                        f"`{path.name}` is in the object store and cannot be brought. {error}"
                    ) from error
                time.sleep(TURN)

    def settle(self) -> None:
        """Push what this process has written. Raises UserError where that is impossible now."""
        self._push_all()

    # turns

    def catch_up(self) -> None:
        """Pull all that others have changed so far. Raises UserError while the database is away."""
        for failed in [name for name, due in self._failed.items() if due < time.monotonic()]:
            self._pull(failed)
        number = self._number if self._number is not None else self._position()
        while newer := rows.changed_since(number):
            for thing in newer:
                self._pull(thing.name)
            number = newer[-1].number
            if self.follows and not self._failed:
                self._keep_position(number)
        self._number = number

    def begin_work(self, run: str) -> None:
        """A job begins: with what others have written. Raises UserError while the database or the store is away."""
        self.catch_up()
        if self._failed:
            raise AwayError(self.trouble)
        for kind in KINDS:
            settle_conflicts(self.replica, f"{kind}/{run}")

    def end_work(self, run: str) -> None:
        """A job ends: all of it is to be pushed."""
        for kind in KINDS:
            self.changed(self.replica.home / kind / run)

    def scan(self) -> None:
        """Push what was changed here and nobody told of, such as what is older than the store; drop what is too much,
        or was deleted.

        What a job works on, here or elsewhere, is left to its process.
        """
        for thing in self.replica.things_here():
            if not self.replica.is_at_work(thing) and self._is_changed(thing):
                settle_conflicts(self.replica, thing)
                push(self.replica, thing)
        runs = self.replica.home / storage.RUN.folder
        remove_older(runs.glob(f"{TRASH}*"), UNDO_SECONDS, time.time())
        for object in rows.take_garbage():
            self.replica.objects.delete(object)
            rows.forget_garbage(object)
        cache.shrink(self.replica, settings.store_cache())

    def _is_changed(self, thing: str) -> bool:
        entries = indexes.read(self.replica.home, thing).files
        here, _ = indexes.stamps(self.replica.home / thing)
        return any(name not in entries or entries[name].stamp != here[name] for name in here)

    def _pull(self, thing: str) -> None:
        self._failed.pop(thing, None)
        if not self._try(lambda: pull(self.replica, thing), "pull"):
            self._failed[thing] = time.monotonic() + AGAIN

    def _follow(self) -> None:
        with self._for_this_machine("follow") as is_leader:
            if is_leader:
                self.catch_up()

    def _search(self) -> None:
        if time.monotonic() - self._scanned < SCAN:
            return
        with self._for_this_machine("search") as is_leader:
            if is_leader:
                self.replica.objects.check()
                self.scan()
        self._scanned = time.monotonic()

    @contextlib.contextmanager
    def _for_this_machine(self, turn: str) -> Iterator[bool]:
        """Whether no other process of this machine does it now."""
        lock = self.replica.turn_lock(turn)
        try:
            lock.acquire()
        except Timeout:
            yield False
            return
        try:
            yield True
        finally:
            lock.release()

    def _push_light(self) -> None:
        """Deletions, lines of logs and small files."""
        with self._light_push, self._taken(self._noted) as noted:
            for note in sorted(self._deletions().glob("*/*")):
                push_deletion(self.replica, note.relative_to(self._deletions()).as_posix())
                note.unlink(missing_ok=True)
            for thing in list(noted):
                if not push(self.replica, thing, self._names(noted[thing]), is_light=True):
                    with self._guard:
                        self._large.setdefault(thing, set()).update(noted[thing])
                del noted[thing]

    def _push_large(self) -> None:
        """What must be uploaded."""
        with self._large_push, self._taken(self._large) as large:
            for thing in list(large):
                if push(self.replica, thing, self._names(large[thing])):
                    del large[thing]

    def _push_all(self) -> None:
        self._push_light()
        self._push_large()

    @contextlib.contextmanager
    def _taken(self, noted: dict[str, set[str]]) -> Iterator[dict[str, set[str]]]:
        """Takes all notes; what is left of them at the end is put back."""
        with self._guard:
            taken = dict(noted)
            noted.clear()
        try:
            yield taken
        finally:
            with self._guard:
                for thing, names in taken.items():
                    noted.setdefault(thing, set()).update(names)

    def _names(self, noted: set[str]) -> Collection[str]:
        """All (no name) for a job, and where a whole thing was written."""
        return () if self.replica.job or "" in noted else noted

    def _repeat(self, turn: Callable[[], None]) -> None:
        wait = TURN
        while not self._over.wait(wait):
            wait = TURN if self._try(turn) else min(LONGEST, 2 * wait)
        if turn == self._push_light:  # in this thread, which has a job's former priority
            while not self._try(self._push_all) and time.monotonic() < self._until:
                time.sleep(TURN)

    def _try(self, work: Callable[[], None], name: str = "") -> bool:
        """Whether it succeeded; else the trouble is noted until it does."""
        name = name or work.__name__
        try:
            work()
        except UserError as error:
            self._meet(name, str(error))
            return False
        except OSError as error:  # of this machine's disk
            self._meet(name, f"S2S_HOME cannot be written ({error.strerror or error}).")
            return False
        self._troubles.pop(name, None)
        return True

    def _meet(self, name: str, trouble: str) -> None:
        if self._troubles.get(name) != trouble:
            log.warning("%s", trouble)
        self._troubles[name] = trouble

    def _deletions(self) -> Path:
        return self.replica.home / indexes.FOLDER / "deleted"

    def _position(self) -> int:
        """0 where the database is younger than this machine's copy: everything is compared then."""
        with contextlib.suppress(OSError, ValueError, TypeError):
            number = int(json.loads(self._position_file().read_bytes()))
            return number if number <= rows.newest() else 0
        return 0

    def _keep_position(self, number: int) -> None:
        self._position_file().parent.mkdir(parents=True, exist_ok=True)
        put_down(self._position_file(), json.dumps(number).encode(), time.time_ns())

    def _position_file(self) -> Path:
        return self.replica.home / indexes.FOLDER / "position.json"

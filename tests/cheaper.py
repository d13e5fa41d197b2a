"""What every test does anew, in each run of a page or in its own home, done once or less often."""

from __future__ import annotations

import os
import runpy
import shutil
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from streamlit import config
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.caching import cache_utils
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.scriptrunner_utils import script_run_context
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.testing.v1 import app_test, local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from s2s.files import database

FRAME = str(Path(__file__).parents[1] / "s2s" / "ui" / "shell" / "frame.py")
HANDLE_REQUEST = LocalScriptRunner._maybe_handle_execution_control_request
ALL_VALUES = vars(SafeSessionState)["filtered_state"].fget


class StateValues(Mapping[str, Any]):
    """The values of a session, each read when it is asked for: most widgets ask for one of a hundred."""

    def __init__(self, state: SafeSessionState) -> None:
        self.state = state

    def __getitem__(self, key: str) -> Any:
        with self.state._lock:
            return self.state._state[key]

    def __iter__(self) -> Iterator[str]:
        return iter(ALL_VALUES(self.state))

    def __len__(self) -> int:
        return len(ALL_VALUES(self.state))


def handle_request_if_any(runner: LocalScriptRunner) -> None:
    """A page asks four hundred times whether it shall stop; AppTest asks it to after a timeout only."""
    if runner._requests._state is not ScriptRequestType.CONTINUE:
        HANDLE_REQUEST(runner)


def wait_for_the_script(runner: LocalScriptRunner, timeout: float = 3) -> None:
    """Streamlit's own looks a thousand times a second, and takes the interpreter from the script each time."""
    thread = runner._script_thread
    assert thread is not None
    thread.join(timeout)
    if not runner.script_stopped():
        runner.request_stop()
        runner.join()
        raise RuntimeError(f"AppTest script run timed out after {timeout}(s)")


def make_screens_cheaper(patch: pytest.MonkeyPatch) -> None:
    """Components are looked for in all installed packages, and torch says what it is, once; pages are compiled once."""
    config.get_config_options()  # the project's: it is in this folder, and a test may work in another one
    scripts = ScriptCache()
    runtime = app_test.MagicMock(spec=app_test.Runtime)
    scan = manifest_scanner.scan_component_manifests
    patch.setattr(manifest_scanner, "scan_component_manifests", cache(scan))
    patch.setattr(metadata, "version", cache(metadata.version))
    patch.setattr(app_test, "ScriptCache", lambda: scripts)
    patch.setattr(local_script_runner, "ScriptCache", lambda: scripts)
    patch.setattr(app_test, "MagicMock", lambda spec: runtime)
    patch.setattr(local_script_runner, "require_widgets_deltas", wait_for_the_script)
    patch.setattr(SafeSessionState, "filtered_state", property(StateValues))
    patch.setattr(
        LocalScriptRunner, "_maybe_handle_execution_control_request", handle_request_if_any
    )
    parameters = cache_utils.type_util.get_func_parameters
    patch.setattr(cache_utils.type_util, "get_func_parameters", cache(parameters))
    # what a browser has already is found by its hash, and here is no browser
    patch.setattr(script_run_context, "populate_hash_if_needed", lambda message: None)
    read_code = vars(runpy)["_get_code_from_file"]
    compiled = cache(read_code)

    def code_of(*names: str) -> Any:
        """The frame runs at every run of a page; another file may have changed."""
        return (compiled if names[-1] == FRAME else read_code)(*names)

    patch.setattr(runpy, "_get_code_from_file", code_of)


def make_databases_cheaper(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """A new one is a copy of the first instead of eleven migrations, and none waits for the disk.

    SQLite waits by itself, above all where a database is new, and nearly every test has its own. A statement is
    compiled once for all: SQLAlchemy keeps it for the one dialect.
    """
    create = sa.create_engine
    compiled: dict[Any, Any] = {}
    first_of_all = create("sqlite://")
    with first_of_all.connect():  # which makes the dialect complete
        known = first_of_all.dialect

    def create_with_known_statements(address: sa.URL, **options: Any) -> sa.Engine:
        made = create(address, **options)
        if made.dialect.name == "sqlite":
            made.dialect = known
            made.update_execution_options(compiled_cache=compiled)
        return made

    set_up = database._set_up_sqlite
    migrate = database._migrate
    migrations = database.MIGRATIONS
    first = folder / "first.db"

    def set_up_without_waiting(connection: Any, record: Any) -> None:
        connection.execute("PRAGMA synchronous = OFF")  # before the journal is created
        set_up(connection, record)
        connection.execute("PRAGMA synchronous = OFF")

    def copy_or_migrate(opened: sa.Engine) -> None:
        path = Path(opened.url.database or "")
        is_new = opened.dialect.name == "sqlite" and path.is_absolute() and not path.exists()
        if not is_new or database.MIGRATIONS is not migrations:
            migrate(opened)
        elif not is_copied(path):
            migrate(opened)
            copy = folder / f"{threading.get_ident()}.db"
            with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
                source.backup(target)
            copy.replace(first)

    def is_copied(path: Path) -> bool:
        """False where there is nothing to copy, it cannot be copied, or another thread was first."""
        copy = folder / f"{threading.get_ident()}.db"
        try:
            shutil.copyfile(first, copy)
            os.link(copy, path)  # whole, or not at all
        except OSError:
            return False
        finally:
            copy.unlink(missing_ok=True)
        return True

    patch.setattr(sa, "create_engine", create_with_known_statements)
    patch.setattr(database, "_set_up_sqlite", set_up_without_waiting)
    patch.setattr(database, "_migrate", copy_or_migrate)

"""What every `AppTest` does anew in each run of a page, done once or less often: a tenth of all that tests compute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import metadata
from typing import Any

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.testing.v1 import app_test, local_script_runner

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


def wait_for_the_script(runner: local_script_runner.LocalScriptRunner, timeout: float = 3) -> None:
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

import hashlib

import pytest
from streamlit.runtime.scriptrunner import ScriptRunner

from s2s.config import asker
from s2s.hosted import monitoring
from s2s.hosted.monitoring import Monitor
from s2s.processes import logs
from s2s.ui.shell import measured
from tests.logged import logged
from tests.screen import opened


@pytest.fixture
def monitor(monkeypatch: pytest.MonkeyPatch) -> Monitor:
    fresh = Monitor()
    monkeypatch.setattr(measured, "MONITOR", fresh)
    monkeypatch.setattr(monitoring, "SLOW", 0.0)
    return fresh


def test_runs_of_pages_are_timed_by_page(monitor: Monitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ScriptRunner, "_run_script", ScriptRunner._run_script)  # put back
    measured.measure_script_runs()
    opened("positions").run()
    opened()
    assert [(run.page, run.is_fragment) for run in monitor.slow_runs] == [
        ("positions", False),
        ("positions", False),
        ("home", False),
    ]
    assert sum(monitor.in_bucket) == 3
    assert monitor.seconds == pytest.approx(sum(run.seconds for run in monitor.slow_runs))


def test_an_error_of_a_page_is_counted_and_logged_without_what_the_visitor_typed(
    monitor: Monitor,
) -> None:
    words = "what a visitor typed"
    with logged() as records, asker.acting_as("a-workspace"):
        assert measured.note_script_error(KeyError(words)) is False
    (seen,) = monitor.last_errors
    assert (seen.kinds, monitor.errors) == (["KeyError"], {"KeyError": 1})
    line = logs.line(records[-1])
    assert hashlib.sha256(b"a-workspace").hexdigest()[:12] in line
    assert '"event": "script_error"' in line
    assert words not in line + repr(seen)
    assert "a-workspace" not in line

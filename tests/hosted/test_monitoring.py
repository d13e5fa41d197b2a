import re
import shutil
from collections import namedtuple

import pytest

from s2s import settings
from s2s.files import database
from s2s.hosted import monitoring
from s2s.hosted.monitoring import Monitor
from s2s.processes import queue

LINE = re.compile(r'[a-z_0-9]+(\{[a-z_]+="[^"\n]*"(,[a-z_]+="[^"\n]*")*\})? -?[0-9.e+]+')
COMMENT = re.compile(r"# (HELP [a-z_0-9]+ .+|TYPE [a-z_0-9]+ (gauge|counter|histogram))")


@pytest.fixture
def monitor(monkeypatch: pytest.MonkeyPatch) -> Monitor:
    fresh = Monitor()
    monkeypatch.setattr(monitoring, "MONITOR", fresh)
    return fresh


def values() -> dict[str, float]:
    lines = monitoring.metrics().splitlines()
    assert all(COMMENT.fullmatch(line) or LINE.fullmatch(line) for line in lines)
    return {
        line.rpartition(" ")[0]: float(line.rpartition(" ")[2])
        for line in lines
        if not line.startswith("#")
    }


def test_metrics_count_what_happens_and_name_no_visitor(monitor: Monitor) -> None:
    for seconds in (0.01, 0.3, 0.3, 99.0):
        monitor.note_run("train", seconds, is_fragment=False)
    monitor.note_error(KeyError("what a visitor typed"))
    monitor.note_upload()
    running = queue.submit("train", "ann-the-visitor", "r", {}, now=0.0)
    queue.submit("evaluate", "bob-the-visitor", "s", {}, now=1.0)
    queue.claim("w", "h", "long", 20.0)
    queue.report("h", 0.0)
    with monitor.session():
        found = values()
    assert values()["s2s_sessions"] == 0
    assert found["s2s_sessions"] == 1
    buckets = [
        found[f's2s_script_run_seconds_bucket{{le="{le}"}}'] for le in ("0.05", "0.5", "+Inf")
    ]
    assert (buckets, found["s2s_script_run_seconds_count"]) == ([1, 3, 4], 4)
    assert found['s2s_errors_total{type="KeyError"}'] == 1
    assert found["s2s_uploads_total"] == 1
    assert found['s2s_jobs{kind="train",state="running"}'] == 1
    assert found['s2s_jobs{kind="evaluate",state="queued"}'] == 1
    assert found['s2s_queue_wait_seconds{of="longest"}'] > 1e9
    assert (found["s2s_workers"], found["s2s_jobs_lost"], found["s2s_queue_paused"]) == (1, 0, 0)
    assert found["process_resident_memory_bytes"] > 1e7
    assert found["s2s_disk_free_bytes"] > 0
    assert found['s2s_stored_bytes{folder="runs"}'] == 0
    text = monitoring.metrics()
    assert not any(word in text for word in ("visitor", running, "typed"))
    assert [run.page for run in monitor.slow_runs] == ["train"]


def test_types_of_errors_are_limited(monitor: Monitor) -> None:
    for number in range(60):
        monitor.note_error(type(f"Odd{number}", (Exception,), {})())
    assert (len(monitor.errors), monitor.errors["other"]) == (monitoring.MOST_TYPES + 1, 10)
    assert len(monitor.last_errors) == monitoring.LISTED


@pytest.mark.usefixtures("monitor")
def test_a_database_that_is_away_is_a_number_and_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (values()["s2s_database_up"], monitoring.why_not_ready()) == (1, "")

    def away() -> None:
        raise database.UnreachableError("The queue cannot be reached now; try again in a minute.")

    monkeypatch.setattr(queue, "counts", away)
    monkeypatch.setattr(queue, "server_state", away)
    assert values()["s2s_database_up"] == 0
    assert monitoring.why_not_ready().startswith("The queue cannot be reached now")


def test_a_disk_that_is_full_or_cannot_be_written_is_a_reason_without_a_path(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.home().mkdir(parents=True)
    usage = namedtuple("usage", "total used free")
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda path: usage(1, 1, 5_000_000))
        assert monitoring.why_not_ready().startswith("Only 5 MB are free in S2S_HOME;")

    def refuse(*, dir: object) -> None:
        raise OSError(30, "Read-only file system", str(dir))

    monkeypatch.setattr(monitoring.tempfile, "TemporaryFile", refuse)
    assert monitoring.why_not_ready() == (
        "The folder of S2S_HOME cannot be written (Read-only file system); free some space or check its permissions."
    )

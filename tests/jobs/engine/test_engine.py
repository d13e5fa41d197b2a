"""Workers on a cluster: how many, which, and what is said where it does not answer. Ray itself: test_ray.py."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from s2s import settings
from s2s.config import PRESETS, UserError, override
from s2s.hosted import monitoring
from s2s.jobs import engine, run_service, training
from s2s.jobs.engine.ray_jobs import engine as configured
from s2s.jobs.engine.scaler import DEAD, PAUSE, wanted
from s2s.processes import queue

TOKEN = "a secret token"


class FakeCluster(HTTPServer):
    """The Jobs API of a cluster without machines."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.jobs: dict[str, dict[str, Any]] = {}
        self.token = TOKEN


class Answers(BaseHTTPRequestHandler):
    server: FakeCluster

    def do_GET(self) -> None:
        handle, _, what = self.path.removeprefix("/api/jobs/").partition("/")
        job = self.server.jobs.get(handle)
        content = {"logs": "first\nlast\n"} if what == "logs" else job
        self._answer(200 if job else 404, content)

    def do_POST(self) -> None:
        content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        handle, _, _ = self.path.removeprefix("/api/jobs/").partition("/")
        if handle:
            self.server.jobs[handle]["status"] = "STOPPED"
        elif self._is_known():
            self.server.jobs[content["submission_id"]] = {**content, "status": "PENDING"}
        self._answer(200, {})

    def _is_known(self) -> bool:
        return self.headers["Authorization"] == f"Bearer {self.server.token}"

    def _answer(self, code: int, content: Any) -> None:
        self.send_response(code if self._is_known() else 401)
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeCluster]:
    with FakeCluster() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        monkeypatch.setenv("S2S_ENGINE", f"ray://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("RAY_AUTH_TOKEN", TOKEN)
        monkeypatch.setenv("S2S_SECRET", "another secret of this server, which is long")
        yield server
        server.shutdown()


def scaler() -> engine.Scaler:
    found = configured()
    assert found
    return engine.Scaler(found)


def submit(n: int, device: str = "cpu") -> None:
    recipe = override(PRESETS["small"].recipe, {"train.device": device})
    for _ in range(n):
        training.submit(training.RunRequest(recipe, "synthetic:reverse"))


@pytest.mark.parametrize(
    ("live", "limits", "expected"),
    [
        ({}, (0, 4), (0, 0)),
        ({}, (2, 4), (0, 2)),
        ({"express": 13}, (0, 4), (0, 2)),
        ({"long": 3, "express": 13}, (0, 4), (0, 3)),
        ({"long": 9, "gpu": 1}, (0, 4), (1, 3)),
        ({"long": 1, "gpu": 9}, (2, 4), (4, 0)),
    ],
)
def test_workers_by_kind(
    live: dict[str, int], limits: tuple[int, int], expected: tuple[int, int]
) -> None:
    assert tuple(wanted(live, *limits).values()) == expected


def test_the_cluster_gets_a_worker_per_job_and_those_with_a_gpu_where_one_is(
    cluster: FakeCluster,
) -> None:
    submit(2)
    submit(1, "cuda")
    one = scaler()
    one.turn(100.0)
    started = list(cluster.jobs.values())
    assert [job["entrypoint_num_gpus"] for job in started] == [1, 0, 0]
    assert {job["entrypoint"] for job in started} == {"python -m s2s worker --idle 60"}
    environment = started[0]["runtime_env"]["env_vars"]
    assert (environment["S2S_WORKER_SLOTS"], environment["S2S_HOME"]) == (
        "gpu",
        str(settings.home().resolve()),
    )
    assert TOKEN not in json.dumps(started)
    assert "another secret" not in json.dumps(started)
    one.turn(105.0)
    scaler().turn(106.0)  # another app, while the first one decides
    scaler().turn(200.0)  # and when that one has gone: it knows what was started
    assert len(cluster.jobs) == 3
    cluster.jobs.clear()  # the cluster's head was started again and knows nothing
    scaler().turn(300.0)
    assert len(cluster.jobs) == 3


def test_a_worker_claims_what_it_has_slots_for(
    cluster: FakeCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(1, "cuda")
    assert not queue.is_anything_left("here", ("express", "long"))
    assert queue.is_anything_left("here", ("gpu",))
    assert queue.claim("w", "here", "long", 9.0) is None
    assert queue.claim("w", "here", "gpu", 9.0)
    monkeypatch.setenv("S2S_WORKER_SLOTS", "gpu,other")
    with pytest.raises(UserError, match="give some of express, gpu, long"):
        settings.worker_slots()


def test_a_worker_that_fails_leaves_its_log_and_the_next_one_waits(cluster: FakeCluster) -> None:
    submit(1)
    one = scaler()
    one.turn(100.0)
    (handle,) = cluster.jobs
    job = queue.claim("w", f"node-{handle}", "long", 9.0)
    assert job
    cluster.jobs[handle]["status"] = "FAILED"
    one.turn(110.0)
    assert (settings.home() / "log" / "engine.log").read_text() == f"{handle}:\nfirst\nlast\n"
    assert queue.find(job.id).note == DEAD  # type: ignore[union-attr]
    assert run_service.last_log(job.run, job.owner) == "first\nlast"
    assert "has failed" in monitoring.engine_trouble()
    assert len(cluster.jobs) == 1
    one.turn(111.0 + PAUSE)
    assert len(cluster.jobs) == 2
    assert monitoring.engine_trouble() == ""


def test_the_least_number_stays_until_it_is_lowered(
    cluster: FakeCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_WORKERS_MIN", "1")
    scaler().turn(100.0)
    (job,) = cluster.jobs.values()
    assert job["entrypoint"] == "python -m s2s worker"
    monkeypatch.setenv("S2S_WORKERS_MIN", "0")
    scaler().turn(200.0)
    assert job["status"] == "STOPPED"


def test_one_sentence_where_the_cluster_is_away_or_refuses(
    cluster: FakeCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.token = "a new one"
    scaler().turn(100.0)
    assert "refuses the token; set `RAY_AUTH_TOKEN`" in monitoring.engine_trouble()
    assert TOKEN not in monitoring.engine_trouble()
    assert monitoring.why_not_ready() == ""
    assert "s2s_engine_up 0" in monitoring.metrics()
    monkeypatch.setenv("S2S_ENGINE", "ray://127.0.0.1:1")
    submit(1)
    scaler().turn(200.0)
    assert "does not answer" in monitoring.engine_trouble()
    assert "127.0.0.1" not in monitoring.engine_trouble()  # which anyone reads at /ready
    assert queue.claim("w", "here", "long", 9.0)  # by a worker that is there


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("S2S_ENGINE", "ray://user:password@host:1", "is not an address of Ray"),
        ("S2S_WORKERS_MAX", "many", "`S2S_WORKERS_MAX` is many; give a whole number"),
        ("S2S_WORKERS_MIN", "5", "no fewer than S2S_WORKERS_MIN, which is 5"),
    ],
)
def test_wrong_settings_are_said(
    name: str, given: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_ENGINE", "ray://host:8265")
    monkeypatch.setenv(name, given)
    with pytest.raises(UserError, match=says) as caught:
        engine.check_settings()
    assert "password" not in str(caught.value)
    assert says in monitoring.why_not_ready()

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.testclient import TestClient

from s2s import settings
from s2s.hosted.monitoring import MONITOR
from s2s.ui.shell import Measured, endpoints
from s2s.ui.shell.endpoints import metrics, ready
from tests.spawned import awaited

KEY = "k" * 40


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setattr(endpoints, "WAIT", 0.0)
    app = Starlette(
        routes=[Route("/metrics", metrics), Route("/ready", ready)],
        middleware=[Middleware(Measured)],
    )
    with TestClient(app, client=("127.0.0.1", 5)) as client:
        yield client


def bearer(key: str) -> dict[str, Any]:
    return {"Authorization": f"Bearer {key}"}


def test_metrics_are_for_ones_own_computer_and_not_through_a_proxy(client: TestClient) -> None:
    answer = client.get("/metrics")
    assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (
        200,
        "text/plain",
    )
    assert "s2s_database_up 1\n" in answer.text
    assert client.get("/metrics", headers={"X-Forwarded-For": "203.0.113.9"}).status_code == 404
    client._transport.client = ("203.0.113.9", 5)  # type: ignore[attr-defined]
    assert client.get("/metrics").status_code == 404


def test_metrics_of_a_public_server_need_the_key(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    assert client.get("/metrics", headers=bearer("")).status_code == 404  # it has no key
    monkeypatch.setenv("S2S_OPERATOR_KEY", KEY)
    wrong = (
        {},
        bearer(""),
        bearer(KEY[:-1]),
        {"Authorization": "Bearer \xfc".encode("latin-1")},
        {"Authorization": KEY},
    )
    before = MONITOR.refused_keys["metrics"]
    assert [client.get("/metrics", headers=given).status_code for given in wrong] == [401] * 5
    answer = client.get("/metrics", headers=bearer(KEY))
    assert answer.status_code == 200
    assert f's2s_operator_keys_refused_total{{by="metrics"}} {before + 4}\n' in answer.text
    monkeypatch.setenv("S2S_OPERATOR_KEY", long := "ü" * 40)
    given = {"Authorization": f"Bearer {long}".encode()}
    assert client.get("/metrics", headers=given).status_code == 200
    monkeypatch.setenv("S2S_OPERATOR_KEY", "short")
    assert client.get("/metrics", headers=bearer("short")).status_code == 503
    assert "`S2S_OPERATOR_KEY` has 5 characters" in client.get("/ready").json()["reason"]


def test_ready_is_503_with_a_reason_while_nothing_can_be_stored(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get("/ready").json() == {"ready": True}
    monkeypatch.setattr(settings, "database_url", lambda: "sqlite:////nowhere/s2s.db")
    answer = client.get("/ready")
    assert answer.status_code == 503
    assert answer.json()["reason"].startswith("The database of the queue cannot be opened")


def test_sessions_and_uploads_are_counted() -> None:
    seen: list[tuple[int, int]] = []

    async def app(scope: object, receive: object, send: object) -> None:
        seen.append((MONITOR.n_sessions, MONITOR.n_uploads))

    before = MONITOR.n_sessions, MONITOR.n_uploads
    measured = Measured(app)
    for scope in (
        {"type": "websocket", "path": "/_stcore/stream"},
        {"type": "http", "method": "PUT", "path": "/_stcore/upload_file/a/b"},
        {"type": "http", "method": "GET", "path": "/_stcore/upload_file/a/b"},
    ):
        awaited(measured(scope, None, None))  # type: ignore[arg-type]
    first, second = before
    assert seen == [(first + 1, second), (first, second + 1), (first, second + 1)]

"""At which addresses the server answers what is no page, also below a path of its own."""

from urllib.robotparser import RobotFileParser

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from s2s.hosted import Visits
from s2s.ui.shell import addresses
from s2s.ui.workspace import actions

BASES = {"/": "", "lab": "/lab", "/lab/s2s/": "/lab/s2s"}


@pytest.fixture(params=BASES)
def base(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    option = st.get_option

    def configured(name: str) -> object:
        return request.param if name == "server.baseUrlPath" else option(name)

    monkeypatch.setattr(st, "get_option", configured)
    return BASES[request.param]


def _client() -> TestClient:
    guard = Middleware(Visits, without_secret=addresses.ready_paths())
    return TestClient(Starlette(routes=addresses.routes(), middleware=[guard]))


def test_every_address_of_ours_begins_with_the_base_path(base: str) -> None:
    assert addresses.base_path() == base
    client = _client()
    for path in (
        "/plotly.min.js",
        "/metrics",
        "/recover",
        "/recover.js",
        "/export/none",
        "/history.js",
        "/preview.png",
        "/s/none",
    ):
        known = {200, 401, 404}
        answer = client.get(base + path)
        assert answer.status_code in known
        assert answer.text != "Not Found"  # Starlette's own
        if base:
            assert client.get(path).text == "Not Found"


def test_robots_are_told_what_to_leave_alone(base: str) -> None:
    answer = _client().get(f"{base}/robots.txt")
    assert answer.headers["content-type"].partition(";")[0] == "text/plain"
    read = RobotFileParser()
    read.parse(answer.text.splitlines())
    open_ = ["/", "/attention?src=the+cat", "/s/KFR-WTPH", "/preview.png?page=attention"]
    closed = ["/workspace", "/operator", "/export/x", "/media/x.csv", "/_stcore/upload_file/a/b"]
    assert [read.can_fetch("any", base + path) for path in open_] == [True] * len(open_)
    assert [read.can_fetch("any", base + path) for path in closed] == [False] * len(closed)


def test_a_health_check_needs_no_base_path_and_no_secret(
    base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _client().get(f"{base}/ready").json() == {"ready": True}
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.delenv("S2S_SECRET", raising=False)
    for path in ("/ready", f"{base}/ready"):
        answer = _client().get(path)
        assert answer.status_code == 503
        assert "S2S_SECRET" in answer.json()["reason"]
    assert "S2S_SECRET" in _client().get(f"{base}/recover").text


def test_links_of_my_workspace_have_it_too(base: str) -> None:
    assert actions._address("export/x") == f"{base}/export/x"

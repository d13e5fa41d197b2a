"""What other sites, other visitors and oversized messages meet before they reach a page of a hosted server."""

import contextlib
import tomllib
from types import SimpleNamespace

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit import runtime
from streamlit.runtime import media_file_manager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from s2s import settings
from s2s.config import asker
from s2s.hosted import COOKIE, Key, new_key
from s2s.ui.shell import guard, media
from tests.screen import ROOT


@pytest.fixture(autouse=True)
def _hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    monkeypatch.setenv("S2S_HOSTS", "testserver")


async def _echo(request: Request) -> Response:
    return HTMLResponse(f"<p>{len(await request.body())}</p>")


async def _stream(socket: WebSocket) -> None:
    await socket.accept()
    with contextlib.suppress(WebSocketDisconnect):
        while True:
            await socket.send_text(str(len(await socket.receive_text())))


def _client() -> TestClient:
    methods = ["GET", "POST", "PUT", "DELETE"]
    routes = [
        WebSocketRoute("/_stcore/stream", _stream),
        Route("/{path:path}", _echo, methods=methods),
    ]
    return TestClient(Starlette(routes=routes, middleware=[Middleware(guard.Guard)]))


def test_every_answer_says_what_a_browser_may_do_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    headers = _client().get("/").headers
    rules = dict(
        rule.strip().split(" ", 1) for rule in headers["content-security-policy"].split(";")
    )
    assert rules["default-src"] == rules["base-uri"] == "'none'"
    assert rules["frame-ancestors"] == rules["connect-src"] == "'self'"
    assert "unsafe" not in rules["script-src"]
    assert "'sha256-" in rules["script-src"]  # of the line in Streamlit's own page
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]
    monkeypatch.setenv("S2S_FRAME_ANCESTORS", "'self' https://huggingface.co")
    assert "frame-ancestors 'self' https://huggingface.co" in str(_client().get("/").headers)
    monkeypatch.setenv("S2S_FRAME_ANCESTORS", "*; script-src *")
    assert "frame-ancestors 'none'" in str(_client().get("/").headers)
    assert "S2S_FRAME_ANCESTORS" in settings.why_not_ready()


@pytest.mark.parametrize(
    ("origin", "is_allowed"),
    [
        ("http://testserver", True),
        ("http://evil.example", False),
        ("http://localhost:3000", False),  # which Streamlit itself lets in
        ("http://testserver.evil.example", False),
        ("http://testserver:81", False),
        ("null", False),
    ],
)
def test_a_page_of_another_site_opens_no_session_and_sends_nothing(
    origin: str, is_allowed: bool
) -> None:
    given = {"origin": origin}
    assert (_client().post("/_stcore/x", headers=given).status_code == 200) == is_allowed
    assert _client().get("/", headers=given).status_code == 200
    if is_allowed:
        with _client().websocket_connect("/_stcore/stream", headers=given) as socket:
            socket.send_text("abc")
            assert socket.receive_text() == "3"
    else:
        with (
            pytest.raises(WebSocketDisconnect) as refused,
            _client().websocket_connect("/_stcore/stream", headers=given),
        ):
            pass
        assert refused.value.code == 1008


@pytest.mark.parametrize(
    ("host", "is_ours"),
    [
        ("s2s.example.org", True),
        ("S2S.Example.org:443", True),
        ("s2s.example.org.", True),
        ("localhost:8501", True),
        ("127.0.0.1", True),
        ("[::1]:8501", True),
        ("a.lab.example.org", True),
        ("lab.example.org", False),
        ("lab.example.org.evil.example", False),
        ("evil.example", False),  # whose name leads to this server
        ("s2s.example.org.evil.example", False),
        ("evil.example/s2s.example.org", False),
        ("s2s.example.org@evil.example", False),
        ("evil.example@s2s.example.org", False),
        ("s2s.example.org, evil.example", False),
        ("s2s.example.org:x", False),
        ("s2s.example.org:99999", False),
        ("192.168.1.5:8501", False),
        ("[", False),
        ("", False),
    ],
)
def test_only_a_name_of_its_own_reaches_the_server(
    host: str, is_ours: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_HOSTS", "s2s.example.org *.lab.example.org")
    given = {"host": host}
    for path in ("/", "/_stcore/health", "/static/media/x.js", "/recover"):
        answer = _client().get(path, headers=given)
        assert (answer.status_code != 421) == is_ours
        assert is_ours or "does not answer at this host name" in answer.text
    assert _client().get("/ready", headers=given).status_code == 200  # a health check
    if not is_ours:
        with (
            pytest.raises(WebSocketDisconnect) as refused,
            _client().websocket_connect("/_stcore/stream", headers=given),
        ):
            pass
        assert refused.value.code == 1008


def test_the_names_of_the_server_are_those_that_streamlit_knows_unless_they_are_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def status(host: str) -> int:
        return int(_client().get("/", headers={"host": host}).status_code)

    known = {"server.allowedHosts": [], "browser.serverAddress": "s2s.example.org"}
    option = st.get_option
    monkeypatch.setattr(
        st, "get_option", lambda name: known[name] if name in known else option(name)
    )
    monkeypatch.delenv("S2S_HOSTS")
    assert (status("s2s.example.org"), status("evil.example")) == (200, 421)
    known["server.allowedHosts"] = ["other.example.org"]
    assert (status("other.example.org"), status("s2s.example.org")) == (200, 421)
    monkeypatch.setenv("S2S_HOSTS", "third.example.org")
    assert (status("third.example.org"), status("other.example.org")) == (200, 421)
    monkeypatch.setenv("S2S_HOSTS", "*")
    assert status("evil.example") == 200
    monkeypatch.delenv("S2S_HOSTED")
    assert status("s2s.example.org") == 200


def test_a_message_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MAX_MESSAGE", 10)
    with _client().websocket_connect("/_stcore/stream") as socket:
        socket.send_text("a" * 10)
        assert socket.receive_text() == "10"
        socket.send_text("a" * 11)
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_text()
        assert closed.value.code == 1009


class _Runtime:
    """Two browsers, a session each; Streamlit's own manager of files."""

    def __init__(self, ann: Key, eve: Key) -> None:
        self.media_file_mgr = media_file_manager.MediaFileManager(MemoryMediaFileStorage("/media"))
        self.uploaded_file_mgr = SimpleNamespace(
            file_storage={"ann's": {"1": SimpleNamespace(data=b"a" * 3 * guard.MEGABYTE)}}
        )
        self.keys = {"ann's": ann, "eve's": eve}

    def get_client(self, session: str) -> object:
        cookies = {COOKIE: self.keys[session].signed}
        return SimpleNamespace(client_context=SimpleNamespace(cookies=cookies))


@pytest.fixture
def browsers(monkeypatch: pytest.MonkeyPatch) -> dict[str, Key]:
    keys = {"ann": new_key(), "eve": new_key()}
    fake = _Runtime(**keys)
    monkeypatch.setattr(runtime, "get_instance", lambda: fake)
    monkeypatch.setattr(media_file_manager, "_get_session_id", lambda: "ann's")
    return keys


def _status(name: str, key: Key | None = None) -> int:
    cookie = {"cookie": f"{COOKIE}={key.signed}"} if key else {}
    return int(_client().get(f"/media/{name}", headers=cookie).status_code)


def test_a_download_is_served_to_the_browser_whose_page_offers_it(
    browsers: dict[str, Key], monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = runtime.get_instance().media_file_mgr
    name = manager.add(b"secret", "text/csv", "1", "mine.csv").rpartition("/")[2]
    assert _status(name, browsers["ann"]) == 200
    assert _status(name, browsers["eve"]) == 404
    assert _status(name) == 404
    assert _client().get("/static/media/font.woff2").status_code == 200
    # one that is made when the button is pressed: as the visitor who saw the button
    media.guard_downloads()
    with asker.acting_as("ann"):
        waiting = manager.add_deferred(lambda: asker.current().encode(), "text/csv", "2")
    made = manager.execute_deferred(waiting).rpartition("/")[2]
    assert manager._storage.get_file(made).content == b"ann"
    assert _status(made, browsers["ann"]) == 200
    assert _status(made, browsers["eve"]) == 404


def test_the_uploads_of_a_browser_fill_the_memory_up_to_a_limit(
    browsers: dict[str, Key], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(st, "get_option", {"server.maxUploadSize": 2}.get)
    statuses = []
    for name, key in browsers.items():
        headers = {"cookie": f"{COOKIE}={key.signed}", "content-length": str(2 * guard.MEGABYTE)}
        answer = _client().put(
            f"/_stcore/upload_file/{name}'s/b", content=b"a" * 2 * guard.MEGABYTE, headers=headers
        )
        statuses.append(answer.status_code)
    assert statuses == [413, 200]  # ann has 3 MB of her 4 already
    cookie = {"cookie": f"{COOKIE}={browsers['eve'].signed}"}
    without_length = _client().put(
        "/_stcore/upload_file/eve's/b", content=iter([b"a"]), headers=cookie
    )
    assert without_length.status_code == 411


def test_nobody_puts_a_file_into_anothers_page_or_takes_one_out(browsers: dict[str, Key]) -> None:
    for method in ("PUT", "DELETE", "POST"):
        for key, status in ((browsers["ann"], 200), (browsers["eve"], 403), (None, 403)):
            cookie = {"cookie": f"{COOKIE}={key.signed}"} if key else {}
            answer = _client().request(method, "/_stcore/upload_file/ann's/1", headers=cookie)
            assert answer.status_code == status


def test_streamlit_is_told_its_limits() -> None:
    given = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())
    assert given["server"]["maxUploadSize"] <= 200
    assert given["server"]["maxMessageSize"] <= 50
    assert given["client"]["showErrorDetails"] == "none"
    protections = {"enableXsrfProtection", "enableCORS", "enableAgentApi", "enableStaticServing"}
    assert not protections & given["server"].keys()  # as Streamlit has them: on, on, off, off

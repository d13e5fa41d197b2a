"""Who knows the id of another's session gets nothing by it: tried on Streamlit's own server, with its own messages."""

import contextlib
import io
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from starlette.middleware import Middleware
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime

from s2s.hosted import COOKIE, Key, new_key
from s2s.processes import logs
from s2s.ui.shell import guard, sessions

MANAGER = "streamlit.runtime.websocket_session_manager"
SCRIPT = """
import secrets
import streamlit as st

@st.cache_resource
def made_once():
    return secrets.token_hex()

if "cached" in st.query_params:
    st.text(made_once())
else:
    st.text(st.session_state.setdefault("draft", st.query_params.get("draft", "nothing")))
"""


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A hosted server behind the guard."""
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    monkeypatch.setenv("S2S_HOSTS", "testserver")
    monkeypatch.setattr(Runtime, "_instance", None)
    monkeypatch.setattr(config, "_main_script_path", None)
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    with TestClient(st.App(script, middleware=[Middleware(guard.Guard)])) as client:
        yield client


class Tab:
    def __init__(self, client: TestClient, key: Key | None, session: str = "") -> None:
        protocols = ["streamlit", "unused", session] if session else ["streamlit"]
        cookie = {"cookie": f"{COOKIE}={key.signed}"} if key else {}
        self.socket = client.websocket_connect(
            "/_stcore/stream", subprotocols=protocols, headers=cookie
        )

    def send(self, message: BackMsg) -> None:
        self.socket.send_bytes(message.SerializeToString())

    def run(self, query: str = "") -> tuple[str, str]:
        """The id of the session, and the text that the page shows."""
        message = BackMsg()
        message.rerun_script.query_string = query
        self.send(message)
        session = text = ""
        while True:
            given = ForwardMsg()
            given.ParseFromString(self.socket.receive_bytes())
            kind = given.WhichOneof("type")
            if kind == "new_session":
                session = given.new_session.initialize.session_id
            elif kind == "delta":
                text = given.delta.new_element.text.body
            elif kind == "script_finished":
                return session, text


@contextlib.contextmanager
def connected(client: TestClient, key: Key | None, session: str = "") -> Iterator[Tab]:
    tab = Tab(client, key, session)
    with tab.socket:
        yield tab


def test_a_session_goes_on_in_its_own_browser_alone(client: TestClient) -> None:
    ann, eve = new_key(), new_key()
    with connected(client, ann) as tab:
        session, text = tab.run("draft=of+ann")
        assert text == "of ann"
        for thief in (eve, None):  # while its tab is open
            with connected(client, thief, session) as other:
                got, text = other.run()
                assert (got == session, text) == (False, "nothing")
    for thief in (eve, None):  # and after the connection broke
        with connected(client, thief, session) as other:
            got, text = other.run()
            assert (got == session, text) == (False, "nothing")
    with connected(client, ann, session) as again:
        assert again.run() == (session, "of ann")


def test_the_id_of_a_session_stands_in_no_log(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.Handler, "format", logs._format)  # as `set_up` does
    written = logging.StreamHandler(io.StringIO())
    monkeypatch.setattr(logging.getLogger(MANAGER), "handlers", [written])
    ann = new_key()
    with connected(client, ann) as tab:
        session, _ = tab.run()
        with connected(client, ann, session) as again:
            assert again.run()[0] == session
    said = written.stream.getvalue()
    assert MANAGER in said
    assert session not in said


def test_a_session_that_is_not_remembered_begins_anew(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "MAX_SESSIONS", 1)
    ann = new_key()
    with connected(client, ann) as tab:
        session, _ = tab.run("draft=of+ann")
    with connected(client, new_key()) as other:
        other.run()
    with connected(client, ann, session) as again:
        assert again.run()[1] == "nothing"


def test_a_visitor_reruns_their_page_and_does_not_clear_what_others_share(
    client: TestClient,
) -> None:
    with connected(client, new_key()) as tab:
        _, made = tab.run("cached=")
        tab.send(BackMsg(clear_cache=True))
        assert tab.run("cached=")[1] == made


@pytest.mark.parametrize("what", ["load_git_info", "set_run_on_save", "debug_shutdown_runtime"])
def test_what_is_for_developers_does_not_reach_streamlit(what: str) -> None:
    asked = BackMsg(**{what: True})
    assert not sessions.is_request(
        {"type": "websocket.receive", "bytes": asked.SerializeToString()}
    )


def test_what_is_no_message_is_left_to_streamlit_which_hangs_up(client: TestClient) -> None:
    with connected(client, new_key()) as tab:
        tab.socket.send_bytes(b"\xff")
        with pytest.raises(WebSocketDisconnect) as closed:
            tab.socket.receive_bytes()
        assert closed.value.code == 1002

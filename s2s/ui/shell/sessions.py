"""Sessions of a hosted server: whose they are, and what a browser may ask of them.

Streamlit hands a session to whoever knows its id, and clears everybody's caches for whoever asks. Its messages are read
here as its server reads them; where that changes, tests/hostile/test_sessions.py fails.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import MutableMapping
from typing import Any

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

from s2s.hosted import Key, header
from s2s.ui.streamlit_parts import BackMsg, ForwardMsg

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]

MAX_SESSIONS = 16_384  # whose key is remembered; a browser begins anew in an older one
PROTOCOL = (
    "sec-websocket-protocol"  # a name, a token against forgery, the id of the session to go on with
)
# What Streamlit's page asks of its own session. Without: `clear_cache`, which clears the caches of all visitors,
# `load_git_info`, which tells of the server's checkout, and what is for developers.
REQUESTS = frozenset(
    {
        "rerun_script",
        "stop_script",
        "app_heartbeat",
        "file_urls_request",
        "backend_operation_request",
    }
)


class Sessions:
    """Remembers for each Streamlit session the hash of the key with which it began."""

    def __init__(self) -> None:
        self._keys: OrderedDict[str, str] = OrderedDict()

    def note(self, message: Message, key: Key | None) -> bool:
        """Whether a message to the browser tells the id of its session, which then belongs to its key."""
        sent = ForwardMsg()
        sent.ParseFromString(message.get("bytes") or b"")
        if sent.WhichOneof("type") != "new_session":
            return False
        if key is not None:
            session = sent.new_session.initialize.session_id
            self._keys[session] = key.digest
            self._keys.move_to_end(session)
            while len(self._keys) > MAX_SESSIONS:
                self._keys.popitem(last=False)
        return True

    def with_own_session(self, scope: Scope, key: Key | None) -> Scope:
        """A browser's connection request, without the session id if that session began with another key."""
        given = header(scope, PROTOCOL)
        name, token, session = (*(each.strip() for each in given.split(",", 2)), "", "")[:3]
        if not given or not session:
            return scope
        is_own = key is not None and self._keys.get(session) == key.digest
        kept = (name, token, session) if is_own else (name, token)
        others = [row for row in scope["headers"] if row[0] != PROTOCOL.encode()]
        headers = [*others, (PROTOCOL.encode(), ", ".join(kept).encode("latin-1"))]
        return {**scope, "headers": headers, "subprotocols": [*filter(None, kept)]}


def is_request(message: Message) -> bool:
    """Whether a message from a browser is one that its page sends; Streamlit refuses what is no message at all."""
    given = message.get("bytes")
    if message["type"] != "websocket.receive" or given is None:
        return True
    asked = BackMsg()
    try:
        asked.ParseFromString(given)
    except DecodeError:
        return True
    return asked.WhichOneof("type") in REQUESTS

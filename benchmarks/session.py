"""A visitor without a browser: Streamlit's websocket and protobuf messages, as its frontend sends them.

Every rerun sends the address, the page and the widget values, whose ids come from the elements received. It ends with
`script_finished`; a script that runs again by itself counts as one rerun. Unlike a browser, it caches no large elements
between reruns, so the server sends them again.
"""

from __future__ import annotations

import asyncio
import time
import urllib.request
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlencode

import streamlit  # noqa: F401 (its messages cannot be imported before it)
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

TIMEOUT = 60.0  # seconds
# The protobuf field of a widget's value, by the kind of element.
VALUES = MappingProxyType(
    {
        "button": "trigger_value",
        "button_group": "string_array_value",
        "selectbox": "string_value",
        "text_input": "string_value",
        "number_input": "double_value",
        "slider": "double_array_value",
    }
)


class Session:
    """One tab. `widgets` has the kind and element of every widget on the screen, by its key."""

    def __init__(self, url: str) -> None:
        self.host = url.removeprefix("http://")
        self.cookies = ""  # as the header has them
        self.page = ""  # the path of the URL
        self.query: dict[str, str] = {}
        self.pages: dict[str, str] = {}  # path to the hash of its script
        self.widgets: dict[str, tuple[str, Any]] = {}
        self.bound: dict[
            str, tuple[str, str]
        ] = {}  # query parameter to kind and id of the widget bound to it
        self.states: dict[str, tuple[str, Any]] = {}  # widget id to kind and value
        self.polls: dict[
            str, float
        ] = {}  # fragments that rerun by themselves, and their intervals in seconds
        self.exceptions: list[str] = []
        self.complaints: list[str] = []  # the text of error boxes
        self.said: list[str] = []  # the text that the last answer has brought

    async def connect(self) -> None:
        """Load the document, which may set cookies, and open the websocket; no script runs yet."""
        if not self.cookies:
            self.cookies = await asyncio.to_thread(self._load)
        url = f"ws://{self.host}/_stcore/stream"
        origin: Any = f"http://{self.host}"
        protocols: Any = ["streamlit"]
        self.socket = await websockets.connect(
            url,
            subprotocols=protocols,
            origin=origin,
            additional_headers={"Cookie": self.cookies} if self.cookies else {},
            max_size=None,
            open_timeout=TIMEOUT,
        )

    def _load(self) -> str:
        request = urllib.request.Request(f"http://{self.host}/", headers={"Accept": "text/html"})
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            given = answer.headers.get_all("Set-Cookie") or []
        return "; ".join(cookie.partition(";")[0] for cookie in given)

    def shown(self, key: str) -> str:
        """The option that a selectbox shows."""
        _, widget = self.widgets[key]
        sent = self.states.get(widget.id)
        if sent:
            return str(sent[1])
        return str(widget.raw_value if widget.set_value else widget.options[widget.default])

    async def open(self, page: str, query: Mapping[str, str]) -> float:
        """Open a page as a link in the app does, which sets widgets bound to the URL; returns seconds."""
        self.page = page
        self.query = dict(query)
        self.states = {
            id: (kind, query[key]) for key, (kind, id) in self.bound.items() if key in query
        }
        return await self.rerun()

    async def set(self, key: str, value: Any) -> float:
        """Change a widget, or click a button; returns seconds."""
        kind, widget = self.widgets[key]
        self.states[widget.id] = kind, value
        if bound := getattr(widget, "query_param_key", ""):
            self.query[bound] = value
        seconds = await self.rerun()
        if kind == "button":
            del self.states[widget.id]
        return seconds

    async def poll(self, fragment: str) -> float:
        """Rerun a fragment, as the frontend does at its interval; returns seconds."""
        return await self.rerun(fragment)

    async def rerun(self, fragment: str = "") -> float:
        """Send a rerun request, and read until the script has finished; returns seconds."""
        started = time.perf_counter()
        self.said = []
        await self.socket.send(self._request(fragment))
        async with asyncio.timeout(TIMEOUT):
            while not self._is_last(await self.socket.recv()):
                pass
        return time.perf_counter() - started

    def options(self, key: str) -> list[str]:
        kind, widget = self.widgets[key]
        return (
            [option.content for option in widget.options]
            if kind == "button_group"
            else list(widget.options)
        )

    def _request(self, fragment: str) -> bytes:
        message = BackMsg()
        request = message.rerun_script
        request.query_string = urlencode(self.query)
        request.fragment_id = fragment
        request.is_auto_rerun = bool(fragment)
        request.page_name = self.page
        request.page_script_hash = self.pages.get(self.page, "")
        for id, (kind, value) in self.states.items():
            state = request.widget_states.widgets.add()
            state.id = id
            field = VALUES[kind]
            if field.endswith("_array_value"):
                getattr(state, field).data.append(value)
            else:
                setattr(state, field, value)
        return bytes(message.SerializeToString())

    def _is_last(self, raw: Any) -> bool:
        message = ForwardMsg.FromString(raw)
        kind = message.WhichOneof("type")
        if kind == "new_session" and not message.metadata.run.fragment_ids:
            self.widgets = {}
            self.polls = {}
        elif kind == "navigation":
            self.pages = {
                row.url_pathname: row.page_script_hash for row in message.navigation.app_pages
            }
        elif kind == "page_info_changed":
            self.query = dict(parse_qsl(message.page_info_changed.query_string))
        elif kind == "auto_rerun":
            self.polls[message.auto_rerun.fragment_id] = message.auto_rerun.interval
        elif kind == "stop_auto_rerun":
            self.polls = {
                id: every
                for id, every in self.polls.items()
                if id not in message.stop_auto_rerun.fragment_ids
            }
        elif kind == "delta":
            self._see(message.delta)
        return bool(
            kind == "script_finished"
            and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
        )

    def _see(self, delta: Delta) -> None:
        element = delta.new_element
        kind = element.WhichOneof("type") or ""
        if kind == "exception":
            self.exceptions.append(
                f"{self.page}: {element.exception.type} {element.exception.message}"
            )
        elif kind == "alert" and element.alert.format == element.alert.ERROR:
            self.complaints.append(f"{self.page}: {element.alert.body}")
        elif kind == "markdown":
            self.said.append(element.markdown.body)
        elif kind == "progress":
            self.said.append(element.progress.text)
        elif kind in VALUES:
            widget = getattr(element, kind)
            self.widgets[widget.id.split("-", 2)[-1]] = kind, widget
            if key := getattr(widget, "query_param_key", ""):
                self.bound[key] = kind, widget.id
            if getattr(
                widget, "set_value", False
            ):  # the page set it, which replaces the value sent before
                self.states.pop(widget.id, None)

"""Downloads and pictures on a hosted server: whose they are. Streamlit serves them to whoever knows the address.

Reads what Streamlit remembers of its sessions; where that changes, the tests of this file fail.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

from s2s import hosted as workspaces
from s2s.config import asker
from s2s.ui.streamlit_parts import runtime

MAX_MADE = 4096  # downloads whose session is remembered

_made: OrderedDict[str, str] = OrderedDict()  # from a download made on a click to its session


def guard_downloads() -> None:
    """Keep downloads for the visitor who saw the button: no other browser can fetch them."""
    manager: Any = runtime.get_instance().media_file_mgr
    register = manager.add_deferred
    make = manager.execute_deferred

    def add_deferred(data: Callable[[], Any], *given: Any, **named: Any) -> Any:
        return register(asker.for_this_visitor(data), *given, **named)

    def execute_deferred(file_id: str) -> Any:
        entry = manager._deferred_callables.get(file_id)
        address = make(file_id)
        if entry:
            _made[PurePath(address).stem] = entry["session_id"]
            while len(_made) > MAX_MADE:
                _made.popitem(last=False)
        return address

    manager.add_deferred = add_deferred
    manager.execute_deferred = execute_deferred


def may_read(name: str, cookies: Mapping[str, str]) -> bool:
    """Whether the browser with these cookies has a page open that names the file."""
    manager: Any = runtime.get_instance().media_file_mgr
    file_id = PurePath(name).stem
    with manager._lock:
        pages = manager._files_by_session_and_coord.items()
        sessions = {session for session, files in pages if file_id in files.values()}
    sessions |= {_made[file_id]} if file_id in _made else set()
    browser = workspaces.key_of(cookies)
    return any(is_of(session, browser) for session in sessions)


def uploaded_bytes(cookies: Mapping[str, str]) -> int:
    """How many bytes the pages of the browser with these cookies hold in memory as uploaded files."""
    manager: Any = runtime.get_instance().uploaded_file_mgr
    browser = workspaces.key_of(cookies)
    return sum(
        len(file.data)
        for session, files in list(manager.file_storage.items())
        if is_of(session, browser)
        for file in list(files.values())
    )


def is_of(session: str, browser: workspaces.Key | None) -> bool:
    """Whether a session belongs to a browser and is connected."""
    client = runtime.get_instance().get_client(session)
    context = client.client_context if client else None
    return context is not None and workspaces.key_of(context.cookies) == browser

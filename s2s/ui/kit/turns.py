"""The runs of a visitor's tabs on a hosted server: one after the other, so that many tabs slow their owner, not others.

Pages are computed in one process. Without turns a visitor with eight busy tabs has eight times the share of one tab.
"""

from __future__ import annotations

import contextlib
import ipaddress
import threading
from collections import deque
from collections.abc import Iterator

import streamlit as st

from s2s.config import asker

PATIENCE = 20.0  # seconds after which a run goes on without its turn: one that hangs stops no other tab for longer


class Turns:
    """Lets one thread per owner run at a time, in the order in which they came."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._lock = threading.Lock()
        self._lines: dict[str, deque[threading.Event]] = {}  # the first of each has the turn
        self._mine = threading.local()

    @contextlib.contextmanager
    def turn(self, owner: str) -> Iterator[None]:
        """A context in which this thread has its owner's turn."""
        self._mine.held = owner, self._enter(owner)
        try:
            yield
        finally:
            owner, place = self._mine.held
            self._mine.held = None
            self._leave(owner, place)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """A context in which this thread gives its turn to others of the same owner."""
        held = getattr(self._mine, "held", None)
        if held is None:
            yield
            return
        owner, place = held
        self._mine.held = None
        self._leave(owner, place)
        try:
            yield
        finally:
            self._mine.held = owner, self._enter(owner)

    def _enter(self, owner: str) -> threading.Event:
        place = threading.Event()
        with self._lock:
            line = self._lines.setdefault(owner, deque())
            line.append(place)
            if line[0] is place:
                return place
        if not place.wait(self._patience):
            self._leave(owner, place)
        return place

    def _leave(self, owner: str, place: threading.Event) -> None:
        with self._lock:
            line = self._lines.get(owner)
            if line is None or place not in line:
                return
            was_first = line[0] is place
            line.remove(place)
            if not line:
                del self._lines[owner]
            elif was_first:
                line[0].set()


TURNS = Turns()


def owner() -> str:
    """The name under which a script run takes turns: the visitor's workspace, or else the network address."""
    workspace = asker.current()
    if workspace == asker.NOBODY and asker.is_hosted():
        return f"address {visitor_address()}"
    return workspace


def visitor_address() -> str:
    """The network address of the visitor for whom this script runs."""
    forwarded = ", ".join(st.context.headers.get_all("X-Forwarded-For"))
    return address_of(st.context.ip_address or "", forwarded)


def address_of(peer: str, forwarded: str) -> str:
    """The address of whoever sent a request; a trusted proxy names it in `X-Forwarded-For`.

    Only the last entry is the proxy's own. Of IPv6 the network counts, as one computer has many addresses there.

    >>> address_of("172.18.0.3", "8.8.8.8, 203.0.113.9")
    '203.0.113.9'
    >>> address_of("2001:db8:1:2:3:4:5:6", "")
    '2001:db8:1:2::/64'
    """
    known = _parsed(peer)
    if forwarded and (known is None or not known.is_global):
        known = _parsed(forwarded.rpartition(",")[2]) or known
    if isinstance(known, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((known, 64), strict=False))
    return str(known or "")


def _parsed(given: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(given.strip())
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def own_turn() -> contextlib.AbstractContextManager[None]:
    """A context with the turn of the visitor for whom this script runs; on one's own computer all tabs run at once."""
    return TURNS.turn(owner()) if asker.is_hosted() else contextlib.nullcontext()

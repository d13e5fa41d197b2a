"""The key of a workspace, which a browser keeps in a cookie.

A key is random and signed by this server, so that nobody can choose one for somebody else. The id of the workspace is a
hash of the key: the key itself is stored nowhere but in the browser.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from typing import NamedTuple

from s2s import settings

COOKIE = "s2s_workspace"
SECURE_COOKIE = f"__Host-{COOKIE}"  # which no other host of the same domain can set
BROWSER = "s2s_browser"  # on one's own computer, where all browsers share one workspace
BROWSER_ID = re.compile(r"[\w-]{22}", re.ASCII)
LIFETIME = 400 * 86_400  # seconds; browsers keep no cookie longer
ID_LENGTH = 32
DIRECT = "1"
LINKED = "2"  # given to another computer: a row of the database says to which workspace
SIGNED = re.compile(r"([12])([\w-]{43})\.([\w-]{43})", re.ASCII)


class Key(NamedTuple):
    """A key that this server has signed."""

    kind: str  # DIRECT or LINKED
    secret: str

    @property
    def digest(self) -> str:
        """What may be stored of the key: its hash. For the kind DIRECT, the id of its workspace."""
        return digest("workspace", self.secret)[:ID_LENGTH]

    @property
    def signed(self) -> str:
        """The value of the cookie."""
        return f"{self.kind}{self.secret}.{_signature(self.kind, self.secret)}"


def new_key(kind: str = DIRECT) -> Key:
    """A key that nobody can guess: 32 random bytes."""
    return Key(kind, secrets.token_urlsafe(32))


def read_key(value: str) -> Key | None:
    """The key in a cookie; None unless this server signed it. Raises UserError where the server has no secret."""
    found = SIGNED.fullmatch(value)
    if found is None:
        settings.secret()
        return None
    kind, secret, signature = found.groups()
    is_ours = hmac.compare_digest(_signature(kind, secret), signature)
    return Key(kind, secret) if is_ours else None


def key_of(cookies: Mapping[str, str]) -> Key | None:
    """The key among a browser's cookies, as `read_key`."""
    return read_key(cookies.get(SECURE_COOKIE) or cookies.get(COOKIE) or "")


def set_cookie(key: Key, *, is_secure: bool) -> str:
    """The header that gives a browser this key."""
    name = SECURE_COOKIE if is_secure else COOKIE
    return cookie_header(name, key.signed, LIFETIME, is_secure=is_secure)


def browser_of(cookies: Mapping[str, str]) -> str:
    """The id among a browser's cookies, which nothing but its own progress depends on; "" for none."""
    found = BROWSER_ID.fullmatch(cookies.get(BROWSER, ""))
    return found[0] if found else ""


def set_browser(*, is_secure: bool) -> str:
    """The header that gives a browser a new id."""
    return cookie_header(BROWSER, secrets.token_urlsafe(16), LIFETIME, is_secure=is_secure)


def cookie_header(name: str, value: str, seconds: int, *, is_secure: bool) -> str:
    """A cookie that scripts cannot read and other sites cannot send along; 0 seconds remove it."""
    flags = "Path=/; HttpOnly; SameSite=Lax" + ("; Secure" if is_secure else "")
    return f"{name}={value}; Max-Age={seconds}; {flags}"


def digest(*parts: str) -> str:
    """A hash in hexadecimal, different for different parts."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def signature(*parts: str) -> str:
    """What only this server can write for these parts: 43 characters. Raises UserError where it has no secret."""
    mac = hmac.new(settings.secret(), "\n".join(parts).encode(), hashlib.sha256).digest()
    return urlsafe_b64encode(mac).decode().rstrip("=")


def _signature(kind: str, secret: str) -> str:
    return signature("workspace key", kind, secret)

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
FRAMED = "s2s_framed"  # in a frame of another site, where browsers withhold the others
SECURE_FRAMED = f"__Host-{FRAMED}"
BROWSER = "s2s_browser"  # on one's own computer, where all browsers share one workspace
BROWSER_ID = re.compile(r"[\w-]{22}", re.ASCII)
IN_FRAMES = (
    "SameSite=None; Secure; Partitioned"  # a jar of cookies for each site that has the frame
)
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
    return read_key(cookies.get(_sent(cookies), ""))


def is_framed(cookies: Mapping[str, str]) -> bool:
    """Whether a browser's cookies are of a frame of another site. Raises UserError as `settings.may_be_framed`."""
    return _sent(cookies) in (SECURE_FRAMED, FRAMED)


def cookie_name(*, is_secure: bool, is_framed: bool = False) -> str:
    """The name of the cookie that holds the key, by https or not."""
    if is_framed:
        return SECURE_FRAMED if is_secure else FRAMED
    return SECURE_COOKIE if is_secure else COOKIE


def set_cookie(key: Key, *, is_secure: bool, is_framed: bool = False) -> str:
    """The header that gives a browser this key."""
    name = cookie_name(is_secure=is_secure, is_framed=is_framed)
    return cookie_header(name, key.signed, LIFETIME, is_secure=is_secure, is_framed=is_framed)


def browser_of(cookies: Mapping[str, str]) -> str:
    """The id among a browser's cookies, which nothing but its own progress depends on; "" for none."""
    found = BROWSER_ID.fullmatch(cookies.get(BROWSER, ""))
    return found[0] if found else ""


def set_browser(*, is_secure: bool) -> str:
    """The header that gives a browser a new id."""
    return cookie_header(BROWSER, secrets.token_urlsafe(16), LIFETIME, is_secure=is_secure)


def cookie_header(
    name: str, value: str, seconds: int, *, is_secure: bool, is_framed: bool = False
) -> str:
    """A cookie that scripts cannot read and other sites cannot send along; 0 seconds remove it.

    One for a frame is sent in frames of the same site only, and by http only to the visitor's own computer.
    """
    own = "SameSite=Lax; Secure" if is_secure else "SameSite=Lax"
    return f"{name}={value}; Max-Age={seconds}; Path=/; HttpOnly; {IN_FRAMES if is_framed else own}"


def digest(*parts: str) -> str:
    """A hash in hexadecimal, different for different parts."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def signature(*parts: str) -> str:
    """A signature that only this server can write: 43 characters. Raises UserError where the server has no secret."""
    mac = hmac.new(settings.secret(), "\n".join(parts).encode(), hashlib.sha256).digest()
    return urlsafe_b64encode(mac).decode().rstrip("=")


def _sent(cookies: Mapping[str, str]) -> str:
    known = (SECURE_COOKIE, SECURE_FRAMED, COOKIE, FRAMED)
    framed = (SECURE_FRAMED, FRAMED) if settings.may_be_framed() else ()
    names = (name for name in known if name in framed or name in (SECURE_COOKIE, COOKIE))
    return next((name for name in names if cookies.get(name)), "")


def _signature(kind: str, secret: str) -> str:
    return signature("workspace key", kind, secret)

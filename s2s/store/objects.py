"""The object store through fsspec: whole objects by key. No message names a key or an address."""

from __future__ import annotations

import errno
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from s2s import settings
from s2s.config import UserError
from s2s.synced import AwayError

CONNECT = 5.0  # seconds that the store may take to answer ...
READ = 60.0  # ... and between two packets
FULL = ("QuotaExceeded", "StorageFull", "EntityTooLarge", "NoSpaceLeft")
REFUSED = (
    "AccessDenied",
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "Forbidden",
    "InvalidToken",
)
SLOW = ("Timeout", "SlowDown")


class MissingError(UserError):
    """The store has no such object, or no such bucket."""


class Objects:
    """One prefix of one store."""

    def __init__(self, url: str) -> None:
        """Opens no connection. Raises UserError where the package that can is not installed."""
        import fsspec

        try:
            with _explained():
                self._files, self._root = fsspec.core.url_to_fs(url, **_options(url))
        except ImportError as error:
            raise UserError(
                "`S2S_STORE` names an S3 bucket and the package s3fs is not installed; in the project's folder, run"
                ' `pip install ".[store]"`, or unset S2S_STORE.'
            ) from error

    def put(self, path: Path, key: str) -> None:
        """Upload a file under a key that is free. Raises AwayError, or MissingError where there is no such bucket."""
        with _explained():
            self._files.put_file(str(path), f"{self._root}/{key}")

    def get(self, key: str, path: Path) -> None:
        """Download an object into a file. Raises AwayError or MissingError."""
        with _explained():
            self._files.get_file(f"{self._root}/{key}", str(path))

    def delete(self, key: str) -> None:
        """Delete an object, also one that is not there. Raises AwayError."""
        with _explained(), suppress(FileNotFoundError):
            self._files.rm_file(f"{self._root}/{key}")

    def check(self) -> None:
        """Write a few bytes, read them and delete them. Raises UserError with what the operator should mend."""
        key = f"check-{secrets.token_hex(8)}"
        with _explained():
            self._files.pipe_file(f"{self._root}/{key}", b"s2s")
            found = self._files.cat_file(f"{self._root}/{key}")
        self.delete(key)
        if found != b"s2s":
            raise AwayError("The object store returns other bytes than were written; check it.")


def _options(url: str) -> dict[str, Any]:
    if url.startswith("file:"):
        return {"auto_mkdir": True}
    if not url.startswith("s3:"):
        return {}
    waits = {"connect_timeout": CONNECT, "read_timeout": READ, "retries": {"max_attempts": 2}}
    endpoint = settings.store_endpoint()
    return {
        "use_listings_cache": False,
        "config_kwargs": waits,
        **({"endpoint_url": endpoint} if endpoint else {}),
    }


@contextmanager
def _explained() -> Iterator[None]:
    """Turns what fsspec raises into a sentence; its own may name addresses and keys."""
    try:
        yield
    except (UserError, ImportError):
        raise
    except FileNotFoundError as error:
        raise MissingError(
            "The object store has no such bucket or object; check S2S_STORE."
        ) from error
    except Exception as error:  # botocore, aiohttp and asyncio have no common type
        raise AwayError(f"The object store {_reason(error)}.") from error


def _reason(error: Exception) -> str:
    seen = f"{type(error).__name__} {error} {getattr(error.__cause__, 'response', '')}"
    if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT) or _has(seen, FULL):
        return "is full; free some space there"
    if "Credentials" in type(error).__name__:
        return "needs credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    if isinstance(error, PermissionError) or _has(seen, REFUSED):
        return "refuses this server; check its credentials and what they may do"
    if isinstance(error, TimeoutError) or _has(seen, SLOW):
        return "answers too slowly; look at its load and at the network"
    return f"cannot be reached ({type(error).__name__}); check S2S_STORE and the network"


def _has(text: str, words: tuple[str, ...]) -> bool:
    return any(word.lower() in text.lower() for word in words)

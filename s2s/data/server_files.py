"""Files of the computer that this runs on, which visitors of a hosted server may not name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from s2s.config import DeniedError, asker

_reads_upload: ContextVar[bool] = ContextVar("reads_upload", default=False)


@contextmanager
def reading_upload() -> Iterator[None]:
    """While this is open, the files of an upload may be read, in the folder where they are."""
    token = _reads_upload.set(True)
    try:
        yield
    finally:
        _reads_upload.reset(token)


def require_files(kind: str, *, may_be_upload: bool = True) -> None:
    """Raises DeniedError where a visitor of a hosted server names files of that server, as `kind` of source."""
    is_upload = may_be_upload and _reads_upload.get()
    if asker.is_hosted() and asker.current() != asker.LOCAL and not is_upload:
        raise DeniedError(
            f"A source of the kind `{kind}` names files of the server, which its visitors cannot read; upload the"
            " files on Data."
        )

"""One sentence for each way in which the hub can fail. None of them holds a token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2s.config import UserError
from s2s.hub.access import library

LATER = "try again in a while, or upload the file"


def failures() -> tuple[type[Exception], ...]:
    """What a request can end in: a refusal, a line that breaks, or a reply that makes no sense."""
    utils = library().utils
    return (
        utils.HfHubHTTPError,
        utils.httpx.HTTPError,
        utils.httpx.InvalidURL,
        OSError,
        ValueError,
        KeyError,
        TypeError,
    )


def sentence(
    error: Exception, name: str, *, with_token: bool, doing: str = "asked for the data set"
) -> UserError:
    """What to tell the visitor of a failed request about the data set `name`."""
    errors = library().errors
    httpx = library().utils.httpx
    cases: list[tuple[Any, Callable[[], UserError]]] = [  # the first that fits
        (errors.GatedRepoError, lambda: gated(name, with_token=with_token)),
        (
            errors.DisabledRepoError,
            lambda: UserError(f"`{name}` was disabled on the hub; choose another data set."),
        ),
        (errors.RepositoryNotFoundError, lambda: _missing(name, with_token=with_token)),
        (
            errors.RevisionNotFoundError,
            lambda: UserError(
                f"`{name}` has no such revision (any more); leave it out to take the newest."
            ),
        ),
        (
            errors.EntryNotFoundError,
            lambda: UserError(
                f"A file of `{name}` is gone from the hub; look the data set up again."
            ),
        ),
        (
            errors.HfHubHTTPError,
            lambda: _status(error, name, with_token=with_token),
        ),
        (httpx.TimeoutException, lambda: slow(name, doing=doing)),
        (
            httpx.ConnectError,
            lambda: UserError(
                f"The hub cannot be reached from this server, so `{name}` cannot be read; {LATER}."
            ),
        ),
        (
            (httpx.HTTPError, OSError),
            lambda: UserError(
                f"The connection to the hub was cut while it was {doing}, `{name}`; {LATER}."
            ),
        ),
        (
            Exception,
            lambda: UserError(
                f"The hub answered something unexpected when it was {doing}, `{name}`; {LATER}."
            ),
        ),
    ]
    return next(say for kind, say in cases if isinstance(error, kind))()


def gated(name: str, *, with_token: bool) -> UserError:
    """Its owner asks who reads it."""
    if with_token:
        return UserError(
            f"`{name}` is gated and this token may not read it; accept its terms on its page with the token's account."
        )
    return UserError(
        f"`{name}` is gated; accept its terms on its page on the hub, then give an access token of that account."
    )


def slow(name: str, *, doing: str = "asked for the data set") -> UserError:
    """No reply, or not the whole of it, in time."""
    return UserError(
        f"The hub is too slow: it did not answer in time when it was {doing}, `{name}`; {LATER}."
    )


def _missing(name: str, *, with_token: bool) -> UserError:
    if with_token:
        return UserError(
            f"There is no data set `{name}` on the hub, or it is private and this token may not read it; check the spelling."
        )
    return UserError(
        f"There is no data set `{name}` on the hub, or it is private; check the spelling, or give a token that may read it."
    )


def _status(error: Any, name: str, *, with_token: bool) -> UserError:
    status: int = error.response.status_code
    if status == 401 and with_token:
        return UserError(
            "The hub does not know this access token; copy it again from your account's settings, or leave it empty."
        )
    if status in (401, 403):
        return UserError(
            f"The hub does not let {'this token' if with_token else 'strangers'} read `{name}`; give a token that may."
        )
    if status == 429:
        return UserError(
            f"The hub asks this server to slow down (429); wait some minutes before you ask for `{name}` again."
        )
    if status >= 500:
        return UserError(
            f"The hub itself failed ({status}) when it was asked for `{name}`; {LATER}."
        )
    return UserError(f"The hub refused to give `{name}` ({status}); {LATER}.")

"""One sentence for each way in which the Hub can fail. None of them contains a token."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from s2s.config import UserError
from s2s.hub.access import library

RETRY: Mapping[str, str] = MappingProxyType(
    {"dataset": "try again in a while, or upload the file", "model": "try again in a while"}
)
# How a token is given.
GIVE: Mapping[str, str] = MappingProxyType(
    {
        "dataset": "give an access token {}",
        "model": "run `python -m s2s import` on your own computer with an access token {} in `HF_TOKEN`",
    }
)


def request_errors() -> tuple[type[Exception], ...]:
    """What a request can raise: a refusal, a broken connection, or an answer that makes no sense."""
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


def explain(
    error: Exception, name: str, *, with_token: bool, what: str = "", kind: str = "dataset"
) -> UserError:
    """What to tell the visitor about a failed request for `what` of the dataset or model `name`."""
    errors = library().errors
    httpx = library().utils.httpx
    what = what or f"the {kind} `{name}`"
    cases: list[tuple[Any, Callable[[], UserError]]] = [  # the first match counts
        (errors.GatedRepoError, lambda: gated(name, kind, with_token=with_token)),
        (errors.DisabledRepoError, lambda: _disabled(name, kind)),
        (errors.RepositoryNotFoundError, lambda: _missing(name, kind, with_token=with_token)),
        (errors.RevisionNotFoundError, lambda: _missing_revision(name)),
        (errors.EntryNotFoundError, lambda: _missing_file(name, kind)),
        (errors.HfHubHTTPError, lambda: _status(error, name, kind, with_token=with_token)),
        (httpx.TimeoutException, lambda: slow(what, kind)),
        (httpx.ConnectError, lambda: _unreachable(name, kind)),
        ((httpx.HTTPError, OSError), lambda: _interrupted(what, kind)),
        (Exception, lambda: _unexpected(error, what, kind)),
    ]
    return next(explanation for kind, explanation in cases if isinstance(error, kind))()


def gated(name: str, kind: str, *, with_token: bool) -> UserError:
    """The error for a gated dataset or model, whose owner decides who may read it."""
    if with_token:
        return UserError(
            f"`{name}` is gated and this token may not read it; accept its terms on its page with the token's account."
        )
    give = GIVE[kind].format("of that account")
    return UserError(f"`{name}` is gated; accept its terms on its page on the Hub, then {give}.")


def slow(what: str, kind: str = "dataset") -> UserError:
    """The error for a Hub that has not answered in time."""
    return UserError(
        f"The Hub is too slow: it did not answer the request for {what}; {RETRY[kind]}."
    )


def _disabled(name: str, kind: str) -> UserError:
    return UserError(f"`{name}` was disabled on the Hub; choose another {kind}.")


def _missing(name: str, kind: str, *, with_token: bool) -> UserError:
    if with_token:
        return UserError(
            f"There is no {kind} `{name}` on the Hub, or it is private and this token may not read it;"
            " check the spelling."
        )
    give = GIVE[kind].format("that may read it")
    return UserError(
        f"There is no {kind} `{name}` on the Hub, or it is private; check the spelling, or {give}."
    )


def _missing_revision(name: str) -> UserError:
    return UserError(f"`{name}` has no such revision; leave it out to read the newest.")


def _missing_file(name: str, kind: str) -> UserError:
    return UserError(f"A file of `{name}` is gone from the Hub; look up the {kind} again.")


def _unreachable(name: str, kind: str) -> UserError:
    return UserError(
        f"The Hub cannot be reached from this server, so `{name}` cannot be read; {RETRY[kind]}."
    )


def _interrupted(what: str, kind: str) -> UserError:
    return UserError(
        f"The connection to the Hub was interrupted during the request for {what}; {RETRY[kind]}."
    )


def _unexpected(error: Exception, what: str, kind: str) -> UserError:
    """The error for any other failure; logs where it happened, as it may be our own mistake, but no message: it may
    quote a token.
    """
    frames = "".join(traceback.format_tb(error.__traceback__))
    logger = logging.getLogger(__name__)
    logger.warning("%s in a request for %s:\n%s", type(error).__name__, what, frames)
    return UserError(f"The Hub gave an unexpected answer to the request for {what}; {RETRY[kind]}.")


def _status(error: Any, name: str, kind: str, *, with_token: bool) -> UserError:
    status: int = error.response.status_code
    if status == 401 and with_token:
        return UserError(
            "The Hub does not know this access token; copy it again from your account's settings, or leave it empty."
        )
    if status in (401, 403):
        who = "this token" if with_token else "anonymous visitors"
        give = GIVE[kind].format("that may")
        return UserError(f"The Hub does not let {who} read `{name}`; {give}.")
    if status == 429:
        return UserError(
            f"The Hub asks this server to slow down (429); wait a few minutes before you ask for `{name}` again."
        )
    if status >= 500:
        return UserError(f"The Hub failed ({status}) on the request for `{name}`; {RETRY[kind]}.")
    return UserError(f"The Hub refused the request for `{name}` ({status}); {RETRY[kind]}.")

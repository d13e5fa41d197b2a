"""Ray starts processes on its cluster: its Jobs API over HTTP. Imports nothing of Ray, knows nothing of the queue."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from s2s.config import UserError

ADDRESS = re.compile(r"ray://([A-Za-z0-9.\-]+|\[[0-9a-f:]+\]):(\d{1,5})")
TIMEOUT = 10.0  # seconds
MOST_BYTES = 20_000_000  # of an answer
ALIVE = ("PENDING", "RUNNING")
MISSING = 404
REFUSED = (401, 403)


class EngineError(UserError):
    """The cluster does not answer, or refuses."""


class _NoRedirect(HTTPRedirectHandler):
    """Follows no redirect: another server must not get the token."""

    def redirect_request(self, *_: Any) -> None:
        return None


class RayJobs:
    """A cluster by the address of its dashboard. Every method raises EngineError where it cannot be asked."""

    def __init__(self, host: str, token: str) -> None:
        self.host = host
        self._token = token
        self._opener = build_opener(ProxyHandler({}), _NoRedirect)

    def start(
        self, handle: str, command: str, environment: Mapping[str, str], *, cpus: int, gpus: int
    ) -> None:
        """Run a command where that many CPUs and GPUs are free, under a handle of ours."""
        self._ask(
            "",
            {
                "submission_id": handle,
                "entrypoint": command,
                "entrypoint_num_cpus": cpus,
                "entrypoint_num_gpus": gpus,
                "runtime_env": {"env_vars": dict(environment)},
            },
        )

    def alive(self, handle: str) -> bool:
        """Whether the command of this handle runs, or waits for room."""
        return self._status(handle) in ALIVE

    def has_failed(self, handle: str) -> bool:
        """Whether the command of this handle ended with an error."""
        return self._status(handle) == "FAILED"

    def kill(self, handle: str) -> None:
        """End the command of this handle: SIGTERM, then SIGKILL after a few seconds."""
        self._ask(f"{handle}/stop", {})

    def tail(self, handle: str, n: int = 50) -> list[str]:
        """The last `n` lines that the command of this handle has printed."""
        answer = self._ask(f"{handle}/logs")
        return str(answer.get("logs", "")).splitlines()[-n:]

    def _status(self, handle: str) -> str:
        return str(self._ask(handle).get("status", ""))

    def _ask(self, path: str, content: Mapping[str, Any] | None = None) -> dict[str, Any]:
        headers = {"Content-Type": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        data = None if content is None else json.dumps(content).encode()
        request = Request(f"http://{self.host}/api/jobs/{path}", data, headers)
        try:
            with self._opener.open(request, timeout=TIMEOUT) as answer:
                found = json.loads(answer.read(MOST_BYTES) or b"{}")
        except HTTPError as error:
            error.close()
            if error.code == MISSING:
                return {}
            raise EngineError(self._refusal(error.code)) from None
        except (URLError, HTTPException, OSError, ValueError) as error:
            reason = getattr(error, "reason", None) or type(error).__name__
            raise EngineError(
                f"The Ray cluster of `S2S_ENGINE` does not answer ({reason}); jobs continue on the workers that there"
                " are."
            ) from None
        return found if isinstance(found, dict) else {}

    def _refusal(self, code: int) -> str:
        if code in REFUSED:
            return "The Ray cluster of `S2S_ENGINE` refuses the token; set `RAY_AUTH_TOKEN` to the cluster's own."
        return f"The Ray cluster of `S2S_ENGINE` answers with the status {code}; look into its dashboard's log."


def engine() -> RayJobs | None:
    """The cluster that `S2S_ENGINE` names; None where the app starts a worker itself.

    Raises UserError where it is no address.
    """
    given = os.environ.get("S2S_ENGINE", "")
    if not given:
        return None
    found = ADDRESS.fullmatch(given)
    if not found:  # what was given may hold a password
        raise UserError("`S2S_ENGINE` is not an address of Ray; give one like ray://HOST:8265.")
    return RayJobs(f"{found[1]}:{found[2]}", os.environ.get("RAY_AUTH_TOKEN", ""))

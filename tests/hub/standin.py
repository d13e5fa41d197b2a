"""A hub of datasets and models on this machine: answers as the real one does to readers, and fails on request."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import struct
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import unquote, urlsplit

import yaml  # type: ignore[import-untyped]

TOKENS = frozenset({"hf_granted", "hf_stranger"})  # any other is no token at all


@dataclass(frozen=True)
class Fault:
    """What goes wrong with requests whose path matches: a status, seconds of silence, a reply truncated after so many
    bytes or dropped, or one that comes a byte at a time. `times` is how often.
    """

    match: str = ""
    status: int = 0
    delay: float = 0.0
    truncate: int | None = None
    reset: bool = False
    drip: float = 0.0
    location: str = ""  # of the file instead
    times: int = 10**9


@dataclass
class Repo:
    """A dataset or a model: its files at `main`, those of other branches, and who may read them.

    `listed` overrides the sizes that it says its files have.
    """

    files: Mapping[str, bytes]
    branches: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)
    private: bool = False
    gated: bool = False
    disabled: bool = False
    fault: Fault | None = None
    listed: Mapping[str, int | None] = field(default_factory=dict)

    def revision(self, name: str) -> Mapping[str, bytes] | None:
        """The files of a branch or of a commit."""
        for branch, files in {"main": self.files, **self.branches}.items():
            if name in (branch, commit(files)):
                return files
        return None


class Request(NamedTuple):
    """One request as it was answered; `sent` counts the bytes of the body."""

    method: str
    path: str
    status: int
    sent: int


def _blob(repo: Repo, path: str, content: bytes) -> dict[str, Any]:
    """What the hub says of a file: its size, and the hash of one that git does not store itself."""
    size = repo.listed.get(path, len(content))
    if not path.endswith((".safetensors", ".bin", ".spm")):
        return {"size": size}
    digest = hashlib.sha256(content).hexdigest()
    return {"size": size, "lfs": {"sha256": digest, "size": size, "pointerSize": 134}}


def commit(files: Mapping[str, bytes]) -> str:
    """The revision of these files, 40 hex digits."""
    digest = hashlib.sha1()
    for name, content in sorted(files.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


class Hub:
    """`with Hub({"owner/name": Repo(...)}) as hub:` serves datasets at `hub.url`, also models, and keeps `hub.log`;
    repos may be changed meanwhile.
    """

    def __init__(self, repos: Mapping[str, Repo], models: Mapping[str, Repo] | None = None) -> None:
        self.repos = dict(repos)
        self.models = dict(models or {})
        self.renamed: dict[str, str] = {}  # old names of models
        self.log = list[Request]()
        self.failed: dict[str, int] = {}
        self._server = ThreadingHTTPServer(
            ("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": self})
        )
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]  # those who lose patience hang up
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def sent(self) -> int:
        """Bytes of files that were sent."""
        return sum(request.sent for request in self.log if "/resolve/" in request.path)

    def fault(self, repo: Repo, name: str, path: str) -> Fault:
        """What is to go wrong with this request."""
        given = repo.fault
        if given is None or not re.search(given.match, path):
            return Fault()
        self.failed[name] = self.failed.get(name, 0) + 1
        return given if self.failed[name] <= given.times else Fault()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # a body after its header would wait 40 ms for an acknowledgment
    hub: Hub
    fault = Fault()
    kind = "datasets"  # or "models"

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on the terminal."""

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        name = r"([^/]+/[^/]+|[^/]+)"
        if found := re.fullmatch(rf"/api/(datasets|models)/{name}(?:/revision/(.+))?", path):
            self.kind = found[1]
            self._info(found[2], unquote(found[3] or "main"))
        elif found := re.fullmatch(
            rf"/(datasets/)?{name}/resolve/(refs%2Fconvert%2Fparquet|[^/]+)/(.+)", path
        ):
            self.kind = "datasets" if found[1] else "models"
            self._file(found[2], unquote(found[3]), unquote(found[4]))
        else:
            self._reply(404, {"error": "not answered here"})

    do_HEAD = do_GET  # noqa: N815

    def _info(self, name: str, revision: str) -> None:
        if new := self.hub.renamed.get(name):
            return self._reply(307, {}, headers={"Location": f"/api/models/{new}"})
        repo = self._allowed(name)
        if repo is None:
            return
        files = repo.revision(revision)
        if files is None:
            return self._reply(
                404,
                {"error": "Invalid rev id"},
                error=("RevisionNotFound", f"Invalid rev id: {revision}"),
            )
        blobs = "blobs=" in self.path.lower()
        sizes = [
            {"rfilename": path, **(_blob(repo, path, content) if blobs else {})}
            for path, content in files.items()
        ]
        card = re.match(r"---\n(.*?\n)---", files.get("README.md", b"").decode(), re.S)
        info = {
            "_id": "0" * 24,
            "id": name,
            "sha": commit(files),
            "private": repo.private,
            "disabled": False,
            "tags": [],
            "likes": 0,
        }
        info |= {"gated": "manual" if repo.gated else False, "downloads": 0, "siblings": sizes}
        self._reply(200, info | ({"cardData": yaml.safe_load(card[1])} if card else {}))

    def _file(self, name: str, revision: str, path: str) -> None:
        repo = self._allowed(name)
        if repo is None:
            return
        if repo.gated and self._token() != "hf_granted":
            return self._reply(
                403 if self._token() else 401,
                {},
                error=("GatedRepo", "Access to this dataset is restricted."),
            )
        content = (repo.revision(revision) or {}).get(path)
        if content is None:
            return self._reply(404, {}, error=("EntryNotFound", "Entry not found"))
        part = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if not part:
            return self._reply(200, content, headers={"Accept-Ranges": "bytes"})
        start = int(part[1])
        end = min(int(part[2]) + 1, len(content))
        if start >= len(content):
            return self._reply(416, b"", headers={"Content-Range": f"bytes */{len(content)}"})
        return self._reply(
            206,
            content[start:end],
            headers={"Content-Range": f"bytes {start}-{end - 1}/{len(content)}"},
        )

    def _allowed(self, name: str) -> Repo | None:
        """The repo, if it is there, its asker may know of it and nothing goes wrong; else the reply has been sent."""
        token = self._token()
        repos = self.hub.models if self.kind == "models" else self.hub.repos
        repo = repos.get(name)
        if token and token not in TOKENS:
            self._reply(401, {}, error=("", "Invalid credentials in Authorization header"))
        elif repo is None or (
            repo.private and token != "hf_granted"
        ):  # as the hub: who gives no token is told to give one
            self._reply(404 if token else 401, {}, error=("RepoNotFound", "Repository not found"))
        elif repo.disabled:
            self._reply(403, {}, error=("", "Access to this resource is disabled."))
        elif not self._fails(self.hub.fault(repo, name, self.path)):
            return repo
        return None

    def _fails(self, fault: Fault) -> bool:
        self.fault = fault
        time.sleep(fault.delay)
        if fault.reset:
            self.hub.log.append(Request(self.command, self.path, 0, 0))
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif fault.location:
            self._reply(302, {}, headers={"Location": fault.location})
        elif fault.status:
            self._reply(fault.status, {})
        return bool(fault.reset or fault.status or fault.location)

    def _token(self) -> str:
        return (self.headers.get("Authorization") or "").removeprefix("Bearer ")

    def _reply(
        self,
        status: int,
        body: bytes | Mapping[str, Any],
        *,
        headers: Mapping[str, str] | None = None,
        error: tuple[str, str] | None = None,
    ) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        shown = (
            b""
            if self.command == "HEAD"
            else content[: self.fault.truncate if status < 300 else None]
        )
        self.hub.log.append(Request(self.command, self.path, status, len(shown)))
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, value)
        for name, value in zip(("X-Error-Code", "X-Error-Message"), error or (), strict=False):
            if value:
                self.send_header(name, value)
        self.end_headers()
        for start in range(0, len(shown), 1) if self.fault.drip else ():
            self.wfile.write(shown[start : start + 1])
            time.sleep(self.fault.drip)
        if not self.fault.drip:
            self.wfile.write(shown)
        self.close_connection = (
            self.close_connection or len(shown) < len(content) or self.fault.drip > 0
        )

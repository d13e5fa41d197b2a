"""Zips of runs as somebody else may make them."""

import hashlib
import io
import json
import struct
import zipfile
from collections.abc import Mapping
from typing import Any

from s2s.runs import RunFolder, archive

Files = dict[str, bytes]


def files_of(folder: RunFolder) -> Files:
    """The files of a run's zip, without its manifest."""
    out = io.BytesIO()
    archive.write(folder, out)
    with zipfile.ZipFile(out) as found:
        return {name: found.read(name) for name in found.namelist() if name != archive.MANIFEST}


def manifest_of(files: Files, **changes: Any) -> bytes:
    """What lists them, with other values."""
    listed = {
        name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in files.items()
    }
    return json.dumps({"format": 1, "kind": "run", "files": listed, **changes}).encode()


def zipped(
    files: Files, manifest: bytes | None = None, *, infos: Mapping[str, zipfile.ZipInfo] = {}
) -> io.BytesIO:
    """A zip of them with a manifest that fits, or with another; `infos` says how some are stored."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as found:
        for name, content in files.items():
            found.writestr(infos.get(name, name), content)
        if manifest != b"":
            found.writestr(archive.MANIFEST, manifest_of(files) if manifest is None else manifest)
    return out


def with_json(files: Files, name: str, /, **changes: Any) -> Files:
    """The same files, one with other values; None leaves one out."""
    content = {**json.loads(files[name]), **changes}
    kept = {key: value for key, value in content.items() if value is not LEFT_OUT}
    return {**files, name: json.dumps(kept).encode()}


LEFT_OUT = object()


def safetensors(tensors: Mapping[str, tuple[str, list[int]]], n_bytes: int = 0) -> bytes:
    """A file with this header, and so many bytes after it."""
    header: dict[str, Any] = {}
    at = 0
    for name, (kind, shape) in tensors.items():
        size = 4
        for length in shape:
            size *= length
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(n_bytes or at)

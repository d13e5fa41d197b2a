"""A model of the Hub on this disk: its tokenizers first, which say what is wrong before the weights are fetched."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from s2s import files, hub
from s2s.pretrained import open_tokenizers

STATUS = "status.json"
STATUS_SECONDS = 0.5  # between two notes of how far a download is
WEIGHTS = (".safetensors", ".bin")


@dataclass
class _Progress:
    """Notes in a file how far a download is, with the seconds that are left at the speed so far."""

    path: Path
    n_bytes: int
    started: float = field(default_factory=time.time)
    noted: float = 0.0

    def note(self, done: int) -> None:
        now = time.time()
        if done < self.n_bytes and now - self.noted < STATUS_SECONDS:
            return
        self.noted = now
        speed = done / max(now - self.started, 1e-3)
        left = (self.n_bytes - done) / speed if done else None
        files.write_json(self.path, {"done": done, "n": self.n_bytes, "left": left, "at": now})


def fetch(
    model: hub.Model,
    folder: Path,
    src_language: str = "",
    tgt_language: str = "",
    *,
    token: str = "",
) -> Iterator[int]:
    """Downloads a model into `folder`/files; yields the bytes so far, and notes them in `folder`/status.json.

    Raises UserError where the Hub fails, and, before the weights are fetched, where the tokenizers do not open or do
    not know the languages.
    """
    progress = _Progress(folder / STATUS, model.size)
    weights = tuple(file for file in model.files if file.path.endswith(WEIGHTS))
    small = replace(model, files=tuple(file for file in model.files if file not in weights))
    whole = folder / "files"
    for n_bytes in hub.download(small, whole, token=token):
        progress.note(n_bytes)
        yield n_bytes
    open_tokenizers(whole, src_language, tgt_language)
    parts = folder / "weights"
    for n_bytes in hub.download(replace(model, files=weights), parts, token=token):
        progress.note(small.size + n_bytes)
        yield small.size + n_bytes
    for path in parts.iterdir():
        os.replace(path, whole / path.name)

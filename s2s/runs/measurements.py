"""The files of a measurement: what was measured on a checkpoint over sentences. Knows nothing of queues or screens.

measurement.json    the request: run, checkpoint, experiment, settings, sentences, and whose it is
pairs.jsonl         one line per sentence, where they were uploaded
result.json         its numbers; a measurement without it was never finished
status.json         how far it is

Its name is computed from the request, so that whoever asks the same of the same checkpoint finds it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from s2s import files, settings
from s2s.config import UserError, asker
from s2s.files import stored
from s2s.runs.evaluations import Sentences

FORMAT = 1
SHIPPED = "measurements"  # in the folder of a demo run


@dataclass(frozen=True)
class Measurement:
    """A measurement as requested: an `experiment` with its `settings`, on a run at a checkpoint, over these sentences.

    `languages`: those of source and target of a multilingual model; empty for the run's own.
    """

    run: str
    step: int
    experiment: str
    sentences: Sentences
    settings: Mapping[str, Any] = field(default_factory=dict)
    owner: str = field(default_factory=asker.current)
    languages: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The name of the measurement, equal for equal requests, whoever makes them: 32 hexadecimal digits."""
        test = self.sentences
        what = [self.run, self.step, self.experiment, dict(self.settings)]
        which = [test.spec, test.split, test.run, test.n, test.hash]
        chosen = [list(self.languages)] if self.languages else []
        content = json.dumps([FORMAT, what, which, *chosen], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:32]


class MeasurementFolder:
    def __init__(self, id: str) -> None:
        self.path = stored.MEASUREMENT.parent / id

    def create(self, request: Measurement, pairs: Iterable[Mapping[str, Any]] = ()) -> None:
        """Write the request, and the sentences where they were uploaded."""
        content = "".join(json.dumps(pair, ensure_ascii=False) + "\n" for pair in pairs)
        if content:
            files.write_text(self.path / "pairs.jsonl", content)
        files.write_json(
            self.path / "measurement.json",
            {
                "format": FORMAT,
                "created": stored.now(),
                "name": request.experiment,
                **files.to_json(request),
            },
        )

    def request(self) -> Measurement:
        """Read the request. Raises UserError where it is missing, broken or newer than this program."""
        try:
            content = json.loads((self.path / "measurement.json").read_bytes())
            if int(content["format"]) > FORMAT:
                raise UserError(
                    "This measurement was made by a newer version; update this program."
                )
            owner = content["owner"]  # by default it would be who asks
            return files.from_json(Measurement, {**content, "owner": owner})
        except files.UNREADABLE as error:
            if isinstance(error, UserError):
                raise
            raise UserError("This measurement cannot be read; measure again.") from error

    def require(self) -> None:
        """Raises UserError where the measurement was deleted, with its run, while it was made."""
        if not (self.path / "measurement.json").is_file():
            raise UserError("The run of this measurement was deleted; nothing of it is kept.")

    def pairs(self) -> list[dict[str, Any]]:
        """The uploaded sentences; none where the request names a dataset."""
        return files.read_lines(self.path / "pairs.jsonl")

    def set_status(self, share: float, at: float, seconds: float) -> None:
        """How much is done, 0 to 1, at a time since the epoch, after so many seconds of work."""
        files.write_json(self.path / "status.json", {"share": share, "at": at, "seconds": seconds})

    def status(self) -> dict[str, float]:
        """What `set_status` wrote; empty before."""
        try:
            content = json.loads((self.path / "status.json").read_bytes())
            return {name: float(content[name]) for name in ("share", "at", "seconds")}
        except files.UNREADABLE:
            return {}

    def set_result(self, content: Mapping[str, Any]) -> None:
        """Write the numbers; the measurement is finished."""
        files.write_json(self.path / "result.json", {"format": FORMAT, **content})

    def forget_pairs(self) -> None:
        """Delete the uploaded sentences, which nothing reads after the measurement."""
        (self.path / "pairs.jsonl").unlink(missing_ok=True)

    def delete(self) -> None:
        """Delete the measurement: its request and its numbers."""
        shutil.rmtree(self.path, ignore_errors=True)


def place(request: Measurement) -> str:
    """The file of a finished measurement, or of one that ships with a demo run; empty where there is none."""
    return next((str(path) for path in _paths(request) if path.is_file()), "")


def result(request: Measurement) -> dict[str, Any] | None:
    """The numbers of a measurement; None before there are any. Does not check whether this workspace may see them."""
    for path in _paths(request):
        try:
            content = json.loads(path.read_bytes())
            if content["format"] == FORMAT:
                return dict(content)
        except files.UNREADABLE:
            continue
    return None


def _paths(request: Measurement) -> tuple[Path, Path]:
    name = f"{request.id}.json"
    return (
        MeasurementFolder(request.id).path / "result.json",
        settings.SHIPPED / request.run / SHIPPED / name,
    )


def delete_of_run(run: str) -> None:
    """Delete all measurements of a run, when the run is deleted."""
    parent = stored.MEASUREMENT.parent
    for path in parent.iterdir() if parent.is_dir() else ():
        folder = MeasurementFolder(path.name)
        try:
            is_of_run = folder.request().run == run
        except UserError:  # damaged: the operator's
            continue
        if is_of_run:
            folder.delete()


def with_hash(sentences: Sentences, pairs: Iterable[Mapping[str, Any]]) -> Sentences:
    """Uploaded sentences, distinguished from others by their content."""
    lines = [json.dumps(pair, sort_keys=True) for pair in pairs]
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
    return replace(sentences, n=len(lines), n_all=len(lines), hash=digest)

"""`python -m s2s.data.sampler`: the first rows of a file of the hub, in a process of its own, where whatever they unpack to stays."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

from s2s import hub, settings
from s2s.config import UserError
from s2s.data.columns import Column
from s2s.data.hubsets import Sample, sample

SECONDS = 5.0  # for all of it
SPACE = 2_000_000_000  # bytes of address space


def sampled(dataset: hub.Dataset, config: str, split: str, token: str = "") -> Sample:
    """`hubsets.sample`, in a process that ends within five seconds and has only so much memory. Raises UserError as it does."""
    file = dataset.split(config, split).files[0]
    order = {
        "id": dataset.id,
        "sha": dataset.sha,
        "path": file.path,
        "size": file.size,
        "config": config,
        "token": token,
        "space": SPACE,
    }
    root = str(Path(settings.__file__).parents[1])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "s2s.data.sampler"],
            input=json.dumps(order).encode(),
            capture_output=True,
            timeout=SECONDS,
            cwd=root,
            env={**os.environ, "PYTHONPATH": path},
            check=False,
        )
    except subprocess.TimeoutExpired:  # its cause would name the order, and with it the token
        raise UserError(
            f"Five rows of `{dataset.id}` were not there within {SECONDS:g} seconds; try again later."
        ) from None
    except OSError as error:
        raise UserError(
            f"No rows can be read now ({error.strerror or error}); try again later."
        ) from error
    return _understood(dataset.id, done.returncode, done.stdout)


def _understood(name: str, code: int, answer: bytes) -> Sample:
    if code or not answer:
        raise UserError(
            f"`{name}` could not be looked into, most likely for want of memory; choose another split or data set."
        )
    said = json.loads(answer)
    if said["error"]:
        raise UserError(said["error"])
    return Sample(
        tuple(Column(*column) for column in said["columns"]),
        tuple(tuple(row) for row in said["rows"]),
    )


def main() -> None:
    """Answer the order on standard input on standard output, as JSON."""
    order = json.loads(sys.stdin.buffer.read())
    resource.setrlimit(resource.RLIMIT_AS, (order["space"], order["space"]))
    file = hub.File(order["path"], order["size"])
    dataset = hub.Dataset(
        order["id"], order["sha"], {order["config"]: {"train": hub.Split((file,))}}
    )
    try:
        found = sample(dataset, order["config"], "train", order["token"])
    except UserError as error:
        answer: dict[str, Any] = {"error": str(error)}
    else:
        answer = {"error": "", "columns": found.columns, "rows": found.rows}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()

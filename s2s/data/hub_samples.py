"""The first rows of a Hub dataset, read by a child process: whatever they unpack to, the dashboard's memory is safe."""

from __future__ import annotations

import json
import subprocess
import sys

from s2s import hub
from s2s.config import UserError
from s2s.data.formats.columns import Column
from s2s.data.hub_datasets import HubSample
from s2s.data.repository import needs_library
from s2s.processes import environment

SECONDS = 5.0  # for the whole process
LIBRARY_SECONDS = 20.0  # where it starts another one, which imports `datasets`
MAX_MEMORY = 2_000_000_000  # bytes of address space
N_FILES = 4  # of a split, of which the first with rows is shown


def sample_hub_dataset(dataset: hub.Dataset, config: str, split: str, token: str = "") -> HubSample:
    """`hub_datasets.sample` in a process limited in time and to 2 GB. Raises UserError as it does."""
    files = dataset.split(config, split).files[:N_FILES]
    seconds = LIBRARY_SECONDS if needs_library(files[0]) else SECONDS
    order = {
        "id": dataset.id,
        "sha": dataset.sha,
        "files": files,
        "config": config,
        "token": token,
        "space": MAX_MEMORY,
    }
    try:
        process = subprocess.run(
            [sys.executable, "-P", "-m", "s2s.data.hub_sampler"],
            input=json.dumps(order).encode(),
            capture_output=True,
            timeout=seconds,
            cwd=environment.ROOT,
            env=environment.for_reading(from_hub=True),
            check=False,
        )
    except subprocess.TimeoutExpired:  # its cause would show the order, and with it the token
        raise UserError(
            f"The first rows of `{dataset.id}` did not arrive within {seconds:g} seconds; try again later."
        ) from None
    except OSError as error:
        raise UserError(
            f"No rows can be read now ({error.strerror or error}); try again later."
        ) from error
    return _parse(dataset.id, process.returncode, process.stdout)


def _parse(name: str, code: int, answer: bytes) -> HubSample:
    if code or not answer:
        raise UserError(
            f"`{name}` could not be sampled, most likely because it needs too much memory; choose another"
            " split or dataset."
        )
    sample = json.loads(answer)
    if sample["error"]:
        raise UserError(sample["error"])
    columns = tuple(Column(*column) for column in sample["columns"])
    return HubSample(columns, tuple(tuple(row) for row in sample["rows"]))

"""What opening a published model takes: parameters, memory, disk and time, from its config.json alone."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from s2s.config import ModelConfig, UserError
from s2s.jobs.training import run_limits
from s2s.pretrained import read_shape
from s2s.settings import make_home
from s2s.sizing import BYTES, count_parameters, gigabytes
from s2s.training import free_memory

# Memory and time of opening: T5-small's 60 million parameters took 0.33 GB beyond the process's 0.25, and a second;
# a file in another format than float32 takes a copy more.
FIXED_BYTES = 300_000_000  # of the process
COPIES = 2  # of the weights
START_SECONDS = 2.0
SECONDS_PER_PARAMETER = 3e-8
BYTES_PER_SECOND = 10e6  # of a download, as an assumption: nobody knows before it begins


@dataclass(frozen=True)
class ImportForecast:
    """What opening a model takes. Bytes and seconds; `download_bytes` is 0 for a folder."""

    family: str
    config: ModelConfig
    parameters: int
    is_multilingual: bool
    download_bytes: int

    @property
    def model_bytes(self) -> int:
        """Bytes of the opened model, in memory and on disk."""
        return BYTES * self.parameters

    @property
    def memory(self) -> int:
        """The most bytes of memory that opening needs."""
        return FIXED_BYTES + COPIES * self.model_bytes

    @property
    def disk(self) -> int:
        """The most bytes of disk that opening needs; the download is deleted at the end."""
        return self.download_bytes + self.model_bytes

    @property
    def download_seconds(self) -> float:
        """Seconds of the download, at BYTES_PER_SECOND."""
        return self.download_bytes / BYTES_PER_SECOND

    @property
    def open_seconds(self) -> float:
        """Seconds of opening, after the download."""
        return START_SECONDS + SECONDS_PER_PARAMETER * self.parameters


def forecast(config: Mapping[str, Any], download_bytes: int = 0) -> ImportForecast:
    """What opening a model with this config.json takes. Raises UserError for a kind of model that is not opened."""
    shape = read_shape(config)
    sizes = (shape.src_vocab_size, shape.tgt_vocab_size)
    parameters = count_parameters(shape.config, *sizes)
    return ImportForecast(
        shape.family.label, shape.config, parameters, shape.is_multilingual, download_bytes
    )


def check(found: ImportForecast, *, free: int | None = None) -> None:
    """Raises UserError for a model that is too large for this server, its memory or its disk; `free` is in bytes."""
    run_limits.check_opened_parameters(found.parameters)
    free = free_memory("cpu") if free is None else free
    if found.memory > free:
        raise UserError(
            f"Opening {found.parameters:,} parameters needs about {gigabytes(found.memory)} of memory and"
            f" {gigabytes(free)} are free; choose a smaller model, or stop what else runs here."
        )
    left = shutil.disk_usage(make_home()).free
    if found.disk > left:
        raise UserError(
            f"Opening this model needs about {gigabytes(found.disk)} of disk and {gigabytes(left)} are free; choose a"
            " smaller model, or free some space."
        )

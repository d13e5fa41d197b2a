"""The first rows of a Hub dataset, read in another process: whatever they unpack to, the dashboard's memory is safe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from s2s import hub
from s2s.config import UserError
from s2s.data.hub_datasets import HubSample, sample
from s2s.data.repository import needs_library
from s2s.files import from_json
from s2s.processes import bounds
from s2s.processes.program import EndedError, Program, TooLargeError, ask

SECONDS = 5.0  # for the whole process
LIBRARY_SECONDS = 20.0  # where it starts another one, which imports `datasets`
N_FILES = 4  # of a split, of which the first with rows is shown
SAMPLER = Program("s2s.data.hub_samples:answer", "reader", from_hub=True)


def sample_hub_dataset(dataset: hub.Dataset, config: str, split: str, token: str = "") -> HubSample:
    """`hub_datasets.sample` in a process limited in time and to 2 GB. Raises UserError as it does."""
    files = dataset.split(config, split).files[:N_FILES]
    seconds = LIBRARY_SECONDS if needs_library(files[0]) else SECONDS
    order = {"id": dataset.id, "sha": dataset.sha, "files": files, "config": config, "token": token}
    try:
        (found,) = ask(SAMPLER, order, seconds=seconds, memory=bounds.LIBRARY_MEMORY)
    except TimeoutError:
        raise UserError(
            f"The first rows of `{dataset.id}` did not arrive within {seconds:g} seconds; try again later."
        ) from None
    except (EndedError, TooLargeError) as error:
        raise UserError(
            f"`{dataset.id}` could not be sampled, most likely because it needs too much memory; choose another"
            " split or dataset."
        ) from error
    except OSError as error:
        raise UserError(
            f"No rows can be read now ({error.strerror or error}); try again later."
        ) from error
    return from_json(HubSample, found)


def answer(order: Any, _: object) -> Iterator[Any]:
    files = from_json(tuple[hub.File, ...], order["files"])
    splits = {order["config"]: {"train": hub.Split(files)}}
    dataset = hub.Dataset(order["id"], order["sha"], splits)
    yield sample(dataset, order["config"], "train", order["token"])

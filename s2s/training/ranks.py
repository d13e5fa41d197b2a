"""Where the processes of one training find each other: by torchrun's environment."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed import Store
from torch.distributed.rendezvous import rendezvous

from s2s.config import UserError
from s2s.training.distributed import Rank, Several
from s2s.training.liveness import Liveness

# For a process that reads its dataset, or for the first one while it validates; see `liveness` for one that is gone.
LONGEST_WAIT = timedelta(hours=2)
JOINING = timedelta(minutes=10)  # for all of them to start


@contextlib.contextmanager
def processes(silence: float) -> Iterator[Several]:
    """Join the other processes that torchrun has started; the environment says where they are.

    This process ends where another one that it waits for gives no sign of life for `silence` seconds.
    """
    try:
        store, number, size = next(rendezvous("env://", timeout=JOINING))
    except (RuntimeError, ValueError) as error:
        raise UserError(
            f"The processes of this training cannot find each other ({error}); start them with torchrun."
        ) from error
    local = int(os.environ.get("LOCAL_RANK", number))
    rank = Rank(number, size, local, int(os.environ.get("LOCAL_WORLD_SIZE", size)))
    with (
        Liveness(store, number, size, silence) as liveness,
        _together(store, rank, liveness) as group,
    ):
        yield group


@contextlib.contextmanager
def _together(store: Store, rank: Rank, liveness: Liveness) -> Iterator[Several]:
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
    liveness.is_needed = True
    try:
        dist.init_process_group(
            backend, store=store, rank=rank.number, world_size=rank.size, timeout=LONGEST_WAIT
        )
    except (RuntimeError, ValueError) as error:
        raise UserError(
            f"The processes of this training cannot connect ({error}); each machine must reach the others."
        ) from error
    finally:
        liveness.is_needed = False
    group = Several(rank, liveness)
    try:
        yield group
    finally:
        group.end()
        liveness.stop()
        dist.destroy_process_group()

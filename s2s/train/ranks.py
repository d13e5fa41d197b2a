"""Where the processes of one training find each other: by torchrun's environment, or at an address that the first one
opens.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed import PrefixStore, Store, TCPStore
from torch.distributed.rendezvous import rendezvous

from s2s.config import UserError
from s2s.train.distributed import Rank, Several
from s2s.train.liveness import Liveness, has_begun

# For a process that reads its dataset, or for the first one while it validates; see `liveness` for one that is gone.
LONGEST_WAIT = timedelta(hours=2)
JOINING = timedelta(minutes=10)  # for all of them to start
REACHING = timedelta(seconds=60)  # for another one to answer
LOOPBACK = "127.0.0.1"
START = "start"
ERROR = "error"


@contextlib.contextmanager
def processes(silence: float) -> Iterator[Several]:
    """Join the others that torchrun has started; it tells by the environment where they are.

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
        together(store, rank, liveness) as group,
    ):
        yield group


@contextlib.contextmanager
def together(store: Store, rank: Rank, liveness: Liveness) -> Iterator[Several]:
    """All processes, once each has come here. Raises UserError where they cannot connect."""
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


@dataclass(frozen=True)
class Meeting:
    """What the processes of one attempt share before they train. Methods raise RuntimeError where rank 0 is gone."""

    store: Store
    port: int

    def n_joined(self, size: int) -> int:
        """How many of the others are there."""
        return sum(has_begun(self.store, rank) for rank in range(1, size))

    def start(self) -> None:
        """All are there."""
        self.store.set(START, "1")

    def has_started(self) -> bool:
        """Whether all are there."""
        return bool(self.store.check([START]))

    def report(self, error: str) -> None:
        """Say why this process ends, a sentence."""
        self.store.set(ERROR, error)

    def error(self) -> str:
        """Why another process has ended; "" where none has said so."""
        return str(self.store.get(ERROR).decode()) if self.store.check([ERROR]) else ""


def opened(attempt: str, *, is_local: bool) -> Meeting:
    """Rank 0 waits for the others, at any free port: on this machine alone, or on all its addresses.

    Only processes that know the name of this `attempt` meet there. Raises UserError where no port can be opened.
    """
    listening = socket.create_server((LOOPBACK, 0)) if is_local else None
    port = listening.getsockname()[1] if listening else 0
    try:
        store = TCPStore(
            LOOPBACK,
            port,
            is_master=True,
            wait_for_workers=False,
            timeout=JOINING,
            master_listen_fd=listening.detach() if listening else None,
        )
    except RuntimeError as error:
        raise UserError(
            f"No port can be opened for the other processes ({error}); set train.processes=1."
        ) from error
    return Meeting(PrefixStore(attempt, store), store.port)


def connected(attempt: str, host: str, port: int) -> Meeting:
    """Another rank comes to where rank 0 waits. Raises UserError where it does not answer."""
    try:
        store = TCPStore(host, port, is_master=False, timeout=REACHING)
    except RuntimeError as error:
        raise UserError(
            f"The first process of the training does not answer at {host}, port {port}; set S2S_RANK_HOST on its"
            " machine to an address that others reach."
        ) from error
    return Meeting(PrefixStore(attempt, store), port)

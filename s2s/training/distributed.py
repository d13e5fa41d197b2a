"""One training in several processes, as torchrun starts them: each takes its rows of every batch, the gradients are
summed.

    torchrun --nproc_per_node 2 -m s2s train --source SPEC --out DIR

The first process leads: it alone validates, writes and prints, hands its files to the others, which may be on other
hosts, and tells them the learning rate of each update. Several processes come to the weights of a single one, but for
rounding and for dropout, which each draws for its own rows.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor

from s2s.config import UserError
from s2s.data import Batch, Ids
from s2s.training.liveness import Liveness

OVER = 0.0
CONTINUE = 1.0


class GoneError(UserError):
    """Another process of this training has ended, or its machine has."""


@dataclass(frozen=True)
class Rank:
    """This process's number among all processes of a training, and among those on this machine."""

    number: int
    size: int
    local: int = 0
    n_local: int = 1


@dataclass(frozen=True)
class Share:
    """The rows that one process takes of a batch."""

    batch: Batch
    n_labels: int  # real target tokens, by which its gradient counts; 0 where there are fewer rows than processes


def share(batch: Batch, rank: int, size: int) -> Share:
    """One process's rows of a batch: every `size`-th, without the padding that only other rows need; a process without
    one takes the first, with weight 0.
    """
    has_row = rank < len(batch.src)
    rows = slice(rank, None, size) if has_row else slice(1)
    src, tgt = (_trimmed(ids[rows], batch.pad_id) for ids in (batch.src, batch.tgt))
    own = Batch(src, tgt, batch.pad_id)
    return Share(own, own.n_labels if has_row else 0)


def _trimmed(ids: Ids, pad_id: int) -> Ids:
    """Ids without the columns that are all padding: (rows, len) -> (rows, longest)."""
    is_used = (ids != pad_id).any(0)
    longest = int(is_used.nonzero()[0].max(initial=0)) + 1  # a target of T5 starts with padding
    return ids[:, :longest]


class Group:
    """The processes that train together; this class is the group of one: nothing to share, nobody to wait for."""

    rank = 0
    size = 1
    is_stopping = False  # somebody asked one of the processes to stop

    def __init__(self) -> None:
        self.wanted: Sequence[int] = ()  # not empty: this process is asked to stop

    def threads(self, together: int) -> int:
        return together

    def device(self, kind: str) -> torch.device:
        return torch.device(kind)

    def seed(self, seed: int, step: int) -> int | None:
        """What dropout starts from at each update; None where it continues from the previous update."""
        return None

    def tell(self, value: float) -> None:
        """Tell the others to continue, with this learning rate."""

    def hand_over(self, files: Mapping[str, bytes]) -> None:
        """Give the others these files of the first process, by name."""

    def received(self) -> dict[str, bytes]:
        """The files that the first process hands over next, by name."""
        return {}

    def spread(self, tensors: Iterable[Tensor]) -> None:
        """Copy the first process's tensors to all."""

    def share(self, batch: Batch) -> Share:
        """This process's rows of a batch."""
        return Share(batch, 0)  # nobody weighs it

    def join(self, parameters: Iterable[Tensor], own: Share, loss: Tensor) -> Tensor:
        """Make the gradients of the means over each process's rows those of the mean over all; returns the mean of the
        losses.
        """
        return loss


class Several(Group):
    """A group of this process and others. Raises GoneError where another one is gone."""

    def __init__(self, rank: Rank, liveness: Liveness) -> None:
        super().__init__()
        self.liveness = liveness
        self.rank = rank.number
        self.size = rank.size
        self.local = rank.local
        self.n_here = rank.n_local
        self.is_between = True  # updates: the others listen for what they are told

    def threads(self, together: int) -> int:
        return max(1, together // self.n_here)

    def device(self, kind: str) -> torch.device:
        if kind == "cpu":
            return torch.device(kind)
        n_gpus = torch.cuda.device_count() if kind == "cuda" else 1
        if self.n_here > n_gpus:
            raise UserError(
                f"{self.n_here} processes need a GPU each and there are {n_gpus}; start fewer, or set train.device=cpu."
            )
        return torch.device(kind, self.local)

    def seed(self, seed: int, step: int) -> int | None:
        if not self.rank:
            return None
        digest = hashlib.sha256(f"{seed} {step} {self.rank}".encode()).digest()
        return int.from_bytes(digest[:7], "big")

    def tell(self, value: float) -> None:
        with self._talking():
            dist.broadcast(torch.tensor([CONTINUE, value], dtype=torch.float64), 0)

    def hear(self) -> float | None:
        """The learning rate that the first process tells; None where it has ended."""
        message = torch.zeros(2, dtype=torch.float64)
        with self._talking():
            dist.broadcast(message, 0)
        state, value = message.tolist()
        return None if state == OVER else value

    def end(self) -> None:
        """The first process tells the others to end, between updates."""
        if not self.rank and self.is_between:
            with contextlib.suppress(GoneError), self._talking():
                dist.broadcast(torch.tensor([OVER, 0.0], dtype=torch.float64), 0)

    def hand_over(self, files: Mapping[str, bytes]) -> None:
        sizes = json.dumps({name: len(content) for name, content in files.items()}).encode()
        with self._talking():
            for content in (len(sizes).to_bytes(8, "big"), sizes, *files.values()):
                dist.broadcast(torch.frombuffer(bytearray(content), dtype=torch.uint8), 0)

    def received(self) -> dict[str, bytes]:
        with self._talking():
            n_bytes = int.from_bytes(_next_bytes(8), "big")
            sizes = json.loads(_next_bytes(n_bytes))
            return {name: _next_bytes(size) for name, size in sizes.items()}

    def spread(self, tensors: Iterable[Tensor]) -> None:
        with self._talking():
            for tensor in tensors:
                dist.broadcast(tensor.detach(), 0)
        self.is_between = True

    def share(self, batch: Batch) -> Share:
        return share(batch, self.rank, self.size)

    def join(self, parameters: Iterable[Tensor], own: Share, loss: Tensor) -> Tensor:
        grads = [parameter.grad for parameter in parameters if parameter.grad is not None]
        sizes = [grad.numel() for grad in grads]
        own_nats = own.n_labels * float(loss)
        is_asked = bool(self.wanted)
        numbers = torch.tensor([own.n_labels, own_nats, is_asked], dtype=torch.float64)
        with self._talking():
            dist.all_reduce(numbers)
            total, nats, stops = numbers.tolist()
            flat = torch.cat([grad.reshape(-1) for grad in grads])
            flat *= own.n_labels / total
            dist.all_reduce(flat)
        for grad, summed in zip(grads, torch.split(flat, sizes), strict=True):
            grad.copy_(summed.view_as(grad))
        self.is_stopping = stops > 0
        self.is_between = True
        return torch.tensor(nats / total)

    @contextlib.contextmanager
    def _talking(self) -> Iterator[None]:
        self.is_between = False
        self.liveness.is_needed = True
        try:
            yield
        except RuntimeError as error:  # the connection is closed
            raise GoneError(
                "Another process of this training has ended; what it said last tells why."
            ) from error
        finally:
            self.liveness.is_needed = False


def _next_bytes(size: int) -> bytes:
    content = torch.empty(size, dtype=torch.uint8)
    dist.broadcast(content, 0)
    return bytes(content.numpy())

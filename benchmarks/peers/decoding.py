"""The decoders that ours is compared with, each in its own process with one thread, in turn: ids in, ids out.

Ours, transformers' Marian and CTranslate2 have the same random weights, so they must find the same targets.
"""

from __future__ import annotations

import contextlib
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from types import MappingProxyType
from typing import NamedTuple, TypeVar

import torch
from torch import Tensor, nn

from benchmarks.peers import JOEY, MINE, Entrant
from benchmarks.peers.race import PLAIN, Leg, Mode, allocators, children, metered, modes
from s2s.config import Recipe
from s2s.model import Transformer, keep_freed_memory, new_model
from s2s.tokenizers import PAD

TOKENS = 20  # per hypothesis, none of them `</s>`
Ids = Sequence[int]
Decode = Callable[
    [Sequence[Ids], int], list[list[int]]
]  # sources that end in `</s>`, beam size -> the best target of each
Net = TypeVar("Net", bound=nn.Module)
OURS = "ours, exact"
FAST = "ours, fast"
CT2 = "CTranslate2"


@dataclass(frozen=True)
class Library(Entrant):
    """A decoder, with the variables that its process has in its environment."""

    environment: tuple[tuple[str, str], ...] = ()
    counts: bool = True  # computes in float32, so that its speed says something of ours

    @property
    def modes(self) -> list[Mode]:
        """Torch's, for a peer that computes with torch."""
        return [PLAIN] if self.library in (MINE, CT2) else modes()


def _ct2(function: str, *, counts: bool = True, **environment: str) -> Library:
    return Library(
        "ct2",
        function,
        library=CT2,
        needs=("ctranslate2", "transformers"),
        environment=tuple(environment.items()),
        counts=counts,
    )


DECODERS: Mapping[str, Library] = MappingProxyType(
    {
        OURS: Library("ours", "decoder", library=MINE),
        FAST: Library("ours", "fast_decoder", library=MINE, counts=False),
        "transformers": Library(
            "marian", "decoder", library="transformers", needs=("transformers",)
        ),
        "JoeyNMT": Library("joey", "decoder", library="JoeyNMT", needs=JOEY),
        "CTranslate2 float32": _ct2("float32"),
        "CTranslate2 float32, packed weights": _ct2(
            "float32", CT2_USE_EXPERIMENTAL_PACKED_GEMM="1"
        ),
        "CTranslate2 float32, oneDNN": _ct2("float32", CT2_USE_MKL="0"),
        "CTranslate2 int8": _ct2("int8", counts=False),
    }
)


class Turn(NamedTuple):
    """A request: decode batches from `first` on, at least one, until these CPU seconds are used."""

    num_beams: int
    batch: int  # sentences
    first: int
    seconds: float
    mode: Mode = PLAIN


class Answer(NamedTuple):
    """The time it took, and the targets of the first batch."""

    leg: Leg
    targets: list[list[int]]


class Decoder(NamedTuple):
    """A decoder in one of its settings, waiting for its turn."""

    entrant: str
    keeps_memory: bool  # has the allocator's settings of ours
    mode: Mode
    wire: Connection

    @property
    def name(self) -> str:
        """What it is, and what was set."""
        return ", ".join([self.entrant, *["our allocator"] * self.keeps_memory, *self.mode.words])

    def turn(self, request: Turn) -> Answer:
        """Its answer. Raises SystemExit if it is incomplete."""
        self.wire.send(request._replace(mode=self.mode))
        try:
            answer: Answer = self.wire.recv()
        except EOFError:
            raise SystemExit(f"{self.name} ended; see its output above.") from None
        lengths = [len(ids) for ids in answer.targets]
        if lengths != [TOKENS] * request.batch:
            raise SystemExit(
                f"{self.name} was asked for {request.batch} targets of {TOKENS} tokens and gave {lengths}."
            )
        return answer


@contextlib.contextmanager
def decoders(
    rows: Mapping[str, Library], recipe: Recipe, vocab_size: int, sources: Sequence[Ids]
) -> Iterator[list[Decoder]]:
    """Start all of them, a peer twice: as it comes, and with the allocator's settings of ours."""
    places = {
        f"{name} {keeps}": (name, keeps) for name, row in rows.items() for keeps in allocators(row)
    }
    arguments = {
        place: (
            partial(rows[name].made, recipe, vocab_size),
            sources,
            keeps,
            rows[name].environment,
        )
        for place, (name, keeps) in places.items()
    }
    with children(_wait, arguments) as wires:
        yield [
            Decoder(name, keeps, mode, wires[place])
            for place, (name, keeps) in places.items()
            for mode in rows[name].modes
        ]


def batches(sources: Sequence[Ids], size: int) -> list[list[Ids]]:
    """Full batches of similar lengths in shuffled order, the same for every decoder."""
    by_length = sorted(sources, key=len)
    found = [by_length[first : first + size] for first in range(0, len(by_length) - size + 1, size)]
    random.Random(size).shuffle(found)
    return found


def random_model(recipe: Recipe, vocab_size: int) -> Transformer:
    """The recipe's untrained model; half the weights of the last norm are negated, or it would repeat one token."""
    model = new_model(recipe.model, vocab_size, vocab_size, recipe.train.seed)
    generator = torch.Generator().manual_seed(recipe.train.seed)
    *_, last = (
        weight for name, weight in model.decoder.named_parameters() if name.endswith("norm.weight")
    )
    with torch.no_grad():
        last.mul_(torch.randint(2, last.shape, generator=generator) * 2 - 1)
    return model.eval()


def on_device(model: Net, recipe: Recipe) -> Net:
    """The model where the recipe says; on a GPU in its precision, too."""
    is_rounded = recipe.train.device == "cuda" and recipe.train.precision == "bf16"
    return model.to(recipe.train.device, torch.bfloat16 if is_rounded else None)


def padded(sources: Sequence[Ids], pad_id: int = PAD) -> Tensor:
    """(batch, longest) ids."""
    longest = max(map(len, sources))
    return torch.tensor([[*ids, *[pad_id] * (longest - len(ids))] for ids in sources])


def _wait(
    wire: Connection,
    make: Callable[[], Decode],
    sources: Sequence[Ids],
    keep_memory: bool,
    environment: Sequence[tuple[str, str]],
) -> None:
    os.environ.update(environment)
    if keep_memory:
        keep_freed_memory()
    torch.set_num_threads(1)
    decode = make()
    with contextlib.suppress(EOFError):
        while True:
            wire.send(_answer(decode, sources, wire.recv()))


def _answer(decode: Decode, sources: Sequence[Ids], request: Turn) -> Answer:
    request.mode.use()
    order = batches(sources, request.batch)
    targets: list[list[int]] = []

    def work() -> int:
        ends = time.process_time() + request.seconds
        done = 0
        while done == 0 or time.process_time() < ends:
            batch = order[(request.first + done) % len(order)]
            found = decode(batch, request.num_beams)
            if done == 0:
                targets.extend(found)
            done += 1
        return done * request.batch

    return Answer(metered(work), targets)

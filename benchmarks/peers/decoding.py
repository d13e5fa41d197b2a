"""The decoders that ours is compared with, each in its own process with one thread, in turn: ids in, ids out.

Ours, transformers' Marian and CTranslate2 have the same random weights, so they must find the same targets.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from multiprocessing.connection import Connection
from types import MappingProxyType
from typing import NamedTuple

import torch
from torch import Tensor

from benchmarks.peers import JOEY, Entrant
from benchmarks.peers.race import Leg, children, metered
from s2s.config import Recipe
from s2s.model import Transformer, initialize, keep_freed_memory
from s2s.tokenizers import PAD

TOKENS = 20  # per hypothesis, none of them `</s>`
Ids = Sequence[int]
Decode = Callable[
    [Sequence[Ids], int], list[list[int]]
]  # sources that end in `</s>`, beam size -> the best target of each
OURS = "ours, exact"
FAST = "ours, fast"

DECODERS: Mapping[str, Entrant] = MappingProxyType(
    {
        OURS: Entrant("ours", "decoder"),
        FAST: Entrant("ours", "fast_decoder"),
        "transformers": Entrant("marian", "decoder", needs=("transformers",)),
        "JoeyNMT": Entrant("joey", "decoder", needs=JOEY),
        "CTranslate2 float32": Entrant("ct2", "float32", needs=("ctranslate2", "transformers")),
        "CTranslate2 int8": Entrant("ct2", "int8", needs=("ctranslate2", "transformers")),
    }
)


class Turn(NamedTuple):
    """A request: decode batches from `first` on, at least one, until these CPU seconds are used."""

    num_beams: int
    batch: int  # sentences
    first: int
    seconds: float


class Answer(NamedTuple):
    """The time it took, and the targets of the first batch."""

    leg: Leg
    targets: list[list[int]]


class Decoder(NamedTuple):
    """A decoder that waits for its turn."""

    name: str
    wire: Connection

    def turn(self, request: Turn) -> Answer:
        """Its answer. Raises SystemExit if it is incomplete."""
        self.wire.send(request)
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
    rows: Mapping[str, Entrant],
    recipe: Recipe,
    vocab_size: int,
    sources: Sequence[Ids],
    *,
    keep_memory: bool = False,
) -> Iterator[list[Decoder]]:
    """Start all of them."""
    with children(
        _wait,
        {
            name: (partial(row.made, recipe, vocab_size), sources, keep_memory)
            for name, row in rows.items()
        },
    ) as wires:
        yield [Decoder(name, wire) for name, wire in wires.items()]


def batches(sources: Sequence[Ids], size: int) -> list[list[Ids]]:
    """Full batches of similar lengths in shuffled order, the same for every decoder."""
    by_length = sorted(sources, key=len)
    found = [by_length[first : first + size] for first in range(0, len(by_length) - size + 1, size)]
    random.Random(size).shuffle(found)
    return found


def random_model(recipe: Recipe, vocab_size: int) -> Transformer:
    """The recipe's untrained model; half the weights of the last norm are negated, or it would repeat one token."""
    model = Transformer(recipe.model, vocab_size, vocab_size)
    generator = torch.Generator().manual_seed(recipe.train.seed)
    initialize(model, recipe.train.seed)
    *_, last = (
        weight for name, weight in model.decoder.named_parameters() if name.endswith("norm.weight")
    )
    with torch.no_grad():
        last.mul_(torch.randint(2, last.shape, generator=generator) * 2 - 1)
    return model.eval()


def padded(sources: Sequence[Ids], pad_id: int = PAD) -> Tensor:
    """(batch, longest) ids."""
    longest = max(map(len, sources))
    return torch.tensor([[*ids, *[pad_id] * (longest - len(ids))] for ids in sources])


def _wait(
    wire: Connection, make: Callable[[], Decode], sources: Sequence[Ids], keep_memory: bool
) -> None:
    """A decoder's process: answers until the other end is closed."""
    if keep_memory:
        keep_freed_memory()
    torch.set_num_threads(1)
    decode = make()
    with contextlib.suppress(EOFError):
        while True:
            wire.send(_answer(decode, sources, Turn(*wire.recv())))


def _answer(decode: Decode, sources: Sequence[Ids], request: Turn) -> Answer:
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

"""The decoders that ours is compared with, in turn, each in a process of its own on one thread: ids in, ids out.

Where transformers is there, ours, its Marian and CTranslate2 have the same random weights, and so must find the same targets.
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

from benchmarks.peers import JOEY, WITH_JOEY, Entrant
from benchmarks.peers.race import Leg, children, metered
from s2s.config import Recipe
from s2s.model import Transformer, initialize, keep_freed_memory
from s2s.tokenizers import PAD

TOKENS = 20  # of every hypothesis, none of them `</s>`
Ids = Sequence[int]
Decode = Callable[
    [Sequence[Ids], int], list[list[int]]
]  # sources that end in `</s>`, how many beams -> the best target of each
OURS = "ours, exact"
FAST = "ours, fast"

DECODERS: Mapping[str, Entrant] = MappingProxyType(
    {
        OURS: Entrant("ours", "decoder"),
        FAST: Entrant("ours", "fast_decoder"),
        "transformers": Entrant("marian", "decoder", needs=("transformers",)),
        "JoeyNMT": Entrant("joey", "decoder", needs=JOEY, install=WITH_JOEY),
        "CTranslate2 float32": Entrant("ct2", "float32", needs=("ctranslate2", "transformers")),
        "CTranslate2 int8": Entrant("ct2", "int8", needs=("ctranslate2", "transformers")),
    }
)


class Turn(NamedTuple):
    """What a decoder is asked for: batches from the `first` on, until it has taken so many CPU seconds, at least one."""

    num_beams: int
    batch: int  # sentences
    first: int
    seconds: float


class Answer(NamedTuple):
    """How long it took, and what came of the first batch."""

    leg: Leg
    targets: list[list[int]]


class Decoder(NamedTuple):
    """One that waits for its turn."""

    name: str
    wire: Connection

    def turn(self, asked: Turn) -> Answer:
        """Its answer, checked to be whole."""
        self.wire.send(asked)
        try:
            answer: Answer = self.wire.recv()
        except EOFError:
            raise SystemExit(f"{self.name} ended; its words stand above.") from None
        lengths = [len(ids) for ids in answer.targets]
        if lengths != [TOKENS] * asked.batch:
            raise SystemExit(
                f"{self.name} was asked for {asked.batch} targets of {TOKENS} tokens and gave {lengths}."
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
    """All of them, ready."""
    with children(
        _wait,
        {
            name: (partial(row.made, recipe, vocab_size), sources, keep_memory)
            for name, row in rows.items()
        },
    ) as wires:
        yield [Decoder(name, wire) for name, wire in wires.items()]


def batches(sources: Sequence[Ids], size: int) -> list[list[Ids]]:
    """Full batches of like lengths in a shuffled order, the same for everybody."""
    by_length = sorted(sources, key=len)
    found = [by_length[first : first + size] for first in range(0, len(by_length) - size + 1, size)]
    random.Random(size).shuffle(found)
    return found


def random_model(recipe: Recipe, vocab_size: int) -> Transformer:
    """The recipe's model as it is before training, but half the signs of the last norm turned: else it repeats one token."""
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
    """The life of a decoder: until nobody holds the other end."""
    if keep_memory:
        keep_freed_memory()
    torch.set_num_threads(1)
    decode = make()
    with contextlib.suppress(EOFError):
        while True:
            wire.send(_answer(decode, sources, Turn(*wire.recv())))


def _answer(decode: Decode, sources: Sequence[Ids], asked: Turn) -> Answer:
    order = batches(sources, asked.batch)
    targets: list[list[int]] = []

    def work() -> int:
        ends = time.process_time() + asked.seconds
        done = 0
        while done == 0 or time.process_time() < ends:
            batch = order[(asked.first + done) % len(order)]
            found = decode(batch, asked.num_beams)
            if done == 0:
                targets.extend(found)
            done += 1
        return done * asked.batch

    return Answer(metered(work), targets)

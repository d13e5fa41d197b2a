"""A stepper over a hand-made table of probabilities, and everything that it could write."""

import itertools

import torch
from torch import Tensor

EOS = 0
START = 1
VOCAB = 5


class Table:
    """A Stepper over a hand-made table: the next token's probability depends on the source and the last two tokens."""

    start_id = START
    eos_id = EOS
    first_id: int | None = None
    suppressed: tuple[tuple[int, ...], ...] = ()
    suppressed_first: tuple[int, ...] = ()
    renormalizes = False
    forces_end = False

    def __init__(self, n_sources: int, seed: int = 0, max_length: int | None = None) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.log_probs = (
            torch.randn(n_sources, VOCAB, VOCAB, VOCAB, generator=generator) * 1.5
        ).log_softmax(-1)
        self.source = torch.arange(n_sources)
        self.before = torch.full((n_sources,), START)
        self.last = self.before
        self.max_length = max_length
        self.n_steps = 0
        self.sources = [(source + 10,) for source in range(n_sources)]
        self.vectors = torch.randn(
            n_sources, VOCAB, VOCAB, 4, generator=generator
        )  # what contrastive search compares

    @property
    def n_rows(self) -> int:
        return len(self.source)

    def step(self, tokens: Tensor) -> Tensor:
        self.before = self.last
        self.last = tokens
        self.n_steps = self.n_steps + 1
        self.states = self.vectors[self.source, self.before, self.last]
        return self.log_probs[self.source, self.before, self.last].clone()

    def reorder(self, rows: Tensor) -> None:
        self.source = self.source[rows]
        self.before = self.before[rows]
        self.last = self.last[rows]

    def log_prob(self, source: int, ids: tuple[int, ...]) -> float:
        total = 0.0
        before = START
        last = START
        for token in ids:
            total += float(self.log_probs[source, before, last, token])
            before = last
            last = token
        return total


def every_target(longest: int) -> list[tuple[int, ...]]:
    words = [token for token in range(VOCAB) if token != EOS]
    bodies = [body for length in range(longest) for body in itertools.product(words, repeat=length)]
    return [(*body, EOS) for body in bodies]


def every_cut(length: int) -> list[tuple[int, ...]]:
    """What a limit of this many tokens may truncate."""
    return list(itertools.product([token for token in range(VOCAB) if token != EOS], repeat=length))

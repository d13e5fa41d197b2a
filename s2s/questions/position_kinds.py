"""What a kind of positional encoding does, asked of its own class: what it adds, rotates, and adds to scores."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np

from s2s.analysis import ByOffset, Matrix
from s2s.analysis import positions as engine
from s2s.config import POSITION_KINDS, ModelConfig, Positions, Stack, UserError
from s2s.model import Position, inference
from s2s.questions.finding import first
from s2s.questions.have import Have
from s2s.questions.position_findings import FINDINGS, SHIFT, Facts, is_small
from s2s.questions.question import RUN, Check, Question, setting, subject, view
from s2s.questions.table import Table

N_RANDOM = 32  # pairs of random queries and keys
PARTS = ("vectors", "query", "bias")  # what an encoding may change, in this order
SHOWN = MappingProxyType(
    {
        "rotation": "Why sinusoids",
        "matrix": "The numbers",
        "waves": "Waves",
        "distance": "By distance",
    }
)
LAYOUTS = MappingProxyType(
    {"halves": "all sines, then all cosines", "interleaved": "sines and cosines in turn"}
)
STACKS = MappingProxyType({"encoder": "of the encoder", "decoder": "of the decoder"})
MEASURES = MappingProxyType({"cosine": "cosine", "dot": "dot product"})
VECTORS = MappingProxyType(
    {
        "alike": f"{N_RANDOM} random vectors, q = k",
        "unlike": f"{N_RANDOM} random pairs",
        "ones": "query and key all ones",
    }
)
RANGES: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "length": (2, 2048),
        "d_model": (1, 1024),
        "d_head": (2, 256),
        "heads": (1, 64),
        "buckets": (4, 256),
        "max_distance": (2, 4096),
        "pair": (1, 512),
        "offset": (0, 2047),
    }
)
LEAST_BASE, LARGEST_BASE = 1.1, 1e6


@dataclass(frozen=True)
class Encoding:
    """What one kind of positional encoding does at each position; None for what it does not do."""

    kind: str
    layout: str
    is_causal: bool  # of the decoder, whose queries have no keys after them
    vectors: Matrix | None  # (positions, d_model): added to each token's vector
    query: (
        Matrix | None
    )  # (positions, d_head): a query whose pairs of columns are all (1, 0), rotated
    scores: Matrix | None  # (pairs of vectors, positions): of a query and a key so far before it
    moved: float  # the largest change of a score when query and key move by SHIFT positions
    bias: ByOffset | None  # (heads, distances): added to scores
    first_head: (
        Matrix | None
    )  # (queries, keys): the same of head 1, where the distance alone does not say it

    @property
    def parts(self) -> list[str]:
        return [part for part in PARTS if getattr(self, part) is not None]

    @property
    def waves(self) -> engine.Waves | None:
        """The vectors' pairs of columns as complex numbers, (positions, pairs); None where there are no two columns."""
        columns = self.query if self.vectors is None else self.vectors
        if columns is None or columns.shape[1] < 2:
            return None
        return engine.as_waves(columns, self.layout, is_sine_first=self.vectors is not None)

    @cached_property
    def is_rotation(self) -> bool:
        waves = self.waves
        return waves is not None and is_small(engine.rotation(waves, 1).error, waves)

    @property
    def distances(self) -> engine.Ints:
        n = 1 if self.bias is None else self.bias.mean.shape[1]
        longest = n - 1 if self.is_causal else n // 2
        return np.arange(-longest, n - longest)


def _between(low: float, high: float) -> Check:
    return lambda value: low <= value <= high


def _is_base(text: str) -> bool:
    try:
        return LEAST_BASE <= float(text) <= LARGEST_BASE
    except ValueError:
        return False


@dataclass(frozen=True)
class PositionKinds(Question[Encoding]):
    """One kind of positional encoding in a model of these sizes.

    What it learns is as drawn before training, or that of a trained `run`, whose sizes are taken then.
    """

    encoding: str = setting(
        "sinusoidal",
        choices=lambda: {kind: row.label for kind, row in POSITION_KINDS.items()},
        label="Encoding",
    )
    run: str = subject(RUN, is_optional=True)
    show: str = view("matrix", in_set=False, choices=SHOWN)
    length: int = setting(
        128,
        _between(*RANGES["length"]),
        label="Positions",
        help="How many positions are drawn, 2 to 2,048.",
    )
    d_model: int = setting(
        128,
        _between(*RANGES["d_model"]),
        label="Model dimension",
        help="Columns of a position vector, up to 1,024.",
    )
    d_head: int = setting(
        32,
        _between(*RANGES["d_head"]),
        label="Head dimension",
        help="Columns of one head's queries and keys, 2 to 256.",
    )
    heads: int = setting(
        8, _between(*RANGES["heads"]), label="Attention heads", help="Heads of one layer, up to 64."
    )
    base: str = setting(
        "10000.0",
        _is_base,
        label="Frequency base",
        help="From 1.1 to 1,000,000. The slowest wave has a period of nearly 2 pi times this many positions.",
    )
    layout: str = setting("halves", choices=LAYOUTS, label="Sine and cosine layout")
    buckets: int = setting(
        32,
        _between(*RANGES["buckets"]),
        label="Distance buckets",
        help="How many scores are learned, 4 to 256; distances share them.",
    )
    max_distance: int = setting(
        128,
        _between(*RANGES["max_distance"]),
        label="Maximum distance",
        help="From this distance on, up to 4,096, all distances share the last bucket.",
    )
    stack: str = setting("encoder", choices=STACKS, label="Stack")
    vectors: str = setting("alike", choices=VECTORS, label="Query and key")
    measure: str = view("cosine", choices=MEASURES, label="Similarity measure")
    pair: int = view(
        4,
        _between(*RANGES["pair"]),
        label="Pair of columns",
        help="Which sine and its cosine, counted from the fastest.",
    )
    offset: int = view(
        5, _between(*RANGES["offset"]), label="Offset", help="How many positions apart."
    )

    @property
    def used(self) -> list[str]:
        row = POSITION_KINDS[self.encoding]
        has_waves = self.show in ("waves", "rotation") and row.acts_on in (
            "vectors",
            "queries and keys",
        )
        sizes = {"vectors": "d_model", "queries and keys": "d_head", "scores": "heads"}
        more = {
            "pair": has_waves,
            "offset": has_waves and self.show == "rotation",
            "measure": self.show == "distance" and row.acts_on == "vectors",
            "vectors": self.show == "distance" and row.acts_on == "queries and keys",
            "stack": row.acts_on == "scores",
        }
        own = [] if self.run or not row.acts_on else [sizes[row.acts_on], *row.settings]
        shown = [name for name, is_used in more.items() if is_used]
        return [*(["length"] if row.acts_on else []), *own, *shown]

    def check(self) -> None:
        """Check the fields. Raises UserError also if the offset leads beyond the last position."""
        super().check()
        if self.show == "rotation" and self.offset >= self.length:
            raise UserError(
                f"`offset` {self.offset} leads beyond {self.length} positions; give at most {self.length - 1}."
            )

    def ask(self, have: Have) -> Encoding:
        """Compute the encoding. Raises UserError for sizes that such a model cannot have, or a run of another kind."""
        with self._position(have) as (position, config, length):
            heads = (config.decoder if self.is_causal else config.encoder).n_heads
            d_head = config.d_head(config.encoder)
            layout = config.positions.layout
            vectors = engine.added_vectors(position, length, config.d_model)
            query = scores = None
            moved = 0.0
            if engine.does_rotate(position, d_head):
                query = engine.rotated(position, engine.unit_query(d_head, layout), length)[0]
                queries, keys = self._queries_keys(d_head)
                scores, later = (
                    engine.scores_by_distance(position, queries, keys, length, start)
                    for start in (0, SHIFT)
                )
                moved = float(np.abs(later - scores).max())
            added = engine.added_scores(position, length, heads)
        bias = first_head = None
        if added is not None:
            bias = engine.by_offset(added, 1 - length, 0 if self.is_causal else length - 1)
            first_head = None if is_small(bias.spread, added) else added[0]
        return Encoding(
            self.encoding, layout, self.is_causal, vectors, query, scores, moved, bias, first_head
        )

    @property
    def is_causal(self) -> bool:
        return self.stack == "decoder"

    @contextlib.contextmanager
    def _position(self, have: Have) -> Iterator[tuple[Position, ModelConfig, int]]:
        if not self.run:
            settings = Positions(
                self.encoding,
                max_length=self.length,
                base=float(self.base),
                layout=self.layout,
                buckets=self.buckets,
                max_distance=self.max_distance,
            )
            stack = Stack(n_heads=self.heads, d_head=self.d_head)
            config = ModelConfig(
                d_model=self.d_model, positions=settings, encoder=stack, decoder=stack
            )
            yield engine.drawn_position(config, is_causal=self.is_causal), config, self.length
            return
        run = have.run(self.run)
        config = run.recipe.model
        if config.positions.kind != self.encoding:
            raise UserError(
                f"This run's positions are `{config.positions.kind}`, not `{self.encoding}`; give another run, or none."
            )
        side = run.model.decoder if self.is_causal else run.model.encoder
        with inference(run.model):
            yield (
                side.embed.position,
                config,
                min(self.length, config.positions.longest or self.length),
            )

    def _queries_keys(self, d_head: int) -> tuple[Matrix, Matrix]:
        if self.vectors == "ones":
            ones = np.ones((1, d_head), np.float32)
            return ones, ones
        queries = engine.random_vectors(N_RANDOM, d_head, seed=1)
        if self.vectors == "alike":
            return queries, queries
        return queries, engine.random_vectors(N_RANDOM, d_head, seed=2)

    def table(self, answer: Encoding) -> Table:
        parts = answer.parts
        return self.part_table(answer, parts[0]) if parts else Table(("position",), [])

    def part_table(self, answer: Encoding, part: str) -> Table:
        """A table of one part of the encoding: its vectors, its rotated query or its bias."""
        if part == "bias":
            assert answer.bias is not None
            names = [f"head {head}" for head in range(1, len(answer.bias.mean) + 1)]
            return _columns("key minus query", answer.distances, names, answer.bias.mean.T)
        columns = getattr(answer, part)
        positions = np.arange(len(columns))
        if self.show == "matrix":
            names = [f"column {number}" for number in range(columns.shape[1])]
            return _columns("position", positions, names, columns)
        if self.show == "distance" and part == "query":
            assert answer.scores is not None
            names = [f"pair {number}" for number in range(1, len(answer.scores) + 1)]
            return _columns("positions from key to query", positions, names, answer.scores.T)
        if self.show == "distance":
            near = self.similarity(answer)
            both = np.stack([near.mean, near.low, near.high], 1)
            return _columns("offset", positions, ["mean", "lowest", "highest"], both)
        assert answer.waves is not None
        chosen = answer.waves[:, self.chosen(answer)]
        names = ["cosine", "sine"] if answer.is_rotation else ["second column", "first column"]
        return _columns("position", positions, names, np.stack([chosen.real, chosen.imag], 1))

    def chosen(self, answer: Encoding) -> int:
        """The index of the chosen pair of columns, from 0; the last one where there are fewer."""
        n_pairs = 0 if answer.waves is None else answer.waves.shape[1]
        return max(0, min(self.pair, n_pairs) - 1)

    def over(self, answer: Encoding) -> int:
        """The offset between positions; the largest possible where a run has fewer positions."""
        return self.offset if answer.waves is None else min(self.offset, len(answer.waves) - 1)

    def compared(self, answer: Encoding) -> Matrix:
        """The vectors whose dot products are compared."""
        assert answer.vectors is not None
        return engine.normalized(answer.vectors) if self.measure == "cosine" else answer.vectors

    def similarity(self, answer: Encoding) -> ByOffset:
        vectors = self.compared(answer)
        return engine.by_offset(engine.similarities(vectors), 0, len(vectors) - 1)

    def finding(self, answer: Encoding) -> str:
        return first(FINDINGS[self.show], Facts(self, answer))


def _columns(name: str, index: engine.Ints, names: list[str], values: Matrix) -> Table:
    rows = zip(index.tolist(), values.tolist(), strict=True)
    return Table((name, *names), [[number, *row] for number, row in rows])

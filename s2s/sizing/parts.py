"""The machine taken apart: what each part holds, makes and computes, from the settings alone. Nothing is built."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from s2s.config import ModelConfig, Norm

VASWANI = "Vaswani et al. 2017"


class Sizes(NamedTuple):
    """Of a batch: its sentences, and the tokens of the padded source and target."""

    batch: int
    src_len: int
    tgt_len: int


class Sized(NamedTuple):
    """An array, or a product of matrices, by the axes that its numbers are counted along."""

    name: str
    axes: tuple[str, ...]
    lengths: tuple[int, ...]

    @property
    def numbers(self) -> int:
        """Numbers of an array; multiply-adds of a product."""
        return math.prod(self.lengths)


@dataclass(frozen=True)
class Part:
    """One part of the machine. All its numbers are those of one; there are `times` of it, one a layer.

    Weights have the names and shapes of the module's own. Of what it makes, the last array is what it hands on.
    """

    name: str  # `encoder.layer.self_attention`: within what it stands, from outside
    kind: str  # a row of KINDS
    times: int = 1
    weights: tuple[Sized, ...] = ()
    products: tuple[Sized, ...] = ()  # with weights
    looks: tuple[Sized, ...] = ()  # products of tokens with tokens, in attention
    makes: tuple[Sized, ...] = ()
    kept: int = 0  # numbers that the backward pass needs
    borrows: str = ""  # the part whose matrix it uses instead of one of its own

    @property
    def parameters(self) -> int:
        """Trained numbers of its own."""
        return sum(weight.numbers for weight in self.weights)

    @property
    def flops(self) -> int:
        """Of one forward pass: 2 for each multiply-add of a matrix product; all else is small beside it and not counted."""
        return 2 * sum(product.numbers for product in (*self.products, *self.looks))

    @property
    def group(self) -> str:
        """Which of GROUPS it is counted among."""
        group = KINDS[self.kind].group
        return f"{self.name.partition('.')[0]} {group}" if group == "feed-forward" else group


class Kind(NamedTuple):
    """One row: a name for people, what it is counted among, a sentence for newcomers, its source, and the settings that shape it."""

    label: str
    group: str
    about: str
    source: str
    settings: tuple[str, ...]


NORMS = ("norm.kind", "norm.place", "norm.eps", "norm.bias")
ATTENTION = tuple(
    f"attention.{name}" for name in ("bias", "output_projection", "scaled", "dropout")
)
HEADS = ("{stack}.n_heads", "{stack}.d_head")

KINDS: MappingProxyType[str, Kind] = MappingProxyType(
    {
        "tokens": Kind(
            "Token vectors",
            "embeddings",
            "A table with one row of numbers for every piece of the vocabulary: reading a token means taking its row.",
            f"{VASWANI}, section 3.4",
            ("embeddings.shared", "embeddings.scaled", "embeddings.dropout"),
        ),
        "positions": Kind(
            "Positions",
            "embeddings",
            "Tells the model in which order the tokens stand; without it a sentence would be a bag of words.",
            f"{VASWANI}, section 3.5",
            tuple(
                f"positions.{name}"
                for name in (
                    "kind",
                    "max_length",
                    "layout",
                    "base",
                    "shared",
                    "buckets",
                    "max_distance",
                )
            ),
        ),
        "embedding_norm": Kind(
            "Norm of the sum",
            "norms",
            "Brings the sum of token and position to a usual size before the first layer reads it.",
            "Lewis et al. 2020, as BART does",
            (*NORMS, "norm.after_embeddings"),
        ),
        "self_attention": Kind(
            "Self-attention",
            "encoder attention",
            "Every source token looks at all source tokens and takes over what it needs from those that matter to it.",
            f"{VASWANI}, section 3.2",
            (*HEADS, *ATTENTION),
        ),
        "masked_attention": Kind(
            "Masked self-attention",
            "decoder attention",
            "Every target token looks back at the tokens written before it, never ahead: those are still to be guessed.",
            f"{VASWANI}, section 3.2.3",
            (*HEADS, *ATTENTION),
        ),
        "cross_attention": Kind(
            "Cross-attention",
            "cross-attention",
            "Every target token looks at the source, as the encoder has understood it: here the two languages meet.",
            f"{VASWANI}, section 3.2.3",
            (*HEADS, *ATTENTION),
        ),
        "residual": Kind(
            "Add and norm",
            "norms",
            "What the sublayer found is added to the stream that flows past it, and the stream is brought to a usual size.",
            f"{VASWANI}, section 3.1",
            (*NORMS, "{stack}.dropout"),
        ),
        "feed_forward": Kind(
            "Feed-forward",
            "feed-forward",
            "Each token, alone, passes through a wide hidden layer: what was gathered by attention is worked on here.",
            f"{VASWANI}, section 3.3",
            (
                "{stack}.d_ff",
                *(f"feed_forward.{name}" for name in ("activation", "gated", "bias", "dropout")),
            ),
        ),
        "final_norm": Kind(
            "Final norm",
            "norms",
            "One more norm after the last layer, since before it only the layers' inputs were brought to a usual size.",
            "Xiong et al. 2020, section 3",
            (*NORMS, "{stack}.final_norm"),
        ),
        "output": Kind(
            "Output",
            "output",
            "Compares the decoder's last vector with a row for every piece of the target vocabulary: a score for each next token.",
            f"{VASWANI}, section 3.4",
            ("output.tied", "output.bias", "output.scaled"),
        ),
    }
)
GROUPS = (
    "embeddings",
    "encoder attention",
    "encoder feed-forward",
    "decoder attention",
    "cross-attention",
    "decoder feed-forward",
    "norms",
    "output",
)


class Cost(NamedTuple):
    """Of several parts together, each as often as it is there."""

    parameters: int
    flops: int  # of one forward pass
    looks: int  # those of them where tokens look at tokens
    kept: int  # numbers that the backward pass needs


def parts(
    config: ModelConfig, vocab_sizes: tuple[int, int], sizes: Sizes, *, is_explicit: bool = False
) -> tuple[Part, ...]:
    """Every part, in the order in which a sentence passes them; a layer's parts stand once.

    `is_explicit`: attention is computed by explicit products, whose tables of weights are kept for the backward pass.
    """
    found: list[Part] = []
    for name in ("encoder", "decoder"):
        found += _Stack(name, config, vocab_sizes, sizes, is_explicit=is_explicit).parts()
    return tuple(found)


def within(found: Iterable[Part], name: str) -> tuple[Part, ...]:
    """The part of that name, or those that stand within it: `encoder.layer`, `decoder`; all for an empty name."""
    return tuple(
        part for part in found if not name or part.name == name or part.name.startswith(f"{name}.")
    )


def cost(found: Iterable[Part]) -> Cost:
    """Added up."""
    rows = [(part.times, part) for part in found]
    looks = sum(2 * n * sum(product.numbers for product in part.looks) for n, part in rows)
    parameters, flops, kept = (
        sum(n * getattr(part, name) for n, part in rows) for name in ("parameters", "flops", "kept")
    )
    return Cost(parameters, flops, looks, kept)


class _Stack:
    """The parts of one stack, and the lengths of the axes there."""

    def __init__(
        self,
        name: str,
        config: ModelConfig,
        vocab_sizes: tuple[int, int],
        sizes: Sizes,
        *,
        is_explicit: bool,
    ) -> None:
        self.is_encoder = name == "encoder"
        self.name = name
        self.config = config
        self.stack = stack = config.encoder if self.is_encoder else config.decoder
        self.length = "src_len" if self.is_encoder else "tgt_len"
        self.stream = ("batch", self.length, "d_model")
        self.tables = 3 if is_explicit or (config.dropout > 0 and config.attention.dropout) else 0
        heads = stack.n_heads
        d_head = config.d_head(stack)
        positions = config.positions
        self.lengths: dict[str, int] = {
            **sizes._asdict(),
            "d_model": config.d_model,
            "heads": heads,
            "d_head": d_head,
            "d_head / 2": d_head // 2,
            "heads * d_head": heads * d_head,
            "d_ff": stack.d_ff,
            "src_vocab": vocab_sizes[0],
            "tgt_vocab": vocab_sizes[1],
            "positions": positions.max_length + positions.offset,
            "buckets": positions.buckets,
        }

    def parts(self) -> list[Part]:
        """In the order of the stream."""
        found = [
            self._tokens(),
            *self._positions(),
            *self._norm("norm", "embedding_norm", is_there=self.config.norm.after_embeddings),
        ]
        found += [self._self_attention(), self._residual("self_residual")]
        if not self.is_encoder:
            found += [
                self._attention("cross_attention", "cross_attention", "src_len", self.tables),
                self._residual("cross_residual"),
            ]
        if self.stack.d_ff:
            found += [self._feed_forward(), self._residual("feed_forward_residual")]
        found += self._norm("final_norm", "final_norm", is_there=self.stack.final_norm)
        return found if self.is_encoder else [*found, self._output()]

    def _sized(self, name: str, *axes: str) -> Sized:
        return Sized(name, axes, tuple(self.lengths[axis] for axis in axes))

    def _linear(self, name: str, out: str, into: str, *, bias: bool) -> tuple[Sized, ...]:
        weight = self._sized(f"{name}.weight", out, into)
        return (weight, self._sized(f"{name}.bias", out)) if bias else (weight,)

    def _slots(self) -> int:
        return self.lengths["batch"] * self.lengths[self.length]

    def _joining(self) -> int:
        """Numbers kept where a sublayer joins the stream: its input, its normed input, and a dropout mask."""
        return (4 if self.config.norm.kind == "rms" else 3) * self.config.d_model * self._slots()

    def _tokens(self) -> Part:
        is_borrowed = self.config.embeddings.shared and not self.is_encoder
        weights = (
            ()
            if is_borrowed
            else (
                self._sized("weight", "src_vocab" if self.is_encoder else "tgt_vocab", "d_model"),
            )
        )
        borrows = "encoder.tokens" if is_borrowed else ""
        makes = (self._sized("vectors", *self.stream),)
        # The dropout of the embeddings and the stack's last norm keep as much as one sublayer's joining.
        return Part(
            f"{self.name}.tokens",
            "tokens",
            weights=weights,
            makes=makes,
            borrows=borrows,
            kept=self._joining(),
        )

    def _positions(self) -> list[Part]:
        kind = self.config.positions.kind
        name = f"{self.name}.positions"
        if kind == "none":
            return []
        makes = {
            "rotary": (self._sized("angles", self.length, "d_head / 2"),),
            "relative": (bias := self._sized("bias", "heads", self.length, self.length),),
            "alibi": (bias,),
        }.get(kind, (self._sized("rows", self.length, "d_model"),))
        if kind == "learned" and self.config.positions.shared and not self.is_encoder:
            return [Part(name, "positions", makes=makes, borrows="encoder.positions")]
        axes = {"learned": ("positions", "d_model"), "relative": ("buckets", "heads")}.get(kind)
        return [
            Part(
                name,
                "positions",
                weights=(self._sized("table.weight", *axes),) if axes else (),
                makes=makes,
            )
        ]

    def _self_attention(self) -> Part:
        biased = max(self.tables, {"relative": 3, "alibi": 1}.get(self.config.positions.kind, 0))
        return self._attention(
            "self_attention",
            "self_attention" if self.is_encoder else "masked_attention",
            self.length,
            biased,
        )

    def _attention(self, name: str, kind: str, keys: str, tables: int) -> Part:
        """`tables` of scores are kept for the backward pass, beside queries, keys, values and what was gathered."""
        settings = self.config.attention
        inner = "heads * d_head"
        queries = self.length
        weights = tuple(
            row
            for name in ("query", "key", "value")
            for row in self._linear(name, inner, "d_model", bias=settings.bias)
        )
        read = (("queries", queries), ("keys", keys), ("values", keys))
        products = [self._sized(name, "batch", length, "d_model", inner) for name, length in read]
        if settings.output_projection:
            weights += self._linear("output", "d_model", inner, bias=settings.bias)
            products.append(self._sized("output", "batch", queries, inner, "d_model"))
        table = self._sized("weights", "batch", "heads", queries, keys)
        looks = (
            self._sized("scores", *table.axes, "d_head"),
            self._sized("gathering", *table.axes, "d_head"),
        )
        split = [self._sized(name, "batch", "heads", length, "d_head") for name, length in read]
        lines: int = (
            2
            * self.lengths["batch"]
            * (self.lengths[queries] + self.lengths[keys])
            * self.lengths[inner]
        )
        return Part(
            f"{self.name}.layer.{name}",
            kind,
            times=self.stack.n_layers,
            weights=weights,
            products=tuple(products),
            looks=looks,
            makes=(*split, table, self._sized("output", *self.stream)),
            kept=lines + tables * table.numbers,
        )

    def _feed_forward(self) -> Part:
        ff = self.config.feed_forward
        ups = ("up", "gate") if ff.gated else ("up",)
        weights = [
            row for name in ups for row in self._linear(name, "d_ff", "d_model", bias=ff.bias)
        ]
        products = [self._sized(name, "batch", self.length, "d_model", "d_ff") for name in ups]
        hidden = (4 if ff.gated else 1 if ff.activation == "relu" else 2) + (2 if ff.dropout else 0)
        return Part(
            f"{self.name}.layer.feed_forward",
            "feed_forward",
            times=self.stack.n_layers,
            weights=(*weights, *self._linear("down", "d_model", "d_ff", bias=ff.bias)),
            products=(*products, self._sized("down", "batch", self.length, "d_ff", "d_model")),
            makes=(
                self._sized("hidden", "batch", self.length, "d_ff"),
                self._sized("output", *self.stream),
            ),
            kept=hidden * self.stack.d_ff * self._slots(),
        )

    def _residual(self, name: str) -> Part:
        weights = tuple(
            weight._replace(name=f"norm.{weight.name}") for weight in self._scales(self.config.norm)
        )
        makes = (self._sized("stream", *self.stream),)
        return Part(
            f"{self.name}.layer.{name}",
            "residual",
            self.stack.n_layers,
            weights,
            makes=makes,
            kept=self._joining(),
        )

    def _norm(self, name: str, kind: str, *, is_there: bool) -> list[Part]:
        if not is_there or self.config.norm.kind == "none":
            return []
        return [
            Part(
                f"{self.name}.{name}",
                kind,
                weights=self._scales(self.config.norm),
                makes=(self._sized("stream", *self.stream),),
            )
        ]

    def _scales(self, norm: Norm) -> tuple[Sized, ...]:
        names = {
            "layer": ("weight", "bias") if norm.bias else ("weight",),
            "rms": ("weight",),
            "none": (),
        }[norm.kind]
        return tuple(self._sized(name, "d_model") for name in names)

    def _output(self) -> Part:
        output = self.config.output
        tokens = self._tokens()
        weights = self._linear("output", "tgt_vocab", "d_model", bias=output.bias)
        return Part(
            "decoder.output",
            "output",
            weights=tuple(
                row._replace(name=row.name.removeprefix("output."))
                for row in (weights[1:] if output.tied else weights)
            ),
            products=(self._sized("logits", "batch", "tgt_len", "d_model", "tgt_vocab"),),
            makes=(self._sized("logits", "batch", "tgt_len", "tgt_vocab"),),
            borrows=(tokens.borrows or tokens.name) if output.tied else "",
        )

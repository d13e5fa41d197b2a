"""The components of a model: weights, outputs and matrix products, from the settings alone. Nothing is built."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from s2s.config import POSITION_KINDS, ModelConfig
from s2s.sizing.kinds import COMPONENT_KINDS


class BatchSizes(NamedTuple):
    """The size of a batch: its sentences, and its padded lengths in tokens."""

    batch: int
    src_len: int
    tgt_len: int


class NamedShape(NamedTuple):
    """The shape of an array, or of a matrix product with the summed axis included."""

    name: str
    axes: tuple[str, ...]
    lengths: tuple[int, ...]

    @property
    def size(self) -> int:
        return math.prod(self.lengths)


@dataclass(frozen=True)
class Component:
    """One component of the model. Every number is for a single copy; a layer's components have one copy per layer.

    Weights carry the names and shapes of the module's parameters. The last of `outputs` is what the module returns.
    """

    name: str  # the path to it: `encoder.layer.self_attention`
    kind: str  # a key of COMPONENT_KINDS
    copies: int = 1
    weights: tuple[NamedShape, ...] = ()
    weight_products: tuple[NamedShape, ...] = ()  # activations times weights
    attention_products: tuple[NamedShape, ...] = ()  # QKᵀ and AV
    outputs: tuple[NamedShape, ...] = ()
    saved_activations: int = 0  # numbers that the backward pass needs
    tied_to: str = ""  # the component whose matrix it uses instead of its own

    @property
    def parameters(self) -> int:
        return sum(weight.size for weight in self.weights)

    @property
    def flops(self) -> int:
        """FLOPs of one forward pass: 2 per multiply-add of a matrix product."""
        return 2 * sum(
            product.size for product in (*self.weight_products, *self.attention_products)
        )

    @property
    def group(self) -> str:
        group = COMPONENT_KINDS[self.kind].group
        return f"{self.name.partition('.')[0]} {group}" if group == "feed-forward" else group


class Cost(NamedTuple):
    """Parameters, operations and memory, summed over several components and their copies."""

    parameters: int
    flops: int  # of one forward pass
    attention_flops: int  # the share of QKᵀ and AV in `flops`
    saved_activations: int


def components(
    config: ModelConfig,
    vocab_sizes: tuple[int, int],
    sizes: BatchSizes,
    *,
    is_explicit: bool = False,
) -> tuple[Component, ...]:
    """Every component, in the order of the forward pass; those of a layer are listed once.

    `is_explicit`: attention is computed by explicit products, which save the attention weights for the backward pass.
    """
    encoder = _Stack("encoder", config, vocab_sizes, sizes, is_explicit=is_explicit)
    decoder = _Stack("decoder", config, vocab_sizes, sizes, is_explicit=is_explicit)
    return (*encoder.components(), *decoder.components())


def within(found: Iterable[Component], name: str) -> tuple[Component, ...]:
    """The component of that name, or all inside `encoder.layer` or `decoder`; every one for an empty name."""
    return tuple(
        component
        for component in found
        if not name or component.name == name or component.name.startswith(f"{name}.")
    )


def cost(found: Iterable[Component]) -> Cost:
    """The summed cost of these components, copies included."""
    rows = [(component.copies, component) for component in found]
    return Cost(
        sum(n * component.parameters for n, component in rows),
        sum(n * component.flops for n, component in rows),
        sum(
            2 * n * product.size
            for n, component in rows
            for product in component.attention_products
        ),
        sum(n * component.saved_activations for n, component in rows),
    )


class _Stack:
    def __init__(
        self,
        name: str,
        config: ModelConfig,
        vocab_sizes: tuple[int, int],
        sizes: BatchSizes,
        *,
        is_explicit: bool,
    ) -> None:
        self.is_encoder = name == "encoder"
        self.name = name
        self.config = config
        self.stack = config.encoder if self.is_encoder else config.decoder
        self.length = "src_len" if self.is_encoder else "tgt_len"
        self.stream = ("batch", self.length, "d_model")
        # Arrays of (batch, heads, queries, keys) that explicit attention saves for the backward pass: with dropout of
        # the weights three, else the weights alone.
        self.is_explicit = is_explicit
        has_dropout = config.dropout > 0 and config.attention.dropout
        self.saved_tables = 3 if has_dropout else int(is_explicit)
        d_head = config.d_head(self.stack)
        self.lengths: dict[str, int] = {
            **sizes._asdict(),
            "d_model": config.d_model,
            "heads": self.stack.n_heads,
            "d_head": d_head,
            "d_head / 2": d_head // 2,
            "heads * d_head": self.stack.n_heads * d_head,
            "d_ff": self.stack.d_ff,
            "src_vocab": vocab_sizes[0],
            "tgt_vocab": vocab_sizes[1],
            "positions": config.positions.max_length + config.positions.offset,
            "buckets": config.positions.buckets,
        }

    def components(self) -> list[Component]:
        has_embedding_norm = self.config.norm.after_embeddings
        found = [self._tokens(), *self._positions()]
        found += self._norm("norm", "embedding_norm", is_there=has_embedding_norm)
        found += [self._self_attention(), self._residual("self_residual")]
        if not self.is_encoder:
            cross = self._attention(
                "cross_attention", "cross_attention", "src_len", self.saved_tables
            )
            found += [cross, self._residual("cross_residual")]
        if self.stack.d_ff:
            found += [self._feed_forward(), self._residual("feed_forward_residual")]
        found += self._norm("final_norm", "final_norm", is_there=self.stack.final_norm)
        return found if self.is_encoder else [*found, self._output()]

    def _shape(self, name: str, *axes: str) -> NamedShape:
        return NamedShape(name, axes, tuple(self.lengths[axis] for axis in axes))

    def _linear(self, name: str, out: str, into: str, *, bias: bool) -> tuple[NamedShape, ...]:
        weight = self._shape(f"{name}.weight", out, into)
        return (weight, self._shape(f"{name}.bias", out)) if bias else (weight,)

    def _batch_tokens(self) -> int:
        return self.lengths["batch"] * self.lengths[self.length]

    def _saved_by_residual(self) -> int:
        arrays = 4 if self.config.norm.kind == "rms" else 3
        return arrays * self.config.d_model * self._batch_tokens()

    def _tokens(self) -> Component:
        is_tied = self.config.embeddings.shared and not self.is_encoder
        vocab = "src_vocab" if self.is_encoder else "tgt_vocab"
        return Component(
            f"{self.name}.tokens",
            "tokens",
            weights=() if is_tied else (self._shape("weight", vocab, "d_model"),),
            outputs=(self._shape("embeddings", *self.stream),),
            tied_to="encoder.tokens" if is_tied else "",
            # The embeddings' dropout and the stack's last norm save as much as one residual connection.
            saved_activations=self._saved_by_residual(),
        )

    def _positions(self) -> list[Component]:
        kind = self.config.positions.kind
        name = f"{self.name}.positions"
        row = POSITION_KINDS[kind]
        if not row.acts_on:
            return []
        outputs = {
            "vectors": ("rows", self.length, "d_model"),
            "queries and keys": ("angles", self.length, "d_head / 2"),
            "scores": ("bias", "heads", self.length, self.length),
        }
        output = self._shape(*outputs[row.acts_on])
        if kind == "learned" and self.config.positions.shared and not self.is_encoder:
            return [Component(name, "positions", outputs=(output,), tied_to="encoder.positions")]
        weights = (self._shape("table.weight", *row.table),) if row.table else ()
        return [Component(name, "positions", weights=weights, outputs=(output,))]

    def _self_attention(self) -> Component:
        kind = "self_attention" if self.is_encoder else "masked_attention"
        row = POSITION_KINDS[self.config.positions.kind]
        has_bias = row.acts_on == "scores"
        of_bias = (3 if row.table or self.is_explicit else 1) if has_bias else 0
        return self._attention("self_attention", kind, self.length, max(self.saved_tables, of_bias))

    def _attention(self, name: str, kind: str, keys: str, saved_tables: int) -> Component:
        settings = self.config.attention
        inner = "heads * d_head"
        queries = self.length
        weights = tuple(
            shape
            for projection in ("query", "key", "value")
            for shape in self._linear(projection, inner, "d_model", bias=settings.bias)
        )
        inputs = (("queries", queries), ("keys", keys), ("values", keys))
        products = [self._shape(name, "batch", length, "d_model", inner) for name, length in inputs]
        if settings.output_projection:
            weights += self._linear("output", "d_model", inner, bias=settings.bias)
            products.append(self._shape("output", "batch", queries, inner, "d_model"))
        table = self._shape("weights", "batch", "heads", queries, keys)
        heads = [self._shape(name, "batch", "heads", length, "d_head") for name, length in inputs]
        tokens = self.lengths["batch"] * (self.lengths[queries] + self.lengths[keys])
        is_whole = self.is_explicit and saved_tables == 1
        again = self.lengths["batch"] * self.lengths[queries] if is_whole else 0
        return Component(
            f"{self.name}.layer.{name}",
            kind,
            copies=self.stack.n_layers,
            weights=weights,
            weight_products=tuple(products),
            attention_products=(
                self._shape("scores QKᵀ", *table.axes, "d_head"),
                self._shape("weighted sums AV", *table.axes, "d_head"),
            ),
            outputs=(*heads, table, self._shape("output", *self.stream)),
            saved_activations=(2 * tokens + again) * self.lengths[inner]
            + saved_tables * table.size,
        )

    def _feed_forward(self) -> Component:
        ff = self.config.feed_forward
        ups = ("up", "gate") if ff.gated else ("up",)
        weights = [
            shape for name in ups for shape in self._linear(name, "d_ff", "d_model", bias=ff.bias)
        ]
        products = [self._shape(name, "batch", self.length, "d_model", "d_ff") for name in ups]
        return Component(
            f"{self.name}.layer.feed_forward",
            "feed_forward",
            copies=self.stack.n_layers,
            weights=(*weights, *self._linear("down", "d_model", "d_ff", bias=ff.bias)),
            weight_products=(
                *products,
                self._shape("down", "batch", self.length, "d_ff", "d_model"),
            ),
            outputs=(
                self._shape("hidden", "batch", self.length, "d_ff"),
                self._shape("output", *self.stream),
            ),
            saved_activations=self._saved_hidden_arrays() * self.stack.d_ff * self._batch_tokens(),
        )

    def _saved_hidden_arrays(self) -> int:
        """How many arrays of (tokens, d_ff) a feed-forward saves. ReLU's backward pass needs its output alone."""
        ff = self.config.feed_forward
        of_dropout = 2 if ff.dropout else 0
        if ff.gated:
            return 4 + of_dropout
        return (1 if ff.activation == "relu" else 2) + of_dropout

    def _residual(self, name: str) -> Component:
        weights = tuple(shape._replace(name=f"norm.{shape.name}") for shape in self._norm_weights())
        return Component(
            f"{self.name}.layer.{name}",
            "residual",
            copies=self.stack.n_layers,
            weights=weights,
            outputs=(self._shape("stream", *self.stream),),
            saved_activations=self._saved_by_residual(),
        )

    def _norm(self, name: str, kind: str, *, is_there: bool) -> list[Component]:
        if not is_there or self.config.norm.kind == "none":
            return []
        outputs = (self._shape("stream", *self.stream),)
        weights = self._norm_weights()
        return [Component(f"{self.name}.{name}", kind, weights=weights, outputs=outputs)]

    def _norm_weights(self) -> tuple[NamedShape, ...]:
        norm = self.config.norm
        if norm.kind == "none":
            return ()
        names = ("weight", "bias") if norm.kind == "layer" and norm.bias else ("weight",)
        return tuple(self._shape(name, "d_model") for name in names)

    def _output(self) -> Component:
        output = self.config.output
        tokens = self._tokens()
        bias = (self._shape("bias", "tgt_vocab"),) if output.bias else ()
        own = () if output.tied else (self._shape("weight", "tgt_vocab", "d_model"),)
        return Component(
            "decoder.output",
            "output",
            weights=(*own, *bias),
            weight_products=(self._shape("logits", "batch", "tgt_len", "d_model", "tgt_vocab"),),
            outputs=(self._shape("logits", "batch", "tgt_len", "tgt_vocab"),),
            tied_to=(tokens.tied_to or tokens.name) if output.tied else "",
        )

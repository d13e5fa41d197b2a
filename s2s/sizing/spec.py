"""A model to be sized: its recipe and vocabulary sizes, and what it takes to train and decode with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from s2s.config import Recipe
from s2s.sizing.components import BatchSizes, Component, components, cost
from s2s.sizing.training import BYTES, is_explicit, training_bytes


@dataclass(frozen=True)
class ModelSpec:
    """A recipe with the sizes of its vocabularies: all that decides what a model costs."""

    recipe: Recipe
    src_vocab_size: int
    tgt_vocab_size: int

    @property
    def vocab_sizes(self) -> tuple[int, int]:
        return self.src_vocab_size, self.tgt_vocab_size

    def components(self, sizes: BatchSizes) -> tuple[Component, ...]:
        explicit = is_explicit(self.recipe)
        return components(self.recipe.model, self.vocab_sizes, sizes, is_explicit=explicit)

    def max_length(self) -> int | None:
        """The longest sequence in tokens; None where the model sets no limit."""
        return self.recipe.model.positions.longest


class CacheBytes(NamedTuple):
    """Bytes of the float32 keys and values that decoding keeps in all layers."""

    target: int  # of the tokens generated so far, for self-attention
    source: int  # of the encoder's output, for cross-attention


def cache_bytes(spec: ModelSpec, sizes: BatchSizes) -> CacheBytes:
    """The size of decoding's cache: 2 (keys and values) x layers x heads x d_head x tokens x rows x 4 bytes. Every row
    has a source of its own.
    """
    stack = spec.recipe.model.decoder
    per_token = 2 * stack.n_layers * stack.n_heads * spec.recipe.model.d_head(stack) * BYTES
    return CacheBytes(
        per_token * sizes.batch * sizes.tgt_len, per_token * sizes.batch * sizes.src_len
    )


def memory_bytes(spec: ModelSpec, sizes: BatchSizes) -> int:
    """Memory that training takes (`training_bytes`) with batches of these sizes; the longer side counts for both."""
    longest = max(sizes.src_len, sizes.tgt_len)
    return training_bytes(
        spec.recipe, spec.vocab_sizes, batch_tokens=sizes.batch * longest, longest=longest
    )


class Crossover(NamedTuple):
    """Tokens per side from which one computation takes more FLOPs than another."""

    attention: int  # all of attention, against the feed-forward
    attention_products: int  # QKᵀ and AV, against all products with weights


def crossover(spec: ModelSpec) -> Crossover:
    """The lengths from which attention dominates: QKᵀ and AV grow with the square of the length, everything else in
    proportion to it.
    """
    found = spec.components(BatchSizes(1, 1, 1))
    total = cost(found)
    feed_forward = cost(component for component in found if component.kind == "feed_forward")
    attention = cost(component for component in found if component.kind.endswith("attention"))
    lead = feed_forward.flops - (attention.flops - attention.attention_flops)
    weight_flops = total.flops - total.attention_flops
    return Crossover(
        max(1, lead // total.attention_flops + 1), weight_flops // total.attention_flops + 1
    )

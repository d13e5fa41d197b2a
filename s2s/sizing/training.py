"""What training a model takes: parameters, memory, operations. Nothing is allocated."""

from __future__ import annotations

import functools
import math

from s2s.config import ModelConfig, Recipe, UserError
from s2s.sizing.components import BatchSizes, components, cost

BYTES = 4  # of a float32
# Logits computed at a time: on a CPU they stay in the cache, on a GPU a product must be large to be fast.
CHUNK = 2**22
GPU_CHUNK = 2**27
# Bytes that torch loads and allocates with the first optimizer and the first batch.
FIXED = 100_000_000
# Peak memory over the size of the saved activations: the backward pass needs room too, and batches of
# other lengths fragment the memory.
FRAGMENTATION = 1.7


@functools.lru_cache(maxsize=256)
def count_parameters(config: ModelConfig, src_vocab_size: int, tgt_vocab_size: int) -> int:
    """The number of trainable parameters; shared ones count once."""
    found = components(config, (src_vocab_size, tgt_vocab_size), BatchSizes(1, 1, 1))
    return cost(found).parameters


@functools.lru_cache(maxsize=256)
def multiplied_weights(config: ModelConfig, tgt_vocab_size: int) -> int:
    """The number of weights that every token is multiplied with; embeddings of tokens and positions are looked up."""
    found = components(config, (1, 1), BatchSizes(1, 1, 1))
    layers = [part for part in found if part.kind not in ("tokens", "positions", "output")]
    return cost(layers).parameters + config.d_model * tgt_vocab_size


def moments(recipe: Recipe) -> int:
    """How many running means the optimizer keeps per parameter."""
    return {"sgd": 1, "adafactor": 0}.get(recipe.train.optimizer.kind, 2)


def training_bytes(
    recipe: Recipe,
    vocab_sizes: tuple[int, int],
    *,
    batch_tokens: int,
    longest: int | None = None,
) -> int:
    """A forecast of training's memory beyond the interpreter's own, in bytes.

    `batch_tokens`: of the largest batch, padding included; `longest`: tokens of the longest side, which a batch holds
    even where they are more, by default as many as the recipe allows and a batch holds. Weights, gradients and the
    optimizer's moments are always there. On top comes either an update with the saved activations, or a checkpoint
    being written (training on a GPU writes it from the computer's memory).
    """
    if longest is None:
        longest = min(recipe.data.max_length, batch_tokens)
    batch_tokens = max(batch_tokens, longest)
    parameters = count_parameters(recipe.model, *vocab_sizes)
    vocab_size = vocab_sizes[1]
    chunk = CHUNK if recipe.train.device in ("auto", "cpu") else GPU_CHUNK
    output_gradients = 3 * recipe.model.d_model * vocab_size
    logits = 2 * min(chunk, batch_tokens * vocab_size) + output_gradients
    activations = batch_tokens * activations_per_token(recipe, length=longest)
    update = logits + int(FRAGMENTATION * activations)
    # With averaging the weights as trained stay beside their mean, and are written with the moments.
    n_extra = int(recipe.train.average_last > 1)
    checkpoint = 0
    if recipe.train.device != "cuda":  # the weights' bytes once, those of the rest twice
        checkpoint = (1 + 2 * (moments(recipe) + n_extra) + n_extra) * parameters
    return FIXED + BYTES * ((2 + moments(recipe)) * parameters + max(update, checkpoint))


def is_explicit(recipe: Recipe) -> bool:
    """Whether training keeps attention weights for the backward pass: on a CPU, where products are fast ones."""
    return recipe.train.precision != "exact" and recipe.train.device != "cuda"


def activations_per_token(recipe: Recipe, *, length: int) -> int:
    """How many numbers the backward pass needs saved, per source and target token of sentences `length` tokens long."""
    sizes = BatchSizes(1, length, length)
    found = components(recipe.model, (1, 1), sizes, is_explicit=is_explicit(recipe))
    return cost(found).saved_activations // length


def training_flops(
    recipe: Recipe, tgt_vocab_size: int, *, batch_tokens: int, length: float
) -> float:
    """FLOPs of the whole run, forward and backward, at `batch_tokens` per side in sentences of `length` tokens.

    6 per weight and token (Kaplan et al. 2020, section 2.1), and 12 per attention, query, key and column
    (Chowdhery et al. 2022, appendix B; a causal mask saves nothing here).
    """
    model = recipe.model
    weights = multiplied_weights(model, tgt_vocab_size)
    encoder = model.encoder.n_layers * model.encoder.n_heads * model.d_head(model.encoder)
    decoder = model.decoder.n_layers * model.decoder.n_heads * model.d_head(model.decoder)
    columns = encoder + 2 * decoder  # a decoder layer has two attentions
    return float(recipe.train.steps) * batch_tokens * (6 * weights + 12 * columns * length)


def check_memory(
    recipe: Recipe,
    vocab_sizes: tuple[int, int],
    *,
    batch_tokens: int,
    longest: int | None = None,
    free: int,
) -> None:
    """Raise a UserError when training is forecast to need more than `free` bytes in a process, which takes its share of
    the rows of a batch.
    """
    share = math.ceil(batch_tokens / recipe.train.processes)
    needed = training_bytes(recipe, vocab_sizes, batch_tokens=share, longest=longest)
    if needed > free:
        parameters = count_parameters(recipe.model, *vocab_sizes)
        raise UserError(
            f"Training {parameters:,} parameters with batches of {batch_tokens:,} tokens needs about"
            f" {gigabytes(needed)} of memory and {gigabytes(free)} are free; choose a smaller preset such as small, or"
            " lower train.batch_tokens."
        )


def gigabytes(n_bytes: int) -> str:
    """`3_200_000_000` -> `3.2 GB`."""
    return f"{n_bytes / 1e9:.1f} GB"

"""What a model costs before it is built: parameters and memory. Nothing is allocated."""

from __future__ import annotations

import functools

from s2s.config import ModelConfig, Recipe, UserError
from s2s.sizing.parts import Sizes, cost, parts

BYTES = 4  # of a float32
# Logits that are there at a time: on a CPU they stay in the cache, on a GPU a product must be large to be fast.
CHUNK = 2**22
GPU_CHUNK = 2**27
FIXED = 100_000_000  # what torch loads and sets aside with the first optimiser and the first batch
SCATTERED = 1.7  # of the kept activations' size: the backward pass needs room beside them, and batches of other lengths leave gaps


@functools.lru_cache(maxsize=256)
def count_parameters(config: ModelConfig, src_vocab_size: int, tgt_vocab_size: int) -> int:
    """Trained numbers; shared ones count once."""
    return cost(parts(config, (src_vocab_size, tgt_vocab_size), Sizes(1, 1, 1))).parameters


def training_bytes(recipe: Recipe, vocab_sizes: tuple[int, int], *, slots: int) -> int:
    """A forecast of the memory that training takes beside the interpreter's own, in bytes; `slots` of the largest batch.

    Weights, gradients and the optimiser's running means are always there. Above them stands either an update, with the
    activations kept for the backward pass, or a checkpoint that is being written.
    """
    means = {"sgd": 1, "adafactor": 0}.get(recipe.train.optimizer.kind, 2)
    parameters = count_parameters(recipe.model, *vocab_sizes)
    vocab_size = vocab_sizes[1]
    chunk = CHUNK if recipe.train.device in ("auto", "cpu") else GPU_CHUNK
    logits = (
        2 * min(chunk, slots * vocab_size) + 3 * recipe.model.d_model * vocab_size
    )  # and the output matrix's gradients
    update = logits + int(
        SCATTERED * slots * floats_a_slot(recipe, length=min(recipe.data.max_length, slots))
    )
    checkpoint = (1 + 2 * means) * parameters  # the weights' bytes, and the means' twice
    return FIXED + BYTES * ((2 + means) * parameters + max(update, checkpoint))


def floats_a_slot(recipe: Recipe, *, length: int) -> int:
    """Activations that one slot of a batch, on both sides, keeps until the backward pass; texts have `length` tokens."""
    found = parts(
        recipe.model, (1, 1), Sizes(1, length, length), is_explicit=recipe.train.precision == "fast"
    )
    return cost(found).kept // length


def training_flops(recipe: Recipe, tgt_vocab_size: int, *, slots: int, length: float) -> float:
    """Operations of the whole run, forward and backward, at `slots` of a batch on each side in texts of `length` tokens.

    6 for each weight of a matrix and each token that it multiplies (Kaplan et al. 2020, section 2.1), and 12 for each
    attention, token, column and token looked at (Chowdhery et al. 2022, appendix B; a causal mask saves nothing here).
    """
    model = recipe.model
    products = count_parameters(model, 1, 1) + model.d_model * tgt_vocab_size
    columns = sum(
        attentions * stack.n_layers * stack.n_heads * model.d_head(stack)
        for stack, attentions in ((model.encoder, 1), (model.decoder, 2))
    )
    return float(recipe.train.steps) * slots * (6 * products + 12 * columns * length)


def check_memory(recipe: Recipe, vocab_sizes: tuple[int, int], *, slots: int, free: int) -> None:
    """Raise a UserError when training is forecast to need more than `free` bytes."""
    needed = training_bytes(recipe, vocab_sizes, slots=slots)
    if needed > free:
        parameters = count_parameters(recipe.model, *vocab_sizes)
        raise UserError(
            f"Training {parameters:,} parameters with batches of {slots:,} tokens needs about"
            f" {gigabytes(needed)} of memory and {gigabytes(free)} are free; choose a smaller preset such as small,"
            " or lower train.batch_tokens."
        )


def gigabytes(n_bytes: int) -> str:
    """`3_200_000_000` -> `3.2 GB`."""
    return f"{n_bytes / 1e9:.1f} GB"

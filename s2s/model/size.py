"""What a model costs before it is built: parameters and memory. Nothing is allocated."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from s2s.config import ModelConfig, Recipe, UserError
from s2s.model.transformer import Transformer

BYTES = 4  # of a float32


@functools.lru_cache(maxsize=256)
def count_parameters(config: ModelConfig, src_vocab_size: int, tgt_vocab_size: int) -> int:
    """Trained numbers; shared ones count once. Built on torch's meta device, so 11 billion cost no memory."""
    with torch.device("meta"), _Blank():
        model = Transformer(config, src_vocab_size, tgt_vocab_size)
    return sum(parameter.numel() for parameter in model.parameters())


class _Blank(TorchFunctionMode):
    """Leaves new weights as they are: random numbers for a meta tensor would bring in torch's compiler, 80 MB of it."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Every call of torch within comes here."""
        kwargs = kwargs or {}
        if getattr(func, "__module__", "") == "torch.nn.init":
            return kwargs.get("tensor", args[0] if args else None)
        return func(*args, **kwargs)


def training_bytes(recipe: Recipe, vocab_sizes: tuple[int, int], *, slots: int) -> int:
    """A forecast of the memory that training takes beside the interpreter's own, in bytes; `slots` of the largest batch.

    Weights, gradients, the optimiser's two running means, the copy that a checkpoint makes, and the activations of one
    full batch kept for the backward pass.
    """
    copies = {"sgd": 4, "adafactor": 3}.get(recipe.train.optimizer.kind, 5)
    parameters = count_parameters(recipe.model, *vocab_sizes)
    return BYTES * (copies * parameters + slots * _floats_a_token(recipe, vocab_sizes[1], slots))


def _floats_a_token(recipe: Recipe, tgt_vocab_size: int, slots: int) -> int:
    """Activations that one slot of a batch keeps until the backward pass, counted per layer; about 20 % too many."""
    model, length = recipe.model, min(recipe.data.max_length, slots)
    kept = 3 * tgt_vocab_size  # logits, log-probabilities, their gradient
    for stack, attentions in ((model.encoder, 1), (model.decoder, 2)):
        inner = stack.n_heads * model.d_head(stack)
        attention = 4 * model.d_model + 4 * inner + 3 * stack.n_heads * length
        kept += stack.n_layers * (attentions * attention + 4 * model.d_model + 3 * stack.d_ff)
    return kept


def training_flops(recipe: Recipe, tgt_vocab_size: int, *, slots: int, length: float) -> float:
    """Operations of the whole run, forward and backward, at `slots` of a batch on each side in texts of `length` tokens.

    6 for each weight of a matrix and each token that it multiplies (Kaplan et al. 2020, section 2.1), and 12 for each
    attention, token, column and token looked at (Chowdhery et al. 2022, appendix B; a causal mask saves nothing here).
    """
    model = recipe.model
    products = count_parameters(model, 1, 1) + model.d_model * tgt_vocab_size
    columns = sum(
        attentions * stack.n_layers * stack.n_heads * model.d_head(stack) for stack, attentions in ((model.encoder, 1), (model.decoder, 2))
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

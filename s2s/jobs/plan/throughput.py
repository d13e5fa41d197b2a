"""How long one update takes on this computer, by a formula: operations of the model over the speed of its matrix
products.
"""

from __future__ import annotations

import functools
import time

import torch

from s2s.config import ModelConfig, Recipe
from s2s.sizing import count_parameters
from s2s.train import cores

# Fitted on nine recipes, one thread of a Xeon with AVX-512: within 30 % of eight of them, half of the ninth (`blocks`).
SHARE_OF_PEAK = 0.85  # of the computer's best speed, in the large matrix products
# Work that waits for memory, in operations that take the same time at that speed:
PER_LOGIT = 300  # softmax and loss
PER_ACTIVATION = 4000  # a layer's norms, dropouts and sums, per number of the residual stream
SECONDS_PER_LAYER = 0.0012  # starting many small operations
SCALING = 0.7  # two threads do 2 ** 0.7 as much as one


def seconds_per_step(recipe: Recipe, tgt_vocab_size: int, slots: int) -> float:
    """One update: three times a forward pass, of two operations a weight and token, beside what waits for memory."""
    # as a run is submitted
    model = recipe.model
    threads = recipe.train.threads or max(1, cores() - 1)
    layers = model.encoder.n_layers + 2 * model.decoder.n_layers
    products = 6 * slots * (_weights(model) + model.d_model * tgt_vocab_size) / SHARE_OF_PEAK
    waiting = slots * (PER_LOGIT * tgt_vocab_size + PER_ACTIVATION * model.d_model * layers)
    return float((products + waiting) / (peak() * threads**SCALING) + SECONDS_PER_LAYER * layers)


def _weights(model: ModelConfig) -> int:
    """In matrices of the layers; embeddings are looked up, not multiplied."""
    return count_parameters(model, 1, 1)


@functools.cache
def peak() -> float:
    """Float32 operations a second that one thread does here, in a matrix product: the best of twelve."""
    matrix = torch.ones(512, 512)
    threads = torch.get_num_threads()
    torch.set_num_threads(
        1
    )  # two that wait for each other beside a busy stranger are slower than one
    try:
        return 2 * 512**3 / min(_seconds(matrix) for _ in range(12))
    finally:
        torch.set_num_threads(threads)


def _seconds(matrix: torch.Tensor) -> float:
    started = time.perf_counter()
    matrix @ matrix
    return time.perf_counter() - started

"""Estimates the seconds per update on this computer: the model's operations over the speed of matrix products."""

from __future__ import annotations

import functools
import math
import time
from types import MappingProxyType

import torch

from s2s.config import Recipe
from s2s.sizing import multiplied_weights
from s2s.training import chosen_device, cores

# Fitted on nine recipes, one thread of a Xeon with AVX-512: within 30 % of eight of them, half of the ninth (`blocks`).
SHARE_OF_PEAK = 0.85  # what the large matrix products reach of the best speed
# Memory-bound work, in operations that take the same time at that speed:
PER_LOGIT = 300  # softmax and loss
PER_ACTIVATION = 4000  # a layer's norms, dropouts and sums, per number of the residual stream
SECONDS_PER_LAYER = 0.0012  # overhead of many small operations
# How many times as fast as `exact` the other products are: with AVX-512, 2.4 in float32 on an AMD EPYC and 2.9 in
# bfloat16 on a Xeon with AMX; without AVX-512, 1.1 on an AMD EPYC.
FAST = MappingProxyType({"AVX512": 2.5})
FAST_ELSEWHERE = 1.1
SCALING = 0.7  # two threads do 2 ** 0.7 as much as one
# Of a GPU, by precision: seconds that the processor beside it takes to start a layer's operations, and operations per
# second of its matrix products. From two models on one H100, which they give within 15 %
# (benchmarks/results/gpu-train.json); runs on another computer correct the forecast.
STARTING = MappingProxyType({"exact": 0.003, "bf16": 0.0043})
GPU_PEAK = MappingProxyType({"exact": 50e12, "bf16": 400e12})


def seconds_per_step(recipe: Recipe, tgt_vocab_size: int, slots: int) -> float:
    """Seconds of one update: three forward passes of two operations per weight and token, and the memory-bound work.

    Several processes share a batch's rows; each is assumed to have its own threads, and communication is not counted.
    """
    model = recipe.model
    precision = recipe.train.precision
    threads = recipe.train.threads or max(1, cores() - 1)  # as a run is submitted
    layers = model.encoder.n_layers + 2 * model.decoder.n_layers
    slots = math.ceil(slots / recipe.train.processes)
    products = 6.0 * slots * multiplied_weights(model, tgt_vocab_size)
    if chosen_device(recipe) == "cuda":
        on_gpu = precision if precision in STARTING else "exact"  # another one is refused later
        return layers * STARTING[on_gpu] + products / GPU_PEAK[on_gpu]
    products /= SHARE_OF_PEAK
    if precision != "exact":
        products /= FAST.get(torch.backends.cpu.get_cpu_capability(), FAST_ELSEWHERE)
    waiting = slots * (PER_LOGIT * tgt_vocab_size + PER_ACTIVATION * model.d_model * layers)
    return float((products + waiting) / (peak() * threads**SCALING) + SECONDS_PER_LAYER * layers)


@functools.cache
def peak() -> float:
    """Float32 operations per second of one thread here, in a matrix product: the best of twelve."""
    matrix = torch.ones(512, 512)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # on a busy computer, two threads that wait for each other are slower
    try:
        return 2 * 512**3 / min(_seconds(matrix) for _ in range(12))
    finally:
        torch.set_num_threads(threads)


def _seconds(matrix: torch.Tensor) -> float:
    started = time.perf_counter()
    matrix @ matrix
    return time.perf_counter() - started

"""What this machine offers: device, threads, memory, and whether its fast matrix product is as accurate as float32."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import psutil
import torch

from s2s.config import Recipe, UserError
from s2s.model import keep_few_shapes

# oneDNN's float32 products were measured at 4e-7, true bf16 at 3e-3 relative error.
ACCURATE = 1e-5
# A GPU has no products that are faster than float32 ones and as accurate.
PRECISIONS = MappingProxyType(
    {"cpu": ("exact", "fast", "bf16"), "cuda": ("exact", "bf16"), "mps": ("exact",)}
)


def settle(recipe: Recipe) -> Recipe:
    """The recipe with device and threads fixed to what they are here, and `fast` allowed only where it is accurate."""
    device = chosen_device(recipe)
    if device not in _devices():
        raise UserError(f"`train.device` {device} is not on this machine; use cpu or auto.")
    if recipe.train.precision == "fast" and device == "cpu" and not is_fast_accurate():
        raise UserError(
            "`train.precision` fast is less accurate than float32 on this machine; use exact, or bf16 as it is."
        )
    if recipe.train.precision not in PRECISIONS[device]:
        raise UserError(
            f"`train.precision` {recipe.train.precision} is not for {device}, where this run is; use"
            f" {' or '.join(PRECISIONS[device])}."
        )
    threads = recipe.train.threads or cores()
    return replace(recipe, train=replace(recipe.train, device=device, threads=threads))


def chosen_device(recipe: Recipe) -> str:
    """`cpu`, `cuda` or `mps`: what a recipe with `auto` trains on here, else what it says."""
    device = recipe.train.device
    return _devices()[0] if device == "auto" else device


def _devices() -> list[str]:
    found = ["cpu"]
    if torch.backends.mps.is_available():
        found.append("mps")
    if torch.cuda.is_available():
        found.insert(0, "cuda")
    return found


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def is_fast_accurate() -> bool:
    """Whether a fast matrix product on this CPU is as accurate as one of float32: where there is AMX it is not."""
    return fast_error() <= ACCURATE


@functools.cache
def fast_error() -> float:
    """Relative root-mean-square error of oneDNN's fast matrix product on this CPU, against float64."""
    generator = torch.Generator().manual_seed(0)
    left = torch.randn(256, 256, generator=generator)
    right = torch.randn(256, 256, generator=generator)
    exact = left.double() @ right.double()
    with matrix_products("fast"):
        error = (left @ right).double() - exact
    return float(error.square().mean().sqrt() / exact.square().mean().sqrt())


@contextlib.contextmanager
def matrix_products(precision: str, device: str = "cpu") -> Iterator[None]:
    """Compute matrix products `exact`, or faster. What was set before is restored.

    On a CPU through oneDNN, `fast` and `bf16` alike: where it can multiply bfloat16, that is what oneDNN does. On a GPU
    `bf16` is torch's autocast: factors and results of products are bfloat16; the residual stream, norms and softmax
    stay float32.
    """
    if device == "cuda":
        with torch.autocast(device, torch.bfloat16, enabled=precision == "bf16"):
            yield
        return
    if precision != "exact":
        keep_few_shapes()
    settings = torch.backends.mkldnn.matmul  # type: ignore[attr-defined]
    before = settings.fp32_precision
    settings.fp32_precision = "none" if precision == "exact" else "bf16"
    try:
        yield
    finally:
        settings.fp32_precision = before


def free_memory(device: str) -> int:
    """Bytes that training may still take: the GPU's; or the machine's, or its control group's where that is less."""
    if device == "cuda":
        return int(torch.cuda.mem_get_info()[0])
    free = int(psutil.virtual_memory().available)
    group = Path("/sys/fs/cgroup")
    with contextlib.suppress(OSError, ValueError, StopIteration):  # no such group, or "max"
        limit = int((group / "memory.max").read_text(encoding="utf-8"))
        used = int((group / "memory.current").read_text(encoding="utf-8"))
        lines = (group / "memory.stat").read_text(encoding="utf-8").splitlines()
        # Given back when needed.
        cached = int(next(line.split()[1] for line in lines if line.startswith("inactive_file ")))
        free = min(free, limit - used + cached)
    return free

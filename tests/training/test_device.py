import os
import random
from dataclasses import replace

import psutil
import pytest
import torch

from s2s.config import Recipe, UserError, override
from s2s.model.fast.memory import SHAPES
from s2s.training import device
from s2s.training.device import fast_error, free_memory, matrix_products, settle
from tests import spawned


def test_what_is_left_open_is_fixed_to_this_computer(tiny: Recipe) -> None:
    settled = settle(override(tiny, {"train.threads": 0, "train.device": "auto"}))
    assert settled.train.threads == len(os.sched_getaffinity(0))
    assert settled.train.device in ("cpu", "cuda")
    assert settle(settled) == settled


def test_auto_is_the_processor_on_a_mac(tiny: Recipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert settle(override(tiny, {"train.device": "auto"})).train.device == "cpu"
    assert settle(override(tiny, {"train.device": "mps"})).train.device == "mps"


def test_cores_are_known_where_a_process_cannot_ask_for_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")
    assert device.cores() == os.cpu_count()


@pytest.mark.skipif(torch.cuda.is_available(), reason="gpu: there is one here")
def test_a_device_that_is_not_there_is_refused(tiny: Recipe) -> None:
    with pytest.raises(
        UserError, match=r"`train\.device` cuda is not on this machine; use cpu or auto"
    ):
        settle(override(tiny, {"train.device": "cuda"}))


def test_fast_products_are_refused_where_they_are_not_accurate(
    tiny: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast = replace(tiny, train=replace(tiny.train, precision="fast"))
    monkeypatch.setattr(device, "fast_error", lambda: 3e-3)
    with pytest.raises(
        UserError, match=r"fast is less accurate than float32 on this machine; use exact"
    ):
        settle(fast)
    monkeypatch.setattr(device, "fast_error", lambda: 4e-7)
    assert settle(fast).train.precision == "fast"


@pytest.mark.parametrize(
    ("kind", "precision", "allowed"),
    [("cuda", "fast", "exact or bf16"), ("mps", "fast", "exact"), ("mps", "bf16", "exact")],
)
def test_a_device_refuses_what_it_cannot_multiply(
    tiny: Recipe, monkeypatch: pytest.MonkeyPatch, kind: str, precision: str, allowed: str
) -> None:
    monkeypatch.setattr(device, "_devices", lambda: [kind, "cpu"])
    asked = override(tiny, {"train.device": "auto", "train.precision": precision})
    with pytest.raises(
        UserError, match=rf"{precision} is not for {kind}, where this run is; use {allowed}\."
    ):
        settle(asked)


def test_a_gpu_multiplies_bfloat16(tiny: Recipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "_devices", lambda: ["cuda", "cpu"])
    settled = settle(override(tiny, {"train.device": "auto", "train.precision": "bf16"}))
    assert (settled.train.device, settled.train.precision) == ("cuda", "bf16")


def test_the_check_measures_and_the_switch_is_put_back() -> None:
    before = torch.backends.mkldnn.matmul.fp32_precision
    assert 1e-8 < fast_error() < 1e-2
    with matrix_products("fast"):
        assert torch.backends.mkldnn.matmul.fp32_precision == "bf16"
    assert torch.backends.mkldnn.matmul.fp32_precision == before


def test_free_memory_is_a_plausible_number_of_bytes() -> None:
    assert 1e6 < free_memory("cpu") < 1e14


def growth() -> float:
    """How many MB this process grows by."""
    torch.set_num_threads(1)
    draw = random.Random(0)
    size = psutil.Process().memory_info
    weights = torch.randn(128, 512)
    # so that nothing but what is kept takes memory
    given = torch.randn(5000, 128)
    found = torch.empty(5000, 512)
    with matrix_products("fast"):
        for turn in range(400):
            if turn == 60:
                before = size().rss
            rows = draw.randrange(1000, 5000)
            torch.mm(given[:rows], weights, out=found[:rows])
    return (size().rss - before) / 1e6


@pytest.mark.system
def test_fast_products_of_ever_new_shapes_do_not_gather_memory() -> None:
    found = spawned.call(growth)  # a processor without such products keeps none
    more = dict.fromkeys(SHAPES, "1024")
    assert found < 80 or found < 0.7 * spawned.call(growth, **more)

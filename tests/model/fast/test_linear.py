"""Products by whichever kernel: the numbers of torch's own."""

import random

import psutil
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from s2s.model.fast import linear
from s2s.model.fast.linear import PackedLinear, packed
from tests import spawned


@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize("rows", [1, 2, 15, 16, 17, 100, 511, 513, 700])
@torch.no_grad()
def test_any_number_of_rows_is_multiplied_as_by_torch(rows: int, has_bias: bool) -> None:
    draw = torch.Generator().manual_seed(rows)
    x = torch.randn(rows, 64, generator=draw)
    stream = torch.randn(rows, 1000, generator=draw)
    weight = torch.randn(1000, 64, generator=draw)
    bias = torch.randn(1000, generator=draw) if has_bias else None
    product = PackedLinear(weight, bias)
    expected = F.linear(x.double(), weight.double(), None if bias is None else bias.double())
    # Both kernels are tried.
    assert not linear.can_pack(weight) or (rows >= product.many) == (rows > 16)
    before = x.clone(), stream.clone()
    torch.testing.assert_close(product(x).double(), expected, rtol=0, atol=1e-4)
    torch.testing.assert_close(
        product.add_to(stream, x).double(), expected + stream, rtol=0, atol=1e-4
    )
    assert torch.equal(x, before[0])
    assert torch.equal(stream, before[1])


@torch.no_grad()
def test_a_large_weight_is_not_turned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "LARGE", 100)
    product = PackedLinear(torch.randn(50, 8), None)
    assert product.transposed.data_ptr() == product.weight.data_ptr()
    x = torch.randn(2, 8)
    torch.testing.assert_close(product(x), F.linear(x, product.weight))


@torch.inference_mode()
def growth() -> float:
    """How many MB this process grows by."""
    torch.set_num_threads(1)
    draw = random.Random(0)
    size = psutil.Process().memory_info
    product = PackedLinear(torch.randn(1000, 128), None)
    for turn in range(120):
        if turn == 40:
            before = size().rss
        product(torch.randn(draw.randrange(300, 1500), 128))
    return (size().rss - before) / 1e6


@pytest.mark.system
def test_products_of_ever_new_numbers_of_rows_do_not_gather_memory() -> None:
    assert spawned.call(growth) < 15


@pytest.mark.parametrize("has_bias", [True, False])
@torch.no_grad()
def test_a_pre_added_bias_is_subtracted_from_the_stream(has_bias: bool) -> None:
    maps = [nn.Linear(8, 5, bias=has_bias), nn.Linear(8, 3, bias=has_bias)]
    x = torch.randn(4, 8)
    ahead = torch.randn(8)
    expected = torch.cat(
        [
            maps[0](x) * 0.5
            if not has_bias
            else F.linear(x, maps[0].weight * 0.5, maps[0].bias * 0.5),
            maps[1](x),
        ],
        1,
    )
    torch.testing.assert_close(packed(maps, 0.5, pre_added=ahead)(x + ahead), expected)


def test_where_onednn_is_not_the_other_kernel_does_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "can_pack", lambda weight: False)
    weight = torch.randn(500, 64)
    x = torch.randn(300, 64)
    torch.testing.assert_close(
        PackedLinear(weight, None)(x), F.linear(x, weight), rtol=0, atol=1e-4
    )


def test_the_parts_of_a_wide_product_join_and_the_next_product_overwrites_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(linear, "WIDE", 20)
    torch.manual_seed(0)
    weight = torch.randn(50, 8)
    bias = torch.randn(50)
    product = linear.WideLinear(linear.in_parts(PackedLinear, weight, bias), 50)
    assert len(product.parts) == 3
    first = product(torch.randn(4, 8))
    for rows in (4, 1, 3):
        x = torch.randn(rows, 8)
        found = product(x)
        torch.testing.assert_close(found, F.linear(x, weight, bias))
        assert found.is_contiguous()
        assert found.data_ptr() == first.data_ptr()

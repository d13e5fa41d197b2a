"""What torch keeps private is tried before it is used; without it the plain products do all."""

from collections.abc import Callable, Iterator

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

import s2s
from s2s.config import UserError
from s2s.model.fast import linear, onednn
from s2s.model.fast.linear import PackedLinear


@pytest.fixture(autouse=True)
def _tried_again() -> Iterator[None]:
    tries = (onednn.has_product, onednn.integer_levels)
    for one in tries:
        one.cache_clear()
    yield
    for one in tries:
        one.cache_clear()


class Without:
    """The operators of a library, but for some names."""

    def __init__(self, library: object, *names: str) -> None:
        self.library = library
        self.names = names

    def __getattr__(self, name: str) -> object:
        if name in self.names:
            raise AttributeError(f"no operator {name}")
        return getattr(self.library, name)


def no_product(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.ops, "mkldnn", Without(torch.ops.mkldnn, "_linear_pointwise"))


def no_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.ops, "mkldnn", Without(torch.ops.mkldnn, "_reorder_linear_weight"))


def other_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(x: Tensor, weight: Tensor) -> Tensor:
        return F.linear(x, weight)

    monkeypatch.setattr(torch.ops.mkldnn, "_linear_pointwise", changed)


def other_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    given = torch.ops.mkldnn._linear_pointwise
    monkeypatch.setattr(
        torch.ops.mkldnn,
        "_linear_pointwise",
        lambda x, weight, bias, *_: given(x, weight, None, *_),
    )


def other_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.ops.mkldnn, "_linear_pointwise", lambda *_: None)


@pytest.mark.parametrize(
    "change", [no_product, no_layout, other_parameters, other_answer, other_type]
)
def test_a_product_that_is_missing_or_different_is_replaced(
    change: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linear, "MANY", 1)  # oneDNN's turn from two rows on
    x, weight, bias = torch.randn(40, 8), torch.randn(12, 8), torch.randn(12)
    if torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
        assert PackedLinear(weight, bias).many == 2
    onednn.has_product.cache_clear()
    change(monkeypatch)
    assert not onednn.has_product()
    torch.testing.assert_close(PackedLinear(weight, bias)(x), F.linear(x, weight, bias))


def test_a_product_of_integers_that_is_missing_is_refused_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.ops, "onednn", Without(torch.ops.onednn, "qlinear_pointwise"))
    assert onednn.integer_levels() == 0
    run = s2s.load("demo-en-fr")
    assert run.translate(["the red house"], "greedy")[0].text
    with pytest.raises(UserError, match="fast"):
        run.translate(["the red house"], "greedy", precision="fast")


def test_a_product_of_integers_with_another_answer_is_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = torch.ops.onednn.qlinear_pointwise
    monkeypatch.setattr(
        torch.ops.onednn, "qlinear_pointwise", lambda *arguments: 2 * given(*arguments)
    )
    assert onednn.integer_levels() == 0


def test_where_sums_of_two_products_overflow_inputs_have_seven_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """AVX2's vpmaddubsw keeps a sum of two products within 16 bits (Intel 64 and IA-32 manual, volume 2)."""

    def sums_in_16_bits(
        x: Tensor, scale: float, zero: int, weight: Tensor, scales: Tensor, *_: object
    ) -> Tensor:
        products = x[:, None].int() * weight.int()  # (rows, out, in)
        pairs = products.unflatten(-1, (-1, 2)).sum(-1).clamp(-(2**15), 2**15 - 1)
        shift = zero * weight.sum(-1, dtype=torch.int32)  # (out,)
        return (pairs.sum(-1) - shift) * scale * scales

    monkeypatch.setattr(torch.ops.onednn, "qlinear_pointwise", sums_in_16_bits)
    monkeypatch.setattr(torch.ops.onednn, "qlinear_prepack", lambda weight, _: weight)
    assert onednn.integer_levels() == 63
    weight, x = torch.randn(12, 8), torch.randn(40, 8)
    found, wanted = linear.rounded(weight, None)(x), F.linear(x, weight)
    assert 0 < (found - wanted).norm() < 0.03 * wanted.norm()


def test_here_both_are_what_they_should_be() -> None:
    assert onednn.has_product() == torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    assert onednn.integer_levels() in {63, 127}

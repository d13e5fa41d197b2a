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
    tries = (onednn.has_product, onednn.has_integer_product)
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
    assert not onednn.has_integer_product()
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
    assert not onednn.has_integer_product()


def test_here_both_are_what_they_should_be() -> None:
    assert onednn.has_product() == torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    assert onednn.has_integer_product()

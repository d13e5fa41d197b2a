from collections.abc import Iterator

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from s2s.config import ModelConfig, Stack
from s2s.model import Attention, attention_weights
from s2s.training.device import matrix_products


@pytest.fixture
def fast() -> Iterator[None]:
    with matrix_products("bf16"):
        yield


@pytest.mark.parametrize("key_len", [1, 3, 7, 8, 9, 15, 16, 17, 40])
def test_weights_and_their_gradient_are_those_of_torchs_attention(key_len: int) -> None:
    queries, keys, values, mask = _case(key_len)
    weights = attention_weights(queries, keys, mask, None, scale=0.5)
    assert weights.shape == (3, 2, 5, key_len)
    assert not weights.masked_select(~mask).any()
    torch.testing.assert_close(weights.sum(-1), torch.ones(3, 2, 5))
    ours = weights @ values
    theirs = F.scaled_dot_product_attention(queries, keys, values, mask, scale=0.5)
    torch.testing.assert_close(ours, theirs)
    wanted = torch.autograd.grad(theirs.square().sum(), (queries, keys, values))
    torch.testing.assert_close(
        torch.autograd.grad(ours.square().sum(), (queries, keys, values)), wanted
    )


@pytest.mark.parametrize("key_len", [1, 4, 20])
def test_a_query_without_any_key_gets_zeros_and_a_gradient_of_zeros(key_len: int) -> None:
    queries, keys, values, mask = _case(key_len)
    mask[1] = False
    weights = attention_weights(queries, keys, mask, None, scale=0.5)
    assert not weights[1].any()
    torch.testing.assert_close(weights[::2].sum(-1), torch.ones(2, 2, 5))
    for gradient in torch.autograd.grad((weights @ values).sum(), (queries, keys)):
        assert gradient.isfinite().all()
        assert not gradient[1].any()


def test_scores_as_large_as_a_diverging_model_has_them_stay_finite() -> None:
    queries, keys, _, mask = _case(9)
    weights = attention_weights(queries * 1e15, keys * 1e15, mask, None, scale=1.0)
    assert weights.isfinite().all()
    assert not weights.masked_select(~mask).any()


@pytest.mark.usefixtures("fast")
@pytest.mark.parametrize("key_len", [1, 5, 20])
@pytest.mark.parametrize("sees_nothing", [False, True])
def test_with_fast_products_attention_stays_exact_and_so_does_its_gradient(
    key_len: int, sees_nothing: bool
) -> None:
    queries, keys, values, mask = _case(key_len)
    if sees_nothing:
        mask[1] = False
    ours = _attention().attend(queries, keys, values, mask, None)
    with matrix_products("exact"):
        theirs = F.scaled_dot_product_attention(queries, keys, values, mask).nan_to_num()
        wanted = torch.autograd.grad(theirs.square().sum(), (queries, keys, values))
    torch.testing.assert_close(ours, theirs)
    got = torch.autograd.grad(ours.square().sum(), (queries, keys, values))
    if sees_nothing:
        assert not got[0][1].any()
        wanted = tuple(gradient.nan_to_num() for gradient in wanted)
    torch.testing.assert_close(got, wanted)
    assert torch.backends.mkldnn.matmul.fp32_precision == "bf16"


@pytest.mark.usefixtures("fast")
def test_with_fast_products_a_hook_sees_the_weights_of_the_same_result() -> None:
    queries, keys, values, mask = _case(9)
    attention = _attention()
    unseen = attention.attend(queries, keys, values, mask, None)
    seen: list[Tensor] = []
    attention.weights.register_forward_hook(lambda _, __, weights: seen.append(weights))
    hooked = attention.attend(queries, keys, values, mask, None)
    torch.testing.assert_close(hooked, unseen, atol=0.02, rtol=0)  # of bfloat16
    torch.testing.assert_close(seen[0] @ values, unseen, atol=0.02, rtol=0)


def _attention() -> Attention:
    """Two heads of 4 columns."""
    config = ModelConfig(d_model=8, encoder=Stack(n_heads=2))
    return Attention(config, config.encoder)


def _case(key_len: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Queries, keys and values of 3 sentences, 2 heads, 5 queries; a mask that hides some keys of each query."""
    generator = torch.Generator().manual_seed(key_len)
    queries, keys, values = (
        torch.randn(3, 2, length, 4, generator=generator, requires_grad=True)
        for length in (5, key_len, key_len)
    )
    mask = torch.rand(3, 1, 5, key_len, generator=generator) < 0.7
    mask[..., 0] = True
    return queries, keys, values, mask

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from s2s.model import attention_weights


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

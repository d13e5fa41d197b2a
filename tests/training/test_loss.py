import pytest
import torch
from torch import Tensor, nn

from s2s.config import Recipe, override
from s2s.model.transformer import Projection, Transformer
from s2s.training import loss
from s2s.training.loss import count, cross_entropy


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loss, "CHUNK", 40)  # three rows of eleven at a time, the last one alone


def drawn(dtype: torch.dtype, *, has_bias: bool) -> tuple[Tensor, Tensor, Projection]:
    """States (3, 5, 6) that need gradients, labels with padding, and a projection to 11 tokens."""
    states, weight = (
        torch.randn(*shape, dtype=dtype, requires_grad=True) for shape in ((3, 5, 6), (11, 6))
    )
    bias = torch.randn(11, dtype=dtype, requires_grad=True) if has_bias else None
    labels = torch.randint(1, 11, (3, 5))
    labels[0, 3:] = 0
    labels[2, 1:] = 0
    return states, labels, Projection(weight, bias, 0.7)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_loss_and_gradients_are_torchs_and_padding_does_not_count(
    smoothing: float, has_bias: bool, dtype: torch.dtype
) -> None:
    states, labels, projection = drawn(dtype, has_bias=has_bias)
    ours = cross_entropy(states, labels, projection, smoothing=smoothing, pad_id=0)
    logits = nn.functional.linear(states * projection.scale, projection.weight, projection.bias)
    theirs = nn.CrossEntropyLoss(ignore_index=0, label_smoothing=smoothing)(
        logits.flatten(0, 1), labels.flatten()
    )
    torch.testing.assert_close(ours.smoothed, theirs)
    inputs = [
        tensor for tensor in (states, projection.weight, projection.bias) if tensor is not None
    ]
    torch.testing.assert_close(
        torch.autograd.grad(3 * ours.smoothed, inputs),
        torch.autograd.grad(3 * theirs, inputs, retain_graph=True),
    )
    plain = nn.CrossEntropyLoss(ignore_index=0)(logits.flatten(0, 1), labels.flatten())
    torch.testing.assert_close(ours.plain, plain.detach())


@pytest.mark.parametrize("has_bias", [True, False])
def test_rounded_factors_give_nearly_the_same(has_bias: bool) -> None:
    """As on a GPU in `bf16`: what stands around the products stays float32."""
    states, labels, projection = drawn(torch.float32, has_bias=has_bias)
    inputs = [
        tensor for tensor in (states, projection.weight, projection.bias) if tensor is not None
    ]

    def found() -> tuple[Tensor, ...]:
        ours = cross_entropy(states, labels, projection, smoothing=0.1, pad_id=0)
        counted = count(states, labels, projection, pad_id=0)
        loss = ours.smoothed.detach()
        return loss, torch.tensor(counted.nats), *torch.autograd.grad(ours.smoothed, inputs)

    loss, nats, *gradients = found()
    with torch.autocast("cpu", torch.bfloat16):
        rounded_loss, rounded_nats, *rounded_gradients = found()
    assert rounded_loss != loss
    assert rounded_nats == nats  # the logits of a validation are not rounded
    assert {gradient.dtype for gradient in rounded_gradients} == {torch.float32}
    torch.testing.assert_close(rounded_loss, loss, rtol=0.01, atol=0)
    for rounded, gradient in zip(rounded_gradients, gradients, strict=True):
        torch.testing.assert_close(rounded, gradient, rtol=0.02, atol=0.02 * gradient.abs().max())


@pytest.mark.parametrize("has_bias", [True, False])
def test_the_gradient_is_that_of_finite_differences(has_bias: bool) -> None:
    states, labels, projection = drawn(torch.float64, has_bias=has_bias)

    def smoothed(states: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        return cross_entropy(
            states, labels, Projection(weight, bias, 0.7), smoothing=0.1, pad_id=0
        ).smoothed

    assert torch.autograd.gradcheck(smoothed, (states, projection.weight, projection.bias))


def test_a_hopeless_token_has_a_finite_loss() -> None:
    projection = Projection(torch.eye(4) * 500.0)
    found = cross_entropy(
        torch.eye(4)[None], torch.tensor([[1, 2, 3, 1]]), projection, smoothing=0.1, pad_id=0
    )
    assert float(found.plain) == pytest.approx(500.0)


@pytest.mark.parametrize("kind", ["tied", "biased"])
def test_a_models_projection_gives_the_logits_that_the_loss_scores(tiny: Recipe, kind: str) -> None:
    recipe = override(
        tiny,
        {
            "model.output.tied": kind == "tied",
            "model.output.bias": kind == "biased",
            "model.output.scaled": True,
        },
    )
    model = Transformer(recipe.model, 17, 17)
    src = torch.randint(3, 17, (2, 5))
    tgt = torch.randint(3, 17, (2, 4))
    model.eval()
    found = cross_entropy(
        model.decode(tgt[:, :-1], model.encode(src), src),
        tgt[:, 1:],
        model.projection,
        smoothing=0.0,
        pad_id=0,
    )
    logits = model(src, tgt[:, :-1])
    torch.testing.assert_close(
        found.plain,
        nn.functional.cross_entropy(logits.flatten(0, 1), tgt[:, 1:].flatten()).detach(),
    )


@pytest.mark.parametrize("has_bias", [True, False])
def test_what_is_counted_is_what_all_logits_give(has_bias: bool) -> None:
    states, labels, projection = drawn(torch.float64, has_bias=has_bias)
    logits = nn.functional.linear(
        states * projection.scale, projection.weight, projection.bias
    ).detach()
    labels[0, 0] = logits[0, 0].argmax()
    found = count(states, labels, projection, pad_id=0)
    real = labels.ne(0)
    nats = nn.functional.cross_entropy(logits[real], labels[real], reduction="sum")
    assert found.nats == pytest.approx(float(nats))
    assert (found.right, found.tokens) == (
        int((logits.argmax(-1).eq(labels) & real).sum()),
        int(real.sum()),
    )


def test_padding_that_is_ranked_first_is_not_right() -> None:
    found = count(
        torch.eye(4)[None], torch.tensor([[0, 1, 2, 2]]), Projection(torch.eye(4)), pad_id=0
    )  # position i ranks token i first
    assert (found.right, found.tokens) == (2, 3)

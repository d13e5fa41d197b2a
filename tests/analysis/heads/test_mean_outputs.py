from functools import partial

import pytest
import torch
from torch import nn

from s2s.analysis import KINDS, Head, ablate, all_heads, capture
from s2s.analysis.heads import batched, finish, measure_means
from s2s.analysis.trace import attentions
from s2s.config import UserError
from tests.analysis.heads import naive
from tests.model.conftest import build, shrunk


def test_the_mean_is_that_of_every_token_alone() -> None:
    model = build(shrunk("small"))
    seen: dict[Head, list[torch.Tensor]] = {head: [] for head in all_heads(model)}
    columns = [slice(8 * head, 8 * head + 8) for head in range(3)]

    def record(kind: str, layer: int, module: nn.Module, args: tuple[torch.Tensor]) -> None:
        for head in range(3):
            seen[Head(kind, layer, head)] += list(args[0][0, :, columns[head]])

    for kind in KINDS:
        for layer, attention in enumerate(attentions(model, kind)):
            attention.output.register_forward_pre_hook(partial(record, kind, layer))
    for pair in naive.PAIRS:
        naive.loss(model, pair)
    rows = {head: torch.stack(each).mean(0) for head, each in seen.items()}
    found = finish(measure_means(model, batched(model, naive.PAIRS)))
    assert list(found) == list(rows)
    for head, mean in rows.items():
        torch.testing.assert_close(found[head], mean, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_head_at_its_mean_adds_that_vector_everywhere(kind: str) -> None:
    model = build(shrunk("small"))
    head = Head(kind, 1, 2)
    vector = torch.linspace(-1, 1, 8)
    other = naive.scaled(model, head, 0.0, vector)
    with (
        ablate(model, {head: "mean", Head("cross", 0, 0): "off"}, {head: vector}),
        capture(model) as trace,
    ):
        found = [naive.loss(model, pair) for pair in naive.PAIRS]
    with ablate(other, {Head("cross", 0, 0): "off"}):
        expected = [naive.loss(other, pair) for pair in naive.PAIRS]
    assert found == pytest.approx(expected, rel=1e-5)
    assert float(getattr(trace, kind)[1].sum()) > 0  # its weights stay


def test_a_mean_that_was_not_measured_is_an_error() -> None:
    model = build(shrunk("small"))
    sentence = (
        "The mean of cross attention, layer 0, head 1 is not known; measure it over a sample first"
    )
    with pytest.raises(UserError, match=sentence), ablate(model, {Head("cross", 0, 1): "mean"}):
        pass

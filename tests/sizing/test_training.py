import pytest
import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from s2s.config import PRESETS, override
from s2s.model.transformer import Transformer
from s2s.sizing import (
    BYTES,
    activations_per_token,
    count_parameters,
    training_bytes,
    training_flops,
)
from s2s.training.device import matrix_products


@pytest.mark.parametrize(
    ("preset", "length"),
    [("small", 8), ("small", 64), ("modern-small", 64), ("blocks", 64), ("mini-t5", 64)],
)
def test_flops_are_what_torch_counts(preset: str, length: int) -> None:
    recipe = override(PRESETS[preset].recipe, {"train.steps": 3, "data.max_length": 64})
    model = Transformer(recipe.model, 500, 500)
    rows = 2
    vocab_size = 500
    ids = torch.randint(4, vocab_size, (rows, length))
    with (
        sdpa_kernel(SDPBackend.MATH),
        FlopCounterMode(display=False) as counter,
    ):  # it does not know the fused kernel
        model(ids, ids).sum().backward()
    counted = 3 * counter.get_total_flops()  # of each step
    assert training_flops(
        recipe, vocab_size, batch_tokens=rows * length, length=length
    ) == pytest.approx(counted, rel=0.1)


def test_flops_grow_with_the_run() -> None:
    recipe = PRESETS["small"].recipe
    usual = training_flops(recipe, 1000, batch_tokens=2048, length=20)
    assert (
        training_flops(
            override(recipe, {"train.steps": 2 * recipe.train.steps}),
            1000,
            batch_tokens=2048,
            length=20,
        )
        == 2 * usual
    )
    assert training_flops(recipe, 1000, batch_tokens=4096, length=20) == 2 * usual
    assert usual < training_flops(recipe, 2000, batch_tokens=2048, length=20)
    assert usual < training_flops(recipe, 1000, batch_tokens=2048, length=200)


@pytest.mark.parametrize("kind", ["learned", "relative"])
def test_tables_of_positions_are_looked_up_and_cost_no_flops(kind: str) -> None:
    tables = {"model.positions.kind": kind, "model.positions.max_length": 60_000}
    recipe = PRESETS["small"].recipe
    flops, without = (
        training_flops(each, 1000, batch_tokens=2048, length=20)
        for each in (override(recipe, tables), recipe)
    )
    assert flops == without


def saved_per_token(model: Transformer, ids: Tensor) -> float:
    """Numbers that the backward pass of these sentences reads besides the weights, per token."""
    weights = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    saved: dict[int, Tensor] = {}

    def keep(tensor: Tensor) -> Tensor:
        return saved.setdefault(tensor.untyped_storage().data_ptr(), tensor)

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        model.decode(ids, model.encode(ids), ids)
    return (
        sum(
            tensor.untyped_storage().nbytes()
            for place, tensor in saved.items()
            if place not in weights
        )
        / BYTES
        / ids.numel()
    )


@pytest.mark.parametrize(
    ("preset", "key", "value"),
    [
        *((name, "", "") for name in ("small", "modern-small", "blocks", "mini-t5", "char-halves")),
        *(
            (name, *setting)
            for name in ("small", "transformer-tiny")
            for setting in (
                ("positions.kind", "relative"),
                ("positions.kind", "alibi"),
                ("attention.dropout", True),
            )
        ),
    ],
)
@pytest.mark.parametrize("precision", ["exact", "bf16"])
def test_activations_are_forecast_as_the_backward_pass_saves_them(
    preset: str, key: str, value: object, precision: str
) -> None:
    recipe = PRESETS[preset].recipe
    recipe = override(recipe, {f"model.{key}": value}) if key else recipe
    recipe = override(recipe, {"train.precision": precision})
    model = Transformer(recipe.model, 50, 50).train()
    with matrix_products(precision):
        saved = saved_per_token(model, torch.randint(4, 50, (8, 32)))
    assert 0.95 * saved < activations_per_token(recipe, length=32) < 1.2 * saved


def test_memory_is_forecast_as_it_was_measured() -> None:
    # Peak resident size above what was there before, of 6 and 8 updates on two threads: builtin:en-fr and Multi30k en-
    # de.

    assert (
        1.0 < training_bytes(PRESETS["small"].recipe, (1987, 1987), batch_tokens=2048) / 286e6 < 1.2
    )
    assert (
        1.0
        < training_bytes(PRESETS["transformer-tiny"].recipe, (10_000, 10_000), batch_tokens=4096)
        / 619e6
        < 1.2
    )


def test_a_large_models_checkpoint_is_what_needs_the_most_memory() -> None:
    recipe = PRESETS["transformer-base"].recipe
    n_bytes = BYTES * count_parameters(recipe.model, 30_000, 30_000)
    assert (
        training_bytes(recipe, (30_000, 30_000), batch_tokens=64) > 9 * n_bytes
    )  # 4 that stay, 1 and 4 that are written


def test_averaging_keeps_the_weights_as_trained_too_and_a_gpu_writes_from_the_computers_memory() -> (
    None
):
    recipe = PRESETS["transformer-base"].recipe
    sizes = (30_000, 30_000)
    n_bytes = BYTES * count_parameters(recipe.model, *sizes)
    one = training_bytes(recipe, sizes, batch_tokens=64)
    averaged = override(recipe, {"train.average_last": 5})
    assert training_bytes(averaged, sizes, batch_tokens=64) == one + 3 * n_bytes
    on_gpu = override(recipe, {"train.device": "cuda"})
    assert training_bytes(on_gpu, sizes, batch_tokens=64) < one - 3 * n_bytes


def test_memory_follows_the_longest_sentence_that_there_is() -> None:
    recipe = override(
        PRESETS["small"].recipe, {"data.max_length": 512, "model.attention.dropout": True}
    )
    sizes = (2000, 2000)
    allowed = training_bytes(recipe, sizes, batch_tokens=4096)
    assert training_bytes(recipe, sizes, batch_tokens=4096, longest=512) == allowed
    assert training_bytes(recipe, sizes, batch_tokens=4096, longest=32) < 0.6 * allowed
    # a batch holds one sentence even where that is longer
    alone = training_bytes(recipe, sizes, batch_tokens=256, longest=512)
    assert alone == training_bytes(recipe, sizes, batch_tokens=512, longest=512)

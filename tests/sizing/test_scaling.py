import math
from fractions import Fraction

import pytest
import torch

from s2s.config import PRESETS, Recipe, UserError, override
from s2s.model.attention import Attention
from s2s.model.fast.layers import SHORT
from s2s.model.fast.stepper import FusedStepper, ModuleStepper
from s2s.model.transformer import inference
from s2s.sizing import (
    MEASURES,
    T5_SIZES,
    VARIABLES,
    BatchSizes,
    ModelSpec,
    activations_per_token,
    cache_bytes,
    cost,
    cost_curve,
    crossover,
    memory_bytes,
    powers,
    training_bytes,
)
from tests.model.conftest import DISTINCT, SRC_VOCAB, TGT_VOCAB, build, shrunk

SIZES = BatchSizes(4, 20, 10)


def spec(name: str) -> ModelSpec:
    row = PRESETS[name]
    return ModelSpec(row.recipe, row.src_vocab_size, row.tgt_vocab_size)


def cached_bytes(stepper: ModuleStepper, attentions: list[Attention]) -> int:
    """Of the keys and values that the stepper holds for some attentions."""
    return sum(part.nbytes for attention in attentions for part in stepper.cached[attention])


@pytest.mark.parametrize("name", DISTINCT)
def test_the_cache_is_as_large_as_the_models_own(name: str) -> None:
    recipe = shrunk(name)
    # fewer source tokens stand with empty slots beside them
    model = build(recipe)
    sizes = BatchSizes(3, SHORT + 1, 5)
    src = torch.randint(4, SRC_VOCAB, (sizes.batch, sizes.src_len))
    expected = cache_bytes(ModelSpec(recipe, SRC_VOCAB, TGT_VOCAB), sizes)
    with inference(model):
        fused = FusedStepper(model, src)
        modules = ModuleStepper(model, src)
        for _ in range(sizes.tgt_len):
            for stepper in (fused, modules):
                stepper.step(torch.full((sizes.batch,), 5))
    assert cached_bytes(modules, modules.self_attentions) == expected.target
    assert (
        sum(buffer[..., : fused.cache.used, :].nbytes for buffer in fused.cache.buffers)
        == expected.target
    )
    assert cached_bytes(modules, modules.cross_attentions) == expected.source
    assert sum(part.nbytes for memory in fused.keys_values for part in memory) == expected.source


def test_saved_activations_are_what_the_forecast_counts() -> None:
    for name in PRESETS:
        recipe = PRESETS[name].recipe
        found = spec(name).components(BatchSizes(4, 16, 16))
        assert cost(found).saved_activations == 4 * 16 * activations_per_token(recipe, length=16)
        assert memory_bytes(spec(name), BatchSizes(4, 16, 7)) == training_bytes(
            override(recipe, {"data.max_length": 16}), spec(name).vocab_sizes, batch_tokens=64
        )


@pytest.mark.parametrize("name", ["small", "t5-small", "t5-11b", "first-steps", "modern-small"])
def test_attention_overtakes_at_the_length_that_is_said(name: str) -> None:
    found = crossover(spec(name))

    def ahead(length: int) -> tuple[bool, bool]:
        terms = MEASURES["flops"].terms(spec(name), BatchSizes(1, length, length))
        products, projections, feed_forward, output = terms.values()
        return (
            products + projections > feed_forward,
            products > projections + feed_forward + output,
        )

    assert ahead(found.attention)[0]
    assert ahead(found.attention_products)[1]
    assert found.attention == 1 or not ahead(found.attention - 1)[0]
    assert found.attention_products == 1 or not ahead(found.attention_products - 1)[1]


def test_every_curve_passes_through_the_present_value_and_rises() -> None:
    for measure in MEASURES:
        for vary in VARIABLES:
            variable = VARIABLES[vary]
            of = MEASURES[measure]
            points = cost_curve(spec("small"), SIZES, variable, of)
            values = [point.value for point in points]
            assert values == sorted(set(values))
            (here,) = [
                point for point in points if point.value == variable.value(spec("small"), SIZES)
            ]
            assert here.terms == of.terms(spec("small"), SIZES)
            assert [point.total for point in points] == sorted(point.total for point in points)
            whole = cost(spec("small").components(SIZES))
            totals = {
                "flops": whole.flops,
                "parameters": whole.parameters,
                "cache": sum(cache_bytes(spec("small"), SIZES)),
            }
            assert here.total == totals.get(measure, memory_bytes(spec("small"), SIZES))


def slope(vary: str, measure: str, term: str) -> float:
    """Of the line on logarithmic scales, between the last two points."""
    *_, one, two = cost_curve(spec("small"), SIZES, VARIABLES[vary], MEASURES[measure])
    return math.log(two.terms[term] / one.terms[term]) / math.log(two.value / one.value)


def test_a_term_grows_with_its_power() -> None:
    for vary, measure, term, power in [
        ("length", "flops", "attention products (QKᵀ, AV)", 2),
        ("length", "flops", "feed-forward", 1),
        ("width", "flops", "attention products (QKᵀ, AV)", 1),
        ("width", "flops", "feed-forward", 2),
        ("depth", "flops", "attention projections", 1),
        ("depth", "flops", "output projection", 0),
        ("vocabulary", "flops", "output projection", 1),
        ("vocabulary", "parameters", "attention", 0),
        ("length", "cache", "generated tokens", 1),
        ("width", "cache", "source", 1),
    ]:
        assert slope(vary, measure, term) == pytest.approx(power, abs=1e-9)


def test_values_that_give_no_valid_model_are_left_out() -> None:
    found = cost_curve(
        spec("mini-t5"), BatchSizes(1, 30, 10), VARIABLES["length"], MEASURES["flops"]
    )
    assert max(point.value for point in found) == 120  # of 128 positions
    assert [
        point.value
        for point in cost_curve(spec("first-steps"), SIZES, VARIABLES["depth"], MEASURES["cache"])
    ] == [1, 2, 4, 8, 16]
    assert all(
        point.value <= 96
        for point in cost_curve(spec("t5-base"), SIZES, VARIABLES["depth"], MEASURES["cache"])
    )
    with pytest.raises(UserError, match="whole numbers"):
        VARIABLES["depth"].scale(spec("small"), SIZES, Fraction(1, 4))
    assert powers(-1, 1) == (Fraction(1, 2), 1, 2)


@pytest.mark.parametrize("name", T5_SIZES)
def test_the_presets_have_the_published_shapes(name: str) -> None:
    model = PRESETS[name].recipe.model
    published = T5_SIZES[name]
    for stack in (model.encoder, model.decoder):
        assert (
            model.d_model,
            stack.d_ff,
            stack.n_layers,
            stack.n_heads,
            model.d_head(stack),
        ) == published[:5]


def test_explicit_attention_saves_its_weights() -> None:
    recipe: Recipe = PRESETS["small"].recipe
    fast = ModelSpec(override(recipe, {"train.precision": "fast"}), 40, 40)
    assert (
        cost(fast.components(SIZES)).saved_activations
        > cost(ModelSpec(recipe, 40, 40).components(SIZES)).saved_activations
    )

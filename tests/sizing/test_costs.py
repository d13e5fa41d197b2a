import math
from fractions import Fraction

import pytest
import torch

from s2s.config import PRESETS, Recipe, UserError, override
from s2s.model.fast.flat import SHORT
from s2s.model.fast.stepper import FlatStepper, ModuleStepper
from s2s.model.transformer import inference
from s2s.sizing import (
    MEASURES,
    PUBLISHED,
    VARIABLES,
    Machine,
    Sizes,
    cache_bytes,
    cost,
    crossing,
    floats_a_slot,
    grown,
    memory_bytes,
    powers,
    training_bytes,
)
from tests.model.conftest import SRC_VOCAB, TGT_VOCAB, build, shrunk

SIZES = Sizes(4, 20, 10)


def machine(name: str) -> Machine:
    row = PRESETS[name]
    return Machine(row.recipe, row.src_vocab_size, row.tgt_vocab_size)


@pytest.mark.parametrize("name", PRESETS)
def test_the_cache_is_as_large_as_the_models_own(name: str) -> None:
    recipe = shrunk(name)
    # fewer source tokens stand with empty slots beside them
    model = build(recipe)
    sizes = Sizes(3, SHORT + 1, 5)
    src = torch.randint(4, SRC_VOCAB, (sizes.batch, sizes.src_len))
    expected = cache_bytes(Machine(recipe, SRC_VOCAB, TGT_VOCAB), sizes)
    with inference(model):
        flat = FlatStepper(model, src)
        modules = ModuleStepper(model, src)
        for _ in range(sizes.tgt_len):
            for stepper in (flat, modules):
                stepper.step(torch.full((sizes.batch,), 5))
    assert (
        sum(part.nbytes for past in modules.pasts for part in past.seen or ()) == expected.written
    )
    assert (
        sum(buffer[..., : flat.cache.used, :].nbytes for buffer in flat.cache.buffers)
        == expected.written
    )
    for stepper in (flat, modules):
        assert sum(part.nbytes for memory in stepper.memories for part in memory) == expected.memory


@pytest.mark.parametrize("name", PRESETS)
def test_what_is_kept_is_what_the_forecast_counts(name: str) -> None:
    recipe = PRESETS[name].recipe
    found = machine(name).parts(Sizes(4, 16, 16))
    assert cost(found).kept == 4 * 16 * floats_a_slot(recipe, length=16)
    assert memory_bytes(machine(name), Sizes(4, 16, 7)) == training_bytes(
        override(recipe, {"data.max_length": 16}), machine(name).vocab_sizes, slots=64
    )


@pytest.mark.parametrize("name", ["small", "t5-small", "t5-11b", "first-steps", "modern-small"])
def test_attention_overtakes_at_the_length_that_is_said(name: str) -> None:
    found = crossing(machine(name))

    def ahead(length: int) -> tuple[bool, bool]:
        terms = MEASURES["flops"].terms(machine(name), Sizes(1, length, length))
        looks, matrices, forward, output = terms.values()
        return looks + matrices > forward, looks > matrices + forward + output

    assert ahead(found.attention)[0]
    assert ahead(found.looks)[1]
    assert found.attention == 1 or not ahead(found.attention - 1)[0]
    assert found.looks == 1 or not ahead(found.looks - 1)[1]


@pytest.mark.parametrize("vary", VARIABLES)
@pytest.mark.parametrize("measure", MEASURES)
def test_every_curve_passes_through_the_machine_as_it_is_and_climbs(
    vary: str, measure: str
) -> None:
    variable = VARIABLES[vary]
    of = MEASURES[measure]
    points = grown(machine("small"), SIZES, variable, of)
    values = [point.value for point in points]
    assert values == sorted(set(values))
    (here,) = [point for point in points if point.value == variable.value(machine("small"), SIZES)]
    assert here.terms == of.terms(machine("small"), SIZES)
    assert [point.total for point in points] == sorted(point.total for point in points)
    whole = cost(machine("small").parts(SIZES))
    totals = {
        "flops": whole.flops,
        "parameters": whole.parameters,
        "cache": sum(cache_bytes(machine("small"), SIZES)),
    }
    assert here.total == totals.get(measure, memory_bytes(machine("small"), SIZES))


def slope(vary: str, measure: str, term: str) -> float:
    """Of the line on logarithmic scales, between the last two points."""
    *_, one, two = grown(machine("small"), SIZES, VARIABLES[vary], MEASURES[measure])
    return math.log(two.terms[term] / one.terms[term]) / math.log(two.value / one.value)


@pytest.mark.parametrize(
    ("vary", "measure", "term", "power"),
    [
        ("length", "flops", "looking (tokens x tokens)", 2),
        ("length", "flops", "feed-forward", 1),
        ("width", "flops", "looking (tokens x tokens)", 1),
        ("width", "flops", "feed-forward", 2),
        ("depth", "flops", "attention's matrices", 1),
        ("depth", "flops", "output", 0),
        ("vocabulary", "flops", "output", 1),
        ("vocabulary", "parameters", "attention", 0),
        ("length", "cache", "tokens written", 1),
        ("width", "cache", "memory of the source", 1),
    ],
)
def test_a_term_grows_with_its_power(vary: str, measure: str, term: str, power: int) -> None:
    assert slope(vary, measure, term) == pytest.approx(power, abs=1e-9)


def test_what_makes_no_machine_is_left_out() -> None:
    found = grown(machine("mini-t5"), Sizes(1, 30, 10), VARIABLES["length"], MEASURES["flops"])
    assert max(point.value for point in found) == 120  # of 128 positions
    assert [
        point.value
        for point in grown(machine("first-steps"), SIZES, VARIABLES["depth"], MEASURES["cache"])
    ] == [1, 2, 4, 8, 16]
    assert all(
        point.value <= 96
        for point in grown(machine("t5-base"), SIZES, VARIABLES["depth"], MEASURES["cache"])
    )
    with pytest.raises(UserError, match="whole numbers"):
        VARIABLES["depth"].scaled(machine("small"), SIZES, Fraction(1, 4))
    assert powers(-1, 1) == (Fraction(1, 2), 1, 2)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_presets_have_the_published_shapes(name: str) -> None:
    model = PRESETS[name].recipe.model
    published = PUBLISHED[name]
    for stack in (model.encoder, model.decoder):
        assert (
            model.d_model,
            stack.d_ff,
            stack.n_layers,
            stack.n_heads,
            model.d_head(stack),
        ) == published[:5]


def test_a_table_of_scores_is_kept_where_products_are_explicit() -> None:
    recipe: Recipe = PRESETS["small"].recipe
    fast = Machine(override(recipe, {"train.precision": "fast"}), 40, 40)
    assert cost(fast.parts(SIZES)).kept > cost(Machine(recipe, 40, 40).parts(SIZES)).kept

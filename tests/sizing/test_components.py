import pytest
import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from s2s.config import PRESETS, ModelConfig, Recipe, flat, override
from s2s.model.attention import Attention
from s2s.model.transformer import Transformer
from s2s.sizing import COMPONENT_GROUPS, COMPONENT_KINDS, BatchSizes, components, cost, within
from tests.model.conftest import DISTINCT, shrunk

SIZES = BatchSizes(3, 7, 5)
VOCABS = (29, 23)
# Whatever a preset does not have.
STRANGE = (
    {"norm.kind": "none"},
    {"norm.after_embeddings": True, "norm.bias": False, "norm.place": "post"},
    {"positions.kind": "learned", "positions.offset": 2, "positions.shared": True},
    {"positions.kind": "alibi", "encoder.n_layers": 3},
    {
        "positions.kind": "none",
        "feed_forward.gated": True,
        "output.tied": False,
        "output.bias": True,
    },
    {
        "encoder.d_ff": 0,
        "attention.output_projection": True,
        "decoder.d_head": 10,
        "embeddings.shared": False,
    },
)


def vocabs(config: ModelConfig) -> tuple[int, int]:
    return (VOCABS[1], VOCABS[1]) if config.embeddings.shared else VOCABS


def strange(changes: dict[str, object]) -> Recipe:
    recipe = override(shrunk("transformer-tiny"), {"model.embeddings.shared": False})
    return override(recipe, {f"model.{key}": value for key, value in changes.items()})


STRANGE_RECIPES = [pytest.param(strange(changes), id=" ".join(changes)) for changes in STRANGE]
RECIPES = [*(pytest.param(shrunk(name), id=name) for name in DISTINCT), *STRANGE_RECIPES]


def module(model: Transformer, name: str) -> nn.Module:
    """The first module that a component stands for."""
    stack, _, rest = name.partition(".")
    if name == "decoder.output":
        return model.output
    embed = {"tokens": "embed.tokens", "positions": "embed.position", "norm": "embed.norm"}
    return model.get_submodule(f"{stack}.{embed.get(rest, rest.replace('layer.', 'layers.0.'))}")


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_component_has_the_weights_of_its_module(recipe: Recipe) -> None:
    model = Transformer(recipe.model, *vocabs(recipe.model))
    found = components(recipe.model, vocabs(recipe.model), SIZES)
    for component in found:
        there = {
            name: tuple(weight.shape)
            for name, weight in module(model, component.name).named_parameters()
        }
        here = {weight.name: weight.lengths for weight in component.weights}
        if component.tied_to:  # the one matrix that another component owns
            (lent,) = within(found, component.tied_to)
            assert there.items() - here.items() == {
                (weight.name, weight.lengths) for weight in lent.weights
            }
            mine, others = (
                dict(module(model, name).named_parameters())
                for name in (component.name, component.tied_to)
            )
            assert all(mine[name] is others[name] for name in there.keys() - here.keys())
        else:
            assert here == there
    assert cost(found).parameters == sum(weight.numel() for weight in model.parameters())


@pytest.mark.parametrize("recipe", RECIPES)
def test_flops_are_what_torch_counts(recipe: Recipe) -> None:
    assert_flops(recipe, SIZES)


@pytest.mark.parametrize("sizes", [BatchSizes(1, 1, 1), BatchSizes(2, 3, 40)])
@pytest.mark.parametrize("recipe", STRANGE_RECIPES[2:5])
def test_flops_of_other_sizes_are_what_torch_counts(recipe: Recipe, sizes: BatchSizes) -> None:
    assert_flops(recipe, sizes)


def assert_flops(recipe: Recipe, sizes: BatchSizes) -> None:
    model = Transformer(recipe.model, *vocabs(recipe.model)).eval()
    src, tgt = (torch.randint(4, VOCABS[1], (sizes.batch, length)) for length in sizes[1:])
    # Torch's counter does not know every fused kernel; the explicit one computes the same products.
    with (
        torch.inference_mode(False),
        torch.no_grad(),
        sdpa_kernel(SDPBackend.MATH),
        FlopCounterMode(display=False) as counter,
    ):
        model(src, tgt)
    assert cost(components(recipe.model, vocabs(recipe.model), sizes)).flops == pytest.approx(
        counter.get_total_flops(), rel=1e-9
    )


def heard(model: Transformer, config: ModelConfig) -> dict[str, tuple[int, ...]]:
    """What the modules return in a forward pass, by the component's name."""
    shapes: dict[str, tuple[int, ...]] = {}

    def listen(place: nn.Module, name: str) -> None:
        place.register_forward_hook(lambda _, given, out: shapes.update({name: tuple(out.shape)}))

    for component in components(config, vocabs(config), SIZES):
        if component.kind != "positions":
            place = module(
                model, component.name.replace("tokens", "embed")
            )  # shared vectors are one module, called twice
            listen(place, component.name)
            if isinstance(place, Attention):
                listen(place.weights, f"{component.name} weights")
    src, tgt = (torch.randint(4, VOCABS[1], (SIZES.batch, length)) for length in SIZES[1:])
    return shapes | {"decoder.output": tuple(model(src, tgt).shape)}


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_component_outputs_what_its_module_returns(recipe: Recipe) -> None:
    config = recipe.model
    shapes = heard(Transformer(config, *vocabs(config)).eval(), config)
    for component in components(config, vocabs(config), SIZES):
        made = {each.name: each for each in component.outputs}
        assert all(
            each.axes[0] in ("batch", "heads", "src_len", "tgt_len") for each in component.outputs
        )
        if component.kind != "positions":
            assert component.outputs[-1].lengths == shapes[component.name]
        if "weights" in made and component.kind.endswith("attention"):
            assert made["weights"].lengths == shapes[f"{component.name} weights"]


@pytest.mark.parametrize(
    ("kind", "lengths"),
    [("relative", (3, 7, 7)), ("alibi", (3, 7, 7)), ("rotary", (7, 4)), ("sinusoidal", (7, 24))],
)
def test_positions_output_what_they_add(kind: str, lengths: tuple[int, ...]) -> None:
    config = override(shrunk("transformer-tiny"), {"model.positions.kind": kind}).model
    (component,) = within(components(config, VOCABS, SIZES), "encoder.positions")
    assert component.outputs[-1].lengths == lengths
    bias = Transformer(config, 23, 23).encoder.embed.position.bias(7, 7, torch.device("cpu"))
    assert (bias is not None) == (component.outputs[-1].name == "bias")
    if bias is not None:
        assert tuple(bias.shape[1:]) == lengths


def test_a_name_selects_the_components_within_it() -> None:
    found = components(PRESETS["small"].recipe.model, (40, 40), SIZES)
    assert within(found, "") == found
    assert {component.name for component in within(found, "encoder.layer")} < {
        component.name for component in within(found, "encoder")
    }
    assert (
        cost(within(found, "encoder")).flops + cost(within(found, "decoder")).flops
        == cost(found).flops
    )
    assert not within(found, "enc")


def test_every_setting_of_positions_shapes_their_component() -> None:
    keys = {f"positions.{key}" for key in flat(ModelConfig().positions)}
    assert set(COMPONENT_KINDS["positions"].settings) == keys


def test_every_component_has_a_row_and_a_group() -> None:
    for preset in PRESETS.values():
        for component in components(preset.recipe.model, (10, 10), SIZES):
            assert component.group in COMPONENT_GROUPS
            assert COMPONENT_KINDS[component.kind].about.endswith(".")
    known = set(override(Recipe(), {}).to_json()["model"]) | {"{stack}"}
    assert {
        key.partition(".")[0] for row in COMPONENT_KINDS.values() for key in row.settings
    } <= known

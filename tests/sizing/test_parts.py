import pytest
import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from s2s.config import PRESETS, ModelConfig, Recipe, override
from s2s.model.attention import Attention
from s2s.model.transformer import Transformer
from s2s.sizing import GROUPS, KINDS, Sizes, cost, parts, within
from tests.model.conftest import shrunk

SIZES = Sizes(3, 7, 5)
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


RECIPES = [
    *(pytest.param(shrunk(name), id=name) for name in PRESETS),
    *(pytest.param(strange(changes), id=" ".join(changes)) for changes in STRANGE),
]


def module(model: Transformer, name: str) -> nn.Module:
    """The first module that a part stands for."""
    stack, _, rest = name.partition(".")
    if name == "decoder.output":
        return model.output
    embed = {"tokens": "embed.tokens", "positions": "embed.position", "norm": "embed.norm"}
    return model.get_submodule(f"{stack}.{embed.get(rest, rest.replace('layer.', 'layers.0.'))}")


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_part_holds_the_weights_of_its_module(recipe: Recipe) -> None:
    model = Transformer(recipe.model, *vocabs(recipe.model))
    found = parts(recipe.model, vocabs(recipe.model), SIZES)
    for part in found:
        there = {
            name: tuple(weight.shape)
            for name, weight in module(model, part.name).named_parameters()
        }
        here = {weight.name: weight.lengths for weight in part.weights}
        if part.borrows:  # the one matrix that is somebody else's
            (lent,) = within(found, part.borrows)
            assert there.items() - here.items() == {
                (weight.name, weight.lengths) for weight in lent.weights
            }
            mine, others = (
                dict(module(model, name).named_parameters()) for name in (part.name, part.borrows)
            )
            assert all(mine[name] is others[name] for name in there.keys() - here.keys())
        else:
            assert here == there
    assert cost(found).parameters == sum(weight.numel() for weight in model.parameters())


@pytest.mark.parametrize("name", PRESETS)
def test_the_parts_of_a_preset_are_the_built_model(name: str) -> None:
    row = PRESETS[name]
    with torch.device("meta"):
        model = Transformer(row.recipe.model, row.src_vocab_size, row.tgt_vocab_size)
    found = parts(row.recipe.model, (row.src_vocab_size, row.tgt_vocab_size), SIZES)
    assert cost(found).parameters == sum(weight.numel() for weight in model.parameters())


@pytest.mark.parametrize("sizes", [SIZES, Sizes(1, 1, 1), Sizes(2, 3, 40)])
@pytest.mark.parametrize("recipe", RECIPES)
def test_flops_are_what_torch_counts(recipe: Recipe, sizes: Sizes) -> None:
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
    assert cost(parts(recipe.model, vocabs(recipe.model), sizes)).flops == pytest.approx(
        counter.get_total_flops(), rel=1e-9
    )


def heard(model: Transformer, config: ModelConfig) -> dict[str, tuple[int, ...]]:
    """What the modules hand on in a forward pass, by the part's name."""
    shapes: dict[str, tuple[int, ...]] = {}

    def listen(place: nn.Module, name: str) -> None:
        place.register_forward_hook(lambda _, given, out: shapes.update({name: tuple(out.shape)}))

    for part in parts(config, vocabs(config), SIZES):
        if part.kind != "positions":
            place = module(
                model, part.name.replace("tokens", "embed")
            )  # shared vectors are one module, called twice
            listen(place, part.name)
            if isinstance(place, Attention):
                listen(place.weights, f"{part.name} weights")
    src, tgt = (torch.randint(4, VOCABS[1], (SIZES.batch, length)) for length in SIZES[1:])
    return shapes | {"decoder.output": tuple(model(src, tgt).shape)}


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_part_makes_what_its_module_hands_on(recipe: Recipe) -> None:
    config = recipe.model
    shapes = heard(Transformer(config, *vocabs(config)).eval(), config)
    for part in parts(config, vocabs(config), SIZES):
        made = {each.name: each for each in part.makes}
        assert all(each.axes[0] in ("batch", "heads", "src_len", "tgt_len") for each in part.makes)
        if part.kind != "positions":
            assert part.makes[-1].lengths == shapes[part.name]
        if "weights" in made and part.kind.endswith("attention"):
            assert made["weights"].lengths == shapes[f"{part.name} weights"]


@pytest.mark.parametrize(
    ("kind", "lengths"),
    [("relative", (3, 7, 7)), ("alibi", (3, 7, 7)), ("rotary", (7, 4)), ("sinusoidal", (7, 24))],
)
def test_positions_make_what_they_add(kind: str, lengths: tuple[int, ...]) -> None:
    config = override(shrunk("transformer-tiny"), {"model.positions.kind": kind}).model
    (part,) = within(parts(config, VOCABS, SIZES), "encoder.positions")
    assert part.makes[-1].lengths == lengths
    bias = Transformer(config, 23, 23).encoder.embed.position.bias(7, 7, torch.device("cpu"))
    assert (bias is not None) == (part.makes[-1].name == "bias")
    if bias is not None:
        assert tuple(bias.shape[1:]) == lengths


def test_a_name_stands_for_what_is_within_it() -> None:
    found = parts(PRESETS["small"].recipe.model, (40, 40), SIZES)
    assert within(found, "") == found
    assert {part.name for part in within(found, "encoder.layer")} < {
        part.name for part in within(found, "encoder")
    }
    assert (
        cost(within(found, "encoder")).flops + cost(within(found, "decoder")).flops
        == cost(found).flops
    )
    assert not within(found, "enc")


def test_every_part_has_a_row_and_a_group() -> None:
    for preset in PRESETS.values():
        for part in parts(preset.recipe.model, (10, 10), SIZES):
            assert part.group in GROUPS
            assert KINDS[part.kind].about.endswith(".")
    known = set(override(Recipe(), {}).to_json()["model"]) | {"{stack}"}
    assert {key.partition(".")[0] for row in KINDS.values() for key in row.settings} <= known

import threading

import pytest
import torch
from torch import Tensor, nn

from s2s.config import POSITION_KINDS, ModelConfig, UserError, override
from s2s.model import masks
from s2s.model.attention import Attention
from s2s.model.fast.stepper import FusedStepper, ModuleStepper, TransformerStepper
from s2s.model.transformer import Transformer, inference
from tests.model.conftest import DISTINCT, build, shrunk

Sentences = tuple[Tensor, Tensor]
CASES = [(name, None) for name in DISTINCT] + [("small", kind) for kind in POSITION_KINDS]


@pytest.fixture(
    scope="module", params=CASES, ids=lambda case: "-".join(part for part in case if part)
)
def model(request: pytest.FixtureRequest) -> Transformer:
    """No test changes it."""
    name, kind = request.param
    recipe = shrunk(name)
    return build(override(recipe, {"model.positions.kind": kind}) if kind else recipe)


def copy_attention(ours: Attention, theirs: nn.MultiheadAttention) -> None:
    parts = (ours.query, ours.key, ours.value)
    theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
    theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
    theirs.out_proj.load_state_dict(ours.output.state_dict())


def copy_layer(ours: nn.Module, theirs: nn.Module) -> None:
    copy_attention(ours.self_attention, theirs.self_attn)
    norms = [ours.self_residual.norm]
    if hasattr(ours, "cross_attention"):
        copy_attention(ours.cross_attention, theirs.multihead_attn)
        norms.append(ours.cross_residual.norm)
    norms.append(ours.feed_forward_residual.norm)
    for number, norm in enumerate(norms, 1):
        getattr(theirs, f"norm{number}").load_state_dict(norm.state_dict())
    theirs.linear1.load_state_dict(ours.feed_forward.up.state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward.down.state_dict())


@torch.no_grad()
def test_attention_equals_torchs_multihead_attention() -> None:
    config = ModelConfig(d_model=24, dropout=0.0)
    ours = Attention(config, config.encoder).eval()
    theirs = nn.MultiheadAttention(24, 4, batch_first=True).eval()
    copy_attention(ours, theirs)
    x = torch.randn(2, 5, 24)
    memory = torch.randn(2, 7, 24)
    lengths = torch.arange(7)[None] < torch.tensor([[7], [4]])
    expected, expected_weights = theirs(
        x, memory, memory, key_padding_mask=~lengths, average_attn_weights=False
    )
    mask = lengths[:, None, None]
    torch.testing.assert_close(ours(x, memory, mask), expected, rtol=1e-5, atol=1e-6)
    captured: list[Tensor] = []
    hook = ours.weights.register_forward_hook(
        lambda module, inputs, output: captured.append(output)
    )
    torch.testing.assert_close(ours(x, memory, mask), expected, rtol=1e-5, atol=1e-6)
    hook.remove()
    torch.testing.assert_close(captured[0], expected_weights, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("place", ["pre", "post"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@torch.no_grad()
def test_the_whole_model_equals_torchs_transformer(
    place: str, activation: str, sentences: Sentences
) -> None:
    src, tgt = sentences
    changes = {
        "model.norm.place": place,
        "model.feed_forward.activation": activation,
        "model.decoder.n_layers": 3,
    }
    ours = build(override(shrunk("small"), changes))
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(
            24, 3, 40, 0.0, activation, batch_first=True, norm_first=place == "pre"
        ),
        2,
        nn.LayerNorm(24),
        enable_nested_tensor=False,
    )
    theirs = nn.Transformer(
        24,
        3,
        2,
        3,
        40,
        0.0,
        activation,
        custom_encoder=encoder,
        batch_first=True,
        norm_first=place == "pre",
    ).eval()
    for mine, other in ((ours.encoder, theirs.encoder), (ours.decoder, theirs.decoder)):
        for mine_layer, other_layer in zip(mine.layers, other.layers, strict=True):
            copy_layer(mine_layer, other_layer)
        other.norm.load_state_dict(mine.final_norm.state_dict())
    padding = src.eq(0)
    causal = torch.ones(tgt.shape[1], tgt.shape[1]).triu(1).bool()
    states = theirs(
        ours.encoder.embed(src),
        ours.decoder.embed(tgt),
        tgt_mask=causal,
        src_key_padding_mask=padding,
        memory_key_padding_mask=padding,
    )
    torch.testing.assert_close(ours(src, tgt), ours.project(states), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", [ModuleStepper, FusedStepper])
@torch.no_grad()
def test_cached_decoding_equals_full_decoding(
    model: Transformer, sentences: Sentences, kind: type[TransformerStepper]
) -> None:
    src, tgt = sentences
    full = model(src, tgt).log_softmax(-1)
    with inference(model):
        stepper = kind(model, src)
        steps = torch.stack(
            [stepper.step(tgt[:, i]).log_softmax(-1) for i in range(tgt.shape[1])], dim=1
        )
    torch.testing.assert_close(steps, full, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", [ModuleStepper, FusedStepper])
@torch.no_grad()
def test_reordered_rows_continue_as_if_never_moved(
    model: Transformer, sentences: Sentences, kind: type[TransformerStepper]
) -> None:
    src, tgt = sentences
    rows = torch.tensor([2, 0, 0, 1])
    with inference(model):
        stepper = kind(model, src)
        stepper.step(tgt[:, 0])
        stepper.step(tgt[:, 1])
        stepper.reorder(rows)
        moved = stepper.step(tgt[rows, 2]).log_softmax(-1)
    full = model(src[rows], tgt[rows, :3]).log_softmax(-1)
    torch.testing.assert_close(moved, full[:, -1], rtol=1e-4, atol=1e-5)


@torch.no_grad()
def test_the_captured_path_equals_the_fused_one(model: Transformer, sentences: Sentences) -> None:
    src, tgt = sentences
    fused = model(src, tgt)
    rows: list[Tensor] = []
    seams = [module.weights for module in model.modules() if isinstance(module, Attention)]
    hooks = [
        seam.register_forward_hook(lambda module, inputs, output: rows.append(output.sum(-1)))
        for seam in seams
    ]
    captured = model(src, tgt)
    for hook in hooks:
        hook.remove()
    assert len(rows) == len(seams)
    torch.testing.assert_close(captured, fused, rtol=1e-4, atol=1e-5)
    for row in rows:
        torch.testing.assert_close(row, torch.ones_like(row))


@torch.no_grad()
def test_a_later_target_token_changes_nothing_before_it(
    model: Transformer, sentences: Sentences
) -> None:
    src, tgt = sentences
    changed = tgt.clone()
    changed[:, 3] = 19
    before = model(src, tgt)
    after = model(src, changed)
    torch.testing.assert_close(after[:, :3], before[:, :3], rtol=1e-5, atol=1e-5)
    assert not torch.allclose(after[:, 3], before[:, 3])


@torch.no_grad()
def test_padding_and_other_rows_of_the_batch_change_nothing(
    model: Transformer, sentences: Sentences
) -> None:
    src, tgt = sentences
    together = model(src, tgt)
    for row in range(len(src)):
        src_length = int(src[row].ne(0).sum())
        tgt_length = int(tgt[row].ne(0).sum())
        alone = model(src[row : row + 1, :src_length], tgt[row : row + 1, :tgt_length])
        torch.testing.assert_close(together[row, :tgt_length], alone[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("is_hooked", [False, True])
def test_a_row_that_may_look_at_nothing_gathers_zeros(is_hooked: bool) -> None:
    config = ModelConfig(d_model=8, dropout=0.0)
    attention = Attention(config, config.encoder)
    if is_hooked:
        attention.weights.register_forward_hook(lambda module, inputs, output: None)
    x = torch.randn(1, 3, 8, requires_grad=True)
    mask = torch.tensor([[True, True, True], [False, False, False], [True, False, False]])[
        None, None
    ]
    out = attention(x, x, mask)
    torch.testing.assert_close(out[0, 1], attention.output.bias)
    out.sum().backward()
    assert x.grad is not None
    assert x.grad.isfinite().all()


def test_masks_say_true_where_one_may_look() -> None:
    assert masks.causal(3)[0, 0].tolist() == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]
    assert masks.padding(torch.tensor([[4, 2, 0]]), 0)[0, 0].tolist() == [[True, True, False]]


def test_two_vocabularies_cannot_share_one_table() -> None:
    with pytest.raises(
        UserError, match=r"one vocabulary, but the sizes are 5 and 6; share the tokenizer"
    ):
        Transformer(shrunk("small").model, 5, 6)


def test_inference_restores_what_was_set_and_lets_one_in_at_a_time(sentences: Sentences) -> None:
    model = build(shrunk("small")).train()
    entered = threading.Event()

    def visit() -> None:
        with inference(model):
            entered.set()

    with inference(model):
        assert not model.training
        other = threading.Thread(target=visit)
        other.start()
        assert not entered.wait(0.05)
    other.join()
    assert entered.is_set()
    assert model.training
    assert model(*sentences).requires_grad


@pytest.mark.parametrize("name", DISTINCT)
def test_every_preset_trains_with_rounded_factors(
    name: str, sentences: tuple[Tensor, Tensor]
) -> None:
    """As `train.precision=bf16` does on a GPU: near the logits and gradients of float32, and not equal."""
    model = build(shrunk(name))
    found = []
    for is_rounded in (False, True):
        with torch.autocast("cpu", torch.bfloat16, enabled=is_rounded):
            logits = model(*sentences).float()  # (3, 5, vocab)
        (gradient,) = torch.autograd.grad(logits.square().mean(), [model.output.weight])
        found.append((logits.detach(), gradient))
    (exact, exact_gradient), (rounded, rounded_gradient) = found
    assert not torch.equal(rounded, exact)
    for near, far in ((rounded, exact), (rounded_gradient, exact_gradient)):
        assert float((near - far).norm() / far.norm()) < 0.05

"""Published families are rows of ModelConfig: each equals transformers' own model with the same weights."""

from dataclasses import replace
from types import MappingProxyType

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence
from transformers import (
    AutoModelForSeq2SeqLM,
    BartConfig,
    M2M100Config,
    MarianConfig,
    MBartConfig,
    PreTrainedConfig,
    PreTrainedModel,
    T5Config,
)

from s2s.config import (
    AttentionConfig,
    Embeddings,
    FeedForwardConfig,
    ModelConfig,
    Norm,
    Output,
    Positions,
    SpecialIds,
    Stack,
)
from s2s.model.transformer import Transformer
from s2s.pretrained import FAMILIES as PUBLISHED
from s2s.sizing import count_parameters

VOCAB = 40
D_MODEL = 24
MAX_LENGTH = 20
# longer than T5's max_distance below, so that its last buckets count
SRC_LENGTHS = (14, 9, 5)
TGT_LENGTHS = (13, 7, 4)
T5_IDS = SpecialIds(pad=0, start=0, eos=1)
MARIAN_IDS = SpecialIds(pad=39, start=39, eos=0)
BART_IDS = SpecialIds(pad=1, start=2, eos=2)

# Ours. heads * d_head is 15, not 24, in T5; the others' stacks differ in layers, heads and d_ff.
T5 = ModelConfig(
    d_model=D_MODEL,
    encoder=Stack(n_layers=2, n_heads=3, d_head=5, d_ff=40),
    decoder=Stack(n_layers=3, n_heads=3, d_head=5, d_ff=40),
    positions=Positions("relative", buckets=8, max_distance=12),
    norm=Norm("rms", "pre", eps=1e-6),
    attention=AttentionConfig(bias=False, scaled=False),
    feed_forward=FeedForwardConfig("relu", bias=False),
    embeddings=Embeddings(shared=True, scaled=False),
    output=Output(tied=True, scaled=True),
    ids=T5_IDS,
)
T5_V1_1 = replace(
    T5,
    feed_forward=FeedForwardConfig("gelu_tanh", gated=True, bias=False),
    output=Output(tied=False),
)
M2M100 = ModelConfig(
    d_model=D_MODEL,
    encoder=Stack(n_layers=2, n_heads=3, d_ff=40),
    decoder=Stack(n_layers=3, n_heads=4, d_ff=32),
    positions=Positions("sinusoidal", full_span=True, offset=BART_IDS.pad + 1, skip_padding=True),
    norm=Norm("layer", "pre"),
    feed_forward=FeedForwardConfig("relu"),
    embeddings=Embeddings(shared=True, scaled=True),
    output=Output(tied=True),
    ids=BART_IDS,
)
MBART = replace(
    M2M100,
    positions=Positions("learned", MAX_LENGTH, offset=2),
    norm=Norm("layer", "pre", after_embeddings=True),
    feed_forward=FeedForwardConfig("gelu"),
    output=Output(tied=True, bias=True),
)
BART = replace(
    MBART,
    encoder=replace(MBART.encoder, final_norm=False),
    decoder=replace(MBART.decoder, final_norm=False),
    norm=Norm("layer", "post", after_embeddings=True),
    embeddings=Embeddings(shared=True, scaled=False),
)
MARIAN = replace(
    BART,
    positions=Positions("sinusoidal"),
    norm=Norm("layer", "post"),
    feed_forward=FeedForwardConfig("silu"),
    embeddings=Embeddings(shared=True, scaled=True),
    ids=MARIAN_IDS,
)

# Theirs.
T5_SIZES = MappingProxyType(
    {
        **{
            "vocab_size": VOCAB,
            "d_model": D_MODEL,
            "num_layers": 2,
            "num_decoder_layers": 3,
            "num_heads": 3,
            "d_kv": 5,
            "d_ff": 40,
        },
        "initializer_factor": 0.5,  # at 1 some attention is all but one-hot, which magnifies rounding
        **{
            "relative_attention_num_buckets": 8,
            "relative_attention_max_distance": 12,
            "decoder_start_token_id": T5_IDS.start,
        },
    }
)
SIZES = MappingProxyType(
    {
        **{"vocab_size": VOCAB, "d_model": D_MODEL, "max_position_embeddings": MAX_LENGTH},
        **{"encoder_layers": 2, "encoder_attention_heads": 3, "encoder_ffn_dim": 40},
        **{"decoder_layers": 3, "decoder_attention_heads": 4, "decoder_ffn_dim": 32},
    }
)
MARIAN_SPECIALS = MappingProxyType(
    {"pad_token_id": 39, "decoder_start_token_id": 39, "eos_token_id": 0}
)
BART_SPECIALS = MappingProxyType(
    {"pad_token_id": 1, "decoder_start_token_id": 2, "eos_token_id": 2}
)

FAMILIES: MappingProxyType[str, tuple[ModelConfig, PreTrainedConfig]] = MappingProxyType(
    {
        "t5": (T5, T5Config(**T5_SIZES)),
        "t5-v1.1": (
            T5_V1_1,
            T5Config(**T5_SIZES, feed_forward_proj="gated-gelu", tie_word_embeddings=False),
        ),
        "marian": (
            MARIAN,
            MarianConfig(
                **SIZES, **MARIAN_SPECIALS, activation_function="swish", scale_embedding=True
            ),
        ),
        "bart": (
            BART,
            BartConfig(**SIZES, **BART_SPECIALS, activation_function="gelu", scale_embedding=False),
        ),
        "mbart": (
            MBART,
            MBartConfig(**SIZES, **BART_SPECIALS, activation_function="gelu", scale_embedding=True),
        ),
        "m2m100": (
            M2M100,
            M2M100Config(
                **SIZES, **BART_SPECIALS, activation_function="relu", scale_embedding=True
            ),
        ),
    }
)


def learned(theirs: PreTrainedModel) -> dict[str, Tensor]:
    """Every trained number under each of its names; sinusoids are frozen or unsaved, and so left out."""
    found = {
        name: weight.data
        for name, weight in theirs.named_parameters(remove_duplicate=False)
        if weight.requires_grad
    }
    return found | {
        name: bias[0] for name, bias in theirs.named_buffers() if name == "final_logits_bias"
    }


def make_theirs(config: PreTrainedConfig, *, is_tied: bool) -> PreTrainedModel:
    """A model whose every number counts: biases and norm scales are moved off 0 and 1."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        theirs = AutoModelForSeq2SeqLM.from_config(config, attn_implementation="eager")
        if not is_tied:  # T5Config always says tied; only a checkpoint with an lm_head of its own unties the model.
            theirs.lm_head.weight = nn.Parameter(theirs.lm_head.weight.detach().clone())
        for weight in learned(theirs).values():
            weight.add_(torch.randn_like(weight) * 0.15)
    return theirs.eval()


def copied(config: ModelConfig, theirs: PreTrainedModel) -> Transformer:
    """Our model with their weights: nothing is missing and nothing left over."""
    ours = Transformer(config, VOCAB, VOCAB)
    family = PUBLISHED[theirs.config.model_type]
    ours.load_state_dict(
        {family.our_name(name): weight for name, weight in learned(theirs).items()}, strict=True
    )
    return ours.eval()


def padded_batch(ids: SpecialIds, vocab: int = VOCAB) -> tuple[Tensor, Tensor]:
    """Sources that end with eos, the last padded on the left; targets that begin with start: (3, 14) and (3, 13)."""
    generator = torch.Generator().manual_seed(7)
    words = [
        torch.randint(3, vocab - 1, (length - 1,), generator=generator)
        for length in (*SRC_LENGTHS, *TGT_LENGTHS)
    ]
    src = [torch.cat([words[row], torch.tensor([ids.eos])]) for row in range(3)]
    tgt = [torch.cat([torch.tensor([ids.start]), words[3 + row]]) for row in range(3)]
    padded = pad_sequence(src, True, ids.pad)
    padded[2] = padded[2].roll(
        padded.shape[1] - SRC_LENGTHS[2]
    )  # right padding alone would hide skip_padding
    return padded, pad_sequence(tgt, True, ids.pad)


@pytest.mark.parametrize("family", FAMILIES)
def test_shared_and_tied_tables_are_one(family: str) -> None:
    config, their_config = FAMILIES[family]
    theirs = make_theirs(their_config, is_tied=config.output.tied)
    sizes = {weight.data_ptr(): weight.numel() for weight in learned(theirs).values()}
    assert count_parameters(config, VOCAB, VOCAB) == sum(sizes.values())


@pytest.mark.parametrize("family", FAMILIES)
@torch.no_grad()
def test_our_logits_and_cross_attention_equal_transformers(family: str) -> None:
    config, their_config = FAMILIES[family]
    theirs = make_theirs(their_config, is_tied=config.output.tied)
    ours = copied(config, theirs)
    src, tgt = padded_batch(config.ids)
    expected = theirs(
        input_ids=src,
        attention_mask=src.ne(config.ids.pad),
        decoder_input_ids=tgt,
        output_attentions=True,
        use_cache=False,
    )
    is_real = (
        torch.arange(tgt.shape[1]) < torch.tensor(TGT_LENGTHS)[:, None]
    )  # by length: start may be the padding id
    torch.testing.assert_close(
        ours(src, tgt)[is_real], expected.logits[is_real], rtol=1e-4, atol=1e-5
    )

    captured: list[Tensor] = []
    for layer in ours.decoder.layers:
        layer.cross_attention.weights.register_forward_hook(
            lambda module, inputs, output: captured.append(output)
        )
    torch.testing.assert_close(
        ours(src, tgt)[is_real], expected.logits[is_real], rtol=1e-4, atol=1e-5
    )
    for weights, their_weights in zip(captured, expected.cross_attentions, strict=True):
        assert weights.shape == (3, config.decoder.n_heads, tgt.shape[1], src.shape[1])
        torch.testing.assert_close(
            weights.transpose(1, 2)[is_real],
            their_weights.transpose(1, 2)[is_real],
            rtol=1e-4,
            atol=1e-5,
        )

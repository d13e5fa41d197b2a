"""Small models of every shape that can be exported, with weights that differ everywhere."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import MappingProxyType

import torch

from s2s import tokenizers
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
    TokenizerConfig,
)
from s2s.model import Transformer, new_model, trained_tensors
from s2s.pretrained.export import TrainedModel
from s2s.tokenizers import BOS, UNK, Tokenizer

TEXTS = (
    "the red house is big.",
    "a small cat, and the dog's house",
    "l'été à la mer",
    "日本語 and 12 34",
    "<s> (<s>) </s>,</s> <unk> x<pad>y",
    "a▁b  c",
    "tab\there\nnew line <unk>,<unk>",
    "  lead",
)
LENGTH = 12  # of a translation, at most
D_MODEL = 64
ENCODER = Stack(n_layers=2, n_heads=4, d_ff=48)  # of 16 columns per head
DECODER = Stack(n_layers=3, n_heads=2, d_ff=40)
SHARED = Embeddings(shared=True)
SHORT = 64  # positions; transformers computes the angle of each by itself
INTERLEAVED = Positions(layout="interleaved", max_length=SHORT)
PRE = ModelConfig(
    D_MODEL, ENCODER, DECODER, embeddings=SHARED, positions=Positions(max_length=SHORT)
)
POST = replace(
    PRE,
    encoder=replace(ENCODER, final_norm=False),
    decoder=replace(DECODER, final_norm=False),
    norm=Norm(place="post"),
)
# a quarter of the width per head more than d_model has
T5 = ModelConfig(
    D_MODEL,
    replace(ENCODER, d_head=20),
    replace(ENCODER, d_head=20, n_layers=3),
    positions=Positions("relative", buckets=8, max_distance=12),
    norm=Norm("rms", eps=1e-6),
    attention=AttentionConfig(bias=False, scaled=False),
    feed_forward=FeedForwardConfig("relu", bias=False),
    embeddings=Embeddings(shared=True, scaled=False),
    output=Output(scaled=True),
)
# By form and what is special.
FORMS: Mapping[str, ModelConfig] = MappingProxyType(
    {
        "Marian": POST,
        "Marian, as in the paper": replace(
            POST, positions=INTERLEAVED, embeddings=Embeddings(), output=Output(False, bias=True)
        ),
        "Marian, without biases": replace(
            POST,
            norm=Norm(place="post", bias=False),
            attention=AttentionConfig(bias=False, scaled=False),
            feed_forward=FeedForwardConfig("silu", bias=False),
        ),
        "Pegasus": PRE,
        "Pegasus, interleaved": replace(
            PRE,
            positions=INTERLEAVED,
            feed_forward=FeedForwardConfig("gelu_tanh"),
            output=Output(scaled=True),
            ids=SpecialIds(src_first=BOS, src_last=UNK),
        ),
        "M2M100": replace(
            PRE, positions=Positions(full_span=True, offset=1, skip_padding=True, max_length=SHORT)
        ),
        "BART": replace(
            POST,
            norm=Norm(place="post", after_embeddings=True),
            positions=Positions("learned", max_length=40, offset=1),
        ),
        "mBART": replace(
            PRE,
            norm=Norm(after_embeddings=True),
            positions=Positions("learned", max_length=40, shared=True),
            feed_forward=FeedForwardConfig("gelu"),
        ),
        "Blenderbot": replace(
            PRE,
            positions=Positions("learned", max_length=40, offset=2),
            output=Output(tied=False, bias=True),
        ),
        "T5": T5,
        "T5, gated": replace(
            T5,
            feed_forward=FeedForwardConfig("gelu_tanh", gated=True, bias=False),
            output=Output(tied=False),
        ),
        "T5, scaled": replace(
            T5, attention=AttentionConfig(bias=False), embeddings=SHARED, output=Output(scaled=True)
        ),
    }
)
# What CTranslate2 can express beyond these forms.
MORE: Mapping[str, ModelConfig] = MappingProxyType(
    {
        "two vocabularies": replace(PRE, embeddings=Embeddings()),
        "modern": replace(
            PRE,
            positions=Positions("rotary"),
            norm=Norm("rms", eps=1e-4),
            attention=AttentionConfig(bias=False),
            feed_forward=FeedForwardConfig("silu", gated=True, bias=False),
        ),
        "interleaved rotary": replace(
            PRE, positions=Positions("rotary", layout="interleaved", base=500.0, offset=3)
        ),
        "no positions": replace(PRE, positions=Positions("none")),
        "sinusoids from 3 on": replace(
            PRE, positions=Positions(layout="interleaved", base=500.0, offset=3)
        ),
        "free head dimensions": replace(
            PRE, encoder=replace(ENCODER, d_head=20), decoder=replace(DECODER, d_head=24)
        ),
        "one final norm": replace(
            PRE, encoder=replace(ENCODER, final_norm=False), norm=Norm(bias=False, eps=1e-3)
        ),
        "RMSNorm after the embeddings": replace(
            POST, norm=Norm("rms", "post", after_embeddings=True)
        ),
        "gated GELU": replace(PRE, feed_forward=FeedForwardConfig("gelu", gated=True)),
    }
)


@cache
def tokenizer(kind: str = "bpe") -> Tokenizer:
    """One for both sides, fitted to TEXTS."""
    size = 120 if kind in ("bpe", "unigram") else None
    both, _ = tokenizers.fit(TokenizerConfig(kind, size), TEXTS * 3, TEXTS * 3)
    return both


def perturbed(config: ModelConfig, src_size: int, tgt_size: int) -> Transformer:
    """A model whose norms and biases are not those of a new one."""
    model = new_model(config, src_size, tgt_size, 3)
    generator = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=generator) * 0.1)
    return model.eval()


def trained(model: Transformer, src: Tokenizer, tgt: Tokenizer) -> TrainedModel:
    return TrainedModel(model.config, trained_tensors(model), src, tgt, max_new_tokens=LENGTH)


def standard_input(lines: Sequence[str]) -> io.TextIOWrapper:
    """UTF-8 where the computer's own encoding is another."""
    return io.TextIOWrapper(io.BytesIO("\r\n".join(lines).encode()), encoding="ascii")

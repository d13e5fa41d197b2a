"""Whole recipes under a name: the model, how text is cut, how it is trained, and where that comes from."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from s2s.config.recipe import (
    AttentionConfig,
    DataConfig,
    Embeddings,
    FeedForwardConfig,
    Init,
    ModelConfig,
    Norm,
    Optimizer,
    Output,
    Positions,
    Recipe,
    Stack,
    TokenizerConfig,
    TrainConfig,
    Watch,
)


@dataclass(frozen=True)
class Preset:
    """A recipe, the vocabulary sizes its parameters are quoted for, one sentence, its source, and what it is good for, with the reason."""

    recipe: Recipe
    src_vocab_size: int
    tgt_vocab_size: int
    summary: str
    source: str
    good_for: str


def _first_steps() -> Recipe:
    bare = AttentionConfig(bias=False, output_projection=False)
    return Recipe(
        data=DataConfig(max_length=16),
        tokenizer=TokenizerConfig(kind="word", shared=False),
        model=ModelConfig(
            d_model=2,
            encoder=(both := Stack(n_layers=1, n_heads=1, d_ff=0, final_norm=False)),
            decoder=both,
            norm=Norm(kind="none"),
            attention=bare,
            positions=Positions(layout="interleaved"),
            embeddings=Embeddings(scaled=False),
            output=Output(tied=False, bias=True),
            dropout=0.0,
            init=Init("torch"),
        ),
        train=TrainConfig(
            steps=100,
            lr=0.1,
            schedule="constant",
            warmup_steps=0,
            label_smoothing=0.0,
            threads=1,
            optimizer=Optimizer("adam", beta2=0.999, eps=1e-8, clip_norm=0.0),
            watch=Watch(validate_every=50, save_every=50),
        ),
    )


def _blocks() -> Recipe:
    return Recipe(
        tokenizer=TokenizerConfig(kind="word", shared=False),
        model=ModelConfig(
            d_model=64,
            encoder=(both := Stack(n_layers=2, n_heads=4, d_head=16, d_ff=256)),
            decoder=both,
            norm=Norm(place="post"),
            feed_forward=FeedForwardConfig("gelu"),
            positions=Positions(layout="interleaved"),
            output=Output(tied=False, bias=True),
        ),
    )


def _mini_t5() -> Recipe:
    return Recipe(
        data=DataConfig(max_length=64),
        tokenizer=TokenizerConfig(kind="word", shared=False),
        model=ModelConfig(
            d_model=64,
            encoder=Stack(n_layers=3, n_heads=4, d_ff=256, final_norm=False),
            decoder=Stack(n_layers=3, n_heads=4, d_ff=256),
            feed_forward=FeedForwardConfig("gelu"),
            positions=Positions("learned", max_length=128, shared=True),
            embeddings=Embeddings(scaled=False),
            output=Output(tied=False),
            init=Init("normal", 0.02),
        ),
        train=TrainConfig(
            steps=150,
            lr=1e-3,
            schedule="constant",
            warmup_steps=0,
            label_smoothing=0.0,
            threads=1,
            optimizer=Optimizer("adam", beta2=0.999, eps=1e-8),
            watch=Watch(validate_every=50, save_every=50),
        ),
    )


def _vaswani_512() -> Recipe:
    return Recipe(
        tokenizer=TokenizerConfig("bpe", 10_000, shared=True),
        model=ModelConfig(
            d_model=512,
            encoder=(both := Stack(n_layers=6, n_heads=8, d_ff=2048, final_norm=False)),
            decoder=both,
            norm=Norm(place="post"),
            positions=Positions(layout="interleaved"),
            output=Output(tied=False, bias=True),
        ),
        train=_vaswani_training(batch_tokens=4096, steps=20_000),
    )


def _vaswani_training(*, batch_tokens: int, steps: int) -> TrainConfig:
    """Vaswani et al. 2017, section 5: 512 ** -0.5 * 4000 ** -0.5 is the peak of their schedule."""
    return TrainConfig(
        steps=steps,
        lr=7e-4,
        schedule="inverse_sqrt",
        warmup_steps=4000,
        batch_tokens=batch_tokens,
        optimizer=Optimizer("adam", clip_norm=0.0),
        watch=Watch(validate_every=1000, save_every=1000),
    )


def _char_halves() -> Recipe:
    return Recipe(
        data=DataConfig(max_length=128),
        tokenizer=TokenizerConfig("char", shared=True),
        model=ModelConfig(
            d_model=256,
            encoder=Stack(n_layers=2, n_heads=4, d_ff=1024, final_norm=False),
            decoder=Stack(n_layers=2, n_heads=4, d_ff=1024),
            positions=Positions("learned", max_length=128, shared=True),
            embeddings=Embeddings(shared=True, scaled=False),
            output=Output(tied=False, bias=True),
            dropout=0.2,
            init=Init("normal", 0.02),
        ),
        train=TrainConfig(
            steps=300,
            lr=3e-4,
            schedule="constant",
            warmup_steps=0,
            label_smoothing=0.0,
            optimizer=Optimizer("adamw", beta2=0.999, eps=1e-8, weight_decay=0.01),
            watch=Watch(validate_every=100, save_every=100),
        ),
    )


def _transformer_tiny() -> Recipe:
    return Recipe(
        tokenizer=TokenizerConfig("bpe", 10_000, shared=True),
        model=ModelConfig(
            d_model=128,
            encoder=(both := Stack(n_layers=4, n_heads=4, d_ff=256, final_norm=False)),
            decoder=both,
            norm=Norm(place="post"),
            embeddings=Embeddings(shared=True),
            dropout=0.3,
            init=Init("fairseq"),
        ),
        train=TrainConfig(
            steps=8000,
            lr=5e-3,
            schedule="inverse_sqrt",
            warmup_steps=2000,
            batch_tokens=4096,
            optimizer=Optimizer("adam", eps=1e-8, clip_norm=0.0),
            watch=Watch(validate_every=250, save_every=250, patience=10, keep=10),
        ),
    )


def _transformer_base() -> Recipe:
    return Recipe(
        tokenizer=TokenizerConfig("bpe", 37_000, shared=True),
        model=ModelConfig(
            d_model=512,
            encoder=(both := Stack(n_layers=6, n_heads=8, d_ff=2048, final_norm=False)),
            decoder=both,
            norm=Norm(place="post"),
            positions=Positions(layout="interleaved"),
            embeddings=Embeddings(shared=True),
        ),
        train=_vaswani_training(batch_tokens=25_000, steps=100_000),
    )


def _small() -> Recipe:
    return Recipe(
        data=DataConfig(max_length=64),
        model=ModelConfig(
            d_model=128,
            encoder=(both := Stack(n_layers=2, n_heads=4, d_ff=512)),
            decoder=both,
            embeddings=Embeddings(shared=True),
        ),
        train=TrainConfig(
            steps=1200,
            lr=3e-3,
            warmup_steps=200,
            batch_tokens=2048,
            watch=Watch(validate_every=150, save_every=150),
        ),
    )


def _modern_small() -> Recipe:
    return Recipe(
        data=DataConfig(max_length=64),
        model=ModelConfig(
            d_model=128,
            encoder=(both := Stack(n_layers=2, n_heads=4, d_ff=344)),
            decoder=both,
            norm=Norm("rms"),
            attention=AttentionConfig(bias=False),
            feed_forward=FeedForwardConfig("silu", gated=True, bias=False),
            positions=Positions("rotary"),
            embeddings=Embeddings(shared=True),
        ),
        train=_small().train,
    )


def _t5(d_model: int, d_head: int, d_ff: int, n_layers: int, n_heads: int) -> Recipe:
    return Recipe(
        data=DataConfig(max_length=512),
        tokenizer=TokenizerConfig("bpe", 32_128, shared=True),
        model=ModelConfig(
            d_model=d_model,
            encoder=(both := Stack(n_layers=n_layers, n_heads=n_heads, d_head=d_head, d_ff=d_ff)),
            decoder=both,
            norm=Norm("rms", eps=1e-6),
            attention=AttentionConfig(bias=False, scaled=False, dropout=True),
            feed_forward=FeedForwardConfig(bias=False, dropout=True),
            positions=Positions("relative"),
            embeddings=Embeddings(shared=True, scaled=False),
            output=Output(scaled=True),
            init=Init("torch"),
        ),
        train=TrainConfig(
            steps=100_000,
            lr=1e-2,
            schedule="inverse_sqrt",
            warmup_steps=10_000,
            label_smoothing=0.0,
            optimizer=Optimizer("adafactor"),
        ),
    )


_VASWANI = "Vaswani et al. 2017, Attention Is All You Need, table 3"
_COUNTS = "Reading its shape and counting its parameters; too large to train on one machine in reasonable time."
_T5 = "Raffel et al. 2020, Exploring the Limits of Transfer Learning"

PRESETS: MappingProxyType[str, Preset] = MappingProxyType(
    {
        "small": Preset(
            _small(),
            4000,
            4000,
            "The default: learns a simple language in minutes on two cores.",
            "ours",
            "Texts of simple sentences, and the first try on any: two layers a side cost little, pre-norm forgives most learning rates.",
        ),
        "modern-small": Preset(
            _modern_small(),
            4000,
            4000,
            "As small, of today's parts: RMSNorm, SwiGLU, rotary.",
            "Touvron et al. 2023, section 2.2",
            "Seeing what today's parts change: as large as small and trained alike, so that the two compare fairly.",
        ),
        "first-steps": Preset(
            _first_steps(),
            6,
            6,
            "78 numbers that learn two phrases: small enough to follow by hand.",
            "ours",
            "Following every number by hand: two columns and one head; it cannot hold more than a few phrases.",
        ),
        "mini-t5": Preset(
            _mini_t5(),
            1000,
            1000,
            "Three small layers with a shared position table; five phrases in seconds.",
            "ours",
            "A handful of phrases that are to be learnt by heart: whole words and no warm-up to wait for, so it is done in seconds.",
        ),
        "char-halves": Preset(
            _char_halves(),
            28,
            28,
            "Character by character: a passage's second half from its first.",
            "ours",
            "Plain text that is to be continued, and spelling: some dozen characters need no vocabulary, but make long texts.",
        ),
        "blocks": Preset(
            _blocks(),
            20_000,
            10_000,
            "Two post-norm layers, separate word vocabularies, GELU.",
            "ours",
            "Pictures of attention between whole words; a word that the text lacks stays unknown, so give it simple texts.",
        ),
        "transformer-tiny": Preset(
            _transformer_tiny(),
            10_000,
            10_000,
            "For Multi30k: narrow, deep, much dropout.",
            "Wu et al. 2021, arXiv:2105.14462",
            "Ten thousands of real sentences: found on 29,000 pairs, where models ten times larger translated worse; wants an hour.",
        ),
        "transformer-base": Preset(
            _transformer_base(),
            37_000,
            37_000,
            "The original base model; wants a GPU and millions of pairs.",
            _VASWANI,
            "Millions of pairs on a GPU: 60 M parameters learn some thousand pairs by heart instead of the language.",
        ),
        "vaswani-512": Preset(
            _vaswani_512(),
            10_000,
            10_000,
            "The base model with separate, untied vocabularies.",
            _VASWANI,
            "Studying the paper's model matrix by matrix, since nothing is shared; to train it, take transformer-base and a GPU.",
        ),
        "t5-small": Preset(
            _t5(512, 64, 2048, 6, 8),
            32_128,
            32_128,
            "T5's smallest: relative positions, no biases.",
            _T5,
            "Comparing with the published T5 checkpoints, whose shape this is; from scratch it wants a GPU and millions of texts.",
        ),
        "t5-base": Preset(
            _t5(768, 64, 3072, 12, 12),
            32_128,
            32_128,
            "T5 base, for its shape and its counts.",
            _T5,
            _COUNTS,
        ),
        "t5-large": Preset(
            _t5(1024, 64, 4096, 24, 16),
            32_128,
            32_128,
            "T5 large, for its shape and its counts.",
            _T5,
            _COUNTS,
        ),
        "t5-3b": Preset(
            _t5(1024, 128, 16_384, 24, 32),
            32_128,
            32_128,
            "T5 3B, for its shape and its counts.",
            _T5,
            _COUNTS,
        ),
        "t5-11b": Preset(
            _t5(1024, 128, 65_536, 24, 128),
            32_128,
            32_128,
            "T5 11B, for its shape and its counts.",
            _T5,
            _COUNTS,
        ),
    }
)

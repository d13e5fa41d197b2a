"""The recipes of the presets."""

from __future__ import annotations

from s2s.config.model_config import (
    AttentionConfig,
    Embeddings,
    FeedForwardConfig,
    Init,
    ModelConfig,
    Norm,
    Output,
    Positions,
    SpecialIds,
    Stack,
)
from s2s.config.recipe import DataConfig, Recipe, TokenizerConfig
from s2s.config.train_config import Monitoring, Optimizer, TrainConfig


def first_steps() -> Recipe:
    stack = Stack(n_layers=1, n_heads=1, d_ff=0, final_norm=False)
    return Recipe(
        data=DataConfig(max_length=16),
        tokenizer=TokenizerConfig(kind="word", shared=False),
        model=ModelConfig(
            d_model=2,
            encoder=stack,
            decoder=stack,
            norm=Norm(kind="none"),
            attention=AttentionConfig(bias=False, output_projection=False),
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
            watch=Monitoring(validate_every=50, save_every=50),
        ),
    )


def blocks() -> Recipe:
    stack = Stack(n_layers=2, n_heads=4, d_head=16, d_ff=256)
    return Recipe(
        tokenizer=TokenizerConfig(kind="word", shared=False),
        model=ModelConfig(
            d_model=64,
            encoder=stack,
            decoder=stack,
            norm=Norm(place="post"),
            feed_forward=FeedForwardConfig("gelu"),
            positions=Positions(layout="interleaved"),
            embeddings=Embeddings(scaled=False),
            output=Output(tied=False, bias=True),
            init=Init("torch"),
        ),
    )


def mini_t5() -> Recipe:
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
            dropout=0.0,
            init=Init("normal", 0.02),
            ids=SpecialIds(src_first=SpecialIds().start),
        ),
        train=TrainConfig(
            steps=150,
            lr=1e-3,
            schedule="constant",
            warmup_steps=0,
            label_smoothing=0.0,
            threads=1,
            optimizer=Optimizer("adam", beta2=0.999, eps=1e-8, clip_norm=0.0),
            watch=Monitoring(validate_every=50, save_every=50),
        ),
    )


def vaswani_512() -> Recipe:
    stack = Stack(n_layers=6, n_heads=8, d_ff=2048, final_norm=False)
    return Recipe(
        tokenizer=TokenizerConfig("bpe", 10_000, shared=False),
        model=ModelConfig(
            d_model=512,
            encoder=stack,
            decoder=stack,
            norm=Norm(place="post"),
            attention=AttentionConfig(dropout=True),
            feed_forward=FeedForwardConfig(dropout=True),
            positions=Positions(layout="interleaved"),
            embeddings=Embeddings(scaled=False),
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
        watch=Monitoring(validate_every=1000, save_every=1000),
    )


def char_halves() -> Recipe:
    return Recipe(
        data=DataConfig(max_length=128),
        tokenizer=TokenizerConfig("char", shared=True),
        model=ModelConfig(
            d_model=256,
            encoder=Stack(n_layers=2, n_heads=4, d_ff=1024, final_norm=False),
            decoder=Stack(n_layers=2, n_heads=4, d_ff=1024),
            positions=Positions("learned", max_length=128, shared=True),
            embeddings=Embeddings(shared=True, scaled=False, dropout=False),
            output=Output(tied=False, bias=True),
            dropout=0.2,
            init=Init("torch"),
        ),
        train=TrainConfig(
            steps=300,
            lr=3e-4,
            schedule="constant",
            warmup_steps=0,
            label_smoothing=0.0,
            optimizer=Optimizer("adamw", beta2=0.999, eps=1e-8, weight_decay=0.01, clip_norm=0.0),
            watch=Monitoring(validate_every=100, save_every=100),
        ),
    )


def transformer_tiny() -> Recipe:
    stack = Stack(n_layers=4, n_heads=4, d_ff=256, final_norm=False)
    return Recipe(
        tokenizer=TokenizerConfig("bpe", 10_000, shared=True),
        model=ModelConfig(
            d_model=128,
            encoder=stack,
            decoder=stack,
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
            watch=Monitoring(validate_every=250, save_every=250, patience=10, keep=10),
        ),
    )


def transformer_base() -> Recipe:
    stack = Stack(n_layers=6, n_heads=8, d_ff=2048, final_norm=False)
    return Recipe(
        tokenizer=TokenizerConfig("bpe", 37_000, shared=True),
        model=ModelConfig(
            d_model=512,
            encoder=stack,
            decoder=stack,
            norm=Norm(place="post"),
            positions=Positions(layout="interleaved"),
            embeddings=Embeddings(shared=True),
        ),
        train=_vaswani_training(batch_tokens=25_000, steps=100_000),
    )


def small() -> Recipe:
    stack = Stack(n_layers=2, n_heads=4, d_ff=512)
    return Recipe(
        data=DataConfig(max_length=64),
        model=ModelConfig(
            d_model=128,
            encoder=stack,
            decoder=stack,
            embeddings=Embeddings(shared=True),
        ),
        train=TrainConfig(
            steps=1200,
            lr=3e-3,
            warmup_steps=200,
            batch_tokens=2048,
            watch=Monitoring(validate_every=150, save_every=150),
        ),
    )


def quick() -> Recipe:
    """Its sizes are for 10 minutes of two cores on 29,000 pairs; else jobs/plan/time_budget.py chooses others."""
    stack = Stack(n_layers=2, n_heads=4, d_ff=512)
    return Recipe(
        data=DataConfig(max_length=100),
        tokenizer=TokenizerConfig("bpe", 6000),
        model=ModelConfig(
            d_model=128,
            encoder=stack,
            decoder=stack,
            positions=Positions("rotary", layout="interleaved"),
            embeddings=Embeddings(shared=True),
        ),
        train=TrainConfig(
            steps=8000,
            minutes=10.0,
            lr=4e-3,
            warmup_steps=400,
            batch_tokens=1024,
            watch=Monitoring(validate_every=1000, save_every=1000, keep=2),
        ),
    )


def modern_small() -> Recipe:
    stack = Stack(n_layers=2, n_heads=4, d_ff=344)
    return Recipe(
        data=DataConfig(max_length=64),
        model=ModelConfig(
            d_model=128,
            encoder=stack,
            decoder=stack,
            norm=Norm("rms"),
            attention=AttentionConfig(bias=False),
            feed_forward=FeedForwardConfig("silu", gated=True, bias=False),
            positions=Positions("rotary"),
            embeddings=Embeddings(shared=True),
        ),
        train=small().train,
    )


def t5(*, d_model: int, d_head: int, d_ff: int, n_layers: int, n_heads: int) -> Recipe:
    stack = Stack(n_layers=n_layers, n_heads=n_heads, d_head=d_head, d_ff=d_ff)
    return Recipe(
        data=DataConfig(max_length=512),
        tokenizer=TokenizerConfig("bpe", 32_128, shared=True),
        model=ModelConfig(
            d_model=d_model,
            encoder=stack,
            decoder=stack,
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

"""Recipes with a name: model, tokenizer and training that go together, and where each comes from."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from s2s.config import preset_recipes as recipes
from s2s.config.recipe import Recipe


@dataclass(frozen=True)
class Preset:
    """A recipe, the vocabulary sizes for which its parameters are counted, a summary, its source, and what it suits."""

    recipe: Recipe
    src_vocab_size: int
    tgt_vocab_size: int
    summary: str
    source: str
    good_for: str


_VASWANI = "Vaswani et al. 2017, Attention Is All You Need, table 3"
_T5 = "Raffel et al. 2020, Exploring the Limits of Transfer Learning"
_TOO_LARGE = "Reading its shape and counting its parameters; too large to train on one machine in reasonable time."

PRESETS: MappingProxyType[str, Preset] = MappingProxyType(
    {
        "small": Preset(
            recipes.small(),
            src_vocab_size=4000,
            tgt_vocab_size=4000,
            summary="The default: learns a simple language in minutes on two CPU cores.",
            source="ours",
            good_for="Datasets of simple sentences, and a first try on any other: two layers per stack are"
            " cheap, and pre-norm tolerates most learning rates.",
        ),
        "quick": Preset(
            recipes.quick(),
            src_vocab_size=6000,
            tgt_vocab_size=6000,
            summary="The best model within 10 minutes, or as many as you set: sizes follow from dataset and computer.",
            source="ours",
            good_for="Thousands of real sentences and little time: `train.minutes` decides how large the model is and"
            " how long it trains, and training ends on time.",
        ),
        "modern-small": Preset(
            recipes.modern_small(),
            src_vocab_size=4000,
            tgt_vocab_size=4000,
            summary="Like small, with modern components: RMSNorm, SwiGLU, rotary positions.",
            source="Touvron et al. 2023, section 2.2",
            good_for="Seeing what modern components change: as large as small and trained in the same way,"
            " so the two compare fairly.",
        ),
        "first-steps": Preset(
            recipes.first_steps(),
            src_vocab_size=6,
            tgt_vocab_size=6,
            summary="78 parameters that learn two phrases: small enough to follow by hand.",
            source="ours",
            good_for="Following every number by hand: two dimensions and one head; it cannot learn more than"
            " a few phrases.",
        ),
        "mini-t5": Preset(
            recipes.mini_t5(),
            src_vocab_size=1000,
            tgt_vocab_size=1000,
            summary="Three small layers with a shared position table; learns five phrases in seconds.",
            source="ours",
            good_for="Memorizing a handful of phrases: a vocabulary of whole words and no warmup, so"
            " training takes seconds.",
        ),
        "char-halves": Preset(
            recipes.char_halves(),
            src_vocab_size=28,
            tgt_vocab_size=28,
            summary="Character by character: writes a passage's second half after its first.",
            source="ours",
            good_for="Continuing plain text, and spelling: a few dozen characters are the whole vocabulary,"
            " but sequences get long.",
        ),
        "blocks": Preset(
            recipes.blocks(),
            src_vocab_size=20_000,
            tgt_vocab_size=10_000,
            summary="Two post-norm layers per stack, separate word vocabularies, GELU.",
            source="ours",
            good_for="Attention pictures over whole words; words missing from the dataset stay unknown, so"
            " use simple sentences.",
        ),
        "transformer-tiny": Preset(
            recipes.transformer_tiny(),
            src_vocab_size=10_000,
            tgt_vocab_size=10_000,
            summary="For Multi30k: narrow, deep, with much dropout.",
            source="Wu et al. 2021, arXiv:2105.14462",
            good_for="Tens of thousands of real sentences: tuned on 29,000 pairs, where models ten times"
            " larger translated worse; takes about an hour.",
        ),
        "transformer-base": Preset(
            recipes.transformer_base(),
            src_vocab_size=37_000,
            tgt_vocab_size=37_000,
            summary="The original base model; needs a GPU and millions of pairs.",
            source=_VASWANI,
            good_for="Millions of pairs on a GPU: with 60 M parameters it memorizes a few thousand pairs"
            " instead of learning the language.",
        ),
        "vaswani-512": Preset(
            recipes.vaswani_512(),
            src_vocab_size=10_000,
            tgt_vocab_size=10_000,
            summary="The base model with separate vocabularies and untied output weights.",
            source=_VASWANI,
            good_for="Studying the paper's model matrix by matrix, since nothing is shared; for training,"
            " use transformer-base and a GPU.",
        ),
        "t5-small": Preset(
            recipes.t5(d_model=512, d_head=64, d_ff=2048, n_layers=6, n_heads=8),
            src_vocab_size=32_128,
            tgt_vocab_size=32_128,
            summary="The smallest T5: relative positions, no biases.",
            source=_T5,
            good_for="Comparing with the published T5 checkpoints, which have this shape; training from"
            " scratch needs a GPU and millions of texts.",
        ),
        "t5-base": Preset(
            recipes.t5(d_model=768, d_head=64, d_ff=3072, n_layers=12, n_heads=12),
            src_vocab_size=32_128,
            tgt_vocab_size=32_128,
            summary="T5 base, for its shape and its parameter count.",
            source=_T5,
            good_for=_TOO_LARGE,
        ),
        "t5-large": Preset(
            recipes.t5(d_model=1024, d_head=64, d_ff=4096, n_layers=24, n_heads=16),
            src_vocab_size=32_128,
            tgt_vocab_size=32_128,
            summary="T5 large, for its shape and its parameter count.",
            source=_T5,
            good_for=_TOO_LARGE,
        ),
        "t5-3b": Preset(
            recipes.t5(d_model=1024, d_head=128, d_ff=16_384, n_layers=24, n_heads=32),
            src_vocab_size=32_128,
            tgt_vocab_size=32_128,
            summary="T5 3B, for its shape and its parameter count.",
            source=_T5,
            good_for=_TOO_LARGE,
        ),
        "t5-11b": Preset(
            recipes.t5(d_model=1024, d_head=128, d_ff=65_536, n_layers=24, n_heads=128),
            src_vocab_size=32_128,
            tgt_vocab_size=32_128,
            summary="T5 11B, for its shape and its parameter count.",
            source=_T5,
            good_for=_TOO_LARGE,
        ),
    }
)

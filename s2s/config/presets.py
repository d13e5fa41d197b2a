"""Recipes with a name: model, tokenizer and training that go together, and where each comes from."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from s2s.config import preset_recipes as recipes
from s2s.config.recipe import Recipe


@dataclass(frozen=True)
class Preset:
    """A recipe, the vocabulary sizes for which its parameters are counted, a summary, its source, and what it suits.

    `differs` says where a preset that rebuilds a tutorial's model does something else.
    """

    recipe: Recipe
    src_vocab_size: int
    tgt_vocab_size: int
    summary: str
    source: str
    good_for: str
    differs: str = ""


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
            source="a tutorial's model of 78 parameters",
            good_for="Following every number by hand: two dimensions and one head; it cannot learn more than"
            " a few phrases.",
            differs="The tutorial makes 60 updates of each pair alone, which learn both, too (`train.batch_tokens=4`,"
            " `train.steps=120`); here are 100 of both. The queries of its cross-attention are the embedded input; here"
            " they are the output of self-attention, as in the paper.",
        ),
        "mini-t5": Preset(
            recipes.mini_t5(),
            src_vocab_size=1000,
            tgt_vocab_size=1000,
            summary="Three small layers with a shared position table; learns five phrases in seconds.",
            source="a tutorial's model of 550,528 parameters",
            good_for="Memorizing a handful of phrases: a vocabulary of whole words and no warmup, so"
            " training takes seconds.",
            differs="The tutorial makes 2,500 updates of one pair each; here 150 of all pairs are enough.",
        ),
        "char-halves": Preset(
            recipes.char_halves(),
            src_vocab_size=28,
            tgt_vocab_size=28,
            summary="Character by character: writes a passage's second half after its first.",
            source="a tutorial's model of 3,734,044 parameters",
            good_for="Continuing plain text, and spelling: a few dozen characters are the whole vocabulary,"
            " but sequences get long.",
            differs="The tutorial makes 5,001 updates; 300 memorize nearly all of a page.",
        ),
        "blocks": Preset(
            recipes.blocks(),
            src_vocab_size=20_000,
            tgt_vocab_size=10_000,
            summary="Two post-norm layers per stack, separate word vocabularies, GELU.",
            source="a tutorial's model of 2,803,728 parameters",
            good_for="Attention pictures over whole words; words missing from the dataset stay unknown, so"
            " use simple sentences.",
            differs="The tutorial also drops values after the last norm of each block, which no setting here does.",
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
            source="a tutorial's model of 59,508,496 parameters",
            good_for="Studying the paper's model matrix by matrix, since nothing is shared; for training,"
            " use transformer-base and a GPU.",
            differs="As in the tutorial, embeddings are not scaled; the paper multiplies them by the square root of"
            " `d_model`.",
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

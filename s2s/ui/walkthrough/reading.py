"""From text to vectors: tokens, ids, embeddings, positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from s2s.config import POSITION_KINDS, ModelConfig
from s2s.model import Embed, Learned, TokenEmbedding, frequencies, sinusoids
from s2s.questions import walked
from s2s.runs import Run
from s2s.tokenizers import SPECIALS, PretrainedTokenizer
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.step import WalkthroughStep, aligned

TOKENIZER_KINDS = MappingProxyType(
    {
        "word": "This tokenizer splits at spaces: each token is a word.",
        "char": "This tokenizer splits between characters: each token is one, such as a letter, a digit or a space.",
        "byte": "This tokenizer works on the bytes of the text: each token is one of 256 values.",
        "bpe": "This tokenizer was built by repeatedly merging the most frequent pair of adjacent tokens"
        " (byte-pair encoding).",
        "unigram": "This tokenizer picks the most probable way to split the text into its tokens (unigram model).",
    }
)


def _tokens_explanation(run: Run) -> tuple[str, str]:
    tokenizer = run.src_tokenizer
    if tokenizer.kind == PretrainedTokenizer.kind:
        return (
            f"A model has a fixed vocabulary, here {tokenizer.vocab_size:,} tokens, special ones included, and writes"
            " every text with it.",
            "This tokenizer was published with the model: frequent words are one token, others are split into several.",
        )
    noun = "word" if tokenizer.kind == "word" else "token"
    entries = walked.counted(tokenizer.vocab_size - len(SPECIALS), noun)
    return (
        f"A model has a fixed vocabulary, here {entries} and {len(SPECIALS)} special tokens, and writes every text"
        " with it.",
        TOKENIZER_KINDS.get(tokenizer.kind, ""),
    )


def _ids_formula(run: Run) -> str:
    last = run.src_tokenizer.vocab_size - 1
    return rf"w_i \;\mapsto\; \mathrm{{id}}(w_i) \in \{{0, \ldots, {last}\}}"


def _embedding_formula(run: Run) -> str:
    config = run.recipe.model
    size = rf"{run.src_tokenizer.vocab_size} \times {config.d_model}"
    scale = rf"\sqrt{{{config.d_model}}}\; " if config.embeddings.scaled else ""
    return aligned(rf"e_i = {scale}E[\mathrm{{id}}_i]", rf"E \in \mathbb{{R}}^{{{size}}}")


def _embedding_explanation(run: Run) -> tuple[str, str]:
    config = run.recipe.model
    size = f"{run.src_tokenizer.vocab_size:,} × {config.d_model}"
    first = (
        f"Each id selects its row of a learned table of {size} numbers: words used in similar ways tend to get similar"
        " rows."
    )
    if not config.embeddings.scaled:
        return (
            first,
            "This model uses the rows as they are; the original multiplies them by √d_model.",
        )
    return first, _scaling_sentence(config)


def _scaling_sentence(config: ModelConfig) -> str:
    scale = f"√{config.d_model} = {config.d_model**0.5:.2f}"
    if POSITION_KINDS[config.positions.kind].acts_on == "vectors":
        return (
            f"The row is multiplied by {scale}, so that positions, added next, do not dominate it."
        )
    return f"The row is multiplied by {scale}, as in the original transformer."


POSITION_FORMULAS = MappingProxyType(
    {
        "sinusoidal": aligned(
            "x_t = e_t + p_t",
            r"p_t[\sin_i] = \sin\left(t \,/\, %(base)s^{\,i/%(span)d}\right)",
            r"p_t[\cos_i] = \cos\left(t \,/\, %(base)s^{\,i/%(span)d}\right)",
        ),
        "learned": r"x_t = e_t + P_t",
        "rotary": aligned(
            r"q_t \leftarrow R_t\, q_t,\quad k_t \leftarrow R_t\, k_t",
            r"R_t \text{ rotates pair } i \text{ by } t \,/\, %(base)s^{\,2i/d_{head}}",
        ),
        "alibi": r"s_{ij} \leftarrow s_{ij} - m_h\,|i - j|",
        "relative": r"s_{ij} \leftarrow s_{ij} + b_{h,\,\mathrm{bucket}(j - i)}",
        "none": r"x_t = e_t",
    }
)
POSITION_EXPLANATIONS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "sinusoidal": (
            "A fixed vector of sine and cosine waves, different for each position, is added to each embedding:"
            " without it, the encoder could not tell one word order from another.",
            "Fast waves tell neighbors apart, slow ones near from far, like the seconds and the hours of a clock.",
        ),
        "learned": (
            "A learned vector, different for each position, is added to each embedding: without it, the encoder could"
            " not tell one word order from another.",
            "A sentence longer than the table of positions cannot be read.",
        ),
        "rotary": (
            "Nothing is added to the embeddings: every self-attention rotates its queries and keys by angles that"
            " grow with their position.",
            "Their score then depends on positions only through the distance between query and key.",
        ),
        "alibi": (
            "Nothing is added to the embeddings: every self-attention lowers each score in proportion to the distance"
            " between the two tokens, with a different slope in each head.",
            "Nearby tokens get more weight unless the content outweighs the distance.",
        ),
        "relative": (
            "Nothing is added to the embeddings: every self-attention adds a learned number to each score, one for"
            " each range of distances and each head.",
            "Only the distance and its direction count, not the absolute position.",
        ),
        "none": (
            "This model has no position encoding: its encoder gives each word the same vector in any word order.",
            "Its decoder still has some sense of order: each position attends to one more token than the one before.",
        ),
    }
)


def position_explanation(run: Run) -> tuple[str, str]:
    """Two sentences on the run's position encoding; the summary in its row where nobody has written more."""
    kind = run.recipe.model.positions.kind
    return POSITION_EXPLANATIONS.get(kind, (POSITION_KINDS[kind].summary, ""))


def _position_formula(run: Run) -> str:
    config = run.recipe.model
    half = config.d_model // 2
    is_full_span = config.positions.full_span and half > 1
    base = np.format_float_positional(config.positions.base, trim="-")  # 1e+06 is no LaTeX
    sizes = {"base": base, "span": half - 1 if is_full_span else half}
    text = POSITION_FORMULAS.get(config.positions.kind, "")
    return text % sizes if "%(" in text else text


def _position_code(run: Run) -> tuple[Code, ...]:
    position = run.model.encoder.embed.position
    kind = run.recipe.model.positions.kind
    if kind == "sinusoidal":
        return (
            Code(Embed.forward, "is_real =", "return"),
            Code(frequencies, "half =", "return settings"),
            Code(sinusoids, "positions =", "return waves.flatten"),
        )
    if kind == "learned":
        return Code(Embed.forward, "is_real =", "return"), Code(Learned.rows)
    methods: Mapping[str, Callable[..., Any]] = {
        "queries and keys": position.rotate,
        "scores": position.bias,
    }
    return (Code(methods.get(POSITION_KINDS[kind].acts_on, position.add)),)


READING_STEPS: Mapping[str, WalkthroughStep] = MappingProxyType(
    {
        "pieces": WalkthroughStep(
            title="Text to tokens",
            section="Reading",
            formula=lambda run: r"\text{text} \;\to\; (w_1, w_2, \ldots, w_n, \texttt{</s>})",
            explanation=_tokens_explanation,
            code=lambda run: (Code(type(run.src_tokenizer).encode),),
        ),
        "ids": WalkthroughStep(
            title="Tokens to ids",
            section="Reading",
            formula=_ids_formula,
            explanation=lambda run: (
                "Each token is looked up in the vocabulary; from here on, only its number counts.",
                "The number is a name, not a quantity: 8 is not twice 4. The next step turns it into a vector, which"
                " can be compared with others.",
            ),
            code=lambda run: (
                Code(type(run.src_tokenizer).encode),
                Code(type(run.src_tokenizer).tokens),
            ),
        ),
        "embedding": WalkthroughStep(
            title="Ids to embeddings",
            section="Reading",
            formula=_embedding_formula,
            explanation=_embedding_explanation,
            code=lambda run: (Code(TokenEmbedding.forward),),
            controls=("src",),
        ),
        "position": WalkthroughStep(
            title="Positions",
            section="Reading",
            formula=_position_formula,
            explanation=position_explanation,
            code=_position_code,
            controls=("src",),
        ),
    }
)

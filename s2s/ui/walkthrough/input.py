"""The way in: text, pieces, ids, vectors, positions."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import streamlit as st

from s2s.config import POSITION_KINDS, ModelConfig
from s2s.model import Embed, Learned, TokenEmbedding, sinusoids
from s2s.runs import Run
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.pictures import numbers, pairs, signed
from s2s.ui.walkthrough.request import Step, Walk, lines, quoted

KINDS = MappingProxyType(
    {
        "word": "This model cuts at blanks: a piece is a word.",
        "char": "This model cuts between any two signs: a piece is a letter, a blank or a mark.",
        "byte": "This model reads the bytes of the text: a piece is one of 256.",
        "bpe": "This model's pieces were made by joining again and again the two neighbours that stand together most often.",
        "unigram": "This model takes the most probable way of cutting a text into the pieces that it knows.",
    }
)


def _pieces(walk: Walk) -> None:
    st.html(f'<p dir="auto"><b>{html.escape(walk.text)}</b></p>')
    _chips((token, "") for token in walk.src_tokens)
    st.caption(
        f"{len(walk.src_tokens)} pieces. `</s>` is put behind every source: it says that the sentence ends here."
    )
    if unknown := walk.run.unknown(walk.text):
        st.caption(
            f"The model has never read {', '.join(map(quoted, unknown[:5]))}: `<unk>` stands there."
        )


def _ids(walk: Walk) -> None:
    _chips((token, str(number)) for token, number in zip(walk.src_tokens, walk.src, strict=True))
    size = walk.run.src_tokenizer.vocab_size
    st.caption(
        f"{len(walk.src)} whole numbers from 0 to {size - 1:,}. `<pad>` `<s>` `</s>` `<unk>` have the first ones."
    )
    twice = {token for token in walk.src_tokens if walk.src_tokens.count(token) > 1}
    if twice:
        st.caption(
            f"{', '.join(map(quoted, sorted(twice)))}: the same piece, so the same number, wherever it stands."
        )


def _chips(parts: Iterable[tuple[str, str]]) -> None:
    spans = (
        f"<span><b><bdi>{html.escape(text)}</bdi></b><small>{html.escape(said)}</small></span>"
        for text, said in parts
    )
    st.html(f'<div class="tokens">{"".join(spans)}</div>')


def _embedding(walk: Walk) -> None:
    seen = walk.seen.src
    token = walk.src_tokens[walk.place]
    numbers("Rows of the table", seen.vectors, walk.src_tokens, mark=walk.place)
    if walk.config.embeddings.scaled:
        numbers("Times √d_model", seen.scaled, walk.src_tokens, mark=walk.place)
    first = ", ".join(signed(value) for value in seen.scaled[walk.place, :4])
    st.caption(
        f"{quoted(token)} has the id {walk.src[walk.place]}: that row of the table. It begins {first} … after scaling, if any."
    )


def _position(walk: Walk) -> None:
    seen = walk.seen.src
    kind = walk.config.positions.kind
    tokens = walk.src_tokens
    if kind in ("sinusoidal", "learned"):
        numbers("What positions add", seen.with_positions - seen.scaled, tokens, mark=walk.place)
        numbers("Vectors plus positions", seen.with_positions, tokens, mark=walk.place)
    elif kind == "rotary":
        attended = walk.seen.encoder.self_attention
        numbers(
            "Queries as they come (head 1)", attended.unrotated_queries[0], tokens, mark=walk.place
        )
        numbers(
            "Queries turned by their places (head 1)", attended.queries[0], tokens, mark=walk.place
        )
        lengths = (
            np.linalg.norm(each[0, walk.place])
            for each in (attended.unrotated_queries, attended.queries)
        )
        st.caption(
            "Turning leaves lengths as they are: "
            + " and ".join(f"{each:.2f}" for each in lengths)
            + " for this word."
        )
    elif (bias := walk.seen.encoder.self_attention.bias) is not None:
        pairs("Added to the scores (head 1)", bias[0], tokens, tokens, mark=walk.place)
    else:
        numbers("Vectors, without positions", seen.with_positions, tokens, mark=walk.place)
    if walk.config.norm.after_embeddings:
        numbers("After the norm of embeddings", seen.out, tokens, mark=walk.place)


def _scale(config: ModelConfig) -> str:
    return rf"\sqrt{{{config.d_model}}}\; " if config.embeddings.scaled else ""


def _embedding_formula(run: Run) -> str:
    size = rf"{run.src_tokenizer.vocab_size} \times {run.recipe.model.d_model}"
    return (
        rf"e_i = {_scale(run.recipe.model)}E[\mathrm{{id}}_i],\quad E \in \mathbb{{R}}^{{{size}}}"
    )


def _embedding_words(run: Run) -> tuple[str, str]:
    config = run.recipe.model
    size = run.src_tokenizer.vocab_size
    table = f"a table of {size:,} × {config.d_model} numbers"
    first = (
        f"Each id picks its row of {table}, which training has set: words used alike end up alike."
    )
    if not config.embeddings.scaled:
        return (
            first,
            "This model takes the rows as they are; the paper multiplies them by the square root of their width.",
        )
    scale = f"√{config.d_model} = {config.d_model**0.5:.2f}"
    return (
        first,
        f"The row is multiplied by {scale}, so that positions, added next, do not drown it.",
    )


POSITION_FORMULAS = MappingProxyType(
    {
        "sinusoidal": lines(
            "x_t = e_t + p_t",
            r"p_t[\sin_i] = \sin\left(t \,/\, %(base)g^{\,i/%(span)d}\right)",
            r"p_t[\cos_i] = \cos\left(t \,/\, %(base)g^{\,i/%(span)d}\right)",
        ),
        "learned": r"x_t = e_t + P_t",
        "rotary": lines(
            r"q_t \leftarrow R_t\, q_t,\quad k_t \leftarrow R_t\, k_t",
            r"R_t \text{ turns pair } i \text{ by } t \,/\, %(base)g^{\,2i/d_{head}}",
        ),
        "alibi": r"s_{ij} \leftarrow s_{ij} - m_h\,|i - j|",
        "relative": r"s_{ij} \leftarrow s_{ij} + b_{h,\,\mathrm{bucket}(j - i)}",
        "none": r"x_t = e_t",
    }
)
POSITION_WORDS = MappingProxyType(
    {
        "sinusoidal": "A fixed pattern of waves, other for each place, is added to the vector: without it,"
        " the model could not tell one order from another.",
        "learned": "A vector for each place, set by training like the words' own, is added: without it,"
        " the model could not tell one order from another.",
        "rotary": "Nothing is added here: in every self-attention, queries and keys are turned by an angle that grows with their place.",
        "alibi": "Nothing is added here: in every self-attention, a score falls with the distance of the two words, each head"
        " at its own pace.",
        "relative": "Nothing is added here: in every self-attention, a learned number for each range of distances is added to the scores.",
        "none": "This model is told nothing of places: its encoder would read these words the same in any order.",
    }
)
POSITION_SECOND = MappingProxyType(
    {
        "sinusoidal": "Fast waves stand beside slow ones, as seconds beside hours on a clock, so that near and"
        " far places can be told apart.",
        "learned": "A sentence longer than the table has no vector, so it cannot be read.",
        "rotary": "A query and a key then meet at an angle that tells their distance, wherever in the sentence they stand.",
        "alibi": "Near words count for more unless their content says otherwise.",
        "relative": "What counts is how far and on which side a word stands, not its number in the sentence.",
        "none": "Its decoder still knows a little: it sees ever more words.",
    }
)


def _position_formula(run: Run) -> str:
    config = run.recipe.model
    half = config.d_model // 2
    sizes = {
        "base": config.positions.base,
        "span": half - 1 if config.positions.full_span and half > 1 else half,
    }
    text = POSITION_FORMULAS[config.positions.kind]
    return text % sizes if "%(" in text else text


def _position_code(run: Run) -> tuple[Code, ...]:
    position = run.model.encoder.embed.position
    kind = run.recipe.model.positions.kind
    if kind == "sinusoidal":
        return Code(Embed.forward, "x = ", "return"), Code(
            sinusoids, "half =", "return torch.stack"
        )
    if kind == "learned":
        return Code(Embed.forward, "x = ", "return"), Code(Learned.rows)
    methods: Mapping[str, Callable[..., Any]] = {
        "queries and keys": position.rotate,
        "scores": position.bias,
    }
    return (Code(methods.get(POSITION_KINDS[kind].acts_on, position.add)),)


ROWS: Mapping[str, Step] = MappingProxyType(
    {
        "pieces": Step(
            "Text to pieces", "Reading",
            lambda run: r"\text{text} \;\to\; (w_1, w_2, \ldots, w_n, \texttt{</s>})",
            lambda run: (
                f"A model knows a fixed list of pieces, {run.src_tokenizer.vocab_size:,} here, and every text has to be spelled with them.",
                KINDS.get(run.src_tokenizer.kind, ""),
            ),
            lambda run: (Code(type(run.src_tokenizer).encode),),
            _pieces,
        ),
        "ids": Step(
            "Pieces to ids", "Reading",
            lambda run: rf"w_i \;\mapsto\; \mathrm{{id}}(w_i) \in \{{0, \ldots, {run.src_tokenizer.vocab_size - 1}\}}",
            lambda run: (
                "Each piece is looked up in the list, and from here on only its number counts.",
                "The number is a name, not a size: 8 is not twice 4, which is why the next step turns it into something that can be"
                " compared.",
            ),
            lambda run: (Code(type(run.src_tokenizer).encode), Code(type(run.src_tokenizer).tokens)),
            _ids,
        ),
        "embedding": Step(
            "Ids to vectors", "Reading",
            _embedding_formula, _embedding_words,
            lambda run: (Code(TokenEmbedding.forward),),
            _embedding, ("src",),
        ),
        "position": Step(
            "Where each word stands", "Reading",
            _position_formula,
            lambda run: (POSITION_WORDS[run.recipe.model.positions.kind], POSITION_SECOND[run.recipe.model.positions.kind]),
            _position_code, _position, ("src",),
        ),
    }
)  # fmt: skip

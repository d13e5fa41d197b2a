"""From the decoder's output to words: logits, probabilities, the chosen token, and the next."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

import numpy as np
import streamlit as st

from s2s import plots
from s2s.analysis import Array, experiments
from s2s.decode import greedy
from s2s.model import Transformer
from s2s.runs import DecodedHypothesis, Run
from s2s.tokenizers import Tokenizer
from s2s.ui.kit import cached
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.pictures import show_tensor, show_with_csv
from s2s.ui.walkthrough.step import (
    STRATEGY,
    TracedSentence,
    WalkthroughStep,
    aligned,
    all_layers,
    quoted,
)

TOP = 10  # tokens that have a bar


def _draw_logits(sentence: TracedSentence) -> None:
    trace = sentence.trace
    row = sentence.position
    token = sentence.tgt_tokens[row]
    decoder = sentence.config.decoder
    norm = ", normalized" if decoder.final_norm and sentence.config.norm.kind != "none" else ""
    name = f"Decoder output after {all_layers(decoder.n_layers)}{norm}"
    show_tensor(name, trace.decoder_states, sentence.tgt_tokens, mark=row)
    _draw_ranked(
        sentence, trace.logits[row], f"Logits after {token}", across="logit", number_format=".2f"
    )


def _draw_probabilities(sentence: TracedSentence) -> None:
    row = experiments.softmax(sentence.trace.logits[sentence.position])
    name = f"Probabilities after {sentence.tgt_tokens[sentence.position]}"
    shown = _draw_ranked(sentence, row, name, across="probability", number_format=".2%")
    others = plots.fine_percent(max(0.0, 1.0 - shown))
    st.caption(
        f"Together, the tokens not shown have {others}. Raising a logit by 1 multiplies the token's odds by 2.72."
    )


def _draw_ranked(
    sentence: TracedSentence, row: Array, name: str, *, across: str, number_format: str
) -> float:
    """The tokens with the largest values at a position, as bars; returns the sum of what is shown."""
    tokens = sentence.run.tgt_tokenizer.tokens
    order = np.argsort(-row, kind="stable")
    best = [int(number) for number in order[:TOP]]
    bars = [(token, float(row[number])) for token, number in zip(tokens(best), best, strict=True)]
    title = f"{name}\nthe {len(best)} largest of {len(row):,}"
    figure = plots.ranked_tokens(bars, title=title, x_label=across, chosen=0, form=number_format)
    make_csv = partial(_ranked_csv, sentence.run.tgt_tokenizer, order, row, across)
    show_with_csv("ranked_tokens", figure, name, make_csv)
    return float(row[best].sum())


def _ranked_csv(tokenizer: Tokenizer, order: np.ndarray, row: Array, across: str) -> str:
    """All tokens; `order` has their ids."""
    return plots.tensor_csv(row[order][:, None], tokenizer.tokens(map(int, order)), (across,))


def _draw_chosen(sentence: TracedSentence) -> None:
    own = own_translation(sentence)
    if own is None:
        return
    start = sentence.tgt_tokens[0]
    rows = [
        {
            "step": number,
            "reads": " ".join((start, *own.tokens[: number - 1])),
            "chooses": token,
            "probability": float(np.exp(log_prob)),
        }
        for number, (token, log_prob) in enumerate(
            zip(own.tokens, own.token_log_probs, strict=True), 1
        )
    ]
    st.dataframe(
        rows,
        hide_index=True,
        column_config={"probability": st.column_config.NumberColumn(format="%.4f")},
        alt="What is read and chosen at each step",
    )
    end = "It stops because it chose `</s>`."
    if own.ids[-1] != sentence.config.ids.eos:
        end = "It was stopped at the maximum length of a target."
    size = sentence.run.tgt_tokenizer.vocab_size
    n = len(own.tokens)
    steps = f"In {n} steps, each a choice" if n > 1 else "In one step, a choice"
    wrote = quoted(own.text) if own.text else "no text"
    st.caption(f"{steps} among {size:,} tokens, the model wrote {wrote}. {end}")


def own_translation(sentence: TracedSentence) -> DecodedHypothesis | None:
    """The model's greedy translation; where it is empty, None, and the page says so."""
    hypotheses = cached.decoded(sentence.run, sentence.text, STRATEGY, {}).hypotheses
    if not hypotheses:
        st.info("The model's translation of this sentence is empty.", icon=":material/block:")
    return hypotheses[0] if hypotheses else None


def _logits_formula(run: Run) -> str:
    config = run.recipe.model
    table = "E_{tgt}" if config.output.tied else "W_{out}"
    scale = rf"\,/\sqrt{{{config.d_model}}}" if config.output.scaled else ""
    bias = " + b" if config.output.bias else ""
    size = run.tgt_tokenizer.vocab_size
    return rf"\ell_t = {table}\, s_t{scale}{bias} \in \mathbb{{R}}^{{{size}}}"


def _logits_explanation(run: Run) -> tuple[str, str]:
    size = run.tgt_tokenizer.vocab_size
    first = (
        f"The decoder's output at a position is multiplied with one vector for each of the {size:,} tokens: the better"
        " the two match, the larger the logit."
    )
    if run.recipe.model.output.tied:
        return (
            first,
            "These vectors are the embeddings of the target's tokens themselves (tied weights).",
        )
    return first, "These vectors are a matrix of their own, separate from the target's embeddings."


OUTPUT_STEPS: Mapping[str, WalkthroughStep] = MappingProxyType(
    {
        "logits": WalkthroughStep(
            title="Logits: a number for every token",
            section="Writing",
            formula=_logits_formula,
            explanation=_logits_explanation,
            code=lambda run: (
                Code(Transformer.forward, "memory =", "return"),
                Code(Transformer.project),
            ),
            draw=_draw_logits,
            controls=("tgt",),
            stack="decoder",
        ),
        "probabilities": WalkthroughStep(
            title="Softmax: from logits to probabilities",
            section="Writing",
            formula=lambda run: aligned(
                r"P(y_t = w \mid y_{<t}, X)",
                r"\quad = \exp \ell_{t,w} \,/\, \textstyle\sum_{w'} \exp \ell_{t,w'}",
            ),
            explanation=lambda run: (
                "The softmax, as in attention, turns the logits into probabilities: how probable the model finds each"
                " next token.",
                "These probabilities are the model's whole answer; every decoding strategy chooses from them.",
            ),
            code=lambda run: (Code(Run.next_tokens, "with inference", "return"),),
            draw=_draw_probabilities,
            controls=("tgt",),
            stack="decoder",
        ),
        "chosen": WalkthroughStep(
            title="Choosing a token, and the next",
            section="Writing",
            formula=lambda run: aligned(
                r"\hat y_t = \arg\max_w P(w \mid \hat y_{<t}, X)",
                r"\text{until } \hat y_t = \texttt{</s>}",
            ),
            explanation=lambda run: (
                "The most probable token is chosen and appended to what the decoder reads, and the decoder runs again.",
                "This is greedy search; beam search keeps several partial translations instead, as the page Steps"
                " shows.",
            ),
            code=lambda run: (Code(greedy, "for _ in range", "log_probs = "),),
            draw=_draw_chosen,
            stack="decoder",
        ),
    }
)

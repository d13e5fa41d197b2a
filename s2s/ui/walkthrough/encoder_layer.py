"""Around the attention of an encoder layer: residual connection and norm; and the output of all layers, the memory."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import streamlit as st
from torch import nn

from s2s.analysis import experiments
from s2s.config import ModelConfig
from s2s.model import Encoder, EncoderLayer, Residual, make_norm
from s2s.runs import Run
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.pictures import shared_limit, show_tensor
from s2s.ui.walkthrough.step import (
    NO_RESIDUAL,
    TracedSentence,
    WalkthroughStep,
    all_layers,
    is_pre_norm,
    quoted,
)

LAYER_CONTROLS = ("layer", "src")


def _draw_residual(sentence: TracedSentence) -> None:
    """The stream before, what is added to it, the stream after."""
    joined = sentence.trace.encoder.self_residual
    tokens = sentence.src_tokens
    row = sentence.position
    norm = sentence.config.norm
    is_normed = norm.place == "post" and norm.kind != "none"
    number = sentence.layer + 1
    is_replaced = sentence.run.recipe.train.fault == NO_RESIDUAL
    does, result = ("writes", "What replaces it") if is_replaced else ("adds", "Their sum")
    pictures = {
        f"Before the attention of layer {number}": joined.before,
        f"What the attention of layer {number} {does}": joined.sublayer_output,
        f"{result} in layer {number}{', normalized' if is_normed else ''}": joined.after,
    }
    limit = shared_limit(*pictures.values())
    for name, values in pictures.items():
        show_tensor(name, values, tokens, mark=row, limit=limit)
    before = float(np.linalg.norm(joined.before[row]))
    added = float(np.linalg.norm(joined.sublayer_output[row]))
    what = "what replaces it, by this run's fault," if is_replaced else "what is added"
    st.caption(
        f"For {quoted(tokens[row])}, the vector in the stream has length {before:.1f}, and {what} {added:.1f}."
        " The three pictures have one color scale."
    )


def _draw_norm(sentence: TracedSentence) -> None:
    """The norm between attention and feed-forward, before or after the sum."""
    layer = sentence.run.model.encoder.layers[sentence.layer]
    trace = sentence.trace.encoder
    is_next = sentence.config.norm.place == "pre" and trace.feed_forward_residual is not None
    residual = layer.feed_forward_residual if is_next else layer.self_residual
    joined = trace.feed_forward_residual if is_next else trace.self_residual
    module = residual.norm if isinstance(residual, Residual) else nn.Identity()
    found = (
        experiments.norm_trace(module, joined.norm_input, joined.norm_output) if joined else None
    )
    if found is None:
        st.info("This model has no norm: the stream continues unchanged.", icon=":material/block:")
        return
    st.caption(f"Every layer has several; this is the one {_norm_place(sentence.config, is_next)}.")
    show_tensor("Before the norm", found.input, sentence.src_tokens, mark=sentence.position)
    show_tensor("After the norm", found.out, sentence.src_tokens, mark=sentence.position)
    learned = {"scale γ": found.scale, "shift β": found.shift}
    vectors = {name: vector for name, vector in learned.items() if vector is not None}
    if vectors:
        show_tensor("Learned parameters", np.stack([*vectors.values()]), [*vectors], noun="vector")
    _draw_moments(sentence, found)


def _norm_place(config: ModelConfig, is_next: bool) -> str:
    if is_next:
        return "before the feed-forward"
    if is_pre_norm(config):
        return "before the attention"
    return "after the sum of stream and attention"


def _draw_moments(sentence: TracedSentence, found: experiments.NormTrace) -> None:
    stages = {"before": found.input, "normalized": found.normalized, "after": found.out}
    rows: list[dict[str, object]] = []
    for at, token in enumerate(sentence.src_tokens):
        means = {
            f"mean {name}": round(float(vectors[at].mean()), 3) for name, vectors in stages.items()
        }
        variances = {
            f"var. {name}": round(float(vectors[at].var()), 3) for name, vectors in stages.items()
        }
        rows.append({"token": token, **means, **variances})
    st.caption(
        "Mean and variance of each token's numbers: before the norm, normalized, and after the learned scale and shift."
    )
    st.dataframe(
        rows,
        hide_index=True,
        alt="Mean and variance of each token's numbers before and after the norm",
    )


def _draw_memory(sentence: TracedSentence) -> None:
    encoder = sentence.config.encoder
    trace = sentence.trace
    show_tensor(f"After {all_layers(encoder.n_layers)}", trace.encoder_stream, sentence.src_tokens)
    if encoder.final_norm and sentence.config.norm.kind != "none":
        show_tensor("The memory: after the final norm", trace.memory, sentence.src_tokens)


def _residual_formula(run: Run) -> str:
    config = run.recipe.model
    if config.norm.kind == "none":
        return r"x \leftarrow x + \mathrm{Attention}(x)"
    if is_pre_norm(config):
        return r"x \leftarrow x + \mathrm{Attention}(\mathrm{norm}(x))"
    return r"x \leftarrow \mathrm{norm}(x + \mathrm{Attention}(x))"


def _residual_explanation(run: Run) -> tuple[str, str]:
    config = run.recipe.model
    first = (
        "The attention's output does not replace the token's vector but is added to it: this stream of vectors, the"
        " residual stream, runs through all layers."
    )
    if is_pre_norm(config):
        return first, (
            "This model normalizes what a sublayer reads and leaves the stream itself alone, so gradients pass"
            " unhindered."
        )
    if config.norm.kind == "none":
        return first, "This model has no norms, so the next sublayer reads the sum as it is."
    return first, (
        "Like the original transformer, this model normalizes the sum, so the stream passes through a norm after each"
        " sublayer."
    )


def _norm_formula(run: Run) -> str:
    norm = run.recipe.model.norm
    if norm.kind == "rms":
        return r"y = \gamma \odot \frac{x}{\sqrt{\frac{1}{d}\sum_c x_c^2 + \epsilon}}"
    if norm.kind == "none":
        return r"y = x"
    shift = r" + \beta" if norm.bias else ""
    return rf"y = \gamma \odot \frac{{x - \mu}}{{\sqrt{{\sigma^2 + \epsilon}}}}{shift}"


def _norm_explanation(run: Run) -> tuple[str, str]:
    norm = run.recipe.model.norm
    if norm.kind == "none":
        return (
            "This model has no norm.",
            "Deep models are hard to train without one: numbers would grow from layer to layer.",
        )
    result = "their mean becomes 0 and their variance 1"
    if norm.kind == "rms":
        result = "their root mean square becomes 1"
    learned = "scale and shift" if norm.kind == "layer" and norm.bias else "scale"
    return (
        f"Each token's {run.recipe.model.d_model} numbers are rescaled to a standard size: {result}.",
        f"Then a learned {learned} is applied to each dimension, so the model can choose how much each one counts.",
    )


def _memory_formula(run: Run) -> str:
    config = run.recipe.model
    last = rf"x^{{({config.encoder.n_layers})}}"
    if config.encoder.final_norm and config.norm.kind != "none":
        return rf"\mathrm{{memory}} = \mathrm{{norm}}({last})"
    return rf"\mathrm{{memory}} = {last}"


def _memory_explanation(run: Run) -> tuple[str, str]:
    n = run.recipe.model.encoder.n_layers
    first = "This encoder has one layer, so its output is final."
    if n > 1:
        first = f"There are {n} layers, and each does the same with the output of the one before."
    return (
        first,
        "The result, one vector per source token, is called the memory: it is all that the decoder sees of the source.",
    )


LAYER_STEPS: Mapping[str, WalkthroughStep] = MappingProxyType(
    {
        "residual": WalkthroughStep(
            title="The residual stream",
            section="Encoder",
            formula=_residual_formula,
            explanation=_residual_explanation,
            code=lambda run: (
                Code(Residual.forward),
                Code(EncoderLayer.forward, "x = self.self_residual", "return"),
            ),
            draw=_draw_residual,
            controls=LAYER_CONTROLS,
        ),
        "norm": WalkthroughStep(
            title="The norm",
            section="Encoder",
            formula=_norm_formula,
            explanation=_norm_explanation,
            code=lambda run: (Code(make_norm), Code(Residual.forward)),
            draw=_draw_norm,
            controls=LAYER_CONTROLS,
        ),
    }
)
MEMORY_STEPS: Mapping[str, WalkthroughStep] = MappingProxyType(
    {
        "memory": WalkthroughStep(
            title="The memory",
            section="Encoder",
            formula=_memory_formula,
            explanation=_memory_explanation,
            code=lambda run: (Code(Encoder.forward, "order =", "return"),),
            draw=_draw_memory,
        ),
    }
)

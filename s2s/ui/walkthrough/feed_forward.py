"""The feed-forward of an encoder layer, its activation function, and what changes when one position changes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import streamlit as st

from s2s import plots
from s2s.analysis import FeedForwardTrace, experiments
from s2s.config import ModelConfig
from s2s.model import EncoderLayer, FeedForward
from s2s.runs import Run
from s2s.ui.walkthrough import cached
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.encoder_layer import LAYER_CONTROLS
from s2s.ui.walkthrough.pictures import show_figure, show_tensor
from s2s.ui.walkthrough.step import (
    TracedSentence,
    WalkthroughStep,
    aligned,
    counted,
    quoted,
)

BINS = 48  # bars of the histogram
POINTS = 241  # of each curve
RANGE = 3.0  # the curves reach at least this far to both sides of 0
FEW = 0.01  # a smaller share of zeros is not worth a sentence
ACTIVATIONS = MappingProxyType(
    {
        "relu": r"\max(0,\ %s)",
        "gelu": r"\mathrm{GELU}(%s)",
        "gelu_tanh": r"\mathrm{GELU}_{\tanh}(%s)",
        "silu": r"\mathrm{SiLU}(%s)",
    }
)
ACTIVATION_FORMULAS = aligned(
    r"\mathrm{ReLU}(u) = \max(0, u)",
    r"\mathrm{GELU}(u) = u\,\Phi(u)",
    r"\mathrm{SiLU}(u) = u / (1 + e^{-u})",
)


def _fed(sentence: TracedSentence) -> FeedForwardTrace | None:
    fed = sentence.trace.encoder.feed_forward
    if fed is None:
        st.info(
            "This model has no feed-forward: its layers consist of attention alone.",
            icon=":material/block:",
        )
    return fed


def _draw_feed_forward(sentence: TracedSentence) -> None:
    if fed := _fed(sentence):
        show_hidden_layer(sentence, fed, sentence.src_tokens)


def show_hidden_layer(sentence: TracedSentence, fed: FeedForwardTrace, tokens: list[str]) -> None:
    """The hidden layer of a feed-forward, and its output."""
    row = sentence.position
    if fed.gate is not None:
        show_tensor("The gate, before its activation", fed.gate, tokens, mark=row)
    show_tensor("The hidden layer, after the activation", fed.hidden, tokens, mark=row)
    show_tensor("What the feed-forward adds", fed.out, tokens, mark=row)
    zeros = float((fed.hidden == 0).mean())
    if zeros > FEW:
        st.caption(
            f"{zeros:.0%} of the hidden numbers are exactly 0: those units are inactive for these tokens."
        )


def _draw_activation(sentence: TracedSentence) -> None:
    if not (fed := _fed(sentence)):
        return
    counts, edges = np.histogram(fed.activation_inputs, BINS)
    limit = max(RANGE, float(np.abs(fed.activation_inputs).max()))
    grid = np.linspace(-limit, limit, POINTS, dtype=np.float32)
    used = sentence.config.feed_forward.activation
    shown = {
        name: curve
        for name, curve in experiments.activation_curves(grid).items()
        if name in ("relu", "gelu", "silu", used)
    }
    size = f"{counted(len(fed.activation_inputs), 'token')} × {fed.activation_inputs.shape[1]:,}"
    title = f"Activation functions and this layer's inputs\n{fed.activation_inputs.size:,} numbers: {size}"
    figure = plots.activations(
        grid, shown, [*map(int, counts)], [*map(float, edges)], title=title, used=used
    )
    show_figure(
        "activations",
        figure,
        "Activation functions",
        values=np.stack([*shown.values()]),
        rows=[*shown],
        columns=[f"{x:.3f}" for x in grid],
    )
    below = float((fed.activation_inputs < 0).mean())
    st.caption(
        f"{below:.0%} of the inputs are below 0: ReLU sets them to 0, GELU and SiLU to small negative numbers."
    )


def _draw_one_position(sentence: TracedSentence) -> None:
    changes = cached.erased(
        sentence.run, sentence.src_ids, sentence.tgt_ids, sentence.layer, sentence.position
    )
    tokens = sentence.src_tokens
    row = sentence.position
    st.caption(
        f"The input of {quoted(tokens[row])} is set to zeros; the pictures show how each sublayer's output changes."
    )
    changed = []
    if changes.feed_forward is not None:
        show_tensor("Change in the feed-forward's output", changes.feed_forward, tokens, mark=row)
        changed.append(f"in the feed-forward {_changed_rows(changes.feed_forward)}")
    show_tensor("Change in the self-attention's output", changes.attention, tokens, mark=row)
    changed.append(f"in the self-attention {_changed_rows(changes.attention)}")
    st.caption(f"Changed: {', '.join(changed)}.")


def _changed_rows(change: np.ndarray) -> str:
    """`1 row of 5`."""
    n_changed = int((np.abs(change).max(1) > 0).sum())
    return f"{counted(n_changed, 'row')} of {len(change)}"


def feed_forward_formula(run: Run) -> str:
    """FFN(x) with this model's activation, gate and biases."""
    ff = run.recipe.model.feed_forward
    b_1, b_2, b_gate = ((rf" + b_{name}" if ff.bias else "") for name in "12g")
    activation = ACTIVATIONS[ff.activation]
    if ff.gated:
        gate = activation % f"xW_g{b_gate}"
        return rf"\mathrm{{FFN}}(x) = \left({gate} \odot (xW_1{b_1})\right) W_2{b_2}"
    return rf"\mathrm{{FFN}}(x) = {activation % f'xW_1{b_1}'}\, W_2{b_2}"


def _feed_forward_explanation(run: Run) -> tuple[str, str]:
    config = run.recipe.model
    gate = ", each hidden number multiplied by a gate" if config.feed_forward.gated else ""
    return (
        f"Each token's vector is now transformed separately: {config.d_model} numbers become"
        f" {config.encoder.d_ff:,}{gate}, and then {config.d_model} again.",
        "The same matrices serve every position, and no information moves between tokens here.",
    )


def has_feed_forward(config: ModelConfig) -> bool:
    """Some models consist of attention alone."""
    return config.encoder.d_ff > 0


FEED_FORWARD_STEPS: Mapping[str, WalkthroughStep] = MappingProxyType(
    {
        "feed-forward": WalkthroughStep(
            title="The feed-forward",
            section="Encoder",
            formula=feed_forward_formula,
            explanation=_feed_forward_explanation,
            code=lambda run: (Code(FeedForward.forward),),
            draw=_draw_feed_forward,
            controls=LAYER_CONTROLS,
            exists=has_feed_forward,
        ),
        "activation": WalkthroughStep(
            title="The activation function",
            section="Encoder",
            formula=lambda run: ACTIVATION_FORMULAS,
            explanation=lambda run: (
                "Without a nonlinear function between them, the two matrices would be equivalent to one; with it, a"
                " hidden unit can respond to some tokens and not to others.",
                "ReLU sets everything below 0 to 0; GELU and SiLU do nearly the same, but smoothly, and let small"
                " negative numbers through.",
            ),
            code=lambda run: (
                Code(FeedForward.__init__, "self.activation ="),
                Code(FeedForward.forward, "hidden ="),
            ),
            draw=_draw_activation,
            controls=LAYER_CONTROLS,
            exists=has_feed_forward,
        ),
        "one-position": WalkthroughStep(
            title="Change one position",
            section="Encoder",
            formula=lambda run: r"\Delta_i = f(x')_i - f(x)_i,\quad x'_p = 0,\; x'_{i \ne p} = x_i",
            explanation=lambda run: (
                "An experiment: the input of one token is set to zero, and each sublayer runs again.",
                "In the feed-forward, only that token's row changes; in the attention, every row that attends to it"
                " changes.",
            ),
            code=lambda run: (
                Code(FeedForward.forward),
                Code(EncoderLayer.forward, "x = self.self_residual"),
            ),
            draw=_draw_one_position,
            controls=LAYER_CONTROLS,
        ),
    }
)

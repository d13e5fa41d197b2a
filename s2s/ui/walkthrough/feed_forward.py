"""The feed-forward of an encoder layer, its activation function, and what changes when one position changes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.config import ModelConfig
from s2s.model import EncoderLayer, FeedForward
from s2s.runs import Run
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.encoder_layer import LAYER_CONTROLS
from s2s.ui.walkthrough.step import WalkthroughStep, aligned

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


def feed_forward_formula(run: Run) -> str:
    """The formula of FFN(x) with this model's activation, gate and biases."""
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
    """Whether the model has a feed-forward: some consist of attention alone."""
    return config.encoder.d_ff > 0


FEED_FORWARD_STEPS: Mapping[str, WalkthroughStep] = MappingProxyType(
    {
        "feed-forward": WalkthroughStep(
            title="The feed-forward",
            section="Encoder",
            formula=feed_forward_formula,
            explanation=_feed_forward_explanation,
            code=lambda run: (Code(FeedForward.forward),),
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
            controls=LAYER_CONTROLS,
        ),
    }
)

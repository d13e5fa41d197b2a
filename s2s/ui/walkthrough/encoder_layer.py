"""Around the attention of an encoder layer: residual connection and norm; and the output of all layers, the memory."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.model import Encoder, EncoderLayer, Residual, make_norm
from s2s.runs import Run
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.step import WalkthroughStep, is_pre_norm

LAYER_CONTROLS = ("layer", "src")


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
            controls=LAYER_CONTROLS,
        ),
        "norm": WalkthroughStep(
            title="The norm",
            section="Encoder",
            formula=_norm_formula,
            explanation=_norm_explanation,
            code=lambda run: (Code(make_norm), Code(Residual.forward)),
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
        ),
    }
)

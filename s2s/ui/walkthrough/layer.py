"""Around the attention of an encoder layer: residual, norm, feed-forward; and what comes out behind all layers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import streamlit as st
from torch import nn

from s2s import plots
from s2s.analysis import FeedForwardTrace, ResidualTrace, experiments
from s2s.config import ModelConfig
from s2s.model import Encoder, EncoderLayer, FeedForward, Residual, make_norm
from s2s.runs import Run
from s2s.ui.walkthrough import cached
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.pictures import counted, figure, numbers
from s2s.ui.walkthrough.request import Step, Walk, lines, quoted

BINS = 48  # bars of a histogram
POINTS = 241  # of a curve
ACTIVATIONS = MappingProxyType(
    {
        "relu": r"\max(0,\ %s)",
        "gelu": r"\mathrm{GELU}(%s)",
        "gelu_tanh": r"\mathrm{GELU}_{\tanh}(%s)",
        "silu": r"\mathrm{SiLU}(%s)",
    }
)
CURVES = lines(
    r"\mathrm{ReLU}(u) = \max(0, u)",
    r"\mathrm{GELU}(u) = u\,\Phi(u)",
    r"\mathrm{SiLU}(u) = u / (1 + e^{-u})",
)
SRC = ("layer", "src")


def residual(walk: Walk, joined: ResidualTrace, tokens: list[str]) -> None:
    """The stream before, what joins it, the stream behind."""
    numbers("The stream before", joined.before, tokens, mark=walk.place)
    numbers("What the attention adds", joined.sublayer_output, tokens, mark=walk.place)
    is_normed = walk.config.norm.place == "post" and walk.config.norm.kind != "none"
    numbers(
        "Their sum, normed" if is_normed else "Their sum: the stream behind",
        joined.after,
        tokens,
        mark=walk.place,
    )
    before, added = (
        float(np.linalg.norm(each[walk.place])) for each in (joined.before, joined.sublayer_output)
    )
    st.caption(
        f"For {quoted(tokens[walk.place])} the stream is {before:.1f} long, and what joins it {added:.1f}."
    )


def _norm(walk: Walk) -> None:
    """The norm that stands between attention and feed-forward, before or behind as the model has it."""
    layer = walk.run.model.encoder.layers[walk.layer]
    is_next = (
        walk.config.norm.place == "pre" and walk.seen.encoder.feed_forward_residual is not None
    )
    part = layer.feed_forward_residual if is_next else layer.self_residual
    joined = walk.seen.encoder.feed_forward_residual if is_next else walk.seen.encoder.self_residual
    module = part.norm if isinstance(part, Residual) else nn.Identity()
    found = (
        experiments.norm_trace(module, joined.norm_input, joined.norm_output) if joined else None
    )
    if found is None:
        st.info("This model has no norm: the stream goes on as it is.", icon=":material/block:")
        return
    where = "through which the feed-forward reads the stream" if is_next else _where(walk.config)
    st.caption(f"Every layer has several; this is the one {where}.")
    numbers("Before the norm", found.input, walk.src_tokens, mark=walk.place)
    numbers("After it", found.out, walk.src_tokens, mark=walk.place)
    learned = [
        (name, each)
        for name, each in (("scale γ", found.scale), ("shift β", found.shift))
        if each is not None
    ]
    if learned:
        names, values = zip(*learned, strict=True)
        numbers("What training has set", np.stack(values), names, noun="vector")
    _moments(walk, found)


def _where(config: ModelConfig) -> str:
    return (
        "through which the attention reads the stream"
        if is_pre(config)
        else "behind the sum of stream and attention"
    )


def _moments(walk: Walk, found: experiments.NormTrace) -> None:
    stages = {"before": found.input, "normed": found.normalized, "after": found.out}
    rows = [
        {"token": token}
        | {f"mean {name}": round(float(each[at].mean()), 3) for name, each in stages.items()}
        | {f"var. {name}": round(float(each[at].var()), 3) for name, each in stages.items()}
        for at, token in enumerate(walk.src_tokens)
    ]
    st.caption(
        "Mean and variance of each token's numbers: before, normed, and after the learned scale and shift."
    )
    st.dataframe(
        rows,
        hide_index=True,
        alt="Mean and variance of each token's numbers before and after the norm",
    )


def _fed(walk: Walk) -> FeedForwardTrace | None:
    fed = walk.seen.encoder.feed_forward
    if fed is None:
        st.info(
            "This model has no feed-forward: its layers are attention alone.",
            icon=":material/block:",
        )
    return fed


def _feed_forward(walk: Walk) -> None:
    if fed := _fed(walk):
        wide(walk, fed, walk.src_tokens)


def wide(walk: Walk, fed: FeedForwardTrace, tokens: list[str]) -> None:
    """The hidden layer and what becomes of it."""
    if fed.gate is not None:
        numbers("The gate, before its activation", fed.gate, tokens, mark=walk.place)
    numbers("The hidden layer, activated", fed.hidden, tokens, mark=walk.place)
    numbers("What the feed-forward adds", fed.out, tokens, mark=walk.place)
    still = float((fed.hidden == 0).mean())
    if still > 0.01:
        st.caption(
            f"{still:.0%} of the hidden numbers are exactly 0: those units keep quiet for these words."
        )


def _one_position(walk: Walk) -> None:
    moved = cached.erased(walk.run, walk.src, walk.tgt, walk.layer, walk.place)
    token = walk.src_tokens[walk.place]
    st.caption(
        f"The input of {quoted(token)} is set to zeros; here is how far each sublayer's output moves."
    )
    if moved.feed_forward is not None:
        numbers(
            "Feed-forward: change of its output",
            moved.feed_forward,
            walk.src_tokens,
            mark=walk.place,
        )
    numbers(
        "Self-attention: change of its output", moved.attention, walk.src_tokens, mark=walk.place
    )
    rows = [
        (name, each)
        for name, each in (
            ("feed-forward", moved.feed_forward),
            ("self-attention", moved.attention),
        )
        if each is not None
    ]
    said = (
        f"in the {name} {counted(int((np.abs(each).max(1) > 0).sum()), 'row')} of {len(each)}"
        for name, each in rows
    )
    st.caption(f"Changed: {', '.join(said)}.")


def _activation(walk: Walk) -> None:
    if not (fed := _fed(walk)):
        return
    counts, edges = np.histogram(fed.activation_inputs, BINS)
    reach = max(3.0, float(np.abs(fed.activation_inputs).max()))
    grid = np.linspace(-reach, reach, POINTS, dtype=np.float32)
    curves = experiments.activation_curves(grid)
    used = walk.config.feed_forward.activation
    shown = {
        name: curve for name, curve in curves.items() if name in ("relu", "gelu", "silu", used)
    }
    size = f"{counted(len(fed.activation_inputs), 'token')} × {fed.activation_inputs.shape[1]:,}"
    title = f"Activations over this layer's inputs\n{fed.activation_inputs.size:,} numbers: {size}"
    drawn = plots.activations(
        grid, shown, [*map(int, counts)], [*map(float, edges)], title=title, used=used
    )
    figure(
        "activations",
        drawn,
        "Activation curves",
        values=np.stack([*shown.values()]),
        rows=[*shown],
        columns=[f"{x:.3f}" for x in grid],
    )
    below = float((fed.activation_inputs < 0).mean())
    st.caption(
        f"{below:.0%} of the inputs are below 0: ReLU makes 0 of them, GELU and SiLU numbers a little below 0."
    )


def _memory(walk: Walk) -> None:
    n = walk.config.encoder.n_layers
    numbers(
        f"Behind all {n} layers" if n > 1 else "Behind the layer",
        walk.seen.encoder_stream,
        walk.src_tokens,
    )
    if walk.config.encoder.final_norm and walk.config.norm.kind != "none":
        numbers("The memory: after the final norm", walk.seen.memory, walk.src_tokens)


def is_pre(config: ModelConfig) -> bool:
    """Whether sublayers read a normed stream."""
    return config.norm.place == "pre" and config.norm.kind != "none"


def residual_formula(run: Run) -> str:
    """x + f(x), with the norm where this model has it."""
    config = run.recipe.model
    if config.norm.kind == "none":
        return r"x \leftarrow x + \mathrm{Attention}(x)"
    if is_pre(config):
        return r"x \leftarrow x + \mathrm{Attention}(\mathrm{norm}(x))"
    return r"x \leftarrow \mathrm{norm}(x + \mathrm{Attention}(x))"


def _residual_words(run: Run) -> tuple[str, str]:
    first = "What the attention has found does not replace the word's vector, it is added: the stream of vectors runs through all layers."
    if is_pre(run.recipe.model):
        return first, (
            "This model norms what a sublayer reads and leaves the stream itself alone, so there is a way back without any obstacle."
        )
    if run.recipe.model.norm.kind == "none":
        return first, "This model has no norm anywhere, so the sum goes on as it is."
    return (
        first,
        "This model, as the paper, norms the sum, so the stream passes a norm behind each sublayer.",
    )


def _norm_formula(run: Run) -> str:
    norm = run.recipe.model.norm
    if norm.kind == "rms":
        return r"y = \gamma \odot \frac{x}{\sqrt{\frac{1}{d}\sum_c x_c^2 + \epsilon}}"
    if norm.kind == "none":
        return r"y = x"
    shift = r" + \beta" if norm.bias else ""
    return rf"y = \gamma \odot \frac{{x - \mu}}{{\sqrt{{\sigma^2 + \epsilon}}}}{shift}"


def _norm_words(run: Run) -> tuple[str, str]:
    norm = run.recipe.model.norm
    if norm.kind == "none":
        return (
            "This model has no norm.",
            "Deep ones can hardly be trained without: numbers would grow from layer to layer.",
        )
    how = (
        "their root mean square becomes 1"
        if norm.kind == "rms"
        else "their mean becomes 0 and their variance 1"
    )
    learned = "scale and shift" if norm.kind == "layer" and norm.bias else "scale"
    first = f"Each token's {run.recipe.model.d_model} numbers are brought to one size, whatever they were: {how}."
    return (
        first,
        f"Then a learned {learned} for each dimension follows, so that the model may weigh them anew.",
    )


def ffn_formula(run: Run) -> str:
    """FFN(x) with this model's activation, gate and biases."""
    ff = run.recipe.model.feed_forward
    one, two, gate = ((rf" + b_{name}" if ff.bias else "") for name in "12g")
    if ff.gated:
        return rf"\mathrm{{FFN}}(x) = \left({ACTIVATIONS[ff.activation] % f'xW_g{gate}'} \odot (xW_1{one})\right) W_2{two}"
    return rf"\mathrm{{FFN}}(x) = {ACTIVATIONS[ff.activation] % f'xW_1{one}'}\, W_2{two}"


def ffn_words(run: Run) -> tuple[str, str]:
    """What it is for."""
    config = run.recipe.model
    size = f"{config.d_model} numbers become {config.encoder.d_ff:,} and {config.d_model} again"
    gate = ", each wide one opened or closed by a gate" if config.feed_forward.gated else ""
    return (
        f"Each word by itself now thinks over what it has gathered: {size}{gate}.",
        "The same matrices serve every position, and no word sees another here.",
    )


def has_feed_forward(config: ModelConfig) -> bool:
    """Some models are attention alone."""
    return config.encoder.d_ff > 0


def _memory_words(run: Run) -> tuple[str, str]:
    n = run.recipe.model.encoder.n_layers
    often = "once" if n == 1 else f"{n} times, each layer reading what the one before has written"
    return (
        f"All of this happens {often}; then the source is read.",
        "What stands there now, one vector a source token, is called the memory: it is all that the decoder will ever see of the source.",
    )


def _memory_formula(run: Run) -> str:
    config = run.recipe.model
    last = rf"x^{{({config.encoder.n_layers})}}"
    is_normed = config.encoder.final_norm and config.norm.kind != "none"
    return (
        rf"\mathrm{{memory}} = \mathrm{{norm}}({last})"
        if is_normed
        else rf"\mathrm{{memory}} = {last}"
    )


ROWS: Mapping[str, Step] = MappingProxyType(
    {
        "residual": Step(
            "The residual stream", "Encoder", residual_formula, _residual_words,
            lambda run: (Code(Residual.forward), Code(EncoderLayer.forward, "x = self.self_residual", "return")),
            lambda walk: residual(walk, walk.seen.encoder.self_residual, walk.src_tokens), SRC,
        ),
        "norm": Step("The norm", "Encoder", _norm_formula, _norm_words, lambda run: (Code(make_norm), Code(Residual.forward)), _norm, SRC),
        "feed-forward": Step(
            "The feed-forward", "Encoder", ffn_formula, ffn_words,
            lambda run: (Code(FeedForward.forward),),
            _feed_forward, SRC, when=has_feed_forward,
        ),
        "activation": Step(
            "The activation", "Encoder",
            lambda run: CURVES,
            lambda run: (
                "Without a bend between the two matrices they would be one: the bend makes units that answer to some words and not to"
                " others.",
                "ReLU cuts off what is below 0; GELU and SiLU do nearly the same, but smoothly, so that a little of it comes through.",
            ),
            lambda run: (Code(FeedForward.__init__, "self.activation ="), Code(FeedForward.forward, "hidden =")),
            _activation, SRC, when=has_feed_forward,
        ),
        "one-position": Step(
            "Change one position", "Encoder",
            lambda run: r"\Delta_i = f(x')_i - f(x)_i,\quad x'_p = 0,\; x'_{i \ne p} = x_i",
            lambda run: (
                "An experiment: one word's input is erased, and the sublayer is run again.",
                "In the feed-forward only that word's row changes; in the attention every row that took something from it changes.",
            ),
            lambda run: (Code(FeedForward.forward), Code(EncoderLayer.forward, "x = self.self_residual")),
            _one_position, SRC,
        ),
        "memory": Step(
            "The memory", "Encoder",
            _memory_formula, _memory_words,
            lambda run: (Code(Encoder.forward, "x = self.embed", "return"),),
            _memory,
        ),
    }
)  # fmt: skip

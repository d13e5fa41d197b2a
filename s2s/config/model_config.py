"""The settings of a model: everything that shapes a transformer but its vocabulary sizes."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.config.errors import UserError
from s2s.config.fields import Config, section, setting
from s2s.config.position_kinds import POSITION_KINDS
from s2s.config.special_ids import SpecialIds


@dataclass(frozen=True)
class Stack(Config):
    """The layers of the encoder, or those of the decoder."""

    n_layers: int = setting(2, 1, 96, label="Layers", help="Number of layers in the stack.")
    n_heads: int = setting(
        4, 1, 256, label="Attention heads", help="Attention heads in each layer."
    )
    d_head: int | None = setting(
        None,
        1,
        1024,
        label="Head dimension",
        help="Dimension of the queries, keys and values of one head; empty takes d_model / n_heads.",
    )
    d_ff: int = setting(
        512,
        0,
        262_144,
        label="Feed-forward dimension",
        help="Dimension of the feed-forward network's hidden layer; 0 removes the network.",
    )
    final_norm: bool = setting(
        True,
        label="Final norm",
        help="Normalize the output of the last layer, as pre-norm transformers need.",
    )
    dropout: bool = setting(
        True,
        label="Residual dropout",
        help="Apply dropout to the output of each sublayer before it is added to the residual stream.",
    )


@dataclass(frozen=True)
class Positions(Config):
    """How the model knows the order of the tokens."""

    kind: str = setting(
        "sinusoidal",
        label="Positional encoding",
        help="How the model knows the order of the tokens.",
        choices=POSITION_KINDS,
    )
    max_length: int = setting(
        1024,
        1,
        65_536,
        label="Learned positions",
        help="Learned positions only: rows of the table, so the longest sequence in tokens, `</s>` included.",
    )
    layout: str = setting(
        "halves",
        label="Sine and cosine layout",
        help="Sines and cosines in alternating columns (the paper), or all sines before all cosines.",
        choices=("interleaved", "halves"),
    )
    base: float = setting(
        10_000.0,
        1.0,
        1e9,
        label="Frequency base",
        help="Sinusoidal and rotary: the longest wavelength is 2 pi times this many positions.",
    )
    full_span: bool = setting(
        False,
        label="Full frequency span",
        help="Sinusoidal: divide the exponents by d/2 - 1 instead of d/2, as M2M100 does.",
    )
    offset: int = setting(
        0, 0, 1024, label="Position offset", help="Position of the first token (BART: 2)."
    )
    skip_padding: bool = setting(
        False,
        label="Skip padding",
        help="Count positions without padding and give padding a zero vector, as M2M100 does.",
    )
    shared: bool = setting(
        False,
        label="Shared position table",
        help="Learned positions only: one table for source and target.",
    )
    buckets: int = setting(
        32,
        4,
        1024,
        label="Distance buckets",
        help="Relative positions only: number of distance buckets.",
    )
    max_distance: int = setting(
        128,
        2,
        65_536,
        label="Maximum distance",
        help="Relative positions only: all distances from this one on share the last bucket.",
    )

    @property
    def longest(self) -> int | None:
        """The longest sequence that can be read, in tokens; None where positions set no limit."""
        return self.max_length if POSITION_KINDS[self.kind].is_bounded else None

    @property
    def pair_axis(self) -> int:
        """The axis of the two in a sine-cosine pair: columns are (pairs, 2) if interleaved, (2, pairs) in halves."""
        return -1 if self.layout == "interleaved" else -2

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind == "relative" and self.max_distance <= self.buckets // 2:
            given = f"`max_distance` {self.max_distance} is too small for {self.buckets} buckets"
            raise UserError(f"{given}; give more than {self.buckets // 2}.")


@dataclass(frozen=True)
class Norm(Config):
    """Normalization of the residual stream."""

    kind: str = setting(
        "layer",
        label="Normalization",
        help="LayerNorm, RMSNorm, or none (which also removes the final norms).",
        choices=("layer", "rms", "none"),
    )
    place: str = setting(
        "pre",
        label="Norm placement",
        help="pre: before each sublayer. post: after each residual connection (the paper).",
        choices=("pre", "post"),
    )
    eps: float = setting(
        1e-5,
        0.0,
        0.1,
        label="Norm epsilon",
        help="Added to the variance before the square root is taken.",
    )
    bias: bool = setting(True, label="Norm bias", help="LayerNorm only: learn a bias, too.")
    after_embeddings: bool = setting(
        False,
        label="Norm after embeddings",
        help="Normalize the sum of token and position embeddings, as BART does.",
    )


@dataclass(frozen=True)
class AttentionConfig(Config):
    """Multi-head attention: encoder self-attention, decoder self-attention and cross-attention."""

    bias: bool = setting(
        True,
        label="Attention biases",
        help="Learn biases in the query, key, value and output projections.",
    )
    output_projection: bool = setting(
        True, label="Output projection", help="Project the concatenated heads by a matrix."
    )
    scaled: bool = setting(
        True,
        label="Scaled dot products",
        help="Divide the attention scores by the square root of d_head (T5 does not).",
    )
    dropout: bool = setting(
        False, label="Attention dropout", help="Apply dropout to the attention weights."
    )


@dataclass(frozen=True)
class FeedForwardConfig(Config):
    """The position-wise feed-forward network of each layer."""

    activation: str = setting(
        "relu",
        label="Activation function",
        help="Nonlinearity of the hidden layer; gelu_tanh is the tanh approximation of GELU.",
        choices=("relu", "gelu", "gelu_tanh", "silu"),
    )
    gated: bool = setting(
        False,
        label="Gated linear unit",
        help="Multiply the activation by a second projection (GLU; with silu: SwiGLU).",
    )
    bias: bool = setting(
        True, label="Feed-forward biases", help="Learn biases in the feed-forward projections."
    )
    dropout: bool = setting(
        False,
        label="Feed-forward dropout",
        help="Apply dropout to the hidden layer, after the activation.",
    )


@dataclass(frozen=True)
class Embeddings(Config):
    """The vectors of the tokens."""

    shared: bool = setting(
        False,
        label="Shared embeddings",
        help="Use one embedding matrix for source and target; needs a shared vocabulary.",
    )
    scaled: bool = setting(
        True,
        label="Scaled embeddings",
        help="Multiply embeddings by the square root of d_model (the paper, section 3.4).",
    )
    dropout: bool = setting(
        True,
        label="Embedding dropout",
        help="Apply dropout to the sum of token and position embeddings.",
    )


@dataclass(frozen=True)
class Output(Config):
    """From the decoder's last hidden state to a logit for each token of the vocabulary."""

    tied: bool = setting(
        True,
        label="Tied output weights",
        help="Use the target embedding matrix as the output projection.",
    )
    bias: bool = setting(
        False, label="Output bias", help="Learn a bias for each token of the vocabulary."
    )
    scaled: bool = setting(
        False,
        label="Scaled output",
        help="Multiply by d_model ** -0.5 before the projection, as T5 does with tied weights.",
    )


@dataclass(frozen=True)
class Init(Config):
    """The weights before training. Biases start at 0 and norm scales at 1, except with `torch`, which keeps its own."""

    kind: str = setting(
        "xavier",
        label="Initialization",
        help="xavier: uniform. normal: see `std`. torch: its defaults."
        " fairseq: Xavier with smaller queries, keys, values and feed-forward weights.",
        choices=("xavier", "normal", "torch", "fairseq"),
    )
    std: float = setting(
        0.02,
        1e-6,
        10.0,
        label="Standard deviation",
        help="Initialization `normal` only: standard deviation of the weights.",
    )


@dataclass(frozen=True)
class ModelConfig(Config):
    """An encoder-decoder transformer: everything but its vocabulary sizes."""

    d_model: int = setting(
        128, 1, 65_536, label="Model dimension", help="Dimension of the residual stream."
    )
    encoder: Stack = section(Stack, of="encoder", help="The encoder reads the source.")
    decoder: Stack = section(Stack, of="decoder", help="The decoder writes the target.")
    positions: Positions = section(Positions, help="Positional encoding.")
    norm: Norm = section(Norm, help="Normalization.")
    attention: AttentionConfig = section(AttentionConfig, help="Multi-head attention.")
    feed_forward: FeedForwardConfig = section(FeedForwardConfig, help="Feed-forward network.")
    embeddings: Embeddings = section(Embeddings, help="Token embeddings.")
    output: Output = section(Output, help="Output projection.")
    dropout: float = setting(
        0.1,
        0.0,
        0.9,
        label="Dropout rate",
        help="Probability that training sets a value to zero, wherever dropout is switched on.",
    )
    init: Init = section(Init, help="Initialization.")
    ids: SpecialIds = section(SpecialIds, help="Ids of special tokens.")

    def __post_init__(self) -> None:
        super().__post_init__()
        for stack in (self.encoder, self.decoder):
            self._check_heads(stack)
        if POSITION_KINDS[self.positions.kind].even == "d_model" and self.d_model % 2:
            given = (
                f"`d_model` {self.d_model} is odd and {self.positions.kind} positions need pairs of"
                " columns"
            )
            raise UserError(f"{given}; try {self.d_model + 1}.")

    def _check_heads(self, stack: Stack) -> None:
        if stack.d_head is None and self.d_model % stack.n_heads:
            lower = self.d_model - self.d_model % stack.n_heads
            near = [str(size) for size in (lower, lower + stack.n_heads) if size > 0]
            given = f"`d_model` {self.d_model} is not divisible by `n_heads` {stack.n_heads}"
            raise UserError(f"{given}; try {' or '.join(near)}, or set `d_head`.")
        d_head = self.d_head(stack)
        joined = stack.n_heads * d_head
        if not self.attention.output_projection and joined != self.d_model:
            given = f"{stack.n_heads} heads of {d_head} make {joined} columns, not the {self.d_model} of `d_model`"
            fitting = self.d_model // stack.n_heads
            raise UserError(
                f"{given}; set `attention.output_projection=true` or `d_head={fitting}`."
            )
        kind = self.positions.kind
        if POSITION_KINDS[kind].even == "d_head" and d_head % 2:
            given = f"`d_head` {d_head} is odd and {kind} positions rotate pairs of columns"
            raise UserError(f"{given}; try {d_head + 1}.")

    def d_head(self, stack: Stack) -> int:
        return stack.d_head or self.d_model // stack.n_heads

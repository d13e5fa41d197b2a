"""Every setting of a run: model, tokenizer, training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from s2s.config.fields import Config, UserError, section, setting


@dataclass(frozen=True)
class Stack(Config):
    """The encoder, or the decoder."""

    n_layers: int = setting(2, 1, 96, help="Layers in this stack.")
    n_heads: int = setting(4, 1, 256, help="Attention heads in each layer.")
    d_head: int | None = setting(
        None, 1, 1024, help="Width of one head; empty follows as d_model / n_heads."
    )
    d_ff: int = setting(
        512,
        0,
        262_144,
        help="Width of the feed-forward's hidden layer; 0 leaves the feed-forward out.",
    )
    final_norm: bool = setting(
        True, help="One more norm after the last layer (usual with norm.place = pre)."
    )
    dropout: bool = setting(
        True, help="Dropout on every sublayer's output, before it is added to the residual stream."
    )


POSITION_KINDS = ("sinusoidal", "learned", "rotary", "alibi", "relative", "none")


@dataclass(frozen=True)
class Positions(Config):
    """How the model knows the order of the tokens."""

    kind: str = setting("sinusoidal", help="The positional encoding.", choices=POSITION_KINDS)
    max_length: int = setting(
        1024,
        1,
        65_536,
        help="Learned: rows of the table, the longest sequence in tokens with `</s>`.",
    )
    layout: str = setting(
        "halves",
        help="Sines and cosines interleaved (the paper) or in two halves.",
        choices=("interleaved", "halves"),
    )
    base: float = setting(
        10_000.0, 1.0, 1e9, help="Sinusoidal and rotary: the longest wavelength is 2 pi times this."
    )
    full_span: bool = setting(
        False,
        help="Sinusoids: spread the frequencies over d/2 - 1 steps instead of d/2 (as M2M100 does).",
    )
    offset: int = setting(0, 0, 1024, help="The first token's position (BART: 2).")
    skip_padding: bool = setting(
        False,
        help="Count positions over real tokens only and give padding a zero vector (as M2M100 does).",
    )
    shared: bool = setting(False, help="Learned: one table for source and target.")
    buckets: int = setting(32, 4, 1024, help="Relative: how many distance buckets.")
    max_distance: int = setting(
        128, 2, 65_536, help="Relative: distances from here on share the last bucket."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind == "relative" and self.max_distance <= self.buckets // 2:
            given = f"`max_distance` {self.max_distance} is too near for {self.buckets} buckets"
            raise UserError(f"{given}; give more than {self.buckets // 2}.")


@dataclass(frozen=True)
class Norm(Config):
    """Normalisation of the residual stream."""

    kind: str = setting(
        "layer",
        help="LayerNorm, RMSNorm, or none at all (then no final norm either).",
        choices=("layer", "rms", "none"),
    )
    place: str = setting(
        "pre",
        help="Before each sublayer, or after its residual sum (the paper).",
        choices=("pre", "post"),
    )
    eps: float = setting(1e-5, 0.0, 0.1, help="Added to the variance before the square root.")
    bias: bool = setting(True, help="LayerNorm: a learned shift beside the scale.")
    after_embeddings: bool = setting(
        False, help="One more norm on the sum of embeddings and positions (as BART does)."
    )


@dataclass(frozen=True)
class AttentionConfig(Config):
    """Multi-head attention, in all its places."""

    bias: bool = setting(True, help="Biases in the query, key, value and output projections.")
    output_projection: bool = setting(True, help="Mix the joined heads with a matrix of their own.")
    scaled: bool = setting(
        True, help="Divide the scores by the square root of d_head (T5 does not)."
    )
    dropout: bool = setting(False, help="Dropout on the attention weights.")


@dataclass(frozen=True)
class FeedForwardConfig(Config):
    """The position-wise feed-forward layer."""

    activation: str = setting(
        "relu",
        help="gelu_tanh is GELU's tanh approximation.",
        choices=("relu", "gelu", "gelu_tanh", "silu"),
    )
    gated: bool = setting(
        False, help="Multiply the activation by a second projection (GLU; with silu: SwiGLU)."
    )
    bias: bool = setting(True, help="Biases in the feed-forward projections.")
    dropout: bool = setting(False, help="Dropout on the hidden layer, after the activation.")


@dataclass(frozen=True)
class Embeddings(Config):
    """Token vectors."""

    shared: bool = setting(
        False, help="One table for source and target; needs one shared vocabulary."
    )
    scaled: bool = setting(
        True, help="Multiply token vectors by the square root of d_model (the paper, section 3.4)."
    )
    dropout: bool = setting(True, help="Dropout on the sum of embeddings and positions.")


@dataclass(frozen=True)
class Output(Config):
    """From the decoder's last vector to a score for every word."""

    tied: bool = setting(True, help="Use the target embedding as the output matrix.")
    bias: bool = setting(False, help="One learned number a word, added to its score.")
    scaled: bool = setting(
        False, help="Multiply by d_model ** -0.5 before the projection (T5 does when tied)."
    )


@dataclass(frozen=True)
class Init(Config):
    """The weights before training. Biases start at 0 and norm scales at 1, but for `torch`, which keeps torch's own."""

    kind: str = setting(
        "xavier",
        help="Matrices: Xavier uniform, normal, torch's own; fairseq: Xavier with narrower queries, keys, values and feed-forward.",
        choices=("xavier", "normal", "torch", "fairseq"),
    )
    std: float = setting(0.02, 1e-6, 10.0, help="Standard deviation of `normal`.")


@dataclass(frozen=True)
class SpecialIds(Config):
    """Ids with a meaning. Our own tokenizers use the defaults; opened checkpoints bring theirs."""

    pad: int = setting(0, 0, help="Fills short rows of a batch; never attended to.")
    start: int = setting(1, 0, help="What the decoder reads first.")
    eos: int = setting(2, 0, help="Ends every source and every target.")


@dataclass(frozen=True)
class ModelConfig(Config):
    """An encoder-decoder transformer, everything but its vocabulary sizes."""

    d_model: int = setting(128, 1, 65_536, help="Width of the residual stream.")
    encoder: Stack = section(Stack, help="Reads the source.")
    decoder: Stack = section(Stack, help="Writes the target.")
    positions: Positions = section(Positions, help="Order.")
    norm: Norm = section(Norm, help="Normalisation.")
    attention: AttentionConfig = section(AttentionConfig, help="Attention.")
    feed_forward: FeedForwardConfig = section(FeedForwardConfig, help="Feed-forward.")
    embeddings: Embeddings = section(Embeddings, help="Token vectors.")
    output: Output = section(Output, help="Scores of the next word.")
    dropout: float = setting(
        0.1,
        0.0,
        0.9,
        help="Share of values zeroed while training, wherever dropout is switched on.",
    )
    init: Init = section(Init, help="Weights before training.")
    ids: SpecialIds = section(SpecialIds, help="Ids with a meaning.")

    def __post_init__(self) -> None:
        super().__post_init__()
        for stack in (self.encoder, self.decoder):
            self._check_heads(stack)
        if self.positions.kind == "sinusoidal" and self.d_model % 2:
            raise UserError(
                f"`d_model` {self.d_model} is odd and sinusoidal positions need pairs of columns; try {self.d_model + 1}."
            )

    def _check_heads(self, stack: Stack) -> None:
        if stack.d_head is None and self.d_model % stack.n_heads:
            lower = self.d_model - self.d_model % stack.n_heads
            near = [str(size) for size in (lower, lower + stack.n_heads) if size > 0]
            given = f"`d_model` {self.d_model} is not divisible by `n_heads` {stack.n_heads}"
            raise UserError(f"{given}; try {' or '.join(near)}, or set `d_head`.")
        joined = stack.n_heads * self.d_head(stack)
        if not self.attention.output_projection and joined != self.d_model:
            given = f"{stack.n_heads} heads of {self.d_head(stack)} make {joined} columns, not the {self.d_model} of `d_model`"
            raise UserError(
                f"{given}; set `attention.output_projection=true` or `d_head={self.d_model // stack.n_heads}`."
            )
        if self.positions.kind == "rotary" and self.d_head(stack) % 2:
            width = self.d_head(stack)
            raise UserError(
                f"`d_head` {width} is odd and rotary positions turn pairs of columns; try {width + 1}."
            )

    def d_head(self, stack: Stack) -> int:
        """The width of one head of that stack."""
        return stack.d_head or self.d_model // stack.n_heads


@dataclass(frozen=True)
class Cleaning(Config):
    """Which pairs are left out before training; a rule that is off (false, or empty) leaves them in."""

    empty: bool = setting(True, help="Nothing to be seen on one side.")
    duplicates: bool = setting(False, help="A pair that stood before, both sides the same.")
    copies: bool = setting(False, help="The target is the source.")
    max_words: int | None = setting(None, 1, 100_000, help="A side with more words than this.")
    max_ratio: float | None = setting(
        None, 1.0, 1000.0, help="One side this many times longer than its partner lets expect."
    )
    script: bool = setting(False, help="A side mostly in another script than the rest of its side.")
    control: bool = setting(False, help="Control or replacement characters on a side.")
    markup: bool = setting(False, help="HTML tags or entities on a side.")
    brackets: bool = setting(False, help="Brackets or quotation marks that open and do not close.")
    numbers: bool = setting(False, help="A number in digits that the other side does not have.")
    overlap: bool = setting(
        True, help="A training pair whose source the source's own validation split has too."
    )


TASK_KINDS = (
    "translate",
    "reverse_direction",
    "prefix",
    "denoise",
    "summarize",
    "respond",
    "halves",
    "copy",
    "reverse",
    "sort",
)


@dataclass(frozen=True)
class DataConfig(Config):
    """What becomes of the pairs before they are batched."""

    max_length: int = setting(
        128,
        2,
        4096,
        help="Longest source or target in tokens, `</s>` included; longer pairs are dropped and counted.",
    )
    task: str = setting(
        "auto",
        help="What is to be learnt; auto translates pairs and continues plain text.",
        choices=("auto", *TASK_KINDS),
    )
    prefix: str = setting(
        "",
        help="Put before every source, for example `translate English to French: `; tasks with a prefix have their own.",
    )
    noise_rate: float = setting(
        0.15, 0.01, 0.9, help="denoise: share of the words that are masked (T5: 0.15)."
    )
    noise_span: float = setting(
        3.0, 1.0, 100.0, help="denoise: words of a masked span, on average (T5: 3)."
    )
    turns: int = setting(
        3, 1, 100, help="respond: how many of the last turns are read before the next is written."
    )
    valid_share: float | None = setting(
        None, 0.001, 0.5, help="Share of distinct sources held out; empty takes 5 %, at most 1,000."
    )
    clean: Cleaning = section(Cleaning, help="Which pairs are left out.")


@dataclass(frozen=True)
class TokenizerConfig(Config):
    """How text is cut into pieces."""

    kind: str = setting(
        "bpe", help="How text is cut.", choices=("char", "word", "byte", "bpe", "unigram")
    )
    vocab_size: int | None = setting(
        None,
        5,
        1_000_000,
        help="Most pieces to keep, specials included; empty chooses by the size of the text.",
    )
    shared: bool = setting(True, help="One vocabulary for source and target.")


@dataclass(frozen=True)
class Optimizer(Config):
    """How gradients become steps."""

    kind: str = setting(
        "adamw", help="The optimiser.", choices=("adam", "adamw", "adafactor", "sgd")
    )
    beta1: float = setting(
        0.9, 0.0, 0.9999, help="Decay of the gradient's running mean (sgd: momentum)."
    )
    beta2: float = setting(0.98, 0.0, 0.99999, help="Decay of the squared gradient's running mean.")
    eps: float = setting(1e-9, 0.0, 0.1, help="Added to the denominator.")
    weight_decay: float = setting(
        0.0, 0.0, 10.0, help="Share of each weight removed a step, times the learning rate."
    )
    clip_norm: float = setting(
        1.0, 0.0, 1e6, help="Gradients are scaled down to this norm; 0 leaves them alone."
    )


@dataclass(frozen=True)
class Watch(Config):
    """What is measured and kept while training goes on."""

    validate_every: int = setting(200, 1, help="Steps between validations.")
    save_every: int = setting(200, 1, help="Steps between checkpoints.")
    keep: int = setting(
        3,
        1,
        1000,
        help="Newest checkpoints kept; the best and those of train.average_last always are.",
    )
    patience: int = setting(
        0,
        0,
        10_000,
        help="Validations without a better loss before training stops; 0 never stops early.",
    )
    samples: int = setting(
        4, 0, 64, help="Fixed validation sentences translated at each validation."
    )
    scores: int = setting(
        50,
        0,
        1000,
        help="Validation pairs translated (greedily) at each validation for BLEU and chrF; 0 for none.",
    )
    attention: bool = setting(
        True, help="At each checkpoint, keep the attention of a fixed pair and measure every head."
    )


@dataclass(frozen=True)
class TrainConfig(Config):
    """The training loop."""

    steps: int = setting(2000, 1, 100_000_000, help="Updates of the weights.")
    seed: int = setting(1, 0, 2**63 - 1, help="First weights, order of the data, dropout.")
    lr: float = setting(1e-3, 0.0, 100.0, help="The highest learning rate of the schedule.")
    schedule: str = setting(
        "cosine",
        help="Learning rate after the warm-up.",
        choices=("constant", "cosine", "inverse_sqrt"),
    )
    warmup_steps: int = setting(
        100, 0, 10_000_000, help="Steps in which the learning rate climbs from 0."
    )
    batch_tokens: int = setting(
        2048, 1, 1_000_000, help="Rows times the longest side of a batch, padding included."
    )
    label_smoothing: float = setting(
        0.1, 0.0, 0.9, help="Probability taken from the right word and spread over all."
    )
    average_last: int = setting(
        0,
        0,
        100,
        help="The run ends with the mean of so many last checkpoints' weights; 0 or 1 takes no mean.",
    )
    threads: int = setting(
        0,
        0,
        256,
        help="CPU threads; 0 takes all cores this process may use, and the run records how many.",
    )
    precision: str = setting(
        "exact",
        help="Matrix products: float32, or faster ones checked to be as accurate.",
        choices=("exact", "fast"),
    )
    device: str = setting(
        "auto",
        help="Where to train; auto takes a GPU if there is one.",
        choices=("auto", "cpu", "cuda", "mps"),
    )
    optimizer: Optimizer = section(Optimizer, help="The optimiser.")
    watch: Watch = section(Watch, help="Validation and checkpoints.")


@dataclass(frozen=True)
class Recipe(Config):
    """Everything that decides a run, but for its data."""

    data: DataConfig = section(DataConfig, help="Pairs.")
    tokenizer: TokenizerConfig = section(TokenizerConfig, help="Pieces.")
    model: ModelConfig = section(ModelConfig, help="The transformer.")
    train: TrainConfig = section(TrainConfig, help="Training.")

    @classmethod
    def shorthands(cls) -> Mapping[str, tuple[str, ...]]:
        """`model.n_layers` and its like change both stacks."""
        return {
            f"model.{name}": (f"model.encoder.{name}", f"model.decoder.{name}")
            for name in ("n_layers", "n_heads", "d_head", "d_ff")
        }

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.model.embeddings.shared and not self.tokenizer.shared:
            raise UserError(
                "`model.embeddings.shared` is true but `tokenizer.shared` is false; set both or neither."
            )
        table = self.model.positions
        if table.kind == "learned" and self.data.max_length > table.max_length:
            longer = f"`data.max_length` {self.data.max_length} is longer than the learned position table of {table.max_length}"
            raise UserError(
                f"{longer}; set `model.positions.max_length` to at least {self.data.max_length}."
            )

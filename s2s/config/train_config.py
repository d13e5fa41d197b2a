"""Settings of training: the loop, its optimizer, validation and checkpoints."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.config.fields import Config, section, setting


@dataclass(frozen=True)
class Optimizer(Config):
    """How gradients become updates of the weights."""

    kind: str = setting(
        "adamw",
        label="Optimizer",
        help="The algorithm that turns gradients into updates.",
        choices=("adam", "adamw", "adafactor", "sgd"),
    )
    beta1: float = setting(
        0.9,
        0.0,
        0.9999,
        label="Beta 1",
        help="Decay rate of the running mean of the gradient (sgd: momentum; adafactor: not used).",
    )
    beta2: float = setting(
        0.98,
        0.0,
        0.99999,
        label="Beta 2",
        help="Decay rate of the running mean of the squared gradient (adam and adamw only).",
    )
    eps: float = setting(
        1e-9,
        0.0,
        0.1,
        label="Optimizer epsilon",
        help="Added to the denominator of the update (adam and adamw only).",
    )
    weight_decay: float = setting(
        0.0,
        0.0,
        10.0,
        label="Weight decay",
        help="Each step shrinks the weights by this times the learning rate; `adam` and `sgd` add this times the"
        " weights to the gradient instead.",
    )
    clip_norm: float = setting(
        1.0,
        0.0,
        1e6,
        label="Gradient clipping",
        help="Largest norm of the gradient; larger gradients are scaled down to it. 0 switches clipping off.",
    )


@dataclass(frozen=True)
class Monitoring(Config):
    """Settings of what is measured and saved during training."""

    validate_every: int = setting(
        200, 1, label="Validation interval (steps)", help="Steps between validations."
    )
    save_every: int = setting(
        200, 1, label="Checkpoint interval (steps)", help="Steps between checkpoints."
    )
    keep: int = setting(
        3,
        1,
        1000,
        label="Checkpoints to keep",
        help="Number of newest checkpoints to keep. The best one and those of train.average_last are always kept.",
    )
    patience: int = setting(
        0,
        0,
        10_000,
        label="Early stopping patience",
        help="Stop after this many validations without a lower loss; 0 never stops early.",
    )
    samples: int = setting(
        4,
        0,
        64,
        label="Sample translations",
        help="Number of fixed validation sentences to translate at each validation.",
    )
    scores: int = setting(
        50,
        0,
        1000,
        label="Pairs for BLEU and chrF",
        help="Number of validation pairs to translate (greedily) at each validation for BLEU and chrF; 0 for none.",
    )
    attention: bool = setting(
        True,
        label="Record attention",
        help="At each checkpoint, save the attention of a fixed pair and measure every head.",
    )


NO_FAULT = "none"
# Rows of `s2s.faults.FAULTS` that a recipe can name.
TRAINING_FAULTS = (
    "unshifted-labels",
    "no-causal-mask",
    "no-padding-mask",
    "no-positions",
    "no-scale",
    "no-residual",
)


@dataclass(frozen=True)
class TrainConfig(Config):
    steps: int = setting(
        2000, 1, 100_000_000, label="Training steps", help="Number of updates of the weights."
    )
    minutes: float | None = setting(
        None,
        0.1,
        10_000,
        label="Time budget (minutes)",
        help="Train for this long, preparation included; the number of steps follows from it. Empty: for all steps.",
    )
    seed: int = setting(
        1,
        0,
        2**63 - 1,
        label="Random seed",
        help="Seed of the initial weights, the order of the data and dropout.",
    )
    lr: float = setting(
        1e-3, 0.0, 100.0, label="Learning rate", help="Highest learning rate of the schedule."
    )
    schedule: str = setting(
        "cosine",
        label="Learning rate schedule",
        help="How the learning rate changes after warmup.",
        choices=("constant", "cosine", "inverse_sqrt"),
    )
    warmup_steps: int = setting(
        100,
        0,
        10_000_000,
        label="Warmup steps",
        help="Steps in which the learning rate rises from 0 to its highest value.",
    )
    batch_tokens: int = setting(
        2048,
        1,
        1_000_000,
        label="Batch size (tokens)",
        help="Maximum number of pairs times the longest side of a batch, so padding counts.",
    )
    label_smoothing: float = setting(
        0.1,
        0.0,
        0.9,
        label="Label smoothing",
        help="Probability taken from the correct token and spread over the whole vocabulary. Losses are shown without"
        " it.",
    )
    average_last: int = setting(
        0,
        0,
        100,
        label="Checkpoints to average",
        help="The run ends with the mean weights of this many last checkpoints, and uses them unless an earlier"
        " checkpoint has a lower validation loss; 0 or 1 averages none.",
    )
    threads: int = setting(
        0,
        0,
        256,
        label="CPU threads",
        help="0 uses all cores available to the process; the run records their number. With `train.minutes`, fewer"
        " are used while that is faster.",
    )
    processes: int = setting(
        1,
        1,
        64,
        label="Processes",
        help="How many torchrun starts in a terminal, each with its rows of every batch. The dashboard trains in one.",
    )
    precision: str = setting(
        "exact",
        label="Matrix precision",
        help="exact: float32 matrix products. fast (CPUs only): faster ones, checked to be as accurate. bf16: factors"
        " rounded to bfloat16, where the CPU or the NVIDIA GPU multiplies that; on GPUs faster for large models only.",
        choices=("exact", "fast", "bf16"),
    )
    device: str = setting(
        "auto",
        label="Device",
        help="Where to train; auto uses an NVIDIA GPU if there is one, otherwise the CPU.",
        choices=("auto", "cpu", "cuda", "mps"),
    )
    fault: str = setting(
        NO_FAULT,
        label="Deliberate fault",
        help="A known mistake, made on purpose to see what it does; none trains correctly.",
        choices=(NO_FAULT, *TRAINING_FAULTS),
    )
    optimizer: Optimizer = section(Optimizer, help="Optimizer.")
    watch: Monitoring = section(Monitoring, help="Validation and checkpoints.")

    @property
    def adapts_threads(self) -> bool:
        """Whether fewer `threads` are used while that is faster: not where equal recipes must give equal bits."""
        is_on_cpu = self.device in ("auto", "cpu")
        return self.minutes is not None and self.threads != 1 and self.processes == 1 and is_on_cpu

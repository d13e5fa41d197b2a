"""The numbers that the dashboard shows: name, unit, what it means, and which way is better.

The metrics of translations are in s2s.scores, whose METRIC_NAMES holds those and these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class MetricName:
    """One row. `better` is `higher`, `lower`, or empty where neither is better in itself."""

    key: str
    label: str
    unit: str
    help: str
    better: str = ""


TRAINING = (
    MetricName(
        "train_loss",
        "Training loss",
        "nats per token",
        "Mean negative log-probability per target token of the newest batch, without label smoothing.",
        "lower",
    ),
    MetricName(
        "valid_loss",
        "Validation loss",
        "nats per token",
        "Mean negative log-probability per target token on the held-out pairs, without label smoothing.",
        "lower",
    ),
    MetricName(
        "lr",
        "Learning rate",
        "",
        "Factor by which the optimizer scales each update: it rises during warmup, then follows the schedule. With"
        " Adafactor it is at most one over the root of the step; its updates also grow with the weights.",
    ),
    MetricName(
        "grad_norm",
        "Gradient norm",
        "",
        "How steep the loss is, before clipping. If it rises and stays high, lower the learning rate.",
    ),
    MetricName(
        "tokens_per_second",
        "Tokens/s",
        "tokens per second",
        "Source and target tokens that training processes per second.",
        "higher",
    ),
    MetricName(
        "memory",
        "Memory",
        "MB",
        "Memory of the training process. If it keeps rising, the process will run out of memory.",
        "lower",
    ),
    MetricName("steps", "Steps", "steps", "Updates of the weights so far."),
    MetricName(
        "seconds",
        "Training time",
        "s",
        "Time of all steps, validation and saving included.",
        "lower",
    ),
    MetricName(
        "parameters", "Parameters", "", "Numbers that training adjusts; tied matrices count once."
    ),
)

REFERENCE = (
    MetricName(
        "loss",
        "Loss",
        "nats per token",
        "Mean negative log-probability per reference token, </s> included, in the model's own tokenizer and without"
        " label smoothing. Perplexity is exp(loss).",
        "lower",
    ),
    MetricName(
        "perplexity",
        "Perplexity",
        "",
        "exp(loss): the effective number of choices per token; comparable only between models of the same tokenizer."
        " The same for all strategies of a model.",
        "lower",
    ),
    MetricName(
        "token_accuracy",
        "Token accuracy",
        "%",
        "Top-1 accuracy: reference tokens that the model finds most probable, given those before them.",
        "higher",
    ),
)

EVALUATION = (
    MetricName(
        "sentences_per_second",
        "Sentences/s",
        "sentences per second",
        "Sentences translated per second in batches, on the computer that ran the evaluation.",
        "higher",
    ),
)

ANALYSIS = (
    MetricName(
        "log_prob",
        "Log-probability",
        "nats",
        "Sum over all tokens of the output, </s> included; the closer to 0, the more probable.",
        "higher",
    ),
    MetricName("score", "Score", "", "What the strategy ranks its hypotheses by.", "higher"),
    MetricName(
        "entropy",
        "Entropy",
        "nats",
        "How widely a head spreads its attention, averaged over rows; 0 means one token per row.",
    ),
    MetricName(
        "peak",
        "Peak",
        "",
        "Largest weight of a row, averaged over rows; 1 means one token per row.",
    ),
    MetricName(
        "distance",
        "Distance",
        "tokens",
        "How far from its own position a row attends, averaged over rows.",
    ),
    MetricName("aer", "AER", "0 to 1", "Alignment error rate against the gold alignment.", "lower"),
    MetricName("flops", "FLOPs", "operations", "Arithmetic operations of one forward pass."),
    MetricName("cache", "KV cache", "bytes", "Keys and values stored while a batch is decoded."),
)

NUMBER_NAMES: Mapping[str, MetricName] = MappingProxyType(
    {row.key: row for row in (*TRAINING, *REFERENCE, *EVALUATION, *ANALYSIS)}
)


FRACTIONS = frozenset({"token_accuracy"})  # keys stored as 0 to 1, shown as a percentage


def smoothing_note(rates: Iterable[float]) -> str:
    """One sentence beside losses of runs with these rates of label smoothing; "" where all are 0."""
    known = sorted({rate for rate in rates if rate})
    if not known:
        return ""
    return f"Trained with label smoothing {', '.join(f'{rate:g}' for rate in known)}; losses are shown without it."

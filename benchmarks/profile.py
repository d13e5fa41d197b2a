"""The time of an update by operator: self CPU time as measured by torch's profiler, summed by group.

The profiler measures wall-clock time, so a busy machine lengthens all rows; the shares are more reliable. `calls` are
per update.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from torch.autograd.profiler_util import FunctionEventAvg
from torch.profiler import ProfilerActivity, profile, record_function

from benchmarks.report import last_line, options, table
from benchmarks.train import MODELS, shape
from s2s.config import override
from s2s.data import load_pairs_for_training
from s2s.training import Trainer, prepare

WARM = 2  # updates before the measured ones
UPDATE = "update"
REST = "other"
# An operator belongs to the first group with a word that its name contains.
GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Python": (UPDATE,),
        "backward pass": ("autograd::engine", "Backward0", "AccumulateGrad"),
        "optimizer": (
            "Optimizer",
            "_foreach",
            "_fused_adam",
            "adam",
            "lerp",
            "addcdiv",
            "addcmul",
        ),
        "fused attention": ("scaled_dot_product", "flash_attention"),
        "matrix products": ("addmm", "bmm", "::mm", "matmul", "linear", "mkldnn"),
        "softmax, exp, log": (
            "softmax",
            "logsumexp",
            "::exp",
            "::log",
            "nll_loss",
            "cross_entropy",
        ),
        "norms": ("layer_norm", "rms_norm"),
        "random numbers": ("bernoulli", "random", "::rand", "uniform", "normal", "dropout"),
        "masks and comparisons": (
            "masked_fill",
            "where",
            "::eq",
            "::ne",
            "::lt",
            "::le",
            "::gt",
            "::ge",
            "threshold",
            "relu",
            "bitwise",
        ),
        "top-k and sorting": ("topk", "sort", "::max", "argmax"),
        "indexing": ("index", "embedding", "gather", "scatter", "take", "nonzero"),
        "copies": ("copy_", "clone", "contiguous", "::cat", "::to", "stack", "constant_pad"),
        "reductions": ("::sum", "::mean", "::amax", "::norm", "linalg"),
        "allocation": ("fill_", "zero_", "::zeros", "empty", "::ones", "resize", "full"),
        "elementwise sums and products": (
            "::add",
            "::sub",
            "::mul",
            "::div",
            "rsub",
            "neg",
            "::sqrt",
            "::pow",
            "reciprocal",
        ),
    }
)


def group(operator: str) -> str:
    """The row that an operator is counted in."""
    return next(
        (name for name, words in GROUPS.items() if any(word in operator for word in words)), REST
    )


def rows(events: Iterable[FunctionEventAvg], updates: int) -> list[dict[str, Any]]:
    """The groups, most expensive first: milliseconds per update, share, calls, and the main operators."""
    spent: defaultdict[str, list[FunctionEventAvg]] = defaultdict(list)
    for event in events:
        spent[group(str(event.key))].append(event)
    total = sum(event.self_cpu_time_total for members in spent.values() for event in members)
    found = []
    for name, members in spent.items():
        group_time = sum(event.self_cpu_time_total for event in members)
        most_expensive = sorted(members, key=lambda event: -event.self_cpu_time_total)[:3]
        found.append(
            {
                "what": name,
                "ms": group_time / 1e3 / updates,
                "%": 100 * group_time / total,
                "calls": round(sum(event.count for event in members) / updates),
                "most of it": ", ".join(
                    str(event.key).split("::")[-1].removeprefix("evaluate_function: ")
                    for event in most_expensive
                ),
            }
        )
    return sorted(found, key=lambda row: -row["ms"])


def operators(trainer: Trainer, updates: int) -> tuple[Iterable[FunctionEventAvg], int]:
    """The profile of this many updates, and their number of real tokens."""
    tokens = 0
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        for _ in range(updates):
            with record_function(UPDATE):
                tokens += trainer.update().n_tokens
    return profiler.key_averages(), tokens


def main() -> None:
    """Profile an update."""
    parser = options(__doc__)
    parser.add_argument(
        "source",
        nargs="?",
        default="builtin:en-fr",
        help="SPEC, for example multi30k/train.en,multi30k/train.de",
    )
    parser.add_argument("--model", choices=MODELS, default="transformer-tiny")
    parser.add_argument("--precision", choices=("exact", "fast"), default="exact")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--updates", type=int, default=5)
    arguments = parser.parse_args()
    recipe = override(
        shape(arguments.model, arguments.threads), {"train.precision": arguments.precision}
    )
    pairs = load_pairs_for_training(arguments.source, None, 1)
    trainer = Trainer(recipe, prepare(recipe, pairs.train, pairs.valid), None)
    for _ in range(WARM):
        trainer.update()
    started = time.process_time()
    events, tokens = operators(trainer, arguments.updates)
    seconds = (time.process_time() - started) / arguments.updates
    found = rows(events, arguments.updates)
    table(found)
    print(
        f"\n{tokens / arguments.updates:,.0f} real tokens per update in {1000 * seconds:,.0f} ms of CPU time, including"
        " the profiler's own"
    )
    last_line(
        "profile",
        {
            "model": arguments.model,
            "precision": arguments.precision,
            "tokens": tokens / arguments.updates,
            "rows": found,
        },
        arguments,
    )


if __name__ == "__main__":
    main()

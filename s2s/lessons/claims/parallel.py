"""The claim that any server can measure in a moment: an encoder computes all positions in parallel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from s2s.lessons.claims.claim import Level, Measured, Picture, Series

if TYPE_CHECKING:
    from s2s.model import Transformer

RUN = "demo-en-fr"
LENGTHS = (4, 8, 16, 32, 64, 128)  # tokens
ROUNDING = 1e-4  # of numbers of size 1
NAMES = {"all positions in parallel": "parallel", "one position at a time": "one_by_one"}


def measure(model: Transformer) -> Measured:
    """Time both orders of encoding on this server, and say what that shows."""
    from s2s.analysis import encoding_times

    found = report(asdict(encoding_times(model, LENGTHS)))
    return found._replace(method=f"Measured on this server. {found.method}")


def report(results: Mapping[str, Any]) -> Measured:
    """The result of the claim, from the seconds and the difference of the memories."""
    milliseconds = {
        name: tuple(1000 * seconds for seconds in results[key]) for name, key in NAMES.items()
    }
    pairs = zip(results["one_by_one"], results["parallel"], strict=True)
    ratios = [slow / quick for slow, quick in pairs]
    lengths = tuple(results["lengths"])
    return Measured(
        _level(ratios, results["difference"]),
        f"One position at a time takes {ratios[0]:.1f} times as long for {lengths[0]} tokens and {ratios[-1]:.0f} times"
        f" as long for {lengths[-1]}; the two memories differ by at most {results['difference']:.0e}.",
        f"The encoder of {RUN} reads random tokens, one sentence at a time. The two orders take turns, and the"
        " fastest of the repeats counts. Both compute the same products: in one, each product has all positions as"
        " rows; in the other, it has one.",
        Picture(
            "Time to encode one sentence",
            "source tokens",
            "milliseconds",
            tuple(Series(name, tuple(map(float, lengths)), y) for name, y in milliseconds.items()),
            "Lower is faster. Where one line rises with the length and the other hardly does, the processor computes"
            " many positions together.",
            is_log=True,
        ),
        {
            "source tokens": lengths,
            "in parallel (ms)": tuple(round(1000 * each, 3) for each in results["parallel"]),
            "one at a time (ms)": tuple(round(1000 * each, 3) for each in results["one_by_one"]),
            "times as long": tuple(round(ratio, 1) for ratio in ratios),
            "repeats": tuple(results["repeats"]),
        },
    )


def _level(ratios: Sequence[float], difference: float) -> Level:
    if difference > ROUNDING or ratios[-1] <= 1:
        return "fails"
    return "holds" if min(ratios) > 1 and ratios[-1] > ratios[0] else "partly"

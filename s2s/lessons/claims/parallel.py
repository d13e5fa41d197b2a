"""Claim: an encoder reads all positions at once. Measured on any machine in a second."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from s2s.lessons.claims.claim import Claim, Finding, Picture, Proof, Results, Row, Series
from s2s.lessons.claims.measured import origin, saved
from s2s.lessons.lesson import View
from s2s.links import share

if TYPE_CHECKING:
    from s2s.model import Transformer

RUN = "demo-en-fr"
LENGTHS = (4, 8, 16, 32, 64, 128)  # tokens
KEYS = ("lengths", "parallel", "one_by_one", "repeats", "difference")
ROUNDING = 1e-4  # of numbers of size 1


def measure(model: Transformer) -> Results:
    """The seconds of both orders, on this machine."""
    from s2s.analysis import encoding_times

    return asdict(encoding_times(model, LENGTHS))


def ratios(results: Results) -> list[float]:
    """How many times as long one position at a time takes, by length."""
    pairs = zip(results["one_by_one"], results["parallel"], strict=True)
    return [slow / quick for slow, quick in pairs]


def judge(results: Results) -> Finding:
    """From the seconds and the difference of the memories."""
    found = ratios(results)
    first, last = results["lengths"][0], results["lengths"][-1]
    sentence = (
        f"One position at a time takes {found[0]:.1f} times as long for {first} tokens and {found[-1]:.0f} times as"
        f" long for {last}; the two memories differ by at most {results['difference']:.0e}."
    )
    if results["difference"] > ROUNDING or found[-1] <= 1:
        return Finding("fails", sentence)
    return Finding("holds" if min(found) > 1 and found[-1] > found[0] else "partly", sentence)


def picture(results: Results) -> Picture:
    """Milliseconds by length."""
    names = {"all positions in parallel": "parallel", "one position at a time": "one_by_one"}
    x = tuple(map(float, results["lengths"]))
    return Picture(
        "Time to encode one sentence",
        "source tokens",
        "milliseconds",
        tuple(
            Series(name, x, tuple(1000 * seconds for seconds in results[key]))
            for name, key in names.items()
        ),
        "Lower is faster. Where one line rises with the length and the other hardly does, the processor computes many"
        " positions together.",
        is_log=True,
    )


def rows(results: Results) -> list[Row]:
    """A row per length."""
    return [
        {
            "source tokens": length,
            "in parallel (ms)": round(1000 * results["parallel"][i], 3),
            "one at a time (ms)": round(1000 * results["one_by_one"][i], 3),
            "times as long": round(ratio, 1),
            "repeats": results["repeats"][i],
        }
        for i, (length, ratio) in enumerate(zip(results["lengths"], ratios(results), strict=True))
    ]


def method(results: Results) -> str:
    """With the machine, where it is known."""
    where = "Measured on this server."
    if "machine" in results:
        where = f"{origin(results)} Milliseconds are the thread's processor time."
    return (
        f"{where} The encoder of {RUN} reads random tokens, one sentence at a time. The two orders take turns, and the"
        " fastest of the repeats counts. Both compute the same products: in one, each product has all positions as"
        " rows; in the other, it has one."
    )


CLAIM = Claim(
    id="parallel",
    title="Positions in parallel",
    statement="An encoder computes all positions in parallel; a machine that must go one position at a time is slower,"
    " and the more so in long sentences.",
    source="Vaswani et al. 2017, section 4 and Table 1",
    criterion="It holds where the parallel order is faster at every length, its lead is larger at the longest than at"
    " the shortest, and both orders give the same states. It fails where the longest is not faster, or states differ.",
    proofs=(
        Proof("The cost by length", View("architecture", {"set": share.pack({"view": "costs"})})),
        Proof("All positions at one step", View("walkthrough", {"run": RUN})),
    ),
    results=lambda: saved("parallel", *KEYS),
    judge=judge,
    picture=picture,
    rows=rows,
    method=method,
)

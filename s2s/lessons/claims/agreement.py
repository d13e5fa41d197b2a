"""Claim: attention lets words agree across any distance."""

from __future__ import annotations

from s2s.lessons.claims import intervals
from s2s.lessons.claims.claim import Claim, Finding, Picture, Proof, Results, Row, Series
from s2s.lessons.claims.intervals import Interval
from s2s.lessons.claims.measured import origin, saved
from s2s.lessons.lesson import View
from s2s.links import share

RUN = "demo-en-fr"
FAR = 5  # words from which on a subject counts as far
AS_IT_IS = "as it is"
CONTROL = "other words hidden from every word"
HIDDEN = "subject hidden from every word"
KEYS = ("run", "splits", "n", "runs")
LABELS = {
    AS_IT_IS: "the model as it is",
    CONTROL: "other words hidden (control)",
    "subject hidden from the agreeing word": "subject hidden from the agreeing word",
    HIDDEN: "subject hidden from every word",
}


def shares(results: Results, condition: str) -> list[Interval]:
    """The right forms in percent, by distance from 1."""
    (right,) = [row["right"] for row in results["runs"] if row["condition"] == condition]
    return [intervals.share(hit, n) for hit, n in zip(right, results["n"], strict=True)]


def at_range(results: Results, condition: str, *, is_far: bool) -> Interval:
    """The right forms of all far subjects, or of all near ones."""
    (right,) = [row["right"] for row in results["runs"] if row["condition"] == condition]
    part = slice(FAR - 1, None) if is_far else slice(0, FAR - 1)
    return intervals.share(sum(right[part]), sum(results["n"][part]))


def judge(results: Results) -> Finding:
    """From near and far subjects, and from far ones without attention to them."""
    near = at_range(results, AS_IT_IS, is_far=False)
    far = at_range(results, AS_IT_IS, is_far=True)
    control = at_range(results, CONTROL, is_far=True)
    hidden = at_range(results, HIDDEN, is_far=True)
    by_distance = intervals.difference(far, near)
    by_attention = intervals.difference(hidden, control)
    sentence = (
        f"With the subject {FAR} or more words back the form is right in {far.value:.0f}%, nearer in {near.value:.0f}%:"
        f" a difference of"
        f" {by_distance.text(unit=' points')}. Without attention to the far subject it is right in {hidden.value:.0f}%,"
        f" without attention to as many other words in {control.value:.0f}%: {by_attention.text(unit=' points')}."
    )
    needs_attention = by_attention.high < 0
    is_flat = by_distance.high >= 0
    if needs_attention and is_flat:
        return Finding("holds", sentence)
    return Finding("partly" if needs_attention else "fails", sentence)


def picture(results: Results) -> Picture:
    """Right forms by distance, with 95 % intervals."""
    distances = tuple(float(at) for at in range(1, len(results["n"]) + 1))
    return Picture(
        "French words that agree with their subject",
        f"words from the subject to the agreeing word ({len(distances)}: or more)",
        "right form (%)",
        tuple(
            Series(
                label,
                distances,
                tuple(one.value for one in found),
                tuple(one.low for one in found),
                tuple(one.high for one in found),
            )
            for name, label in LABELS.items()
            for found in [shares(results, name)]
        ),
        "Each point is the share of right forms, with its 95 % interval. Compare the line without attention to the"
        " subject with the control, which hides as many other words.",
    )


def rows(results: Results) -> list[Row]:
    """A row per distance."""
    by_name = {label: shares(results, name) for name, label in LABELS.items()}
    return [
        {"distance (words)": at, "n": n}
        | {f"{label} (%)": round(found[at - 1].value, 1) for label, found in by_name.items()}
        for at, n in enumerate(results["n"], 1)
    ]


def method(results: Results) -> str:
    """What was asked, and how the subject was hidden."""
    splits = ", ".join(results["splits"])
    return (
        f"{origin(results)} {sum(results['n']):,} verbs and predicative adjectives of the splits {splits}; one trained"
        f" run, {results['run']}, seed 1. The gold annotation names the subject. Under teacher forcing the model"
        " chooses among all French words that the same English word is linked to in training: *long, longue, longs,"
        " longues*. Hidden means: the weights on the subject's noun, article and adjectives are set to 0 in all heads"
        " and layers, in source and target, and the others sum to 1 again. From every word: of the source, and of the"
        " target after the subject. Intervals: Wilson, and Newcombe for differences."
    )


CLAIM = Claim(
    id="agreement",
    title="Agreement across distance",
    statement="Attention makes the distance between two words irrelevant: a word agrees with its subject as well far"
    " away as nearby, because it attends to it.",
    source="Vaswani et al. 2017, sections 1 and 4; Linzen et al. 2016",
    criterion="It holds where far subjects give as many right forms as near ones, up to chance, and hiding a far"
    " subject costs more than hiding other words. Partly: only the second. Otherwise it fails.",
    proofs=(
        Proof(
            "Heads that find the subject",
            View(
                "heads",
                {
                    "run": RUN,
                    "set": share.pack(
                        {
                            "test": "agreement",
                            "part": "relations",
                            "relation": "verb-subject-across",
                        }
                    ),
                },
            ),
        ),
        Proof(
            "One sentence: what *longue* attends to",
            View(
                "attention",
                {
                    "run": RUN,
                    "src": "the question that the girls know is long",
                    "kind": "encoder",
                },
            ),
        ),
    ),
    results=lambda: saved("agreement", *KEYS),
    judge=judge,
    picture=picture,
    rows=rows,
    method=method,
)

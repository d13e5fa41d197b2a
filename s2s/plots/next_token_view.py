"""The pictures of `NextToken`: the most probable tokens, and what temperature and filters leave of them."""

from __future__ import annotations

import math

from s2s.decode import FilterEffect, TruncationReport
from s2s.plots.picture import Picture
from s2s.plots.truncation import CAPTION, FilterResult, truncation
from s2s.questions import NextCandidates, NextToken, next_token
from s2s.words import fine_percent

N_BARS = 15


def pictures(question: NextToken, answer: NextCandidates, model: str) -> list[Picture]:
    report = question.report(answer)
    title = title_of(question, answer, model)
    top = report.order[:N_BARS].tolist()
    shares = report.log_probs.exp()  # (vocab,)
    bars = [(answer.names.get(token, str(token)), float(shares[token])) for token in top]
    n_rest = len(shares) - len(top)
    rest = max(0.0, 1.0 - sum(share for _, share in bars)) if n_rest else 0.0
    filters = [_result(name, left, top) for name, left in question.active(report).items()]
    is_log = bool(question.log_scale)
    best = ", ".join(f"{name} {fine_percent(share)}" for name, share in bars[:5])
    return [
        Picture(
            "next token",
            title,
            truncation(bars, (n_rest, rest), filters, title=title, is_log=is_log),
            f"Bars of the next token's probabilities, {title.replace(chr(10), ', ')}: {best}",
            question.table(answer),
            question.finding(answer),
            f"{CAPTION} {entropy_sentence(report)}",
        ),
        Picture(
            "filters",
            f"{title.splitlines()[0]}\nWhat each filter alone, and all together, would keep",
            None,
            "What each filter would keep",
            next_token.filters_table(question, answer),
        ),
    ]


def title_of(question: NextToken, answer: NextCandidates, model: str) -> str:
    """A picture's title: run, checkpoint, temperature, position."""
    tokens, at = answer.found.hypotheses[0].tokens, answer.position
    prefix = " ".join(tokens[max(0, at - 3) : at])
    after = f"after “{'… ' * (at > 3)}{prefix}”" if prefix else "the first"
    heat = f"temperature {question.truncation.temperature:g}"
    return f"{model} · {heat}\nposition {answer.number} of {len(tokens)}, {after}"


def entropy_sentence(report: TruncationReport) -> str:
    entropy, left = report.entropy, report.together
    start = f"Entropy {entropy:.2f} nats: as uncertain as {math.exp(entropy):.1f} equally probable tokens."
    if left.n == 1:
        return f"{start} After all filters: one token, entropy 0."
    return (
        f"{start} After all filters: {left.n:,} tokens, entropy {left.entropy:.2f} nats"
        f" ({math.exp(left.entropy):.1f} tokens)."
    )


def _result(name: str, left: FilterEffect, top: list[int]) -> FilterResult:
    kept = left.stays[top].tolist()
    return FilterResult(name, kept, left.n - sum(kept), left.rank, left.threshold)

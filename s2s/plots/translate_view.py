"""The picture of `Translate`: the hypotheses, best first, with the probability of each token."""

from __future__ import annotations

import math

from s2s.plots.picture import NamedFile, Picture, TokenRows
from s2s.questions import Table, Translate
from s2s.runs import Decoded, DecodedHypothesis
from s2s.words import four_digits, nats, percent

MOST = 10  # hypotheses that are drawn; the files have all
ABOUT = (
    "Below each token: its probability, given the source and the tokens before it. The stronger its color, the more"
    " probable."
)


def pictures(question: Translate, answer: Decoded, model: str) -> list[Picture]:
    shown = answer.hypotheses[:MOST]
    left = len(answer.hypotheses) - len(shown)
    return [
        Picture(
            "hypotheses",
            f"{model}\n{question.strategy}: “{answer.source}”",
            TokenRows(
                [_caption(rank, one) for rank, one in enumerate(shown, 1)],
                [one.tokens for one in shown],
                [one.token_log_probs for one in shown],
            ),
            f"Tokens of {len(shown)} hypotheses; the best one is “{answer.text}”",
            question.table(answer),
            question.finding(answer),
            f"{ABOUT} {left} more are in the files." if left else ABOUT,
            files=(
                NamedFile(
                    "Tokens (CSV)", ".tokens.csv", "text/csv", lambda: token_table(answer).csv()
                ),
            ),
        )
    ]


def token_table(answer: Decoded) -> Table:
    columns = (
        "rank",
        "hypothesis_log_prob",
        "score",
        "position",
        "token",
        "log_prob",
        "probability",
    )
    rows = [
        [rank, one.log_prob, one.score, position, token, value, math.exp(value)]
        for rank, one in enumerate(answer.hypotheses, 1)
        for position, (token, value) in enumerate(
            zip(one.tokens, one.token_log_probs, strict=True), 1
        )
    ]
    return Table(columns, rows)


def _caption(rank: int, one: DecodedHypothesis) -> str:
    ending = "with </s>" if one.tokens[-1] == "</s>" else "truncated"
    share = f" ({percent(math.exp(one.log_prob))})" if rank == 1 else ""
    return (
        f"{rank}. {one.text or '(nothing)'} · log-probability {nats(one.log_prob)} nats{share} · score"
        f" {four_digits(one.score)} · {len(one.tokens)} tokens, {ending}"
    )

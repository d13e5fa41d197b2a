"""The pictures of `Compare` and of `Translate`: what was written, and how probable each row or token is."""

from __future__ import annotations

import math
import re
from dataclasses import replace

from s2s.plots.picture import ComparedRows, NamedFile, Picture, TokenRows
from s2s.questions import NOTHING, REFERENCE, Compare, Compared, ComparedRow, Table, Translate
from s2s.runs import Decoded, DecodedHypothesis, Reference
from s2s.words import four_digits, listed, nats, percent

TEXT, SHARE, TIMES, PER_TOKEN = (
    "translation",
    "probability",
    "times as probable as row 1",
    "per token",
)
ABOUT = (
    "Per token: the geometric mean of the tokens' probabilities, which compares texts of different lengths. Tokens are"
    " counted with </s>."
)
TRUNCATED = "A truncated translation has no probability of its own: that of all that begin so is no comparison."
FORCED = "Every output under every model, which is forced to write it, </s> included: compare the numbers of one model."
SMALLEST = 1e-3  # of a ratio as a number
SMALLEST_SHARE = 1e-5
LARGEST = 1e6
MOST = 10  # hypotheses that are drawn; the files have all
PROBABILITIES = (
    "Below each token: its probability, given the source and the tokens before it. The stronger its color, the more"
    " probable."
)


def pictures(question: Compare, answer: Compared, model: str) -> list[Picture]:
    names = tuple(dict.fromkeys(model.split(", ")))
    if len(names) == len(answer.models):  # each has a title of its own
        titles = dict(zip(answer.models, names, strict=True))
        rows = tuple(replace(row, run=titles.get(row.run, row.run)) for row in answer.rows)
        shown = replace(answer, rows=rows, models=names)
    else:
        shown = answer
    table = question.table(answer)
    forced = [_forced(shown), _forced_tokens(shown)] if answer.models else []
    return [_rows(question, shown, f"{', '.join(names)}\n“{answer.source}”", table), *forced]


def _rows(question: Compare, answer: Compared, title: str, table: Table) -> Picture:
    against = question.against or (REFERENCE if answer.reference else "1")
    is_scored = bool(answer.reference)
    has_more = len(answer.rows) > 1
    columns = [
        "row",
        TEXT,
        SHARE,
        *([TIMES] if has_more else []),
        PER_TOKEN,
        "tokens",
        *(["chrF"] if is_scored else []),
    ]
    rows = [
        [
            f"{number} · {row.name}{_about(row, answer)}",
            row.text or _quoted(row.problem) or ("(nothing)" if row.found else "Decoding …"),
            _percent(row.found.log_prob if row.found and row.is_ended else math.nan),
            *([_times(row)] if has_more else []),
            _percent(row.per_token),
            str(len(row.best.tokens)) if row.best else "",
            *([_digits(row.chrf)] if is_scored else []),
        ]
        for number, row in enumerate(answer.rows, 1)
    ]
    written = "; ".join(f"{row[0]} writes “{row[1]}”" for row in rows)
    is_truncated = any(row.best and not row.is_ended for row in answer.rows)
    models = ["Rows of another model: times as probable by row 1's model."] if answer.models else []
    return Picture(
        "compared",
        title,
        ComparedRows(
            columns,
            rows,
            (TEXT,),
            [_other(answer, against, number) for number in range(len(answer.rows))],
            (
                "the row",
                "the reference" if against == REFERENCE else f"row {against}",
            ),
            PER_TOKEN,
            [math.exp(row.per_token) for row in answer.rows],
        ),
        f"Table of {len(rows)} rows: {written}",
        table,
        question.finding(answer),
        " ".join([ABOUT, *models, *([TRUNCATED] if is_truncated else [])]),
    )


def _quoted(problem: str) -> str:
    return re.sub(r"`([^`]*)`", r"“\1”", problem)


def _about(row: ComparedRow, answer: Compared) -> str:
    said = [row.more, row.run if answer.models else ""]
    return "".join(f"\n{each}" for each in said if each)


def _other(answer: Compared, against: str, number: int) -> str | None:
    if against == NOTHING or answer.rows[number].found is None:
        return None
    if against == REFERENCE:
        return answer.reference or None
    other = answer.rows[int(against) - 1]
    return other.text if other.found and int(against) - 1 != number else None


def _times(row: ComparedRow) -> str:
    if row.found and row.best and not row.is_ended:
        return "truncated"
    if row.times >= LARGEST:
        return "> 1,000,000"
    return "< 0.001" if row.times < SMALLEST else _digits(row.times)


def _percent(log_prob: float) -> str:
    if math.isnan(log_prob):
        return ""
    share = math.exp(log_prob)
    return f"{100 * share:.3g}%" if share >= SMALLEST_SHARE else "< 0.001%"


def _digits(value: float) -> str:
    return "" if math.isnan(value) else f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _forced(answer: Compared) -> Picture:
    columns = ["output of", TEXT]
    for model in answer.models:
        columns += [f"{model}: log-probability", f"{model}: per token"]
    numbered = [*enumerate(zip(answer.rows, answer.forced, strict=True), 1)]
    rows = [
        [f"row {number}", row.text, *(value for one in under for value in _numbers(one))]
        for number, (row, under) in numbered
    ]
    cells = [
        [f"row {number}", row.text, *map(_in_nats, under)] for number, (row, under) in numbered
    ]
    return Picture(
        "every output under every model",
        "Every output under every model",
        Table(("output of", TEXT, *answer.models), cells),
        f"Log-probabilities of {len(rows)} outputs under {len(answer.models)} models",
        Table(columns, rows),
        caption=" ".join(filter(None, (FORCED, _unknown(answer)))),
    )


def _numbers(one: Reference | None) -> tuple[float, float]:
    return (one.log_prob, one.per_token) if one else (math.nan, math.nan)


def _in_nats(one: Reference | None) -> str:
    return f"{nats(one.log_prob)} nats, {nats(one.per_token)} per token" if one else "too long"


def _unknown(answer: Compared) -> str:
    said = []
    for model, column in zip(answer.models, zip(*answer.forced, strict=True), strict=True):
        words = dict.fromkeys(word for one in column if one for word in one.unknown)
        if words:
            said.append(f"{model} cannot write {listed([f'“{word}”' for word in words])}")
    return f"{'; '.join(said)}: its numbers are those of <unk>." if said else ""


def _forced_tokens(answer: Compared) -> Picture:
    known = [
        (f"Output of row {number} under {model}: {nats(one.log_prob)} nats", one)
        for number, under in enumerate(answer.forced, 1)
        for model, one in zip(answer.models, under, strict=True)
        if one
    ]
    rows = [
        [caption, token, value]
        for caption, one in known
        for token, value in zip(one.tokens, one.log_probs, strict=True)
    ]
    return Picture(
        "every output token by token",
        "Every output under every model, token by token",
        TokenRows(
            [caption for caption, _ in known],
            [one.tokens for _, one in known],
            [one.log_probs for _, one in known],
        ),
        "; ".join(caption for caption, _ in known),
        Table(("output", "token", "log-probability"), rows),
    )


def translation(question: Translate, answer: Decoded, model: str) -> list[Picture]:
    shown = answer.hypotheses[:MOST]
    left = len(answer.hypotheses) - len(shown)
    return [
        Picture(
            "hypotheses",
            f"{model}\n{question.strategy}: “{answer.source}”",
            TokenRows(
                [_hypothesis(rank, one) for rank, one in enumerate(shown, 1)],
                [one.tokens for one in shown],
                [one.token_log_probs for one in shown],
            ),
            f"Tokens of {len(shown)} hypotheses; the best one is “{answer.text}”",
            question.table(answer),
            question.finding(answer),
            f"{PROBABILITIES} {left} more are in the files." if left else PROBABILITIES,
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


def _hypothesis(rank: int, one: DecodedHypothesis) -> str:
    ending = "with </s>" if one.tokens[-1] == "</s>" else "truncated"
    share = f" ({percent(math.exp(one.log_prob))})" if rank == 1 else ""
    return (
        f"{rank}. {one.text or '(nothing)'} · log-probability {nats(one.log_prob)} nats{share} · score"
        f" {four_digits(one.score)} · {len(one.tokens)} tokens, {ending}"
    )

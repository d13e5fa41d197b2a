"""Whether an answer is right, nearly right or wrong, and why."""

from __future__ import annotations

import math
import re
from typing import assert_never

from s2s.config import UserError, choose, shortened
from s2s.lessons.answers import ANSWERS, CONDITIONS, RUN_CONDITIONS
from s2s.lessons.question import (
    ChoiceQuestion,
    HeadQuestion,
    NumberQuestion,
    Question,
    RunQuestion,
    SentenceQuestion,
)
from s2s.lessons.verdict import Context, Heads, Verdict
from s2s.words import listed

THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?", re.ASCII)
NEARLY = 3  # times the tolerance
Given = str | int | tuple[int, int] | None  # typed text, an option's index, a head, or nothing


def check(question: Question, given: Given, context: Context) -> Verdict:
    """Compare an answer with the one that is computed from what is on the screen.

    Raises UserError for an answer that is none, such as a word where a number is asked for.
    """
    verdict = _compared(question, given, context)
    if verdict.level == "right" or context.source != context.at_start().source:
        return verdict
    why = _mistake(question, given)
    return Verdict("wrong", why) if why else verdict


def _mistake(question: Question, given: Given) -> str:
    match question:
        case NumberQuestion(unit=unit, tolerance=tolerance, mistakes=mistakes):
            value = number(str(given), unit)
            slack = tolerance + 1e-9 * max(1.0, abs(value))
            reasons = [
                row.why for row in mistakes if min(abs(value - x) for x in row.given) <= slack
            ]
        case HeadQuestion(mistakes=mistakes):
            reasons = [row.why for row in mistakes if given in row.given]
        case _:
            reasons = []
    return next(iter(reasons), "")


def _compared(question: Question, given: Given, context: Context) -> Verdict:
    match question:
        case NumberQuestion():
            return _check_number(question, str(given), context)
        case ChoiceQuestion():
            return _check_choice(question, given, context)
        case HeadQuestion():
            return _check_head(question, given, context)
        case SentenceQuestion():
            return choose("condition", question.condition, CONDITIONS).judge(context)
        case RunQuestion():
            return choose("condition", question.condition, RUN_CONDITIONS).judge(context)
        case _:
            assert_never(question)


def number(typed: str, unit: str = "") -> float:
    """What somebody typed as a number, with or without its unit, with a decimal point or comma.

    Commas before groups of three digits separate thousands, as pages write them. Raises UserError for anything else.

    >>> number("0,25"), number("25 %"), number("25 %", "%"), number("1,500")
    (0.25, 0.25, 25.0, 1500.0)
    """
    text = typed.strip().removesuffix(unit).strip().replace("\u2212", "-")
    scale = 0.01 if text.endswith("%") else 1.0
    text = text.removesuffix("%").strip()
    text = text.replace(",", "") if THOUSANDS.fullmatch(text) else text.replace(",", ".")
    try:
        value = float(text) * scale
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UserError(
            f"`{shortened(typed.strip(), 20)}` is no number; write one such as 12 or 0.25."
            if typed.strip()
            else "There is no answer yet; write a number such as 12 or 0.25."
        )
    return value


def answer(
    question: NumberQuestion | ChoiceQuestion | HeadQuestion, context: Context
) -> Heads | float:
    """The right answer for what is on the screen."""
    if isinstance(question.answer, str):
        return choose("answer", question.answer, ANSWERS).compute(context)
    if isinstance(question.answer, tuple):
        return Heads(frozenset(question.answer))
    return question.answer


def _check_number(question: NumberQuestion, typed: str, context: Context) -> Verdict:
    given = number(typed, question.unit)
    right = answer(question, context)
    if isinstance(right, Heads):
        raise UserError(
            f"The answer `{question.answer}` gives heads; name one that gives a number."
        )
    away = abs(given - right)
    slack = question.tolerance + 1e-9 * max(1.0, abs(right))
    said = f"{rounded(right, question.tolerance)} {question.unit}".strip()
    if away <= slack:
        return Verdict("right", f"Right: {said}.")
    if away <= max(NEARLY * slack, isinstance(right, int)):  # one more or less, of what is counted
        return Verdict("nearly", f"Nearly: you are {_distance(away, question.unit)} away.")
    return Verdict("wrong", f"Not yet: the number is {'larger' if given < right else 'smaller'}.")


def _distance(away: float, unit: str) -> str:
    return f"{away:.3g} {'percentage points' if unit == '%' else unit}".strip()


def rounded(right: float, tolerance: float) -> str:
    """The right number as text, with at most a digit more than is asked for; a count in full."""
    if isinstance(right, int) and not tolerance:
        return f"{right:,}".replace("-", "−")
    if tolerance:
        right = round(right, 1 - math.floor(math.log10(tolerance)))
    return f"{right:.15g}".replace("-", "−")


def _check_choice(question: ChoiceQuestion, given: Given, context: Context) -> Verdict:
    if not isinstance(given, int) or not 0 <= given < len(question.options):
        raise UserError("There is no answer yet; choose one of the options.")
    return Verdict("right" if given == answer(question, context) else "wrong", question.why[given])


def _check_head(question: HeadQuestion, given: Given, context: Context) -> Verdict:
    if not isinstance(given, tuple):
        raise UserError("There is no answer yet; choose a layer and a head.")
    right = answer(question, context)
    if not isinstance(right, Heads):
        raise UserError(f"The answer `{question.answer}` gives no heads; name one that does.")
    named = f"head {given[1]} of layer {given[0]}"
    if given in right.right:
        others = sorted(right.right - {given})
        names = listed([f"head {head} of layer {layer}" for layer, head in others])
        also = f"; {names} {'is' if len(others) == 1 else 'are'} right, too" if others else ""
        return Verdict("right", f"Right: {named}{also}. {right.why if others else ''}".strip())
    if given in right.nearly:
        said = f"Nearly: {named} does so less clearly than another one. {right.why}"
        return Verdict("nearly", said.strip())
    if not right.right or given not in right.measured:
        return Verdict("wrong", f"Not {named}: compare it with the other heads.")
    best = right.measured[min(right.right)]
    said = f"Not {named}: it has {right.measured[given]}, a right one has {best}."
    return Verdict("wrong", said)

"""The right answers to a lesson's questions, with reasons: for whoever teaches it."""

from __future__ import annotations

from s2s.lessons.answers import ANSWERS, CONDITIONS, RUN_CONDITIONS
from s2s.lessons.question import (
    ChoiceQuestion,
    HeadQuestion,
    NumberQuestion,
    Question,
    RunQuestion,
    SentenceQuestion,
)


def right_answer(question: Question) -> str:
    """The right answer as people read it; what computes it, where it depends on what is on the screen.

    >>> right_answer(NumberQuestion("How many?", 12, 0.5, "tokens"))
    '12 tokens ± 0.5'
    """
    match question:
        case SentenceQuestion():
            return CONDITIONS[question.condition].description
        case RunQuestion():
            return RUN_CONDITIONS[question.condition].description
        case NumberQuestion() | ChoiceQuestion() | HeadQuestion():
            if isinstance(question.answer, str):
                return ANSWERS[question.answer].description
            return given_answer(question, question.answer)


def given_answer(question: Question, given: object) -> str:
    """An answer as people read it: an option by its text, heads by their names."""
    match question, given:
        case ChoiceQuestion(options=options), int():
            return options[given]
        case NumberQuestion(unit=unit, tolerance=tolerance), int() | float():
            said = f"{given:.6g} {unit}".strip()
            return f"{said} ± {tolerance:g}" if tolerance else said
        case HeadQuestion(), tuple():
            return " or ".join(f"head {head} of layer {layer}" for layer, head in given)
    return ""

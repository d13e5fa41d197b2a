"""The samples of minimum Bayes risk decoding, and why one of them won."""

from __future__ import annotations

from s2s.questions import Samples
from s2s.ui.kit import cached, show_all
from s2s.ui.steps.page import AskedSearch


def show_samples(asked: AskedSearch) -> None:
    """Draw the matrix with its verdict, and the texts."""
    question = asked.question(Samples)
    answer = cached.SCREEN.answer(question)
    asked.write(answer.samples[0].text)
    show_all(question, answer, asked.model)

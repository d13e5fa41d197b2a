"""Every head of one kind of attention beside the picture: a grid to click, and the same as a table."""

from __future__ import annotations

from functools import partial

from s2s.questions import HeadsOf, head_at
from s2s.questions.views import view_of
from s2s.ui.attention.asked import Asked
from s2s.ui.attention.page import select
from s2s.ui.attention.view_state import STATE
from s2s.ui.kit import cached, pickers, show

Shape = tuple[int, ...]  # layers, heads


def show_grid(asked: Asked) -> None:
    of = asked.question
    shape = asked.answer.attention.view(of.kind).weights.shape[:2]
    question = STATE.question(HeadsOf, **of.shared_with(HeadsOf))
    answer = cached.SCREEN.answer(question)
    (picture,) = view_of(question).pictures(question, answer, asked.model)
    if question.alone and head_at(question.alone, *shape) is None:
        pickers.notify(
            f"There is no head {question.alone[:20]} to enlarge: this model has {shape[0]} layers of {shape[1]} heads."
        )
        STATE.remember(alone="")
    show(
        picture,
        question,
        answer,
        on_pick=partial(_pick, shape),
        on_enlarge=partial(_enlarge, shape),
    )


def _pick(shape: Shape, layer: int | None, head: int | None) -> None:
    if (layer is None or 0 <= layer < shape[0]) and (head is None or 0 <= head < shape[1]):
        select(layer, head)


def _enlarge(shape: Shape, layer: int | None, head: int | None) -> None:
    if layer is None or head is None:
        STATE.remember(alone="")
    elif 0 <= layer < shape[0] and 0 <= head < shape[1]:
        STATE.remember(alone=f"{layer + 1}.{head + 1}")
        select(layer, head)

"""The pictures of `Walkthrough`: those of the step that it asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from s2s.plots import walk_decoder, walk_encoder, walk_learning
from s2s.plots.picture import Picture
from s2s.plots.walk_tensors import READING, SUMS
from s2s.questions import Walked, Walkthrough


def pictures(question: Walkthrough, answer: Walked, model: str) -> list[Picture]:
    draw = {**walk_encoder.DRAW, **walk_decoder.DRAW, **walk_learning.DRAW}[question.step]
    at = answer.at
    about = f"{model} · layer {question.layer}\n{at.text} → {at.target}"
    drawn = enumerate(draw(question, answer), 1)
    shown = [replace(each, name=f"{question.step} {n}", about=about) for n, each in drawn]
    shown = [*_each_legend_once(shown)]
    return [replace(shown[0], finding=question.finding(answer)), *shown[1:]]


def _each_legend_once(pictures: Iterable[Picture]) -> Iterator[Picture]:
    left = [READING, SUMS]
    for each in pictures:
        caption = each.caption
        for legend in (READING, SUMS):
            if legend in caption and legend in left:
                left.remove(legend)
            else:
                caption = caption.replace(legend, "")
        yield replace(each, caption=caption.strip())

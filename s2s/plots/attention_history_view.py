"""The pictures of `AttentionOverTraining`: the pair, and the curves of all heads."""

from __future__ import annotations

import numpy as np

from s2s.plots.attention import heatmap_data
from s2s.plots.learning import (
    ALIGNMENT_ERROR,
    ENTROPY,
    alignment_error,
    attention_animation,
    entropy,
)
from s2s.plots.picture import Picture
from s2s.questions import KIND_NAMES, AttentionByStep, AttentionOverTraining
from s2s.runs import AttentionHistory

TASK = (
    "The same {pair} pair at each checkpoint; the model is forced to write the reference. At first every head attends"
    " uniformly: each row is evenly dark. Later single cells light up: the head has found the words it needs."
)
OF_MEANS = " Thick line: the heads of a layer averaged first."
NO_GOLD = (
    " There is no alignment error: these pairs have no gold alignment. The datasets builtin:en-fr and builtin:en-es"
    " have one."
)


def pictures(question: AttentionOverTraining, answer: AttentionByStep, model: str) -> list[Picture]:
    run = model.partition(" · step ")[0]
    pair = [_pair(question, answer, run)] if answer.frames else []
    return (
        pair if answer.history is None else [*pair, *_curves(question, answer, answer.history, run)]
    )


def _pair(question: AttentionOverTraining, answer: AttentionByStep, run: str) -> Picture:
    saved = answer.frames[0]
    drawn = question.picture(saved)
    what = f"{KIND_NAMES[question.kind]} · {drawn.name}"
    caption = f"Pair: {saved.source} → {saved.target}. " + TASK.format(
        pair="held-out" if answer.is_held_out else "training"
    )
    labels = (drawn.keys, drawn.rows)
    if question.animated:
        title = f"{run}\n{what}"
        weights = {each.step: question.picture(each).weights for each in answer.frames}
        figure = attention_animation(weights, *labels, title=title, verb=drawn.verb)
        alt = f"Animation of {title.replace(chr(10), ', ')}, {len(weights)} checkpoints"
        return Picture("pair", title, figure, alt, question.pair_table(answer), caption=caption)
    title = f"{run} · step {saved.step:,}\n{what}"
    return Picture(
        "pair",
        title,
        heatmap_data(drawn.weights, *labels, title=title, verb=drawn.verb),
        f"Heatmap of {title.replace(chr(10), ', ')}",
        question.pair_table(answer),
        question.pair_finding(answer),
        caption,
    )


def _curves(
    question: AttentionOverTraining, answer: AttentionByStep, history: AttentionHistory, run: str
) -> list[Picture]:
    chosen = question.chosen(answer)
    title = f"{run}\nentropy of cross-attention over {answer.pairs}"
    values = history.entropy
    figure = entropy(history.steps, values, title=title, uniform=history.uniform, chosen=chosen)
    table = question.table(answer)
    sharpness = Picture(
        "entropy",
        title,
        figure,
        f"Entropy of each head by step, {_ends(values)} nats at the end",
        table,
        question.finding(answer),
        ENTROPY + NO_GOLD * (history.aer is None),
    )
    if history.aer is None:
        return [sharpness]
    title = f"{run}\nalignment error over {answer.pairs}"
    errors, mean = history.aer, history.aer_mean
    figure = alignment_error(history.steps, errors, title=title, mean=mean, chosen=chosen)
    alt = f"Alignment error of each head by step, {_ends(errors)} at the end"
    caption = ALIGNMENT_ERROR + OF_MEANS * (mean is not None)
    return [sharpness, Picture("alignment error", title, figure, alt, table, caption=caption)]


def _ends(values: np.ndarray[tuple[int, int, int], np.dtype[np.float32]]) -> str:
    newest = values[-1]
    known = np.isfinite(newest).any()
    return f"{np.nanmin(newest):.2f} to {np.nanmax(newest):.2f}" if known else "unknown"

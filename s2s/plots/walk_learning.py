"""The pictures of `Walkthrough`, and those of its steps about the loss: forcing, gradients, one update, scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import plotly.graph_objects as go

from s2s.plots import theme, walk_decoder, walk_encoder
from s2s.plots.picture import Picture
from s2s.plots.positions import paired_bars
from s2s.plots.token_losses import TokenLoss, token_losses
from s2s.plots.walk_tensors import MAX_COLUMNS, READING, SUMS, frame, of_tokens, picture, table_of
from s2s.questions import Table, Walked, Walkthrough, walked
from s2s.runs import first_difference
from s2s.scores import breakdown, edits

TINY = 1e-30  # below any gradient that is not 0
DIGITS = 4  # decimals of weights and gradients
LOSSES = "The taller a bar, the less the model expected that token of the reference. Diamonds: its own translation."
FLOW = (
    "1: the same size as at the decoder's output; far below, a layer hardly learns; far above, it is unstable. E in and"
    " D in: before the first layer of encoder and decoder; E1, D1, …: after each layer. The loss is {full:.2f} nats per"
    " token with residual connections and {without:.2f} without, so the gradients are shown relative to the decoder's"
    " output, where their norms are {full_norm:.2g} and {without_norm:.2g}; the table has the norms themselves."
)
ONE_WEIGHT = (
    "{before} − {rate} × {gradient} ≈ {after}, each number rounded. The gradient says how fast the loss rises when this"
    " weight grows; the update goes the other way."
)
STEEPEST = "Framed: the largest gradient among the first {n} numbers of these vectors, number {column} of “{token}”."
BARS = (
    "Where only one of two bars is visible, the other is close to 0. All weights of a copy of the model were updated in"
    " the same way, once."
)
PATTERNS = ("", "/")


def _loss(answer: Walked) -> walked.LossTarget:
    if answer.loss is None:
        raise ValueError("a step about the loss has a target")
    return answer.loss


def target_line(answer: Walked) -> str:
    """A sentence about the target of the loss and where it comes from."""
    target = _loss(answer)
    said = f"Target: “{target.forced.text}” ({target.origin})."
    return " ".join(filter(None, (said, target.problem)))


def forcing(question: Walkthrough, answer: Walked) -> list[Picture]:
    """A picture by position: what the model reads and would choose, forced and running freely."""
    own, reference, start = answer.own, _loss(answer).forced, answer.at.tgt_tokens[0]
    forced = [*zip((start, *reference.tokens), reference.predicted, reference.tokens, strict=False)]
    written = own.tokens if own else ()
    free = [*zip((start, *written), written, strict=False)]
    rows = [
        [
            at + 1,
            *(forced[at] if at < len(forced) else ("", "", "")),
            *(free[at] if at < len(free) else ("", "")),
        ]
        for at in range(max(len(forced), len(free)))
    ]
    columns = ("position", "teacher: reads", "would choose", "correct", "free: reads", "chooses")
    table = Table(columns, rows)
    return [picture(None, "Teacher forcing and free running", table, target_line(answer))]


def loss(question: Walkthrough, answer: Walked) -> list[Picture]:
    """A picture of the losses: a bar per reference token, a diamond per token of the model's own translation."""
    reference, own = _loss(answer).forced, answer.own
    losses = np.array([-value for value in reference.log_probs], np.float32)
    pairs = zip(own.tokens, own.token_log_probs, strict=True) if own else ()
    free = [TokenLoss(token, -value) for token, value in pairs]
    both = zip(reference.tokens, reference.log_probs, strict=True)
    forced = [TokenLoss(token, -value) for token, value in both]
    differs_at = first_difference(own.ids, reference.ids) if own else None
    title = "Loss at each position"
    figure = token_losses(forced, free, differs_at, title=title)
    table = table_of(losses[:, None], reference.tokens, ("nats",))
    said = " ".join(filter(None, (target_line(answer), LOSSES, _loss(answer).note)))
    return [picture(figure, title, table, said)]


def gradients(question: Walkthrough, answer: Walked) -> list[Picture]:
    """A picture of the gradient's size at each depth, with and without residual connections."""
    if answer.flows is None:
        raise ValueError("the step `gradients` has them")
    full, without = answer.flows
    labels = [*_depths("E", len(full.encoder)), *_depths("D", len(full.decoder))]
    norms = {
        "with residual connections": np.concatenate([full.encoder, full.decoder]),
        "without": np.concatenate([without.encoder, without.decoder]),
    }
    relative = {
        name: [*map(float, values / max(float(values[-1]), TINY))] for name, values in norms.items()
    }
    title = "The gradient by layer"
    table = table_of(np.stack([*norms.values()]), [*norms], labels)
    said = FLOW.format(
        full=full.loss,
        without=without.loss,
        full_norm=full.decoder[-1],
        without_norm=without.decoder[-1],
    )
    figure = gradient_flow(labels, relative, title=title)
    return [picture(figure, title, table, f"{target_line(answer)} {said}")]


def _depths(letter: str, n: int) -> list[str]:
    return [f"{letter}{number or ' in'}" for number in range(n)]


def update(question: Walkthrough, answer: Walked) -> list[Picture]:
    """Pictures of one update: the gradient, one weight before and after, and the effect of all weights."""
    found, target = answer.update, _loss(answer)
    if found is None:
        raise ValueError("the step `update` has one")
    tokens = target.forced.tokens[-len(found.before) :]
    row, column = found.steepest(MAX_COLUMNS)
    name = "Gradient of the target tokens' output vectors"
    vectors = of_tokens(name, found.gradient, tokens, mark=row)
    frame(vectors.figure, row, column)
    n_compared = min(MAX_COLUMNS, found.gradient.shape[1])
    steepest = STEEPEST.format(n=n_compared, column=column + 1, token=tokens[row])
    before, gradient, after = (
        _number(float(values[row, column]))
        for values in (found.before, found.gradient, found.after)
    )
    weight = Table(("before", "gradient", "after"), [[before, gradient, after]])
    subtracted = f"({gradient})" if gradient.startswith("−") else gradient
    said = ONE_WEIGHT.format(before=before, rate=question.rate, gradient=subtracted, after=after)
    one = f"Number {column + 1} of the output vector of “{tokens[row]}”"
    both = {
        "before": np.exp(-found.losses_before),
        "after one update": np.exp(-found.losses_after),
    }
    title = "Probability of each correct token"
    bars = paired_bars(tokens, both, title=title, y_label="probability")
    probabilities = table_of(np.stack([*both.values()]), [*both], tokens)
    vectors = picture(
        vectors.figure,
        vectors.title,
        vectors.table,
        f"{target_line(answer)} {steepest} {vectors.caption}",
    )
    return [
        vectors,
        picture(None, one, weight, said),
        picture(bars, title, probabilities, " ".join(filter(None, (BARS, target.note)))),
    ]


def _number(value: float) -> str:
    return f"{value:.{DIGITS}f}".replace("-", "−")


def counted(question: Walkthrough, answer: Walked) -> list[Picture]:
    """A picture of the translation's scores; none without a reference."""
    target, own = _loss(answer), answer.own
    written, reference = own.text if own else "", target.forced.text
    rows: list[list[object]] = []
    if target.is_reference:
        rows = [
            ["BLEU", breakdown.bleu(written, reference).score],
            ["chrF", breakdown.chrf(written, reference).score],
            ["TER", edits.ter(written, reference).score],
            *([f"ROUGE-{n}", breakdown.rouge(written, reference, n).f1] for n in (1, 2)),
            ["ROUGE-L", breakdown.rouge_l(written, reference).score],
        ]
    table = Table(("score", "value"), rows)
    return [picture(None, "Scores of this sentence", table, target_line(answer))]


DRAW = MappingProxyType(
    {
        "forcing": forcing,
        "loss": loss,
        "gradients": gradients,
        "update": update,
        "counted": counted,
    }
)


def gradient_flow(
    layers: Sequence[str], norms: Mapping[str, Sequence[float]], *, title: str
) -> go.Figure:
    """A bar chart: a bar per layer for each of at most two series in `norms`, which end at 1; a logarithmic scale."""
    if not layers:
        return theme.empty("There are no layers to show.")
    bars = [
        go.Bar(
            x=[*range(len(layers))],
            y=[*values],
            name=name,
            marker={"color": theme.CATEGORICAL[number], "pattern": {"shape": PATTERNS[number]}},
            customdata=[*layers],
            hovertemplate=f"%{{customdata}}, {name}: %{{y:.3g}}<extra></extra>",
        )
        for number, (name, values) in enumerate(norms.items())
    ]
    layout = theme.layout(title, 380, "", "norm of the gradient (1: as at the decoder's output)")
    positive = [value for values in norms.values() for value in values if value > 0]
    layout["yaxis"] |= theme.log_axis(min(positive, default=1), max(positive, default=1))
    ticks = {
        "tickmode": "array",
        "tickvals": [*range(len(layers))],
        "ticktext": [*layers],
        "automargin": True,
        "showgrid": False,
    }
    layout["xaxis"] |= ticks | {
        "rangemode": "normal",
        "range": [-0.6, len(layers) - 0.4],
        "zeroline": False,
    }
    del layout["xaxis"]["title"]
    layout["legend"] = {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0}
    layout["margin"] |= {"t": 84}
    return go.Figure(bars, layout)


def pictures(question: Walkthrough, answer: Walked, model: str) -> list[Picture]:
    draw = {**walk_encoder.DRAW, **walk_decoder.DRAW, **DRAW}[question.step]
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

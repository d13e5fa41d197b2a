"""What training makes of it: the loss of each position, the gradient on its way back, and the scores of the result."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import streamlit as st

from s2s import plots
from s2s.analysis import experiments
from s2s.model import Residual
from s2s.plots import TokenLoss
from s2s.runs import Run, first_difference
from s2s.scores import breakdown
from s2s.train import loss
from s2s.ui.kit import cached, score_counts
from s2s.ui.shell.pages import page_link
from s2s.ui.walkthrough import cached as walkthrough_cached
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.layer import is_pre
from s2s.ui.walkthrough.output import wanted
from s2s.ui.walkthrough.pictures import figure, signed
from s2s.ui.walkthrough.request import STRATEGY, Step, Walk, lines, quoted

TINY = 1e-30  # below any gradient that is not 0


def _loss(walk: Walk) -> None:
    target = wanted(walk)
    losses = np.array([-value for value in target.log_probs], np.float32)
    own = cached.decoded(walk.run, walk.text, STRATEGY, {}).hypotheses[:1]
    parting = first_difference(own[0].ids, target.ids) if own else None
    free = [
        TokenLoss(token, -value)
        for each in own
        for token, value in zip(each.tokens, each.token_log_probs, strict=True)
    ]
    forced = [
        TokenLoss(token, -value)
        for token, value in zip(target.tokens, target.log_probs, strict=True)
    ]
    drawn = plots.token_losses(forced, free, parting, title="Loss of each position")
    figure(
        "token_losses",
        drawn,
        "Loss of each position",
        values=losses[:, None],
        rows=target.tokens,
        columns=("nats",),
    )
    worst = int(losses.argmax())
    st.caption(
        f"Summed {signed(float(losses.sum()))} nats, {signed(float(losses.mean()))} a token; the hardest is {quoted(target.tokens[worst])}:"
        f" the model gave it {np.exp(-losses[worst]):.2%}."
    )


def _gradients(walk: Walk) -> None:
    whole, cut = walkthrough_cached.flows(walk.run, walk.src, (*walk.tgt, walk.written.ids[-1]))
    places = [
        f"{letter}{number or ' in'}"
        for letter, each in (("E", whole.encoder), ("D", whole.decoder))
        for number in range(len(each))
    ]
    ways = {"with the residual": whole, "without it": cut}
    lengths = {name: np.concatenate([each.encoder, each.decoder]) for name, each in ways.items()}
    shares = {
        name: [*map(float, each / max(float(each[-1]), TINY))] for name, each in lengths.items()
    }
    drawn = plots.gradient_flow(places, shares, title="The gradient by layer")
    figure(
        "gradient_flow",
        drawn,
        "The gradient by layer",
        values=np.stack([*lengths.values()]),
        rows=[*lengths],
        columns=places,
    )
    st.caption(
        "E in and D in: before the first layer of encoder and decoder; E1, D1, …: behind each. The loss is"
        f" {whole.loss:.2f} nats a token with the residual and {cut.loss:.2f} without, so lengths are shown against the decoder's end,"
        f" where they are {whole.decoder[-1]:.2g} and {cut.decoder[-1]:.2g}; the numbers to download are the lengths themselves."
    )


def _counted(walk: Walk) -> None:
    reference = wanted(walk)
    own = cached.decoded(walk.run, walk.text, STRATEGY, {}).text
    st.caption(f"The model writes {quoted(own)}.")
    score_counts.panel(own, reference.text)
    page_link("evaluate", "Score a whole test set")


def _gradients_formula(run: Run) -> str:
    step = r"\left(I + \frac{\partial f_k}{\partial x}\right)"
    norm = (
        ""
        if is_pre(run.recipe.model) or run.recipe.model.norm.kind == "none"
        else r"J_{\mathrm{norm}}\,"
    )
    return rf"\frac{{\partial L}}{{\partial x^{{(l)}}}} = \frac{{\partial L}}{{\partial x^{{(n)}}}} \prod_{{k > l}} {norm}{step}"


ROWS: Mapping[str, Step] = MappingProxyType(
    {
        "loss": Step(
            "The loss of each position", "Learning",
            lambda run: r"L_t = -\log P(y_t \mid y_{<t}, X),\quad L = \tfrac{1}{n} \sum_t L_t",
            lambda run: (
                "Training asks one thing: how probable was the right token? A loss of 0 means certain, 0.69 a toss of a coin.",
                "All positions count alike, and every weight of the model is moved a little so that their mean falls.",
            ),
            lambda run: (Code(loss.count, "rows, chosen =", "nats +="),),
            _loss, stack="decoder",
        ),
        "gradients": Step(
            "The way back along the stream", "Learning", _gradients_formula,
            lambda run: (
                "To be moved, a weight must be reached by the gradient; the sum x + f(x) lets it pass beside f, whatever f does.",
                "The other bars are this very model with the sums taken out: trained with them, so they show what flows, not what a model"
                " trained without them would do.",
            ),
            lambda run: (
                Code(Residual.forward),
                Code(experiments.WithoutResidual.forward),
                Code(experiments.gradient_flow, "with torch.enable_grad", "lengths ="),
            ),
            _gradients, stack="decoder",
        ),
        "counted": Step(
            "How good is it? BLEU and ROUGE, counted", "Learning",
            lambda run: lines(
                r"\mathrm{BLEU} = BP \cdot \Big(\textstyle\prod_{n=1}^{N} p_n\Big)^{1/N},\; N \le 4",
                r"\mathrm{ROUGE}_n = 2\,P_n R_n \,/\, (P_n + R_n)",
            ),
            lambda run: (
                "The loss asks about the right words; scores compare what the model writes by itself with a reference, by counting what"
                " they share.",
                "One sentence says little, and another good translation may share nothing: scores are for whole test sets.",
            ),
            lambda run: (Code(breakdown.bleu), Code(breakdown.rouge)),
            _counted, stack="decoder",
        ),
    }
)  # fmt: skip

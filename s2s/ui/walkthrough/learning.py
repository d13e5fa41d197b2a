"""What training does with the output: the loss at each position, the gradient, and scores of the result."""

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
from s2s.scores import Scoring, breakdown
from s2s.training import loss
from s2s.ui.kit import cached, score_counts
from s2s.ui.kit.training_curves import loss_note
from s2s.ui.shell import page_link
from s2s.ui.walkthrough import cached as walkthrough_cached
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.loss_target import show_loss_target
from s2s.ui.walkthrough.pictures import show_figure
from s2s.ui.walkthrough.step import (
    NO_RESIDUAL,
    STRATEGY,
    TracedSentence,
    WalkthroughStep,
    aligned,
    is_pre_norm,
    quoted,
    signed,
)
from s2s.ui.walkthrough.update import UPDATE_STEPS

TINY = 1e-30  # below any gradient that is not 0


def _draw_loss(sentence: TracedSentence) -> None:
    reference = show_loss_target(sentence).forced
    losses = np.array([-value for value in reference.log_probs], np.float32)
    own = cached.decoded(sentence.run, sentence.text, STRATEGY, {}).hypotheses[:1]
    free = [
        TokenLoss(token, -value)
        for hypothesis in own
        for token, value in zip(hypothesis.tokens, hypothesis.token_log_probs, strict=True)
    ]
    forced = [
        TokenLoss(token, -value)
        for token, value in zip(reference.tokens, reference.log_probs, strict=True)
    ]
    differs_at = first_difference(own[0].ids, reference.ids) if own else None
    title = "Loss at each position"
    show_figure(
        "token_losses",
        plots.token_losses(forced, free, differs_at, title=title),
        title,
        values=losses[:, None],
        rows=reference.tokens,
        columns=("nats",),
    )
    hardest = int(losses.argmax())
    st.caption(
        f"In total {signed(float(losses.sum()))} nats, {signed(-reference.per_token)} nats per token; the hardest is"
        f" {quoted(reference.tokens[hardest])}, to which the model gave a probability of"
        f" {100 * np.exp(-losses[hardest]):.3g}%."
        f" {loss_note([sentence.run.folder.id])}"
    )


def _draw_gradients(sentence: TracedSentence) -> None:
    tgt = (sentence.config.ids.start, *show_loss_target(sentence).forced.ids)
    full, without = walkthrough_cached.flows(sentence.run, sentence.src_ids, tgt)
    labels = [*_depths("E", len(full.encoder)), *_depths("D", len(full.decoder))]
    norms = {
        "with residual connections": np.concatenate([full.encoder, full.decoder]),
        "without": np.concatenate([without.encoder, without.decoder]),
    }
    relative = {
        name: [*map(float, values / max(float(values[-1]), TINY))] for name, values in norms.items()
    }
    title = "The gradient by layer"
    show_figure(
        "gradient_flow",
        plots.gradient_flow(labels, relative, title=title),
        title,
        values=np.stack([*norms.values()]),
        rows=[*norms],
        columns=labels,
    )
    st.caption(
        "E in and D in: before the first layer of encoder and decoder; E1, D1, …: after each layer. The loss is"
        f" {full.loss:.2f} nats per token with residual connections and {without.loss:.2f} without, so the gradients"
        f" are shown relative to the decoder's output, where their norms are {full.decoder[-1]:.2g} and"
        f" {without.decoder[-1]:.2g}; the CSV has the norms themselves."
    )


def _depths(letter: str, n: int) -> list[str]:
    """`E in`, `E1`, `E2`."""
    return [f"{letter}{number or ' in'}" for number in range(n)]


def _draw_counts(sentence: TracedSentence) -> None:
    target = show_loss_target(sentence)
    if not target.is_reference:
        st.info(
            "Without a reference there is nothing to count n-grams against.",
            icon=":material/rule:",
        )
        return
    own = cached.decoded(sentence.run, sentence.text, STRATEGY, {}).text
    st.caption(f"The model's translation is {quoted(own)}.")
    score_counts.panel(own, target.forced.text, Scoring())
    page_link("evaluate", "Score a whole test set")


def _without_sums(run: Run) -> str:
    """What the bars without residual connections are, and what they cannot show."""
    if run.recipe.train.fault == NO_RESIDUAL:
        return "This run was trained without these sums, and has none now: both bars of a layer are the same."
    return (
        "The other bars are this same model with the sums removed. It was trained with them, so the bars show how"
        " gradients flow, not what a model trained without them would do."
    )


def _gradients_formula(run: Run) -> str:
    config = run.recipe.model
    step = r"\left(I + \frac{\partial f_k}{\partial x}\right)"
    has_norm = config.norm.kind != "none" and not is_pre_norm(config)
    norm = r"J_{\mathrm{norm}}\," if has_norm else ""
    return (
        r"\frac{\partial L}{\partial x^{(l)}} = \frac{\partial L}{\partial x^{(n)}}"
        rf" \prod_{{k > l}} {norm}{step}"
    )


LEARNING_STEPS: Mapping[str, WalkthroughStep] = MappingProxyType(
    {
        "loss": WalkthroughStep(
            title="The loss at each position",
            section="Learning",
            formula=lambda run: aligned(
                r"L_t = -\log P(y_t \mid y_{<t}, X)", r"L = \tfrac{1}{n} \textstyle\sum_t L_t"
            ),
            explanation=lambda run: (
                "The loss measures how probable the model found the correct token: 0 means certain, 0.69 a"
                " probability of one half.",
                "All positions count equally, and every weight of the model is moved a little so that the mean loss"
                " falls.",
            ),
            code=lambda run: (Code(loss.count, "rows, labels =", "nats +="),),
            draw=_draw_loss,
            stack="decoder",
        ),
        "gradients": WalkthroughStep(
            title="The gradient along the residual stream",
            section="Learning",
            formula=_gradients_formula,
            explanation=lambda run: (
                "A weight can only learn if the gradient reaches it; the sum x + f(x) lets the gradient bypass f.",
                _without_sums(run),
            ),
            code=lambda run: (
                Code(Residual.forward),
                Code(experiments.WithoutResidual.forward),
                Code(experiments.gradient_flow, "with torch.enable_grad", "lengths ="),
            ),
            draw=_draw_gradients,
            stack="decoder",
        ),
        **UPDATE_STEPS,
        "counted": WalkthroughStep(
            title="How good is it? BLEU and ROUGE, counted",
            section="Learning",
            formula=lambda run: aligned(
                r"\mathrm{BLEU} = BP \cdot \Big(\textstyle\prod_{n=1}^{N} p_n\Big)^{1/N},\; N \le 4",
                r"\mathrm{ROUGE}_n = 2\,P_n R_n \,/\, (P_n + R_n)",
            ),
            explanation=lambda run: (
                "The loss looks at the reference's tokens; scores compare the model's own translation with a"
                " reference, by counting the n-grams that both have.",
                "A single sentence says little, and another good translation may share nothing with the reference:"
                " scores are meant for whole test sets.",
            ),
            code=lambda run: (Code(breakdown.bleu), Code(breakdown.rouge)),
            draw=_draw_counts,
            stack="decoder",
        ),
    }
)

"""What training does with the output: the loss at each position, the gradient, and scores of the result."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.analysis import experiments
from s2s.model import Residual
from s2s.questions import walked
from s2s.runs import Run
from s2s.scores import breakdown
from s2s.training import Trainer, loss
from s2s.ui.kit.cached import metadata
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.step import WalkthroughStep, aligned, is_pre_norm


def _without_sums(run: Run) -> str:
    if run.recipe.train.fault == walked.NO_RESIDUAL:
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


def _optimizer(run: Run) -> str:
    return (
        ""
        if metadata(run.folder.id).get("imported")
        else f", here {run.recipe.train.optimizer.kind},"
    )


def _update_explanation(run: Run) -> tuple[str, str]:
    return (
        "Backpropagation gives every weight a gradient: how the loss would change if that weight grew. Each weight then"
        " moves against its gradient, by the learning rate times its size.",
        f"Training repeats this for many batches of sentences. Its optimizer{_optimizer(run)} may also scale the"
        " gradients and average them over updates.",
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
            stack="decoder",
        ),
        "update": WalkthroughStep(
            title="One update of the weights",
            section="Learning",
            formula=lambda run: r"w \leftarrow w - \eta\, \frac{\partial L}{\partial w}",
            explanation=_update_explanation,
            code=lambda run: (Code(Trainer.update, "self.optimizer.zero_grad", "optimizer.step"),),
            stack="decoder",
        ),
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
            stack="decoder",
        ),
    }
)

"""One update of the weights: every weight moves a little against its gradient, and the loss falls."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import streamlit as st

from s2s import plots
from s2s.analysis import WeightUpdate
from s2s.config import UserError
from s2s.runs import Run
from s2s.training import Trainer
from s2s.ui.kit import as_markdown
from s2s.ui.kit.cached import metadata
from s2s.ui.kit.training_curves import loss_note
from s2s.ui.walkthrough import cached
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.loss_target import show_loss_target
from s2s.ui.walkthrough.pictures import MAX_COLUMNS, show_figure, show_tensor
from s2s.ui.walkthrough.request import RATES, STATE
from s2s.ui.walkthrough.step import TracedSentence, WalkthroughStep, quoted, signed

MOST_PARAMETERS = 20_000_000  # an update takes a copy of the model, and a gradient of every weight
DIGITS = 4  # decimals of weights and gradients


def sentence_update(sentence: TracedSentence, target: tuple[int, ...], rate: float) -> WeightUpdate:
    """One update on this sentence and these target ids. Raises UserError for a model that is too large for it."""
    n = sentence.run.n_parameters
    if n > MOST_PARAMETERS:
        raise UserError(
            f"This model has {n:,} weights, and one update is computed here for at most {MOST_PARAMETERS:,}; choose a"
            " smaller run."
        )
    tgt = (sentence.config.ids.start, *target)
    return cached.update(sentence.run, sentence.src_ids, tgt, rate)


def _draw_update(sentence: TracedSentence) -> None:
    target = show_loss_target(sentence).forced
    labels = {rate: rate for rate in RATES}
    rate = STATE.segments("rate", "Learning rate", labels)
    try:
        found = sentence_update(sentence, tuple(target.ids), float(rate))
    except UserError as error:
        st.info(as_markdown(str(error)), icon=":material/block:")
        return
    predicted = target.tokens[-len(found.before) :]
    _show_one_weight(predicted, found, rate)
    _show_probabilities(predicted, found)
    if note := loss_note([sentence.run.folder.id]):
        st.caption(note)


def _show_one_weight(tokens: tuple[str, ...], found: WeightUpdate, rate: str) -> None:
    """The gradient of the target's output vectors, and one weight before and after."""
    row, column = found.steepest(MAX_COLUMNS)
    show_tensor("Gradient of the target tokens' output vectors", found.gradient, tokens, mark=row)
    before, gradient, after = (
        float(values[row, column]) for values in (found.before, found.gradient, found.after)
    )
    n_compared = min(MAX_COLUMNS, found.gradient.shape[1])
    subtracted = f"({_number(gradient)})" if gradient < 0 else _number(gradient)
    st.markdown(
        f"**One weight: number {column + 1} of the output vector of {quoted(tokens[row])}.** It has the largest"
        f" gradient among the first {n_compared} numbers of these vectors."
    )
    with st.container(horizontal=True):
        st.metric("Before", _number(before), border=True)
        st.metric("Gradient", _number(gradient), border=True)
        st.metric("After", _number(after), border=True)
    st.caption(
        f"{_number(before)} − {rate} × {subtracted} ≈ {_number(after)}, each number rounded. The gradient says"
        " how fast the loss rises when this weight grows; the update goes the other way."
    )


def _show_probabilities(tokens: tuple[str, ...], found: WeightUpdate) -> None:
    """Of each correct token, before and after the update of all weights."""
    both = {
        "before": np.exp(-found.losses_before),
        "after one update": np.exp(-found.losses_after),
    }
    title = "Probability of each correct token"
    show_figure(
        "paired_bars",
        plots.paired_bars(tokens, both, title=title, y_label="probability"),
        title,
        values=np.stack([*both.values()]),
        rows=[*both],
        columns=tokens,
    )
    before, after = float(found.losses_before.mean()), float(found.losses_after.mean())
    outcome = "The loss falls" if after < before else "The step is too long: the loss rises"
    st.caption(
        f"All weights of a copy of the model were updated in the same way, once. {outcome} from"
        f" {signed(before)} to {signed(after)} nats per token."
    )


def _number(value: float) -> str:
    return f"{value:.{DIGITS}f}".replace("-", "−")


def _optimizer(run: Run) -> str:
    """Nothing of a model that was trained elsewhere."""
    return (
        ""
        if metadata(run.folder.id).get("imported")
        else f", here {run.recipe.train.optimizer.kind},"
    )


def _explanation(run: Run) -> tuple[str, str]:
    return (
        "Backpropagation gives every weight a gradient: how the loss would change if that weight grew. Each weight then"
        " moves against its gradient, by the learning rate times its size.",
        f"Training repeats this for many batches of sentences. Its optimizer{_optimizer(run)} may also scale the"
        " gradients and average them over updates.",
    )


UPDATE_STEPS = MappingProxyType(
    {
        "update": WalkthroughStep(
            title="One update of the weights",
            section="Learning",
            formula=lambda run: r"w \leftarrow w - \eta\, \frac{\partial L}{\partial w}",
            explanation=_explanation,
            code=lambda run: (Code(Trainer.update, "self.optimizer.zero_grad", "optimizer.step"),),
            draw=_draw_update,
            stack="decoder",
        ),
    }
)

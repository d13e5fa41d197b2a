"""The code that recomputes the numbers of a step of the Walkthrough."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.ui.kit import reproduce
from s2s.ui.walkthrough.loss_target import loss_target
from s2s.ui.walkthrough.request import STATE
from s2s.ui.walkthrough.step import STRATEGY, TracedSentence

ABOUT = (
    "The command prints the model's translation; the Python recomputes the numbers of this step."
)
LINES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "loss": (
            "losses = -np.array(reference.log_probs, np.float32)  # nats",
            "free_losses = -np.array(own.token_log_probs, np.float32)",
            "total, mean = losses.sum(), -reference.per_token",
            "hardest = np.exp(-losses.max())  # its probability",
        ),
        "gradients": (
            "intact = experiments.frozen_copy(run.model)",
            "without = experiments.without_residual(run.model)",
            "targets = (run.recipe.model.ids.start, *reference.ids)",
            "flows = [experiments.gradient_flow(each, src, targets) for each in (intact, without)]",
            "norms = [np.concatenate([flow.encoder, flow.decoder]) for flow in flows]",
            "relative = [each / each[-1] for each in norms]",
        ),
        "update": (
            "targets = (run.recipe.model.ids.start, *reference.ids)",
            "update = weight_update(run.model, src, targets, rate=rate)",
            "at = update.steepest(64)  # the weight with the largest gradient",
            "weight = update.before[at], update.gradient[at], update.after[at]",
            "probabilities = np.exp(-update.losses_before), np.exp(-update.losses_after)",
            "means = update.losses_before.mean(), update.losses_after.mean()",
        ),
        "counted": (
            "bleu = breakdown.bleu(own.text, reference.text)",
            "precisions = bleu.precisions",
            "chrf = breakdown.chrf(own.text, reference.text)",
            "ter = edits.ter(own.text, reference.text)",
            "rouge = [breakdown.rouge(own.text, reference.text, n) for n in (1, 2)]",
            "rouge_l = breakdown.rouge_l(own.text, reference.text)",
            "print(bleu.score, chrf.score, ter.score, rouge[0].f1, rouge[1].f1, rouge_l.score)",
        ),
    }
)
OF_LOSS = (
    "forcing",
    "loss",
    "gradients",
    "update",
    "counted",
)  # what these show is about a reference


def show(sentence: TracedSentence) -> None:
    """The folded section, of the steps about the loss; pictures of the others have a menu."""
    if STATE.now.step not in OF_LOSS:
        return
    shell = reproduce.translate_command(sentence.run, STRATEGY, {}, sentence.text)
    reproduce.section(ABOUT, lambda: (shell, python(sentence, STATE.now.step)))


def python(sentence: TracedSentence, step: str) -> str:
    """Its `reference` is the target that the loss is of."""
    lines = [*_reference(sentence), *LINES.get(step, ())]
    if step == "update":
        lines.insert(0, f"rate = {float(STATE.now.rate)}")
    lines.append(reproduce.print_line(lines))
    text = "\n".join(lines)
    names = [name for name in ("experiments", "weight_update") if name in text]
    is_own = sentence.is_model_output
    target = "own.ids" if is_own else reproduce.quoted(sentence.target.text)
    return "\n".join(
        [
            *(["import numpy as np", ""] if "np." in text else []),
            "import s2s",
            *([reproduce.imported("s2s.analysis", names)] if names else []),
            "from s2s.runs import teacher_forcing",
            *(["from s2s.scores import breakdown, edits"] if step == "counted" else []),
            "",
            f"run = {reproduce.load_call(sentence.run)}",
            f"text = {reproduce.quoted(sentence.text)}",
            "src = run.recipe.model.ids.source(run.src_tokenizer.encode(text))",
            f"own = run.translate([text], {reproduce.quoted(STRATEGY)})[0].hypotheses[0]",
            f"target = run.target_ids({target})",
            text,
        ]
    )


def _reference(sentence: TracedSentence) -> list[str]:
    """The target of the steps about the loss."""
    found = loss_target(sentence)
    is_own = sentence.is_model_output and not found.is_reference
    target = "target" if is_own else reproduce.quoted(found.forced.text)
    return [f"reference = teacher_forcing.reference(run, text, {target})"]

"""The code that recomputes the numbers of a step of the Walkthrough."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.ui.kit import reproduce
from s2s.ui.walkthrough.loss_target import loss_target
from s2s.ui.walkthrough.request import STATE
from s2s.ui.walkthrough.step import STRATEGY, TracedSentence

ABOUT = (
    "The command prints the model's translation; the Python recomputes the tensors of this step, and every other tensor"
    " of the chosen layer."
)
ATTENDED = "attended = trace.encoder.self_attention"
ADDED = "added = np.where(attended.mask, np.float32(0), np.float32(-np.inf))  # the mask M"
# what the steps show beyond the tensors of `trace`, in its names; `layer`, `head` and `row` count from 0
LINES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "position": ("positions = trace.src.with_positions - trace.src.scaled",),
        "queries": ("inputs = trace.encoder.self_residual",),
        "scores": (ATTENDED, "best = attended.dot_products[head, row].max()"),
        "scaling": (
            ATTENDED,
            "rows = np.stack([attended.dot_products[head, row], attended.scaled[head, row]])",
            "weights = experiments.softmax(rows)  # not scaled, scaled",
            "largest = weights.max(1)",
        ),
        "mask": (
            "pad = run.recipe.model.ids.pad",
            "padded = trace_forward(run.model, (*src, pad, pad), tgt, layer)",
            "attended = padded.encoder.self_attention",
            ADDED,
            "allowed = attended.mask[row]",
            "fills = experiments.weights_by_fill(attended, head, row, allowed)",
            "drawn = np.stack([fills.minus_infinity, fills.minus_billion, fills.lowest])",
            "nothing = experiments.weights_by_fill(attended, head, row, np.zeros_like(allowed))",
            "all_masked = np.stack([nothing.minus_infinity, nothing.minus_billion, nothing.lowest])",
        ),
        "softmax": (ATTENDED, "largest = attended.weights[head, row].max()"),
        "weighted": (
            ATTENDED,
            "weighted = attended.weights[head, row][:, None] * attended.values[head]",
            "and_sum = np.concatenate([weighted, attended.head_outputs[head, row][None]])",
        ),
        "heads": (
            ATTENDED,
            "n_shown = max(1, 64 // len(attended.head_outputs))  # numbers of each head",
            "by_head = attended.head_outputs[:, :, :n_shown].transpose(1, 0, 2)",
            "drawn = by_head.reshape(len(src), -1)",
        ),
        "residual": (
            "joined = trace.encoder.self_residual",
            "length = np.linalg.norm(joined.before[row])",
            "added_length = np.linalg.norm(joined.sublayer_output[row])",
        ),
        "norm": (
            "module = run.model.encoder.layers[layer]",
            "is_next = run.recipe.model.norm.place == 'pre' and trace.encoder.feed_forward_residual",
            "residual = module.feed_forward_residual if is_next else module.self_residual",
            "joined = trace.encoder.feed_forward_residual if is_next else trace.encoder.self_residual",
            "norm = experiments.norm_trace(residual.norm, joined.norm_input, joined.norm_output)",
            "learned = np.stack([each for each in (norm.scale, norm.shift) if each is not None])",
            "stages = (norm.input, norm.normalized, norm.out)",
            "means = [each.mean(1) for each in stages]  # of each token",
            "variances = [each.var(1) for each in stages]",
        ),
        "feed-forward": ("zeros = (trace.encoder.feed_forward.hidden == 0).mean()",),
        "activation": (
            "inputs = trace.encoder.feed_forward.activation_inputs",
            "counts, edges = np.histogram(inputs, 48)",
            "shares = counts / counts.sum()",
            "centers = (edges[1:] + edges[:-1]) / 2",
            "limit = max(3.0, float(np.abs(inputs).max()))",
            "x = np.linspace(-limit, limit, 241, dtype=np.float32)",
            "curves = experiments.activation_curves(x)",
            "below = (inputs < 0).mean()",
        ),
        "one-position": (
            "change = experiments.erasure_effect(run.model, trace.encoder, layer, row)",
        ),
        "causal": (
            "attended = trace.decoder.self_attention",
            ADDED,
            "inputs = trace.decoder.self_residual",
        ),
        "bridge": (
            "attended = trace.decoder.cross_attention",
            "largest = attended.weights[head, row].max()",
        ),
        "attentions": (
            "every = (trace.encoder.self_attention, trace.decoder.self_attention)",
            "every += (trace.decoder.cross_attention,)",
            "added = [np.where(each.mask, np.float32(0), np.float32(-np.inf)) for each in every]",
        ),
        "decoder-feed-forward": (
            "fed = trace.decoder.feed_forward",
            "zeros = None if fed is None else (fed.hidden == 0).mean()",
            "out = trace.decoder.out",
        ),
        "logits": ("largest = -np.sort(-trace.logits[row])[:10]",),
        "probabilities": (
            "probabilities = experiments.softmax(trace.logits[row])",
            "largest = -np.sort(-probabilities)[:10]",
            "others = 1 - largest.sum()",
        ),
        "chosen": ("probabilities = np.exp(own.token_log_probs)",),
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
    """The folded section."""
    shell = reproduce.translate_command(sentence.run, STRATEGY, {}, sentence.text)
    reproduce.section(ABOUT, lambda: (shell, python(sentence, STATE.now.step)))


def python(sentence: TracedSentence, step: str) -> str:
    """Its `trace` has every tensor of the layer; steps about the loss have a `reference`."""
    lines = [*(_reference(sentence) if step in OF_LOSS else ()), *LINES.get(step, ())]
    if step == "update":
        lines.insert(0, f"rate = {float(STATE.now.rate)}")
    lines.append(reproduce.print_line(lines or ["trace = "]))
    text = "\n".join(lines)
    names = [name for name in ("experiments", "weight_update") if name in text]
    is_own = sentence.is_model_output
    target = "own.ids" if is_own else reproduce.quoted(sentence.target.text)
    return "\n".join(
        [
            *(["import numpy as np", ""] if "np." in text else []),
            "import s2s",
            reproduce.imported("s2s.analysis", [*names, "trace_forward"]),
            *(["from s2s.runs import teacher_forcing"] if step in OF_LOSS else []),
            *(["from s2s.scores import breakdown, edits"] if step == "counted" else []),
            "",
            f"run = {reproduce.load_call(sentence.run)}",
            f"text = {reproduce.quoted(sentence.text)}",
            "src = run.recipe.model.ids.source(run.src_tokenizer.encode(text))",
            f"own = run.translate([text], {reproduce.quoted(STRATEGY)})[0].hypotheses[0]",
            f"target = run.target_ids({target})",
            "tgt = (run.recipe.model.ids.start, *target[:-1])  # what the decoder reads",
            f"layer, head, row = {sentence.layer}, {sentence.head}, {sentence.position}",
            "trace = trace_forward(run.model, src, tgt, layer)",
            text,
        ]
    )


def _reference(sentence: TracedSentence) -> list[str]:
    """The target of the steps about the loss."""
    found = loss_target(sentence)
    is_own = sentence.is_model_output and not found.is_reference
    target = "target" if is_own else reproduce.quoted(found.forced.text)
    return [f"reference = teacher_forcing.reference(run, text, {target})"]

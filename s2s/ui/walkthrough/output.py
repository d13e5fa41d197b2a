"""From the decoder's output to words: logits, probabilities, the chosen token, and the next."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.decode import greedy
from s2s.model import Transformer
from s2s.runs import Run
from s2s.ui.walkthrough.code import Code
from s2s.ui.walkthrough.step import WalkthroughStep, aligned


def _logits_formula(run: Run) -> str:
    config = run.recipe.model
    table = "E_{tgt}" if config.output.tied else "W_{out}"
    scale = rf"\,/\sqrt{{{config.d_model}}}" if config.output.scaled else ""
    bias = " + b" if config.output.bias else ""
    size = run.tgt_tokenizer.vocab_size
    return rf"\ell_t = {table}\, s_t{scale}{bias} \in \mathbb{{R}}^{{{size}}}"


def _logits_explanation(run: Run) -> tuple[str, str]:
    size = run.tgt_tokenizer.vocab_size
    first = (
        f"The decoder's output at a position is multiplied with one vector for each of the {size:,} tokens: the better"
        " the two match, the larger the logit."
    )
    if run.recipe.model.output.tied:
        return (
            first,
            "These vectors are the embeddings of the target's tokens themselves (tied weights).",
        )
    return first, "These vectors are a matrix of their own, separate from the target's embeddings."


OUTPUT_STEPS: Mapping[str, WalkthroughStep] = MappingProxyType(
    {
        "logits": WalkthroughStep(
            title="Logits: a number for every token",
            section="Writing",
            formula=_logits_formula,
            explanation=_logits_explanation,
            code=lambda run: (
                Code(Transformer.forward, "memory =", "return"),
                Code(Transformer.project),
            ),
            controls=("tgt",),
            stack="decoder",
        ),
        "probabilities": WalkthroughStep(
            title="Softmax: from logits to probabilities",
            section="Writing",
            formula=lambda run: aligned(
                r"P(y_t = w \mid y_{<t}, X)",
                r"\quad = \exp \ell_{t,w} \,/\, \textstyle\sum_{w'} \exp \ell_{t,w'}",
            ),
            explanation=lambda run: (
                "The softmax, as in attention, turns the logits into probabilities: how probable the model finds each"
                " next token.",
                "These probabilities are the model's whole answer; every decoding strategy chooses from them.",
            ),
            code=lambda run: (Code(Run.next_tokens, "with inference", "return"),),
            controls=("tgt",),
            stack="decoder",
        ),
        "chosen": WalkthroughStep(
            title="Choosing a token, and the next",
            section="Writing",
            formula=lambda run: aligned(
                r"\hat y_t = \arg\max_w P(w \mid \hat y_{<t}, X)",
                r"\text{until } \hat y_t = \texttt{</s>}",
            ),
            explanation=lambda run: (
                "The most probable token is chosen and appended to what the decoder reads, and the decoder runs again.",
                "This is greedy search; beam search keeps several partial translations instead, as the page Steps"
                " shows.",
            ),
            code=lambda run: (Code(greedy, "for _ in range", "log_probs = "),),
            stack="decoder",
        ),
        "forcing": WalkthroughStep(
            title="Teacher forcing and free running",
            section="Writing",
            formula=lambda run: aligned(
                r"\text{teacher: } P(y_t \mid y_{<t}, X)",
                r"\text{free: } P(\hat y_t \mid \hat y_{<t}, X)",
            ),
            explanation=lambda run: (
                "In training, the decoder reads the correct tokens, whatever it would have chosen itself: teacher"
                " forcing.",
                "When it translates, it reads its own choices, and a mistake stays: it has to continue from there,"
                " which it never had to in training.",
            ),
            code=lambda run: (
                Code(Transformer.forward, "memory =", "return"),
                Code(Run.next_tokens, "with inference", "log_probs"),
            ),
            stack="decoder",
        ),
    }
)

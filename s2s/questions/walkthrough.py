"""One sentence on its way through a model, step by step, with every number."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from torch import nn

from s2s.analysis import experiments, weight_update
from s2s.config import UserError
from s2s.model import Residual
from s2s.questions.finding import first
from s2s.questions.gold import ReferencesOf
from s2s.questions.have import Have
from s2s.questions.question import AboutText, setting, subject
from s2s.questions.table import Table
from s2s.questions.translate import Translate
from s2s.questions.walk_facts import StepFacts
from s2s.questions.walk_findings import FINDINGS
from s2s.questions.walked import (
    OF_LOSS,
    RATES,
    SOURCE,
    STEPS,
    STRATEGY,
    LossTarget,
    TracedSentence,
    TraceOf,
    Walked,
    tokens_of,
)
from s2s.runs import Run, teacher_forcing
from s2s.words import smoothing_note

# an update takes a copy of the model, and a gradient of every weight
MOST_PARAMETERS = 20_000_000
MAX_UNKNOWN = 5  # words or characters that are listed


@dataclass(frozen=True)
class Walkthrough(AboutText[Walked]):
    """One step of a sentence's way through a model. `layer`, `head` and `position` count from 1."""

    target: str = subject("target", link="tgt", help="Empty: the model's own translation.")
    step: str = setting(
        "pieces", choices=lambda: dict(zip(STEPS, STEPS, strict=True)), in_set=False
    )
    layer: int = setting(1, in_set=False)
    head: int = setting(1, in_set=False)
    position: int = setting(2, in_set=False)
    rate: str = setting("0.1", choices={rate: rate for rate in RATES}, label="Learning rate")

    def ask(self, have: Have) -> Walked:
        run = have.run(self.run)
        config = run.recipe.model
        stack = config.encoder if STEPS[self.step] == SOURCE else config.decoder
        for name, most in (("layer", stack.n_layers), ("head", stack.n_heads)):
            if not 1 <= getattr(self, name) <= most:
                raise UserError(
                    f"`{name}` is {getattr(self, name)}; this model has {name}s 1 to {most} there."
                )
        asked = TraceOf(self.run, self.text, self.target, self.layer)
        return self._beyond(have, run, have.answer(asked))

    def stamp(self, have: Have) -> Hashable:
        """What the key has beside the fields: a guest who may not see the dataset has no references of it."""
        return super().stamp(have), have.may_see_data(have.run(self.run))

    def _beyond(self, have: Have, run: Run, at: TracedSentence) -> Walked:
        found = Walked(at)
        if self.step == "mask":
            padded = TraceOf(self.run, self.text, self.target, self.layer, is_padded=True)
            found = Walked(at, padded=have.answer(padded).trace.encoder.self_attention)
        elif self.step == "norm":
            found = Walked(at, norm=_norm(run, self.layer - 1, found))
        elif self.step == "one-position":
            where = self.layer - 1, self.row(at)
            erased = experiments.erasure_effect(run.model, at.trace.encoder, *where)
            found = Walked(at, erased=erased)
        elif self.step == "pieces":
            unknown = run.src_tokenizer.unknown_parts(self.text)[:MAX_UNKNOWN]
            found = Walked(at, words=tuple(unknown))
        elif self.step in ("logits", "probabilities"):
            tokenizer = run.tgt_tokenizer
            found = Walked(at, words=tuple(tokenizer.tokens(range(tokenizer.vocab_size))))
        elif self.step in ("chosen", *OF_LOSS):
            own = have.answer(Translate(self.run, self.text, STRATEGY)).hypotheses
            found = Walked(at, own=own[0] if own else None)
        return self._learned(have, run, found) if self.step in OF_LOSS else found

    def _learned(self, have: Have, run: Run, found: Walked) -> Walked:
        loss = self._loss_target(have, run, found.at)
        tgt = (found.at.config.ids.start, *loss.forced.ids)
        found = replace(found, loss=loss)
        if self.step == "gradients":
            models = experiments.frozen_copy(run.model), experiments.without_residual(run.model)
            full, without = (
                experiments.gradient_flow(model, found.at.src_ids, tgt) for model in models
            )
            found = replace(found, flows=(full, without))
        if self.step == "update":
            n = run.n_parameters
            if n > MOST_PARAMETERS:
                raise UserError(
                    f"This model has {n:,} weights, and one update is computed here for at most {MOST_PARAMETERS:,};"
                    " choose a smaller run."
                )
            update = weight_update(run.model, found.at.src_ids, tgt, rate=float(self.rate))
            found = replace(found, update=update)
        return found

    def _loss_target(self, have: Have, run: Run, at: TracedSentence) -> LossTarget:
        is_trained_here = not run.folder.about().get("imported")
        note = smoothing_note([run.recipe.train.label_smoothing]) if is_trained_here else ""
        if not at.is_own:
            return LossTarget(at.reference, "the given target", is_reference=True, note=note)
        known = have.answer(ReferencesOf(self.run, self.text))
        texts, problem = known.texts, known.problem
        if not texts:
            origin = "the model's own translation; no reference of this sentence is known"
            return LossTarget(at.reference, origin, False, problem=problem, note=note)
        chosen = at.target if at.target in texts else texts[0]
        origin = "the reference in the run's dataset"
        if len(texts) > 1:
            which = "the one that the model writes" if chosen == at.target else "the first"
            origin = f"of the {len(texts)} references in the run's dataset {which}"
        others = tuple(text for text in texts if text != chosen)
        forced = teacher_forcing.reference(run, self.text, chosen)
        return LossTarget(forced, origin, True, others, problem, note)

    def row(self, at: TracedSentence) -> int:
        """The index of the chosen token, from 0; in a shorter sentence the last one."""
        return min(max(self.position, 1), len(tokens_of(at, self.step))) - 1

    def table(self, answer: Walked) -> Table:
        at = answer.at
        ids = at.src_ids if STEPS[self.step] == SOURCE else at.tgt_ids
        return Table(
            ("token", "id"), [[*row] for row in zip(tokens_of(at, self.step), ids, strict=True)]
        )

    def finding(self, answer: Walked) -> str:
        facts = StepFacts(answer, self.step, self.head - 1, self.row(answer.at))
        return first(FINDINGS.get(self.step, ()), facts)


def _norm(run: Run, layer: int, answer: Walked) -> experiments.NormTrace | None:
    module = run.model.encoder.layers[layer]
    trace = answer.at.trace.encoder
    is_next = answer.is_next_norm
    residual = module.feed_forward_residual if is_next else module.self_residual
    joined = trace.feed_forward_residual if is_next else trace.self_residual
    norm = residual.norm if isinstance(residual, Residual) else nn.Identity()
    return experiments.norm_trace(norm, joined.norm_input, joined.norm_output) if joined else None

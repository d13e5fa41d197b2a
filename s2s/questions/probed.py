"""What the output for one sentence depends on, asked of a run; of a large model another process answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from s2s.questions.have import Have
from s2s.questions.question import RUN, AboutTarget, Question, setting, subject
from s2s.questions.table import Table
from s2s.questions.translate import Translate, first_fitting, forced
from s2s.runs.decoder import DecodeRequest
from s2s.runs.probes import PROBES, ProbeInput, answered, source_ids

FORCED_BY = "greedy"  # while its own output is forced, the model prefers each token of it


@dataclass(frozen=True)
class ForcedIds:
    """A source and a forced target, whose ids end with `</s>`; `note` says if it is not the one asked for."""

    text: str
    target: str
    ids: tuple[int, ...]
    src_tokens: tuple[str, ...]  # the last is `</s>`
    tgt_tokens: tuple[str, ...]
    start: str  # the decoder's first input
    note: str = ""


@dataclass(frozen=True)
class TargetIds(AboutTarget[ForcedIds]):
    """A target's token ids; without one, or where it does not fit the model's positions, those of greedy decoding."""

    def ask(self, have: Have) -> ForcedIds:
        """Tokenize the target. Raises UserError for a source that the model cannot read."""
        run = have.run(self.run)
        own = have.answer(Translate(self.run, self.text, FORCED_BY))

        def fitting(target: Any) -> tuple[int, ...]:
            ids = run.target_ids(target)
            run.next_tokens(self.text, ids[:-1])
            return ids

        wanted = [forced(each, own) for each in (self.target, own.text)]
        target, ids, note = first_fitting(wanted, fitting)
        names = run.tgt_tokenizer.tokens
        start = names([run.recipe.model.ids.start])[0]
        source = run.src_tokenizer.tokens(source_ids(run, self.text))
        return ForcedIds(self.text, target.text, ids, tuple(source), tuple(names(ids)), start, note)

    def table(self, answer: ForcedIds) -> Table:
        return Table(("token", "id"), [*map(list, zip(answer.tgt_tokens, answer.ids, strict=True))])


@dataclass(frozen=True)
class Probed(Question[Any]):
    """A measurement by one of PROBES on sentences and a target's ids; `settings` are JSON."""

    name: ClassVar[str] = "probe"

    run: str = subject(RUN)
    texts: tuple[str, ...] = subject("sentences", ())
    kind: str = setting("patching", PROBES.__contains__)
    ids: tuple[int, ...] = setting(())
    choice: str = setting("")
    settings: str = setting("{}")

    def ask(self, have: Have) -> Any:
        """Measure, or ask another process to. Raises UserError for what a probe cannot answer."""
        run = have.run(self.run)
        steps = have.steps(PROBES[self.kind].n_batches(run, self.given))
        return answered(replace(run, on_step=steps), self.kind, self.given)

    @property
    def given(self) -> ProbeInput:
        return ProbeInput(self.texts, self.ids, self.choice, json.loads(self.settings))

    def beside(self, have: Have) -> DecodeRequest:
        folder, step, languages = have.run(self.run).key
        return DecodeRequest(
            self.kind,
            folder,
            step,
            self.texts,
            self.choice,
            self.settings,
            self.ids,
            languages=languages,
        )

    def table(self, answer: Any) -> Table:
        return Table((), [])


def written(settings: Mapping[str, Any]) -> str:
    """Settings as sorted JSON, so that equal settings are the same text."""
    return json.dumps(settings, sort_keys=True)

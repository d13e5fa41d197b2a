"""A sentence decoded by a strategy."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

from s2s.config import UserError, nfc
from s2s.decode import STRATEGIES
from s2s.files import from_json
from s2s.questions.have import Have
from s2s.questions.question import AboutText, setting
from s2s.questions.table import Table
from s2s.runs import Decoded, Interventions, Target, active
from s2s.runs.decoder import DecodeRequest

DEFAULT_STRATEGY = "beam"
Trace = TypeVar("Trace")


def packed(settings: Mapping[str, Any]) -> str:
    """Settings as JSON text with sorted keys, as a question has them: equal ones are written alike."""
    return json.dumps(settings, sort_keys=True)


def strategy_names() -> dict[str, str]:
    """The strategies to choose from: the rows of STRATEGIES."""
    return {name: name for name in STRATEGIES}


@dataclass(frozen=True)
class Translate(AboutText[Decoded]):
    """Hypotheses for a sentence, best first. `settings` and `interventions` are JSON; the target begins with the ids of
    `prefix`.
    """

    strategy: str = setting(DEFAULT_STRATEGY, choices=strategy_names, label="Decoded by")
    settings: str = setting("{}", help="The strategy's settings as JSON.")
    prefix: tuple[int, ...] = setting(())
    interventions: str = setting("", help="What is done to attention meanwhile, as JSON.")

    def ask(self, have: Have) -> Decoded:
        opened = have.run(self.run)
        given = self.values
        _, config = opened.configured(self.strategy, given)
        run = replace(opened, on_step=have.steps(config.max_new_tokens or 0))
        if not (self.prefix or self.interventions):
            return replace(run.translate(self.text, self.strategy, **given)[0], steps=())
        with active(run, self.change):
            found = run.complete(self.text, self.prefix, self.strategy, **given)
        return replace(found, steps=())

    def beside(self, have: Have) -> DecodeRequest:
        folder, step, languages = have.run(self.run).key
        return DecodeRequest(
            "decoded",
            folder,
            step,
            (self.text,),
            self.strategy,
            self.settings,
            self.prefix,
            self.interventions,
            languages,
        )

    @property
    def values(self) -> dict[str, Any]:
        """The settings that are not at the strategy's defaults. Raises UserError for what is no JSON object."""
        try:
            found = json.loads(self.settings)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise UserError(f"`settings` is `{self.settings[:40]}`; give a JSON object.")
        return found

    @property
    def change(self) -> Interventions:
        given = self.interventions
        return from_json(Interventions, json.loads(given)) if given else Interventions()

    def table(self, answer: Decoded) -> Table:
        rows = [[one.text, one.log_prob, one.score, len(one.ids)] for one in answer.hypotheses]
        return Table(("translation", "log-probability", "score", "tokens"), rows)


def own_target(found: Decoded) -> Target:
    """What the model wrote, as a target to force."""
    return found.hypotheses[0].ids if found.hypotheses else ""


class ForcedText(NamedTuple):
    """A target's text, and what the run is given: the ids of its own output, else the text again."""

    text: str
    given: Target


def forced(text: str, own: Decoded) -> ForcedText:
    """The target to force: the model's own tokens where the text is empty, or its own output in any Unicode form."""
    is_own = nfc(text.strip()) in ("", nfc(own.text))
    return ForcedText(own.text, own_target(own)) if is_own else ForcedText(text, text)


def first_fitting(
    targets: Sequence[ForcedText], trace: Callable[[Target], Trace]
) -> tuple[ForcedText, Trace, str]:
    """The first target that fits the model's positions, or an empty one, its trace, and why earlier ones failed."""
    error = ""
    for target in targets:
        try:
            return target, trace(target.given), error
        except UserError as wrong:
            error = error or str(wrong)
    return ForcedText("", ""), trace(""), error

"""The references that a run's own data has for a sentence."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from s2s.config import UserError, nfc
from s2s.data import is_searchable, known_targets, parse_spec, targets_by_source
from s2s.library import sharing
from s2s.questions.gold import GoldOf
from s2s.questions.have import Have
from s2s.questions.question import RUN, Question, setting, subject
from s2s.questions.table import Table
from s2s.runs import Run

SHIPPED = ("builtin", "synthetic")  # whose pairs are the same for ever


@dataclass(frozen=True)
class KnownReferences:
    """`texts` are distinct, in the dataset's order; `problem` says why the dataset was not searched, or is empty."""

    texts: tuple[str, ...]
    problem: str = ""


@dataclass(frozen=True)
class ReferencesOf(Question[KnownReferences]):
    """The targets of a sentence among a run's validation samples and in all splits of its dataset."""

    name: ClassVar[str] = "references"

    run: str = subject(RUN)
    text: str = subject("sentence")

    def ask(self, have: Have) -> KnownReferences:
        run, text = have.run(self.run), nfc(self.text)
        quick = [tgt for source, tgt in validation_pairs(run) if nfc(source) == text]
        if not have.may_see_data(run):
            return _unsearched(quick, "its owner has not shared it.")
        try:
            gold = have.answer(GoldOf(self.run)).targets
            quick = [*(each.tgt for each in gold.get(text, ())), *quick]
            specs = _specs(run)
            if quick and parse_spec(specs[0]).source in SHIPPED:
                return KnownReferences(tuple(dict.fromkeys(quick)))
            with sharing.reading_data_of(run.folder):
                found = [target for spec in specs for target in self._targets(have, run, spec)]
        except UserError as error:
            return _unsearched(quick, str(error))
        except OSError as error:  # without the path, which is the server's
            return _unsearched(quick, f"its files cannot be read ({error.strerror}).")
        return KnownReferences(tuple(dict.fromkeys([*found, *quick])))

    def _targets(self, have: Have, run: Run, spec: str) -> tuple[str, ...]:
        if parse_spec(spec).source in SHIPPED:
            return have.answer(ShippedTargets(self.run, spec)).get(self.text, ())
        if not is_searchable(spec):
            raise UserError(f"`{spec}` is on another server, or too large to read here.")
        return known_targets(self.text, spec, run.recipe.data, run.recipe.train.seed)

    def stamp(self, have: Have) -> Hashable:
        """A guest who may not see the dataset has others than its owner."""
        return super().stamp(have), have.may_see_data(have.run(self.run))

    def table(self, answer: KnownReferences) -> Table:
        return Table(("reference",), [[text] for text in answer.texts])


@dataclass(frozen=True)
class ShippedTargets(Question[Mapping[str, tuple[str, ...]]]):
    """The targets of every source of a dataset that ships, after a run's task was applied."""

    run: str = subject(RUN)
    spec: str = setting("")

    def ask(self, have: Have) -> Mapping[str, tuple[str, ...]]:
        recipe = have.run(self.run).recipe
        return targets_by_source(self.spec, recipe.data, recipe.train.seed)


def validation_pairs(run: Run) -> list[tuple[str, str]]:
    """The sentences that training translated, with their references."""
    lines = (line for line in run.folder.lines("samples") if {"source", "reference"} <= line.keys())
    return [*dict.fromkeys((str(line["source"]), str(line["reference"])) for line in lines)]


def _unsearched(quick: list[str], why: str) -> KnownReferences:
    return KnownReferences(
        tuple(dict.fromkeys(quick)), f"The run's dataset was not searched: {why}"
    )


def _specs(run: Run) -> list[str]:
    about = run.folder.about()
    specs = [str(about[key]) for key in ("source", "valid") if about.get(key)]
    if not specs:
        raise UserError("its recipe.json names none.")
    return specs

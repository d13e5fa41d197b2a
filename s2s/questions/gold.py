"""What a dataset knows of a sentence: its references, and the gold alignment of their words."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import ClassVar, NamedTuple

from s2s.analysis import Links, to_pharaoh
from s2s.config import Recipe, UserError, nfc
from s2s.data import (
    Corpus,
    Gold,
    Link,
    Pair,
    apply_task,
    is_searchable,
    known_targets,
    load,
    parse_spec,
    targets_by_source,
)
from s2s.demo import ALIGNED, EXAMPLE_LINKS
from s2s.library import Library, sharing
from s2s.questions.have import Have
from s2s.questions.question import RUN, Question, setting, subject
from s2s.questions.table import Table
from s2s.runs import Run

MAX_LINES = 5_000  # of each split of a saved dataset
SHIPPED = ("builtin", "synthetic")  # whose pairs are the same for ever


class AlignedTarget(NamedTuple):
    """A target of a source, and the links between their words."""

    tgt: str
    links: Links


Targets = Mapping[str, tuple[AlignedTarget, ...]]


@dataclass(frozen=True)
class GoldAlignment:
    """The known word alignments: source -> its aligned targets, after the run's task was applied, all in NFC."""

    targets: Targets

    def links(self, text: str, target: str) -> Links | None:
        """The gold links of exactly this pair; None where they are not known."""
        pairs = self.targets.get(nfc(text), ())
        return next((pair.links for pair in pairs if pair.tgt == nfc(target)), None)


@dataclass(frozen=True)
class GoldOf(Question[GoldAlignment]):
    """The gold alignment of a run's dataset; empty where there is none, or it is not shared with the asker."""

    name: ClassVar[str] = "gold-alignment"

    run: str = subject(RUN)

    def ask(self, have: Have) -> GoldAlignment:
        run = have.run(self.run)
        if not have.may_see_data(run):
            return GoldAlignment({})
        with sharing.reading_data_of(run.folder):
            source = str(run.folder.about().get("source", ""))
            return GoldAlignment(aligned_targets(source, run.recipe))

    def stamp(self, have: Have) -> Hashable:
        """What the key has beside the fields: whether the asker may see the dataset, as other guests get no links."""
        return super().stamp(have), have.may_see_data(have.run(self.run))

    def table(self, answer: GoldAlignment) -> Table:
        rows = [
            [src, pair.tgt, to_pharaoh(pair.links)]
            for src, pairs in answer.targets.items()
            for pair in pairs
        ]
        return Table(("source", "target", "links"), rows)


def aligned_targets(spec: str, recipe: Recipe) -> Targets:
    """The aligned targets of a run that was trained on this dataset with this recipe."""
    try:
        corpus = Corpus(spec, "gold", tuple(_pairs(spec)))
        pairs = apply_task(corpus, recipe.data, recipe.train.seed).pairs
    except (UserError, OSError, ValueError):  # another dataset, a deleted one, an unsuitable task
        return {}
    targets = dict[str, tuple[AlignedTarget, ...]]()
    for pair in pairs:
        if pair.gold and pair.gold.links:
            links = frozenset((link.src, link.tgt) for link in pair.gold.links)
            src, tgt = nfc(pair.src), nfc(pair.tgt)
            targets[src] = (*targets.get(src, ()), AlignedTarget(tgt, links))
    return targets


def _pairs(spec: str) -> Iterator[Pair]:
    """Aligned pairs: of a built-in dataset its examples and split `random`, of a saved dataset its first lines.

    The examples are in a file of their own, since the split that they are from takes memory.
    """
    kind, name, _ = parse_spec(spec)
    builtin = f"{kind}:{name}"
    if builtin in ALIGNED:
        for line in EXAMPLE_LINKS.read_text(encoding="utf-8").splitlines():
            dataset, src, tgt, links = line.split("\t")
            if dataset == builtin:
                yield Pair(src, tgt, _gold(links))
        yield from load(builtin, "random").pairs
    elif kind == "corpus":
        folder = Library().dataset(name)
        for split in ("valid", "train"):
            yield from islice(_saved_pairs(folder, split), MAX_LINES)


def _saved_pairs(folder: Path, split: str) -> Iterator[Pair]:
    paths = [folder / f"{split}.{end}" for end in ("src", "tgt", "align")]
    if not all(path.is_file() for path in paths):
        return
    src, tgt, align = (path.open(encoding="utf-8", newline="\n") for path in paths)
    with src, tgt, align:
        for source, target, links in zip(src, tgt, align, strict=True):
            yield Pair(source.rstrip("\n"), target.rstrip("\n"), _gold(links))


def _gold(links: str) -> Gold:
    pairs = (link.split("-") for link in links.split())
    return Gold(tuple(Link(int(src), int(tgt)) for src, tgt in pairs))


@dataclass(frozen=True)
class KnownReferences:
    """A sentence's distinct targets, in the dataset's order; `problem` says why that was not searched, or is empty."""

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
        """What the key has beside the fields: whether the asker may see the dataset, or gets fewer references."""
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
    """The (source, reference) pairs that training translated."""
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

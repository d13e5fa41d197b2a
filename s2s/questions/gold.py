"""The gold word alignment of a run's dataset, where it has one."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import ClassVar, NamedTuple

from s2s.analysis import Links, to_pharaoh
from s2s.config import Recipe, UserError, nfc
from s2s.data import Corpus, Gold, Link, Pair, apply_task, load, parse_spec
from s2s.demo import ALIGNED, EXAMPLE_LINKS
from s2s.library import Library, sharing
from s2s.questions.have import Have
from s2s.questions.question import RUN, Question, subject
from s2s.questions.table import Table

MAX_LINES = 5_000  # of each split of a saved dataset


class AlignedTarget(NamedTuple):
    """A target of a source, and the links between their words."""

    tgt: str
    links: Links


Targets = Mapping[str, tuple[AlignedTarget, ...]]


@dataclass(frozen=True)
class GoldAlignment:
    """Source -> its aligned targets, after the run's task was applied, all in NFC."""

    targets: Targets

    def links(self, text: str, target: str) -> Links | None:
        """Those of exactly this pair; None where they are not known."""
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
        """A guest who may not see the dataset has none."""
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

"""The gold word alignment of a run's dataset, where it has one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from s2s import access, settings
from s2s.analysis import Links
from s2s.config import Recipe, UserError, nfc
from s2s.data import Corpus, Gold, Link, Pair, apply_task, parse_spec, saved_datasets
from s2s.demo import ALIGNED, EXAMPLES, GOLD_LINKS, LESSONS, random_sentences
from s2s.runs import Run
from s2s.ui.kit import cached, lessons_run

MAX_LINES = 5_000  # of each split of a saved dataset


class AlignedTarget(NamedTuple):
    """A target of a source, and the links between their words."""

    tgt: str
    links: Links


def of(run: Run) -> Mapping[str, tuple[AlignedTarget, ...]]:
    """Source -> its aligned targets, after the run's task was applied, all in NFC; empty where there are none, or not
    shared.
    """
    may_see = access.may_see_data(run.folder.path)
    return _cached(str(run.folder.path), str(settings.home()), may_see, run)


def show_lessons_run(run: Run) -> None:
    """One line where the page opened on the run of the lessons, or where this run has no gold alignment."""
    if run.folder.id == LESSONS or not of(run):
        lessons_run.show("the right links between its words are known.")


@cached.shared(max_entries=8, show_spinner=False)
def _cached(
    folder: str, home: str, may_see: bool, _run: Run
) -> Mapping[str, tuple[AlignedTarget, ...]]:
    if not may_see:
        return {}
    with access.reading_data_of(_run.folder.path):
        return aligned_targets(str(_run.folder.about().get("source", "")), _run.recipe)


def aligned_targets(spec: str, recipe: Recipe) -> Mapping[str, tuple[AlignedTarget, ...]]:
    """What `of` returns for a run that was trained on this dataset with this recipe."""
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

    The links of built-in datasets are kept as files, since generating the corpus again takes seconds, and memory.
    """
    kind, name, _ = parse_spec(spec)
    builtin = f"{kind}:{name}"
    if builtin in ALIGNED:
        random = random_sentences(builtin)
        lines = (GOLD_LINKS / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
        for src, line in zip((*EXAMPLES[builtin], *random), lines, strict=True):
            tgt, links = line.split("\t")
            yield Pair(src, tgt, _gold(links))
    elif kind == "corpus":
        saved_datasets.require(name, "explore")
        folder = settings.home() / "corpora" / name
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
    """Parse `0-0 1-2`."""
    pairs = (link.split("-") for link in links.split())
    return Gold(tuple(Link(int(src), int(tgt)) for src, tgt in pairs))

"""HeadSelection words of a pair translate each other, where a run's text knows it for certain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from s2s import settings
from s2s.analysis import Links
from s2s.config import Recipe, UserError
from s2s.data import DATASET_HASH, Corpus, Gold, Link, Pair, apply_task, parse_spec
from s2s.runs import Run
from s2s.ui.kit.vocabulary import EXAMPLES, RANDOM_SENTENCES

GOLD = Path(__file__).parent / "gold_links"
MOST_LINES = 5_000  # of each split of a kept text


class Known(NamedTuple):
    """A target of a source, and the links between their words."""

    tgt: str
    links: Links


def of(run: Run) -> Mapping[str, tuple[Known, ...]]:
    """From a source to its targets with known links, as the run was taught them; empty where its text has none."""
    return _of(str(run.folder.path), str(settings.home()), run)


@st.cache_resource(max_entries=8, show_spinner=False)
def _of(folder: str, home: str, _run: Run) -> Mapping[str, tuple[Known, ...]]:
    return learnt(str(_run.folder.about().get("source", "")), _run.recipe)


def learnt(spec: str, recipe: Recipe) -> Mapping[str, tuple[Known, ...]]:
    """What `of` says of a run that learnt this text by this recipe."""
    try:
        pairs = apply_task(
            Corpus(spec, "gold", tuple(_pairs(spec))), recipe.data, recipe.train.seed
        ).pairs
    except (
        UserError,
        OSError,
        ValueError,
    ):  # another text, a text that is gone, a task that none of these suit
        return {}
    found = dict[str, tuple[Known, ...]]()
    for pair in pairs:
        if pair.gold and pair.gold.links:
            found[pair.src] = (
                *found.get(pair.src, ()),
                Known(pair.tgt, frozenset((src, tgt) for src, tgt in pair.gold.links)),
            )
    return found


def _pairs(spec: str) -> Iterator[Pair]:
    """Of a built-in text its examples and its split `random`, kept as a file: to write the corpus again takes seconds, and memory."""
    source, place, _ = parse_spec(spec)
    shipped = f"{source}:{place}"
    if shipped in EXAMPLES:
        sources = (
            *EXAMPLES[shipped],
            *(RANDOM_SENTENCES / f"{place}.txt").read_text().splitlines(),
        )
        for src, line in zip(
            sources, (GOLD / f"{place}.tsv").read_text().splitlines(), strict=True
        ):
            tgt, links = line.split("\t")
            yield Pair(src, tgt, _gold(links))
    elif source == "corpus" and DATASET_HASH.fullmatch(place):
        for split in ("valid", "train"):
            yield from islice(_kept(settings.home() / "corpora" / place, split), MOST_LINES)


def _kept(folder: Path, split: str) -> Iterator[Pair]:
    paths = [folder / f"{split}.{end}" for end in ("src", "tgt", "align")]
    if not all(path.is_file() for path in paths):
        return
    src, tgt, align = (path.open(encoding="utf-8", newline="\n") for path in paths)
    with src, tgt, align:
        for lines in zip(src, tgt, align, strict=True):
            source, target, links = (line.rstrip("\n") for line in lines)
            yield Pair(source, target, _gold(links))


def _gold(links: str) -> Gold:
    """`0-0 1-2` -> its links."""
    return Gold(
        tuple(Link(int(src), int(tgt)) for src, tgt in (link.split("-") for link in links.split()))
    )

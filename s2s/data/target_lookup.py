"""The targets that a dataset has for one source, and its sources. Knows nothing of runs or screens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from s2s.config import DataConfig
from s2s.data import files, saved_datasets
from s2s.data.overlap import normalized
from s2s.data.pair import Pair
from s2s.data.server_files import require_files
from s2s.data.sources import LOCAL_FILES, load, parse_spec, splits
from s2s.data.tasks import pairs_of_task

MAX_BYTES = 20_000_000  # of a file that is read for one sentence


def is_searchable(spec: str) -> bool:
    """Whether a dataset is here, and small enough to be read for one sentence."""
    kind, name, _ = parse_spec(spec)
    if kind in ("hub", "disk"):  # which may take minutes
        return False
    if kind not in LOCAL_FILES:
        return True
    require_files(kind)
    paths = files.two_files(name) or (Path(name),)
    return sum(path.stat().st_size for path in paths) <= MAX_BYTES


def known_targets(source: str, spec: str, config: DataConfig, seed: int) -> tuple[str, ...]:
    """The distinct targets of a source in all splits, after the task, in the dataset's order.

    Neither spaces nor Unicode forms distinguish sources. Raises UserError for a dataset that cannot be read.
    """
    wanted = normalized(source)
    pairs = (pair for pair in _pairs(spec, config, seed) if normalized(pair.src) == wanted)
    found = (target for pair in pairs for target in (pair.tgt, *pair.more))
    return tuple(dict.fromkeys(map(normalized, found)))


def targets_by_source(spec: str, config: DataConfig, seed: int) -> Mapping[str, tuple[str, ...]]:
    """The distinct targets of every source, as `known_targets`: for a dataset that is slow to make, but small."""
    found: dict[str, tuple[str, ...]] = {}
    for pair in _pairs(spec, config, seed):
        source = normalized(pair.src)
        targets = map(normalized, (pair.tgt, *pair.more))
        found[source] = tuple(dict.fromkeys((*found.get(source, ()), *targets)))
    return found


def sources_of(spec: str, config: DataConfig, seed: int) -> Iterator[str]:
    """The distinct sources after the task, the training split last, as they are read."""
    seen: set[str] = set()
    for split in sorted(splits(spec), key=lambda name: name == "train"):
        for pair in _pairs_of_split(spec, split, config, seed):
            source = normalized(pair.src)
            if source and source not in seen:
                seen.add(source)
                yield source


def _pairs(spec: str, config: DataConfig, seed: int) -> Iterator[Pair]:
    for split in splits(spec):
        yield from _pairs_of_split(spec, split, config, seed)


def _pairs_of_split(spec: str, split: str, config: DataConfig, seed: int) -> Iterator[Pair]:
    kind, name, options = parse_spec(spec)
    if kind == "corpus" and options.rows is None:  # line by line: it may be larger than the memory
        is_plain, pairs = saved_datasets.stream(name, split)
        return pairs_of_task(pairs, config, seed, is_plain=is_plain)
    corpus = load(spec, split)
    return pairs_of_task(corpus.pairs, config, seed, is_plain=corpus.is_plain)

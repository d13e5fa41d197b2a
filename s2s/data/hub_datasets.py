"""Pairs from a dataset on the Hub: two columns of some rows of a split, downloading no more than needed."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from s2s import hub
from s2s.config import setting
from s2s.data.corpus import Corpus, Splits
from s2s.data.formats.columns import Column
from s2s.data.options import Caps
from s2s.data.repository import (
    HubOrigin,
    RowOptions,
    SplitReader,
    budget,
    needs_library,
    read_corpus,
    text_columns,
)

HUB_ROWS = 20_000  # per split, by default
N_SAMPLE_ROWS = 5
MAX_CHARACTERS = 1000  # of a text in a sample
SAMPLE_CAPS = Caps(bytes=32_000_000, seconds=4.0)  # a page waits for it
LIBRARY_CAPS = replace(SAMPLE_CAPS, seconds=18.0)


@dataclass(frozen=True)
class HubOptions(RowOptions):
    """The options after the `#` of `hub:OWNER/NAME` or `hub:OWNER/NAME:CONFIG`."""

    rows: int | None = setting(
        HUB_ROWS,
        1,
        help="Read this many rows of each split, the first or a `sample`; null reads all, up to the limits.",
    )
    revision: str = setting("", help="Commit to read; empty for the newest.")


class HubSample(NamedTuple):
    """All columns of a split and its first rows, shown before anything is loaded."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]


def opened(location: str, options: HubOptions) -> Splits:
    """The splits of a configuration, with one request; each is read when it is called, with the token of `hub.using`.

    Raises UserError for an invalid name and for the Hub's failures.
    """
    hub.check_newest(location, options.revision)
    name, config = split_config(location)
    found = hub.look_up(name, options.revision)
    return {
        split: partial(_corpus, found, config, split, options) for split in found.splits(config)
    }


def pinned(spec: str, location: str, options: HubOptions) -> str:
    """The spec with the current revision. Raises UserError as `opened` does."""
    if options.revision:
        return spec
    hub.check_newest(location)
    return (
        f"{spec}{',' if '#' in spec else '#'}revision={hub.look_up(split_config(location)[0]).sha}"
    )


def split_config(location: str) -> tuple[str, str]:
    """`"owner/name:de-en"` -> `("owner/name", "de-en")`; an address has no configuration."""
    if "://" in location:
        return hub.check(location), ""
    name, _, config = location.partition(":")
    return hub.check(name), config


def sample(dataset: hub.Dataset, config: str, split: str, token: str = "") -> HubSample:
    """The columns and first five rows of a split, within seconds. Raises UserError if there is no text."""
    part = dataset.split(config, split)
    caps = LIBRARY_CAPS if needs_library(part.files[0]) else SAMPLE_CAPS
    origin = HubOrigin(dataset, token, hub.Budget(caps.bytes, caps.seconds))
    with budget(caps) as limits:
        table = SplitReader(origin, limits).first_table(part.files)
    text_columns(dataset.id, table.columns)
    rows = itertools.islice(((row.fields or ()) for row in table.body(table.head)), N_SAMPLE_ROWS)
    return HubSample(
        table.columns, tuple(tuple((field or "")[:MAX_CHARACTERS] for field in row) for row in rows)
    )


def _corpus(dataset: hub.Dataset, config: str, split: str, options: HubOptions) -> Corpus:
    caps = Caps()
    origin = HubOrigin(dataset, hub.token(), hub.Budget(caps.bytes, caps.seconds))
    name = config or next(iter(dataset.configs))
    note = f"Split {split} of {dataset.id}, configuration {name}, at revision {dataset.sha[:12]}."
    corpus = read_corpus(
        origin,
        dataset.split(config, split),
        options,
        split=split,
        config=config,
        notes=(note, *dataset.notes),
        caps=caps,
    )
    return replace(corpus, spec=f"hub:{dataset.id}")

"""Pairs from a folder of this computer: a dataset that `datasets` saved there, or files of tables."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from s2s import hub
from s2s.config import UserError, setting, shortened
from s2s.data.corpus import Corpus, Splits
from s2s.data.options import Caps, chosen_rows
from s2s.data.repository import FolderOrigin, RowOptions, read_corpus

if TYPE_CHECKING:
    import datasets

SAVED = ("dataset_dict.json", "state.json")  # what save_to_disk writes into a folder
MAX_FILES = 100_000
SPLITS = {"validation": "valid", "dev": "valid"}


@dataclass(frozen=True)
class DiskOptions(RowOptions):
    """The options after the `#` of `disk:FOLDER`."""

    config: str = setting("", help="Configuration of a folder of files; empty for the first one.")


def opened(location: str, options: DiskOptions) -> Splits:
    """The splits of a folder, each read when it is called. Raises UserError where there is no dataset."""
    folder = Path(location)
    if not os.path.isdir(location):
        raise UserError(
            f"There is no folder `{shortened(location)}`; give one that `save_to_disk` wrote, or a folder of"
            " .parquet, .arrow, .csv or .jsonl files."
        )
    if any((folder / name).is_file() for name in SAVED):
        saved = _loaded(location)
        return {
            split: partial(_of_dataset, location, saved[split], split, options) for split in saved
        }
    listed = hub.arrange(files := list(_files(folder)), {})
    layout = listed if listed.configs else hub.arrange(files, {}, others=True)
    if not layout.configs:
        raise UserError(
            f"`{shortened(location)}` has no file that can be read here; give a folder that `save_to_disk` wrote, or"
            " one of .parquet, .arrow, .csv or .jsonl files."
        )
    found = hub.Dataset(location, "", layout.configs, notes=layout.notes)
    return {
        split: partial(_of_files, found, split, options) for split in found.splits(options.config)
    }


def _loaded(location: str) -> dict[str, datasets.Dataset]:
    import datasets

    try:
        found = datasets.load_from_disk(str(Path(location).resolve()))
    except Exception as error:  # whatever a damaged folder makes the library raise
        raise UserError(
            f"`{shortened(location)}` is not a complete folder of `save_to_disk` ({type(error).__name__}); save the"
            " dataset again."
        ) from error
    if isinstance(found, datasets.Dataset):
        return {"train": found}
    return {SPLITS.get(str(split), str(split)): found[split] for split in found}


def _of_dataset(
    location: str, dataset: datasets.Dataset, split: str, options: DiskOptions
) -> Corpus:
    n_rows = len(dataset)
    n_wanted = min(options.rows or n_rows, Caps().rows)
    notes: tuple[str, ...] = ()
    if n_wanted < n_rows:
        dataset = dataset.select(chosen_rows(n_rows, n_wanted, options.sample))
        notes = (
            f"The first {n_wanted:,} of {n_rows:,} rows are used."
            if options.sample is None
            else f"{n_wanted:,} of {n_rows:,} rows, drawn at random with seed {options.sample}.",
        )
    corpus = Corpus.from_datasets(dataset, options.src, options.tgt, options.lists, advice="")
    return replace(corpus, spec=f"disk:{location}", split=split, notes=(*corpus.notes, *notes))


def _of_files(found: hub.Dataset, split: str, options: DiskOptions) -> Corpus:
    origin = FolderOrigin(Path(found.id), found.id)
    part = found.split(options.config, split)
    corpus = read_corpus(
        origin,
        part,
        options,
        split=split,
        config=options.config,
        notes=(*found.notes, *_config_note(found, options.config)),
        caps=Caps(),
    )
    return replace(corpus, spec=f"disk:{found.id}")


def _config_note(found: hub.Dataset, config: str) -> tuple[str, ...]:
    first, *others = found.configs
    if config or not others:
        return ()
    listed = shortened(", ".join(others))
    return (f"Only the configuration {first} is read, not {listed}; `#config=` chooses another.",)


def _files(folder: Path) -> Iterator[hub.File]:
    """The files in a folder and its folders, in the order of their paths."""
    paths = itertools.islice(folder.rglob("*"), MAX_FILES)
    for path in sorted(path for path in paths if path.is_file()):
        yield hub.File(path.relative_to(folder).as_posix(), path.stat().st_size)

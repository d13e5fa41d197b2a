"""The sections of a dataset profile: how the reader process computes each, and what a visitor reads while it does."""

from __future__ import annotations

import io
import itertools
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from s2s import files
from s2s.config import DataConfig, UserError
from s2s.data import saved_datasets
from s2s.data.corpus import Corpus
from s2s.data.files import offered
from s2s.data.lint import LintReport, flagged, lint_pairs, repaired
from s2s.data.lint.rules import MAX_RATIO, MAX_WORDS
from s2s.data.preview import Preview
from s2s.data.profile import ProfileFolder, digest
from s2s.data.sources import load, splits
from s2s.data.split import prepared
from s2s.data.statistics import Statistics
from s2s.files import csv_writer, from_json

if TYPE_CHECKING:
    from s2s.tokenizers import TokenizerComparison

DEFAULT_DATA = DataConfig()
COMPARED_TOKENIZERS = 14  # rows of a comparison, roughly; for the progress bar
MAX_FLAGGED = 200_000  # rows of the table of flagged pairs
SEED = 1  # of the pairs held out for statistics


class Progress:
    """The progress of one job; `tell` gets what it does and its share, from 0 to 1."""

    def __init__(self, tell: Callable[..., None], total: float) -> None:
        self.tell = tell
        self.total = total
        self.finished_weight = 0.0
        self.weight = 0.0
        self.doing = ""
        self.share = 0.0

    def stage(self, doing: str, weight: float) -> None:
        """Starts the next stage, which takes `weight` of `total`."""
        self.finished_weight += self.weight
        self.weight = weight
        self.doing = doing
        self.update(0.0, at_once=True)

    def update(self, share: float, *, at_once: bool = False) -> None:
        """Report the finished share of this stage, from 0 to 1."""
        total_share = (self.finished_weight + self.weight * min(1.0, share)) / self.total
        # Once a file is closed, the share is estimated from the time and may be smaller: the bar never goes back.
        self.share = max(self.share, min(1.0, total_share))
        self.tell(doing=self.doing, share=round(self.share, 4), at_once=at_once)


@dataclass
class ReaderJob:
    """One order to the reader. The dataset is read once, however many sections are computed from it."""

    folder: Path
    spec: str
    data: DataConfig
    progress: Progress

    @cached_property
    def train(self) -> Corpus:
        """The pairs before cleaning; an upload that was written to disk is not downloaded again."""
        return saved_datasets.read_upload(self.folder, "train") or load(self.spec)

    @cached_property
    def valid(self) -> Corpus | None:
        """The source's own validation split, if it has one besides the training split."""
        if (self.folder / saved_datasets.UPLOAD_FILE).is_file():
            return saved_datasets.read_upload(self.folder, "valid")
        if "valid" in splits(self.spec) and self.train.split != "valid":
            return load(self.spec, "valid")
        return None


class Section(NamedTuple):
    """One section: the function that computes it, the progress message, and its share of the running time."""

    compute: Callable[[ReaderJob], Any]  # written as JSON; None: nothing is
    doing: str
    weight: float
    settings: Callable[[DataConfig], Any] = lambda data: ""  # what the result depends on
    read: Callable[[Any], Any] = dict  # the value that the stored JSON stands for

    def name(self, key: str, data: DataConfig) -> str:
        """The name of the result's file, without `.json`."""
        settings = self.settings(data)
        return f"{key}-{digest(settings)}" if settings else key


def _write_upload(job: ReaderJob) -> None:
    """Writes the pairs that `saved_datasets.keep_upload` saves."""
    saved_datasets.write_upload(job.folder, job.train, job.valid)


def _offer(job: ReaderJob) -> Any:
    return offered([Path(name) for name in job.spec.split(",")])


def _preview(job: ReaderJob) -> Preview:
    return Preview.of(job.train)


def _lint(job: ReaderJob) -> LintReport:
    return lint_pairs(
        repaired(job.train, job.data.clean).pairs,
        valid=repaired(job.valid, job.data.clean).pairs if job.valid else (),
        cleaning=job.data.clean,
        is_plain=job.train.is_plain,
        on_progress=job.progress.update,
    )


def _flagged(job: ReaderJob) -> dict[str, Any]:
    name = PROFILE_SECTIONS["flagged"].name("flagged", job.data)
    rows = flagged(
        repaired(job.train, job.data.clean).pairs,
        valid=repaired(job.valid, job.data.clean).pairs if job.valid else (),
        cleaning=job.data.clean,
        is_plain=job.train.is_plain,
    )
    out = io.StringIO()
    table = csv_writer(out)
    table.writerow(["line", "rule", "what is wrong", "source", "target"])
    n_rows = 0
    for row in itertools.islice(rows, MAX_FLAGGED):
        table.writerow([row.line, row.rule, *row[2:]])
        n_rows += 1
    files.write_bytes(job.folder / f"{name}.csv", out.getvalue().encode(errors="replace"))
    return {"n_rows": n_rows, "is_whole": next(rows, None) is None}


def _statistics(job: ReaderJob) -> Statistics:
    pairs = prepared(job.train, job.valid, SEED, job.data)
    return Statistics.of(pairs.train, pairs.valid)


def _compare_tokenizers(job: ReaderJob) -> TokenizerComparison:
    from s2s.tokenizers import TokenizerComparison, advice, compare, scope

    train, valid, _ = prepared(job.train, job.valid, SEED, job.data)
    src = [pair.src for pair in train.pairs]
    tgt = [pair.tgt for pair in train.pairs]
    is_held_out = train.pairs is not valid.pairs  # false where there are too few pairs
    held_out = valid.pairs if is_held_out else ()
    rows = []
    name = PROFILE_SECTIONS["pieces"].name("pieces", job.data)
    for row in compare(
        src,
        tgt,
        [pair.src for pair in held_out],
        [pair.tgt for pair in held_out],
        shared=True,
        example=(valid.pairs[0].src, valid.pairs[0].tgt),
        limit=job.data.max_length,
        folder=job.folder / name,
    ):
        rows.append(row)
        job.progress.update(len(rows) / COMPARED_TOKENIZERS)
    return TokenizerComparison(
        tuple(rows), scope(len(train), len(held_out)), advice("word", src, tgt)
    )


def _read_comparison(found: Any) -> TokenizerComparison:
    from s2s.tokenizers import TokenizerComparison

    return from_json(TokenizerComparison, found)


def _export(job: ReaderJob) -> dict[str, Any]:
    """The pairs that training would use, as a file for `datasets` and pandas."""
    train = prepared(job.train, job.valid, SEED, job.data).train
    name = PROFILE_SECTIONS["export"].name("export", job.data)
    train.to_datasets().to_parquet(job.folder / f"{name}.parquet")
    return {"n_pairs": len(train)}


def profile_section(spec: str, name: str, data: DataConfig = DEFAULT_DATA) -> Any:
    """One of PROFILE_SECTIONS of a dataset, computed in this process and not kept; files that it writes are dropped.

    Raises UserError for a dataset that cannot be read.
    """
    with tempfile.TemporaryDirectory() as folder:
        progress = Progress(lambda **_: None, 1.0)
        return PROFILE_SECTIONS[name].compute(ReaderJob(Path(folder), spec, data, progress))


def stored_section(of: ProfileFolder, name: str, data: DataConfig = DEFAULT_DATA) -> Any | None:
    """One of PROFILE_SECTIONS as a reader stored it; None where none did, or it is damaged or of another version."""
    section = PROFILE_SECTIONS[name]
    found = of.result(section.name(name, data))
    try:
        return None if found is None else section.read(found)
    except (UserError, ValueError):
        return None


def _lint_limits(data: DataConfig) -> list[Any]:
    """What names a lint result: its limits, and the last rule, which older results lack."""
    limits = [data.clean.max_words or MAX_WORDS, data.clean.max_ratio or MAX_RATIO, "invisible"]
    return [*limits, True] if data.clean.repair else limits


def _all_settings(data: DataConfig) -> Any:
    return data.to_json()


def _with_tokenizers(data: DataConfig) -> Any:
    """What names a result: the config, and the saved tokenizers, which older results lack."""
    return [data.to_json(), "with tokenizers"]


PROFILE_SECTIONS: Mapping[str, Section] = MappingProxyType(
    {
        "offer": Section(_offer, "Detecting columns.", 0.5),
        "text": Section(_write_upload, "Saving the pairs.", 3.0),
        "preview": Section(_preview, "Counting.", 3.0, read=Preview.read),
        "lint": Section(
            _lint,
            "Checking for quality issues.",
            6.0,
            _lint_limits,
            partial(from_json, LintReport),
        ),
        "flagged": Section(_flagged, "Writing the file.", 6.0, _lint_limits),
        "pieces": Section(
            _compare_tokenizers, "Comparing tokenizers.", 8.0, _with_tokenizers, _read_comparison
        ),
        "export": Section(_export, "Writing the file.", 2.0, _all_settings),
        "statistics": Section(
            _statistics,
            "Measuring words and lengths.",
            3.0,
            _all_settings,
            partial(from_json, Statistics),
        ),
    }
)

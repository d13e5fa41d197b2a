"""Test sets for a page: those of datasets that neither ship nor were saved here are read by a process of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from s2s.data import opening, parse_spec
from s2s.jobs.evaluation import test_sets
from s2s.jobs.evaluation.test_sets import TestSet
from s2s.library import Library
from s2s.runs import Sentences

HERE = (*test_sets.SHIPPED, "corpus")  # sources in files of our own


def read(test: Sentences) -> TestSet:
    """Read a test set as `test_sets.read` does, but without the training pairs where another process reads it."""
    if all(parse_spec(spec).source in HERE for spec in _specs(test)):
        return test_sets.read(test)
    dataset = (test.spec or test.run, Path())  # as errors call it
    which = {"run": test.run, "spec": test.spec, "split": test.split}
    pairs, references, notes = opening.opened(read_there, [dataset], from_hub=True, which=which)
    return TestSet(
        tuple((source, reference) for source, reference in pairs),
        notes=tuple(notes),
        references=tuple(tuple(each) for each in references),
    )


def _specs(test: Sentences) -> list[str]:
    if not test.run:
        return [test.spec]
    about = Library().run(test.run).about()
    return [str(about[key]) for key in ("source", "valid") if about.get(key)]


@opening.opener
def read_there(_: opening.Files, *, which: Mapping[str, Any]) -> tuple[Sequence[Any], ...]:
    """A test set's pairs, all references, and notes, read in a process of its own."""
    found = test_sets.read(Sentences("", **which))
    return found.pairs, found.references, found.notes

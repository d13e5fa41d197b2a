"""The test sets that a run can be measured on."""

from __future__ import annotations

from s2s.jobs import test_sets
from s2s.library import Library, sharing
from s2s.runs import Sentences
from s2s.runs.portable import dataset_name
from s2s.ui.kit import cached

BUILTIN = (
    "builtin:en-fr",
    "builtin:en-es",
    "builtin:everyday",
)  # for a published model, which has no dataset
SPLITS = {
    test_sets.HELD_OUT: "held-out pairs of its dataset",
    "test": "sentences it was not trained on",
    "random": "its dataset: random, as in training",
    "unseen": "its dataset: unseen combinations of words",
    "deep": "its dataset: deeper nesting",
    "agreement": "its dataset: agreement between distant words",
    "banks": "its dataset: words with two meanings",
}


def available_test_sets(run_id: str) -> dict[str, str]:
    """Splits of a run's own dataset, where it may be read, and saved datasets, with their labels."""
    may_see = sharing.may_see_data(Library().run(run_id))
    own = {
        name: SPLITS.get(name, f"its dataset: {name}")
        for name in (test_sets.splits_of_run(run_id) if may_see else ())
    }
    saved = {text.spec: f"saved dataset: {text.name}" for text in cached.datasets()}
    return own | saved or {spec: f"built-in dataset: {spec.partition(':')[2]}" for spec in BUILTIN}


def described(run_id: str, test: str, n: int) -> Sentences:
    """`n` sentences of one of these test sets, as a question names them."""
    source = str(cached.metadata(run_id).get("source", "its dataset"))
    if ":" in test:
        return Sentences(cached.dataset_name(test), spec=test, n=n)
    named = dataset_name(source)  # its files name the evaluation, which is passed on
    return Sentences(f"{named}, {test}", split=test, run=run_id, n=n)

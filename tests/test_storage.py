import json

import pytest

from s2s import settings, storage
from tests.storing import store_dataset, store_evaluation, store_run


def test_what_an_owner_has_is_listed_and_counted() -> None:
    store_run("r1", "ann")
    store_run("r2", "bob")
    hash = store_dataset("ann", 5, "five")
    store_evaluation("ann")
    mine = storage.items("ann")
    assert {item.kind.name for item in mine} == {"run", "saved dataset", "evaluation"}
    (dataset,) = (item for item in mine if item.kind is storage.DATASET)
    assert (dataset.id, dataset.name, dataset.rows) == (hash, "five", 5)
    used = storage.usage("ann")
    assert (used.runs, used.datasets, used.evaluations, used.rows) == (1, 1, 1, 5)
    assert used.n_bytes == sum(
        path.stat().st_size for item in mine for path in item.folder.rglob("*") if path.is_file()
    )
    assert len(storage.items()) == 4
    assert storage.usage("nobody") == storage.Usage()


@pytest.mark.parametrize("content", ["", "[]", "{", '{"owner": 3}', "[" * 100_000])
def test_a_damaged_thing_is_the_operators(content: str) -> None:
    folder = settings.home() / "runs" / "r1"
    folder.mkdir(parents=True)
    (folder / "recipe.json").write_text(content)
    (item,) = storage.items()
    assert (item.owner, item.name) == ("local", "r1")


def test_what_is_no_thing_is_left_out() -> None:
    (settings.home() / "runs" / ".queued").mkdir(parents=True)
    (settings.home() / "runs" / "a file").write_text("")
    (settings.home() / "corpora").mkdir()
    (settings.home() / "corpora" / "link").symlink_to("/")
    assert storage.items() == []


def test_a_run_that_was_just_deleted_still_counts() -> None:
    folder = store_run("r1", "ann")
    folder.rename(folder.with_name(".deleted-r1"))
    assert storage.usage("ann").runs == 1


def test_locks_do_not_make_a_thing_newer() -> None:
    folder = store_run("r1", "ann")
    before = storage.items()[0].changed
    (folder / ".lock").write_text(json.dumps("locked"))
    assert storage.items()[0].changed == before

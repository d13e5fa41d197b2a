import json

import pytest

from s2s import settings
from s2s.config import UserError
from s2s.data import uploads
from s2s.files import stored
from tests.storing import store_dataset, store_evaluation, store_run


def test_what_an_owner_has_is_listed_and_counted() -> None:
    store_run("r1", "ann")
    store_run("r2", "bob")
    hash = store_dataset("ann", 5, "five")
    store_evaluation("ann")
    mine = stored.items("ann")
    assert {item.kind.name for item in mine} == {"run", "saved dataset", "evaluation"}
    (dataset,) = (item for item in mine if item.kind is stored.DATASET)
    assert (dataset.id, dataset.name, dataset.rows) == (hash, "five", 5)
    used = stored.usage("ann")
    assert (used.runs, used.datasets, used.evaluations, used.rows) == (1, 1, 1, 5)
    assert used.n_bytes == sum(
        path.stat().st_size for item in mine for path in item.folder.rglob("*") if path.is_file()
    )
    assert len(stored.items()) == 4
    assert stored.usage("nobody") == stored.Usage()


@pytest.mark.parametrize("content", ["", "[]", "{", '{"owner": 3}', "[" * 100_000])
def test_a_damaged_thing_is_the_operators(content: str) -> None:
    folder = settings.home() / "runs" / "r1"
    folder.mkdir(parents=True)
    (folder / "recipe.json").write_text(content)
    (item,) = stored.items()
    assert (item.owner, item.name) == ("local", "r1")


def test_what_is_no_thing_is_left_out() -> None:
    (settings.home() / "runs" / ".queued").mkdir(parents=True)
    (settings.home() / "runs" / "a file").write_text("")
    (settings.home() / "corpora").mkdir()
    (settings.home() / "corpora" / "link").symlink_to("/")
    assert stored.items() == []


def test_a_run_that_was_just_deleted_still_counts() -> None:
    folder = store_run("r1", "ann")
    folder.rename(folder.with_name(".deleted-r1"))
    assert stored.usage("ann").runs == 1


def test_locks_do_not_make_a_thing_newer() -> None:
    folder = store_run("r1", "ann")
    before = stored.items()[0].changed
    (folder / ".lock").write_text(json.dumps("locked"))
    assert stored.items()[0].changed == before


@pytest.fixture
def _hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")


@pytest.mark.usefixtures("_hosted")
@pytest.mark.parametrize(
    ("variable", "value", "more", "said"),
    [
        ("S2S_MAX_RUNS", "1", {"runs": 1}, "You have stored 1 runs and may store 1 runs. Delete"),
        (
            "S2S_MAX_ROWS",
            "9",
            {"rows": 5},
            "You have stored 5 sentence pairs and may store 9 sentence pairs; this would add 5",
        ),
        (
            "S2S_MAX_BYTES",
            "1000",
            {},
            r"may store 0.0 MB. Delete what you no longer need \(My work",
        ),
        ("S2S_MAX_BYTES", "900000", {"n_bytes": 10**10}, "this would add 10.00 GB"),
        ("S2S_MAX_TOTAL_BYTES", "1000", {}, "This server is full: all its visitors together may"),
    ],
)
def test_a_full_quota_is_a_sentence(
    variable: str, value: str, more: dict[str, int], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_run("r1", "ann")
    store_dataset("ann", 5)
    stored.require_room("ann", runs=1, rows=5, n_bytes=1000)
    monkeypatch.setenv(variable, value)
    with pytest.raises(UserError, match=said):
        stored.require_room("ann", **more)
    stored.require_room("local", **more)  # the operator
    if "TOTAL" not in variable and not more.get("n_bytes"):
        stored.require_room("bob", **more)


@pytest.mark.usefixtures("_hosted")
def test_nobody_may_store_anything() -> None:
    for action in (
        lambda: stored.require_room(""),
        lambda: store_dataset(""),
        lambda: uploads.begin("file", "x", [("a.txt", b"a")], owner=""),
    ):
        with pytest.raises(UserError, match="Nothing can be stored without a workspace"):
            action()
    assert stored.items() == []


@pytest.mark.usefixtures("_hosted")
def test_a_dataset_beyond_the_quota_is_refused_and_nothing_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hash = store_dataset("ann", 5)
    monkeypatch.setenv("S2S_MAX_ROWS", "5")
    with pytest.raises(UserError, match="may store 5 sentence pairs"):
        store_dataset("ann", 3)
    assert store_dataset("ann", 5, "renamed") == hash  # the same one
    assert [item.id for item in stored.items("ann")] == [hash]


def test_a_local_server_has_no_quota() -> None:
    stored.require_room("local", n_bytes=10**15, rows=10**9, runs=10**6)

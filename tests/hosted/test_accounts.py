import pytest

from s2s.config import UserError
from s2s.data import saved_datasets, uploads
from s2s.files import stored
from s2s.hosted import account_of, keys, rows, workspace_of_account
from s2s.hosted import accounts as module
from s2s.jobs import run_service
from s2s.library import Library
from s2s.processes import queue
from tests.hosted import acting
from tests.storing import store_dataset, store_evaluation, store_run

USER = {"is_logged_in": True, "iss": "https://issuer.example", "sub": "42", "email": "a@b.c"}


def test_an_account_is_a_hash_of_issuer_and_subject() -> None:
    account = account_of(USER)
    assert len(account) == 64
    assert account == account_of(USER | {"email": "other"})
    assert account != account_of(USER | {"sub": "43"})
    assert account_of(USER | {"iss": "x\ny", "sub": "z"}) != account_of(
        USER | {"iss": "x", "sub": "y\nz"}
    )
    assert stored.ID.fullmatch(workspace_of_account(account))


@pytest.mark.parametrize(
    "change",
    [
        {"is_logged_in": False},
        {"is_logged_in": "yes"},
        {"sub": ""},
        {"iss": None},
        {"sub": ["42"]},
        {"sub": True},
    ],
)
def test_who_is_not_signed_in_has_no_account(change: dict[str, object]) -> None:
    assert account_of(USER | change) == ""
    assert account_of({}) == ""


def store_everything(owner: str) -> str:
    store_run("r1", owner)
    store_evaluation(owner)
    uploads.begin("file", "x", [("a.txt", b"a")], owner=owner)
    queue.submit("train", owner, "r1", {"name": "x"})
    job = queue.claim("w", "h", "long", 60.0)
    assert job
    queue.finish(job.id, "w", "done")
    return store_dataset(owner)


def test_everything_changes_hands_and_can_be_used_as_before() -> None:
    key, account = keys.new_key(), account_of(USER)
    hash = store_everything(key.digest)
    store_run("r2", "somebody")
    mine = workspace_of_account(account)
    assert acting.merge(key, account) == 4
    assert stored.usage(key.digest) == stored.Usage()
    used = stored.usage(mine)
    assert (used.runs, used.datasets, used.evaluations, used.uploads) == (1, 1, 1, 1)
    assert [job.run for job in queue.jobs(mine)] == ["r1"]
    run_service.rename("r1", mine, "renamed")
    saved_datasets.rename(Library(mine).dataset(hash, "change"), "renamed")
    with pytest.raises(UserError):
        saved_datasets.rename(Library(key.digest).dataset(hash, "change"), "renamed")
    found = rows.find(mine)
    assert found
    assert found.account == account
    assert acting.merge(key, account) == 0
    assert stored.usage("somebody").runs == 1


def test_a_merge_that_was_interrupted_is_finished_by_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key, account = keys.new_key(), account_of(USER)
    store_everything(key.digest)
    given = module._give
    calls = []

    def give(item: stored.Item, target: str) -> None:
        calls.append(item)
        if len(calls) == 3:
            raise KeyboardInterrupt
        given(item, target)

    with monkeypatch.context() as patch:
        patch.setattr(module, "_give", give)
        with pytest.raises(KeyboardInterrupt):
            acting.merge(key, account)
    assert len(stored.items(key.digest)) == 2
    assert acting.merge(key, account) == 2
    assert stored.items(key.digest) == []
    assert queue.jobs(key.digest) == []


def test_waiting_jobs_change_hands_with_what_they_read_and_a_running_one_ends_first() -> None:
    key, account = keys.new_key(), account_of(USER)
    store_run("r1", key.digest)
    store_dataset(key.digest)
    queue.submit("train", key.digest, "r1", {"name": "x"})
    job = queue.claim("w", "h", "long", 60.0)
    assert job
    with pytest.raises(UserError, match=r"is running; merge when it is done"):
        acting.merge(key, account)
    assert len(stored.items(key.digest)) == 2
    queue.hand_back(job.id, "w")
    assert acting.merge(key, account) == 2
    assert queue.jobs(key.digest) == []
    again = queue.claim("w", "h", "long", 60.0)
    assert again
    assert again.owner == workspace_of_account(account)


def test_an_account_is_not_merged_into_itself() -> None:
    account = account_of(USER)
    store_run("r1", workspace_of_account(account))
    key = rows.open_link(acting.make_link(workspace_of_account(account)))
    assert key
    assert acting.merge(key, account) == 0
    assert stored.usage(workspace_of_account(account)).runs == 1

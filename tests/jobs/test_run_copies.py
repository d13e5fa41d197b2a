"""Copies of shared runs: whose they are, what they say, and when there is none."""

import errno

import pytest

from s2s import load
from s2s.config import DeniedError, UserError, asker
from s2s.jobs import run_copies
from s2s.library import Sharing, sharing
from s2s.library.own import annotate, list_runs
from s2s.runs import RunFolder, runs_folder
from tests.storing import store_run

RUN = "abcdefgh01234567"


@pytest.fixture(autouse=True)
def _shared_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ann's run, whose link gives view and exploration."""
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    store_run(RUN, "ann")
    share(Sharing(link=True))


def share(what: Sharing) -> None:
    with asker.acting_as("ann"):
        sharing.share(sharing.thing("run", RUN, "ann"), what)


def copied(workspace: str) -> str:
    with asker.acting_as(workspace):
        return run_copies.copy(RUN)


def test_a_copy_is_its_makers_and_outlives_the_run() -> None:
    with asker.acting_as("ann"):
        annotate(RUN, "ann", tags=("mine",), comment="a secret")
    RunFolder(runs_folder() / RUN).amend(lambda about: {"valid": None})  # as it is without --valid
    share(Sharing(link=True, copy=True))
    run = copied("bob")
    share(Sharing())
    (row,) = list_runs("bob")
    assert (row.id, row.owner, row.tags, row.comment) == (run, "bob", (), "")
    assert sharing.sharing("run", run) == Sharing()
    own, theirs = (load(runs_folder() / each).translate(["1 2 3"]) for each in (RUN, run))
    assert [one.log_prob for one in own] == [one.log_prob for one in theirs]


def test_a_full_disk_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    RunFolder(runs_folder() / RUN).amend(lambda about: {"valid": None})
    share(Sharing(link=True, copy=True))
    monkeypatch.setattr(run_copies.archive, "write", _no_space)
    with pytest.raises(
        UserError, match=r"cannot be copied \(No space left on device\); free some space"
    ):
        copied("bob")
    assert list_runs("bob") == []


def _no_space(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("what", [Sharing(link=True, data=True), Sharing(copy=True), Sharing()])
def test_nobody_copies_what_its_owner_has_not_said(what: Sharing) -> None:
    share(what)
    with pytest.raises(DeniedError):
        copied("bob")
    share(Sharing(link=True, copy=True))
    for workspace in ("ann", asker.NOBODY):  # it is hers already; nobody has no workspace
        with pytest.raises(UserError, match="cannot be copied"):
            copied(workspace)
    assert list_runs("bob") == []


@pytest.mark.parametrize(
    "private",
    [
        {"source": "corpus:0123456789abcdef"},
        {"valid": "diaries.csv"},
        {"init_from": {"run": "anns-other-run", "step": 3}},
        {"imported": {"family": "marian", "folder": "/home/ann"}},
    ],
    ids=lambda private: next(iter(private)),
)
def test_what_names_something_private_is_not_copied(private: dict[str, object]) -> None:
    share(Sharing(link=True, data=True, copy=True))
    RunFolder(runs_folder() / RUN).amend(lambda about: private)
    with pytest.raises(DeniedError, match="cannot be copied"):
        copied("bob")
    with asker.acting_as("ann"):
        assert "names what is private" in run_copies.why_private(RUN)


def test_a_copy_is_within_the_limits_of_its_maker(monkeypatch: pytest.MonkeyPatch) -> None:
    share(Sharing(link=True, copy=True))
    monkeypatch.setenv("S2S_MAX_RUNS", "1")
    copied("bob")
    with pytest.raises(UserError, match="may store 1 runs"):
        copied("bob")
    monkeypatch.setattr(run_copies.run_archives, "MAX_DOWNLOAD", 10)
    with pytest.raises(UserError, match="the most that is copied at once"):
        copied("cid")

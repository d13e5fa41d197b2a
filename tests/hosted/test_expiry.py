import time
from pathlib import Path

import pytest

from s2s import lessons, settings
from s2s.config import UserError, asker
from s2s.data import uploads
from s2s.files import stored
from s2s.hosted import expiry
from s2s.hosted.rows import DAY
from s2s.processes import queue
from tests.hosted import acting
from tests.storing import grow_old, store_dataset, store_evaluation, store_run

NOW = 2_000_000_000.0


def folder(item: str) -> Path:
    return next(each.folder for each in stored.items() if each.id == item)


def left() -> set[str]:
    return {item.id for item in stored.items()}


def test_what_nobody_changed_for_a_month_is_deleted() -> None:
    old = {"r1": store_run("r1", "ann").name, "e": store_evaluation("ann"), "d": store_dataset("a")}
    new = store_run("r2", "ann")
    operators = store_run("r3", "local")
    for name in old.values():
        grow_old(folder(name), 31, NOW)
    grow_old(new, 29, NOW)
    grow_old(operators, 1000, NOW)
    assert expiry.delete_expired(now=NOW) == 3
    assert left() == {"r2", "r3"}
    assert expiry.delete_expired(now=NOW) == 0


def test_what_was_kept_stays_for_another_month() -> None:
    for run, owner in (("r1", "ann"), ("r2", "bob")):
        grow_old(store_run(run, owner), 31, NOW)
    acting.keep("ann", now=NOW - DAY)
    assert expiry.delete_expired(now=NOW) == 1
    assert left() == {"r1"}
    assert expiry.delete_expired(now=NOW + 30 * DAY) == 1


def test_answers_of_a_kept_workspace_stay_for_another_month() -> None:
    for workspace in ("ann", "bob"):
        with asker.acting_as(workspace):
            lessons.note_step("five-minutes", 1, "right", now=NOW - 31 * DAY)
    acting.keep("ann", now=NOW - DAY)
    expiry.delete_expired(now=NOW)
    found = []
    for workspace in ("ann", "bob"):
        with asker.acting_as(workspace):
            found.append(len(lessons.all_progress()))
    assert found == [1, 0]


def test_a_run_that_waits_or_trains_never_expires() -> None:
    grow_old(store_run("r1", "ann"), 31, NOW)
    queue.submit("train", "ann", "r1", {})
    assert expiry.delete_expired(now=NOW) == 0
    job = queue.claim("w", "h", "long", 60.0)
    assert job
    assert expiry.delete_expired(now=NOW) == 0
    queue.finish(job.id, "w", "done")
    log = settings.home() / "log" / f"{job.id}.log"
    log.parent.mkdir()
    log.write_text("Started.")
    assert expiry.delete_expired(now=NOW) == 1
    assert queue.latest("r1") is None
    assert not log.exists()


def test_every_page_can_say_what_expires_within_three_days() -> None:
    for run, days in (("r1", 29), ("r2", 26), ("r3", 28)):
        grow_old(store_run(run, "ann"), days, NOW)
    uploads.begin("file", "x", [("a.txt", b"a")], owner="ann")
    soon = expiry.expiring_soon(now=NOW)
    assert [each.item.id for each in soon["ann"]] == ["r1", "r3"]
    assert list(soon) == ["ann"]
    by_id = {each.item.id: each.when for each in acting.expiring("ann")}
    assert by_id["r1"] == pytest.approx(NOW + DAY)


@pytest.mark.parametrize(("variable", "value"), [("S2S_EXPIRE_DAYS", "none"), ("S2S_HOSTED", "")])
def test_without_a_limit_and_locally_nothing_expires(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    grow_old(store_run("r1", "ann"), 1000, NOW)
    assert expiry.delete_expired(now=NOW) == 0
    assert [each.when for each in acting.expiring("ann")] == [None]


def test_while_the_database_is_away_nothing_is_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    grow_old(store_run("r1", "ann"), 31, NOW)
    with monkeypatch.context() as patch:
        patch.setenv("S2S_DATABASE_URL", "postgresql+psycopg://@/none?host=/nowhere")
        with pytest.raises(UserError):
            expiry.delete_expired(now=NOW)
    assert left() == {"r1"}
    assert time.time() < NOW
    assert settings.expire_days() == 30

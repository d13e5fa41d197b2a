"""The gallery: who publishes what, what everybody finds, and what the operator hears."""

from dataclasses import replace
from pathlib import Path

import pytest

from s2s import access, gallery, short_links
from s2s.access import Sharing
from s2s.config import UserError
from s2s.short_links import DAY, Content
from tests.storing import store_evaluation, store_run

RUN = "anas0123456789ab"
HOUSE = Content("attention", {"run": RUN, "src": "the red house"}, "A red house", "Look at *la*.")


@pytest.fixture(autouse=True)
def stored(monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("S2S_HOSTED", "1")
    return store_run(RUN, "ana")


def publish(content: Content = HOUSE, owner: str = "ana", now: float = 1000.0) -> str:
    with access.acting_as(owner):
        letters = short_links.make(content, now=now).letters
        gallery.publish(letters, now=now)
    return letters


def found(query: str = "", who: str = "bob", now: float = 1000.0) -> list[str]:
    with access.acting_as(who):
        return [entry.letters for entry in gallery.entries(query, now=now)]


def report(letters: str, reason: str = "It is spam.", who: str = "bob", now: float = 1e3) -> None:
    with access.acting_as(who):
        gallery.report(letters, reason, now=now)


def test_what_is_published_is_shared_and_found_by_everybody_until_it_is_not() -> None:
    with access.acting_as("ana"):
        private = short_links.make(HOUSE, now=1000.0).letters
    assert not found()
    assert not access.sharing("run", RUN).link
    letters = publish()
    assert letters == private  # the same view has one link
    assert access.sharing("run", RUN) == Sharing(link=True)
    for who in ("bob", access.NOBODY, "ana"):
        with access.acting_as(who):
            (entry,) = gallery.entries(now=1000.0)
        assert (entry.content, entry.run, entry.is_own) == (HOUSE, RUN, who == "ana")
        assert "ana" not in repr(entry).replace(RUN, "")
    assert found("HOUSE look") == [letters]
    assert found("house blue") == []
    assert found(now=1000.0 + 400 * DAY) == []  # its link has expired
    with access.acting_as("ana"):
        gallery.unpublish(letters)
    assert not found()
    assert access.sharing("run", RUN).link


def test_what_is_private_again_or_gone_is_in_no_gallery(stored: Path) -> None:
    letters = publish()
    run = access.run_of(RUN, "ana")
    with access.acting_as("ana"):
        access.share(run, Sharing())
        assert not gallery.is_listed(letters)
        assert not found()
        gallery.publish(letters)  # again
        assert gallery.is_listed(letters)
    stored.rename(stored.with_name(".deleted-x"))
    assert not found()
    stored.with_name(".deleted-x").rename(stored)
    assert found() == [letters]
    with access.acting_as("ana"):
        short_links.delete(letters)
    assert not found()


def test_an_evaluation_that_a_view_shows_is_shared_with_it() -> None:
    evaluation = store_evaluation("ana")
    assert evaluation
    publish(Content("evaluate", {"run": RUN, "set": f"evaluation:{evaluation}"}))
    assert access.sharing("evaluation", str(evaluation)).link
    assert len(found()) == 1


def test_only_ones_own_links_to_ones_own_runs_are_published() -> None:
    letters = publish()
    for act in (gallery.publish, gallery.unpublish):
        with access.acting_as("bob"), pytest.raises(access.DeniedError, match="no short link"):
            act(letters)
    with pytest.raises(UserError, match="belongs to somebody else, who alone can publish it"):
        publish(HOUSE, "bob")
    for view in ({"run": "../x"}, {"run": "gone"}, {"c1": f"{RUN}!beam!", "run": "gone"}):
        with pytest.raises(UserError, match="There is no run"):
            publish(Content("compare", view))
    with pytest.raises(UserError, match="this one names none"):
        publish(Content("data", {"set": "source:x"}))
    publish(Content("", {"run": "demo-en-fr"}), "bob")
    assert len(found()) == 2


def test_a_workspace_publishes_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gallery, "MOST_PUBLISHED", 1)
    publish()
    publish()  # the same once more
    with pytest.raises(UserError, match="has 1 views in the gallery, the most"):
        publish(Content("", {"run": RUN}))


def test_reports_are_bounded_and_the_operator_alone_reads_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gallery, "MOST_REPORTS_PER_HOUR", 1)
    monkeypatch.setattr(gallery, "MOST_REPORTS", 2)
    letters, other = publish(), publish(Content("", {"run": RUN}))
    for reason, who, why in (
        (" \n", "bob", "has no reason"),
        ("x" * 281, "bob", "has 281 characters; at most 280"),
        ("x", access.NOBODY, "this browser has none"),
    ):
        with pytest.raises(UserError, match=why):
            report(letters, reason, who)
    report(letters, "first")
    report(letters, "a\nb\u202e")  # replaces it
    with pytest.raises(UserError, match="has reported 1 views within an hour"):
        report(other)
    report(other, now=1000.0 + short_links.HOUR)
    report(letters, who="cid", now=1001.0)
    with pytest.raises(UserError, match="already has many reports"):
        report(letters, who="dan")
    for who in ("ana", "bob", access.LOCAL, access.NOBODY):
        with access.acting_as(who):
            for act in (gallery.reported, lambda: gallery.hide(letters)):
                with pytest.raises(access.DeniedError):
                    act()
    with access.acting_as(access.OPERATOR):
        rows = gallery.reported()
        assert [row.letters for row in rows] == [letters, other]
        assert rows[0].reasons == ("It is spam.", "a b")
        gallery.dismiss(other)
        gallery.hide(letters)
        assert gallery.reported() == []
    assert found() == [other]
    with access.acting_as("ana"), pytest.raises(UserError, match="operator of this server has"):
        gallery.publish(letters)
    with pytest.raises(UserError, match="operator of this server has"):
        publish(replace(HOUSE, title="Another title"))
    publish(replace(HOUSE, view={**HOUSE.view, "src": "another"}))
    with pytest.raises(UserError, match="not in the gallery any more"):
        report(letters)


def test_a_deleted_workspace_leaves_neither_views_nor_reports() -> None:
    letters = publish()
    report(letters)
    report(publish(Content("", {"run": "demo-en-fr"}), "cid"), who="ana")
    short_links.delete_of("ana")
    assert len(found()) == 1
    with access.acting_as(access.OPERATOR):
        assert gallery.reported() == []
    short_links.give("cid", "bob")
    with access.acting_as("bob"):
        assert [entry.is_own for entry in gallery.entries(now=1000.0)] == [True]

"""A short link whose run is gone: it says what the run was, trains it again, and says whether the same came of it."""

from dataclasses import replace

import pytest
import sqlalchemy as sa
from streamlit.testing.v1 import AppTest

from s2s import access, short_links
from s2s.access import Sharing
from s2s.jobs import queue, run_records, run_service, training
from s2s.runs import RunFolder
from s2s.short_links import SHORT_LINKS, Content, ShortLink
from s2s.ui.kit import cached
from s2s.ui.shell import share_button
from tests.conftest import make_run
from tests.jobs.context import FakeContext
from tests.screen import opened, page_text

RUN = "gone0123456789ab"
VIEW = {"run": RUN, "src": "1 2 3", "layer": "1", "head": "2"}


@pytest.fixture
def record() -> run_records.RunRecord:
    """Of a run that is there."""
    make_run(access.runs_folder() / RUN, {"train.steps": 2})
    found = run_records.record(RUN)
    assert found
    return found


def link_to(record: run_records.RunRecord) -> ShortLink:
    """A link that outlived its run."""
    made = short_links.make(Content("attention", VIEW, "Look"), record=record.to_json())
    run_service.delete(RUN, "local")
    return made


def arrived(link: ShortLink, page: str = "attention", **view: str) -> AppTest:
    screen = opened(page, **{**VIEW, **view}, s=link.letters)
    assert not screen.exception
    return screen


@pytest.mark.slow
def test_a_link_outlives_its_run_and_trains_it_again_to_the_same_bits(
    record: run_records.RunRecord,
) -> None:
    link = link_to(record)
    screen = arrived(link)
    assert "synthetic:reverse#rows=80 for 2 steps" in page_text(screen)
    (chart,) = screen.get("plotly_chart")  # in place of the page
    assert "recorded-curve" in chart.proto.config
    assert "shown instead" not in page_text(screen)
    reloaded = opened("attention", src="1 2 3", s=link.letters)  # what the address then says
    assert len(reloaded.get("plotly_chart")) == 1
    screen.selectbox(key="run").set_value(
        "demo-en-es"
    ).run()  # which shows the page with another run
    assert len(screen.get("plotly_chart")) > 1
    screen = arrived(link)
    screen.button(key="train again").click().run()
    (row,) = run_service.runs("local")
    assert "train again" not in {button.key for button in screen.button}
    assert "trained again as" in page_text(screen)
    job = queue.claim("w", "h", "express", 600.0)
    assert job
    assert job.run == row.id
    list(training.work(job, FakeContext()))
    queue.finish(job.id, "w", "done")
    cached.refresh_runs()

    screen.run()
    assert "Same bits" in screen.success[0].value
    (leads,) = (each.proto for each in screen.get("page_link") if "shared view" in each.proto.label)
    assert f"run={row.id}" in leads.query_string
    assert "head=2" in leads.query_string
    trained = arrived(link, "train", run=row.id)
    assert "Same bits" in trained.success[0].value
    assert any("shared view" in each.proto.label for each in trained.get("page_link"))
    shown = arrived(link, run=row.id)
    assert not any("shared view" in each.proto.label for each in shown.get("page_link"))
    assert shown.selectbox(key="run").value == row.id
    assert "Same bits" in shown.success[0].value

    with queue.begin() as connection:
        other = replace(record, digest="0" * 64).to_json()
        connection.execute(sa.update(SHORT_LINKS).values(record=other))
    said = page_text(arrived(link, run=row.id))
    assert "Same recipe, other numbers" in said
    loss = f"{record.curve[-1].loss:.6g}"
    assert f"recorded {loss}, now {loss} nats per token" in said


def test_a_source_that_is_gone_is_a_sentence(record: run_records.RunRecord) -> None:
    screen = arrived(link_to(replace(record, source="builtin:gone")))
    screen.button(key="train again").click().run()
    assert "`gone`" in screen.error[0].value
    assert not run_service.runs("local")


def test_a_record_of_a_newer_version_is_a_sentence_and_the_page_opens(
    record: run_records.RunRecord,
) -> None:
    link = link_to(record)
    with queue.begin() as connection:
        newer = {**record.to_json(), "format": run_records.FORMAT + 1}
        connection.execute(sa.update(SHORT_LINKS).values(record=newer))
    screen = arrived(link)
    assert "recorded by a newer version" in screen.error[0].value
    assert screen.get("plotly_chart")


def test_share_records_the_run_and_forgets_it_when_sharing_ends(
    record: run_records.RunRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = opened("attention", **VIEW)
    next(button for button in screen.button if button.label == "Make a short link").click().run()
    letters = screen.session_state["made short link"].letters
    stored = short_links.find(letters).record
    assert stored
    assert run_records.read(stored) == record
    assert "outlives the run" in page_text(screen)

    monkeypatch.setenv("S2S_HOSTED", "1")
    with access.acting_as("ana"):
        RunFolder(access.runs_folder() / RUN).amend(lambda about: {"owner": "ana"})
        assert not run_records.may_record(RUN)
        access.share(access.run_of(RUN, "ana"), Sharing(link=True))
        assert run_records.may_record(RUN)
    with access.acting_as("bob"):
        assert not run_records.may_record(RUN)
    short_links.give("local", "ana")
    with access.acting_as("ana"):
        for sharing in (Sharing(link=True), Sharing(link=True, copy=True), Sharing()):
            assert short_links.find(letters).record
            share_button._set(access.run_of(RUN, "ana"), sharing)
    assert short_links.find(letters).record is None

"""A short link whose run is gone: it says what the run was, and opens its recipe on Train."""

from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

import pytest
import sqlalchemy as sa
from streamlit.testing.v1 import AppTest

from s2s.config import asker, override
from s2s.files import to_json
from s2s.jobs import run_records, run_service
from s2s.library import Sharing, sharing
from s2s.links import share
from s2s.links import short as short_links
from s2s.links.short import SHORT_LINKS, Content, ShortLink
from s2s.processes import queue
from s2s.runs import RunFolder, runs_folder
from s2s.ui.shell import share_button
from tests.conftest import make_run
from tests.screen import opened, page_text

RUN = "gone0123456789ab"
VIEW = {"run": RUN, "src": "1 2 3", "layer": "1", "head": "2"}


@pytest.fixture
def record() -> run_records.RunRecord:
    make_run(runs_folder() / RUN, {"train.steps": 2})
    found = run_records.record(RUN)
    assert found
    return run_records.read(found)


def written(record: run_records.RunRecord) -> dict[str, Any]:
    return {"format": run_records.FORMAT, **to_json(record)}


def link_to(record: run_records.RunRecord) -> ShortLink:
    made = short_links.make(Content("attention", VIEW, "Look"), record=written(record))
    run_service.delete(RUN, "local")
    return made


def arrived(link: ShortLink, page: str = "attention", **view: str) -> AppTest:
    screen = opened(page, **{**VIEW, **view}, s=link.letters)
    assert not screen.exception
    return screen


def recipe_link(screen: AppTest) -> list[str]:
    """The query of the link to Train's form, if there is one."""
    links = (each.proto for each in screen.get("page_link"))
    return [each.query_string for each in links if each.label == "Open its recipe on Train"]


def test_a_link_outlives_its_run_and_opens_its_recipe_on_train(
    record: run_records.RunRecord,
) -> None:
    shipped = replace(record, source="builtin:mini-en-fr")
    link = link_to(replace(shipped, recipe=override(record.recipe, {"train.seed": 77})))
    screen = arrived(link)
    assert f"builtin:mini-en-fr for {record.recipe.train.steps} steps" in page_text(screen)
    (chart,) = screen.get("plotly_chart")  # in place of the page
    assert "recorded-curve" in chart.proto.config
    assert "shown instead" not in page_text(screen)
    reloaded = opened("attention", src="1 2 3", s=link.letters)  # what the address then says
    assert len(reloaded.get("plotly_chart")) == 1
    screen.selectbox(key="run").set_value("demo-en-es").run()  # the page with another run
    assert len(screen.get("plotly_chart")) > 1

    (query,) = recipe_link(arrived(link))
    form = opened("train", **dict(parse_qsl(query)))
    assert not form.exception
    said = {key: form.session_state[key] for key in ("source", "preset", "set train.seed")}
    assert said == {"source": "builtin:mini-en-fr", "preset": "small", "set train.seed": 77}
    assert form.session_state["set train.steps"] == record.recipe.train.steps


def test_what_the_form_cannot_be_filled_with_is_said(record: run_records.RunRecord) -> None:
    changed = replace(record, source="builtin:gone", is_changed=True)
    screen = arrived(link_to(changed))
    said = page_text(screen)
    assert "is not on Data, so choose another." in said
    assert "changed while it trained" in said
    assert recipe_link(screen)


def test_a_recipe_too_long_for_a_link_is_a_table(
    record: run_records.RunRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = link_to(record)
    monkeypatch.setattr(share, "MAX_LENGTH", 60)
    screen = arrived(link)
    assert "too many settings for a link" in page_text(screen)
    assert not recipe_link(screen)


def test_a_record_of_a_newer_version_is_a_sentence_and_the_page_opens(
    record: run_records.RunRecord,
) -> None:
    link = link_to(record)
    with queue.begin() as connection:
        newer = {**written(record), "format": run_records.FORMAT + 1}
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
    with asker.acting_as("ana"):
        RunFolder(runs_folder() / RUN).amend(lambda about: {"owner": "ana"})
        assert not run_records.may_record(RUN)
        sharing.share(sharing.thing("run", RUN, "ana"), Sharing(link=True))
        assert run_records.may_record(RUN)
    with asker.acting_as("bob"):
        assert not run_records.may_record(RUN)
    short_links.give("local", "ana")
    with asker.acting_as("ana"):
        for said in (Sharing(link=True), Sharing(link=True, copy=True), Sharing()):
            assert short_links.find(letters).record
            share_button._set(sharing.thing("run", RUN, "ana"), said)
    assert short_links.find(letters).record is None

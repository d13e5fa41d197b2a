"""The run of the page: what a click chose stays, whatever a list lacks or the browser still says."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from s2s import settings
from s2s.config import asker
from s2s.jobs import run_service
from s2s.library import Library
from s2s.links.share import pack
from s2s.processes import queue
from s2s.runs import RunFolder, RunSummary
from s2s.ui.kit import cached, pickers, plain
from tests.conftest import make_run
from tests.screen import lost, opened

RUN = "abcdefgh12345678"


@pytest.fixture(autouse=True)
def _own() -> None:
    make_run(settings.home() / "runs" / RUN, {"train.steps": 2})
    cached.refresh_runs()


ASKED = {"source": "builtin:en-fr", "preset": "small", "train.steps": "20"}


def pressed(**address: str) -> AppTest:
    """The page Train after a click on its button."""
    screen = opened("train", set=pack(ASKED), **address)
    return screen.button(key="train").click().run()


def shown(screen: AppTest) -> str:
    """The id of the run whose training the page shows, if it is the one of the picker."""
    assert not screen.exception
    run_id = str(screen.selectbox(key="run").value)
    assert plain(cached.title(run_id)) in [each.value for each in screen.subheader]
    return run_id


def newest() -> str:
    return queue.jobs(asker.LOCAL)[0].run


def test_the_new_run_is_shown_although_a_list_lacks_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another session's list, begun before the click and stored after it."""
    real = run_service.runs
    lists: list[list[RunSummary]] = []

    def late(owner: str) -> list[RunSummary]:
        queued = [row for row in real(owner) if row.id != RUN]
        lists.append([row for row in real(owner) if row.id == RUN or len(lists) > after])
        return lists[-1] if queued else real(owner)

    after = 0
    monkeypatch.setattr(run_service, "runs", late)
    screen = pressed(run=RUN)
    assert shown(screen) == newest()
    assert len(lists) > 1


def test_the_new_run_is_shown_while_the_queue_is_unreachable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = pressed(run=RUN)
    run_id = newest()
    title = cached.title(run_id)
    monkeypatch.setattr(run_service, "runs", lambda owner: [])
    monkeypatch.setattr(run_service, "queue_error", lambda: "The queue cannot be reached now.")
    cached.refresh_runs()
    screen.run()
    assert screen.selectbox(key="run").value == run_id
    assert f"{title} · {run_id}" in screen.selectbox(key="run").options
    assert not lost(screen)


def test_a_request_from_before_the_click_does_not_bring_the_old_run_back_but_a_visitor_may(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The browser sent it before it learned of the new run: its picker says the old one, and so may the address."""
    monkeypatch.setattr(pickers, "LATE_SECONDS", 1e9)
    screen = pressed(run=RUN)
    for run_id in (RUN, newest()):
        screen.query_params["run"] = cached.label(run_id)
        screen.selectbox(key="run").set_value(RUN).run()
        assert shown(screen) == newest()
    screen.run()
    assert shown(screen) == newest()
    monkeypatch.setattr(pickers, "LATE_SECONDS", -1.0)
    screen.query_params["run"] = cached.label(RUN)
    screen.selectbox(key="run").set_value(RUN).run()
    assert shown(screen) == RUN


def test_the_picker_shows_no_bare_id() -> None:
    folder = Library().run(RUN).path
    for broken in ({**RunFolder(folder).about(), "name": ""}, {"name": ""}):
        (folder / "recipe.json").write_text(json.dumps(broken))
        cached.refresh_runs()
        assert f"unnamed run · {RUN}" in opened("train", run=RUN).selectbox(key="run").options

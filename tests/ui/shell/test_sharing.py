"""Share on a hosted server: a link gives view, never change, until its owner ends that."""

import shutil
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from s2s.config import asker
from s2s.jobs import run_service
from s2s.library import Sharing, sharing
from s2s.library.own import list_runs
from s2s.links.share import pack
from s2s.runs import RunFolder, runs_folder
from s2s.ui.kit import in_view
from s2s.ui.shell import share_button, visitors
from tests.conftest import make_run
from tests.screen import box, opened, page_text

RUN = "anas0123456789ab"
SECOND = "anas1123456789ab"
TOGGLE = f"share run {RUN}"


@pytest.fixture
def visit(monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    """Opens an address as a visitor with this workspace."""
    folder = make_run(runs_folder() / RUN, {})
    RunFolder(folder).amend(lambda about: {"owner": "ana", "name": "first model"})
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)

    def as_visitor(workspace: str, path: str, **params: str) -> AppTest:
        monkeypatch.setattr(visitors, "workspace_of_visitor", lambda: workspace)
        monkeypatch.setattr(visitors, "cookies", dict)
        return opened(path, **params)

    return as_visitor


def test_a_private_run_is_shared_by_its_owner_and_explored_by_others(
    visit: Callable[..., AppTest],
) -> None:
    missing = "There is no run"
    assert any(missing in info.value for info in visit("bob", "compare", run=RUN).info)
    hers = visit("ana", "compare", run=RUN)
    assert hers.toggle(key=TOGGLE).value is False
    assert "first model" in hers.toggle(key=TOGGLE).label
    hers.toggle(key=TOGGLE).set_value(True).run()
    assert sharing.sharing("run", RUN) == Sharing(link=True)
    for path in ("compare", "attention", "runs", "train", "evaluate"):
        his = visit("bob", path, run=RUN, src="1 2 3")
        assert not his.exception
        assert not any(missing in info.value for info in his.info)
        assert his.selectbox(key="run").value == RUN
        assert "first model" in his.selectbox(key="run").format_func(RUN)
        elements = (*his.button, *his.text_input, *his.text_area, *his.multiselect)
        verbs = {str(each.key).partition(" ")[0] for each in elements}
        assert not verbs & {"rename", "note", "tags", "delete", "stop", "resume", "again", "pause"}
        assert not any("share" in str(toggle.key) for toggle in his.toggle)
    for other in ("bob", ""):  # who did not follow the link finds nothing
        nobody = visit(other, "runs")
        assert RUN not in str(nobody.selectbox(key="run").options)

    hers = visit("ana", "compare", run=RUN)
    hers.toggle(key=TOGGLE).set_value(False).run()
    assert any(missing in info.value for info in visit("bob", "compare", run=RUN).info)


def test_a_link_to_several_runs_shares_and_opens_them_all(visit: Callable[..., AppTest]) -> None:
    shutil.copytree(runs_folder() / RUN, runs_folder() / SECOND)
    compared = {"tab": "side-by-side", "compared": f"{RUN} {SECOND}"}
    hers = visit("ana", "runs", run=RUN, set=pack(compared))
    for run in (RUN, SECOND):
        hers.toggle(key=f"share run {run}").set_value(True)
    hers.run()
    for path, view, widget in (
        ("runs", compared, "runs compared"),
        ("train", {"with": SECOND}, "train runs"),
    ):
        his = visit("bob", path, run=RUN, set=pack(view))
        assert not his.exception
        assert not his.info
        assert SECOND in his.multiselect(key=widget).value


def test_a_guest_makes_a_run_their_own_where_its_owner_allows_it(
    visit: Callable[..., AppTest],
) -> None:
    with asker.acting_as("ana"):
        sharing.share(sharing.thing("run", RUN, "ana"), Sharing(link=True))
    his = visit("bob", "attention", run=RUN, src="1 2 3")
    assert "You are looking at a shared view." in page_text(his)
    assert "make it mine" not in {button.key for button in his.button}
    hers = visit("ana", "attention", run=RUN)
    assert "shared view" not in page_text(hers)
    hers.toggle(key=f"{TOGGLE} copy").set_value(True).run()
    assert sharing.sharing("run", RUN) == Sharing(link=True, copy=True)

    his = visit("bob", "attention", run=RUN, src="1 2 3")
    his.button(key="make it mine").click().run()
    assert not his.exception
    (mine,) = list_runs("bob")
    assert his.selectbox(key="run").value == mine.id != RUN
    assert box(his) == "1 2 3"
    assert "shared view" not in page_text(his)


@pytest.mark.usefixtures("visit")
def test_pressing_share_shares_once() -> None:
    run = sharing.thing("run", RUN, "ana")
    shown = in_view.Shown(run, "first model")
    with asker.acting_as("ana"):
        share_button._share([shown], None)
        assert sharing.sharing("run", RUN) == Sharing(link=True)
        sharing.share(run, Sharing())
        share_button._share([shown], None)  # she ended it: pressing again does not begin it
    assert sharing.sharing("run", RUN) == Sharing()


def test_what_was_deleted_since_the_page_was_drawn_is_not_shared(
    visit: Callable[..., AppTest],
) -> None:
    hers = visit("ana", "compare", run=RUN)
    run_service.delete(RUN, "ana")
    hers.toggle(key=TOGGLE).set_value(True).run()
    assert not hers.exception
    assert "There is no run" in hers.toast[0].value
    assert sharing.sharing("run", RUN) == Sharing()

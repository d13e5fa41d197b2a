"""A run as a zip on the page Runs: the button, and the field that opens one."""

import pytest
from streamlit.testing.v1 import AppTest

from s2s.config import asker
from s2s.jobs import run_archives
from s2s.library import sharing
from s2s.library.own import list_runs
from s2s.runs import RunFolder, runs_folder
from s2s.ui.kit import cached
from tests.hostile.home import visiting
from tests.hostile.markup import interpreted
from tests.runs.zips import files_of, with_json, zipped
from tests.screen import opened, page_text
from tests.storing import store_run

DEMO = "demo-tasks"


def given(screen: AppTest, content: bytes, name: str = "my run.zip") -> AppTest:
    screen.get("file_uploader")[0].set_value([(name, content, "application/zip")])
    return screen.run()


def test_a_run_is_downloaded_and_opened_again(own_run: str) -> None:
    screen = opened("runs", run=own_run)
    (button,) = [each for each in screen.get("download_button") if each.key == "download run"]
    assert button.label == "Download the run"
    before = [row.id for row in list_runs(asker.LOCAL)]
    screen = given(screen, run_archives.download(own_run))
    assert not screen.exception
    assert not screen.error
    (new,) = [row for row in list_runs(asker.LOCAL) if row.id not in before]
    assert screen.session_state["run"] == new.id
    assert new.state == "done"
    assert screen.dataframe[0].value["name"].tolist().count(new.name) == 1
    screen = given(screen, b"PK no zip", "*evil* `x`.zip")
    assert not screen.exception
    assert "*evil* ?x?.zip is not a complete .zip file" in page_text(screen)
    assert screen.session_state["run"] == new.id
    screen.run()
    assert not screen.error


def test_a_demo_can_be_downloaded_and_a_waiting_or_too_large_run_not(
    own_run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def keys(screen: AppTest) -> list[str | None]:
        assert not screen.exception
        return [each.key for each in screen.get("download_button")]

    assert "download run" in keys(opened("runs", run=DEMO))
    monkeypatch.setattr(run_archives, "MAX_DOWNLOAD", 1000)
    screen = opened("runs", run=own_run)
    assert "download run" not in keys(screen)
    assert "more than the 0 MB that a page hands over" in page_text(screen)


def test_what_a_zip_says_is_shown_and_never_interpreted(own_run: str) -> None:
    evil = "<img/src=x/onerror=alert(1)> [a](http://evil.example) :material/bug_report:"
    quoted = "a` [a](http://evil.example) ` :material/bug_report: `b"  # a page quotes a source in backticks
    folder = RunFolder(runs_folder() / own_run)
    changed = with_json(
        files_of(folder),
        "recipe.json",
        name=evil,
        comment=evil,
        tags=[evil],
        machine=evil,
        preset=evil,
        source=quoted,
        valid=quoted,
        warnings=[evil],
        init_from={"run": evil, "step": 1},
        versions={evil: evil},
        command="rm -rf ~",
    )
    run = run_archives.bring_in(zipped(changed).getvalue(), f"{evil}.zip", "local")
    cached.refresh_runs()
    for page in ("runs", "train"):
        screen = opened(page, run=f"x · {run}")
        assert not screen.exception
        assert not interpreted(screen), page
        assert "rm -rf" not in str(screen.main)


def test_a_guest_gets_no_zip_and_what_a_visitor_opens_is_theirs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    run = "abcdefgh01234567"
    store_run(run, "ann")
    with asker.acting_as("ann"):
        sharing.share(sharing.thing("run", run, "ann"), sharing.Sharing(link=True, data=True))
        content = run_archives.download(run)
    offered = {}
    for workspace in ("ann", "bob"):
        with visiting(monkeypatch, workspace):
            screen = opened("runs", run=f"x · {run}")
            assert not screen.exception
            offered[workspace] = [each.key for each in screen.get("download_button")]
            if workspace == "bob":
                assert not given(screen, content).exception
    assert "download run" in offered["ann"]
    assert "download run" not in offered["bob"]
    (brought,) = list_runs("bob")
    assert brought.owner == "bob"
    assert [row.id for row in list_runs("ann")] == [run]

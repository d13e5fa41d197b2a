"""The report of a run on the page Runs."""

from tests.screen import opened


def test_the_report_is_offered_where_the_run_may_be_downloaded() -> None:
    screen = opened("runs", run="demo-en-es")
    assert not screen.exception
    assert "download report" in {each.key for each in screen.get("download_button")}

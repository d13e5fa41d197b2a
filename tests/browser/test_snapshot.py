"""A snapshot as somebody opens it who has nothing but the file."""

from pathlib import Path

from playwright.sync_api import Browser

from s2s.reports import pictures
from tests.reports.test_pictures import FIGURES, NASTY, picture


def test_a_file_alone_draws_its_figures_and_runs_nothing_else(
    browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "snapshot.html"
    drawn = [picture(FIGURES["plotly"]), picture(FIGURES["lines"])]
    path.write_text(pictures.page("Attention", drawn, about=NASTY), encoding="utf-8")
    context = browser.new_context(offline=True, color_scheme="dark")
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on(
        "request", lambda request: said.append(request.url) if request.url[:5] == "http:" else None
    )
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-drawn='1'] .chart .bars", state="attached")
    assert page.title() == "Attention · seq2seq-lab"
    assert page.locator(".chart .point").count() == 1
    assert said == []
    context.close()

"""Every page: contrast, width, accessible names of controls and figures."""

import pytest
from playwright.sync_api import expect

from benchmarks.contrast import lowest
from s2s.ui.shell.pages import PAGES
from tests.browser.conftest import PATIENCE, Open
from tests.browser.test_home import PHONE, QUIET

WITH_A_FIGURE = ("", "data", "train", "attention")
SETTLED = """() => document.getAnimations().every(
  one => one.playState !== 'running' || one.effect.getComputedTiming().endTime === Infinity)"""
CONTROLS = "input, button, textarea, [role=combobox], [role=radiogroup], [role=slider]"
UNNAMED = f"""() => [...document.querySelectorAll('{CONTROLS}')]
  .filter(one => one.offsetParent && !one.ariaLabel && !one.innerText.trim() && !one.labels?.length
    && !one.getAttribute('aria-labelledby') && !one.title
    && !one.closest('[data-testid=stFileUploader], [data-testid=stDataFrame], details:not([open])'))
  .map(one => one.outerHTML.slice(0, 200))"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", [row.url_path for row in PAGES])
def test_every_text_has_contrast_and_every_control_has_a_name(
    path: str, scheme: str, server: str, revisit: Open
) -> None:
    page = revisit(f"{server}/{path}", color_scheme=scheme)
    page.locator(QUIET).wait_for(timeout=PATIENCE * 1000)
    expect(page.locator("h1")).to_be_visible()
    page.wait_for_function(
        "[...document.querySelectorAll('style')].some(one => one.textContent.includes('st-key-chips'))"
    )  # style.css
    page.wait_for_function(SETTLED)  # colors are final once animations end
    worst = lowest(page)
    assert worst[0]["ratio"] >= 4.5, worst
    assert page.evaluate(UNNAMED) == []
    if path in WITH_A_FIGURE:
        expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=PATIENCE * 1000)
        for figure in page.get_by_test_id("stPlotlyChart").all():
            assert len(figure.get_attribute("aria-label") or "") > 20


@pytest.mark.parametrize("path", [row.url_path for row in PAGES])
def test_every_page_fits_a_phone(path: str, server: str, revisit: Open) -> None:
    page = revisit(f"{server}/{path}", **PHONE)
    page.locator(QUIET).wait_for(timeout=PATIENCE * 1000)
    expect(page.locator("h1")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 420

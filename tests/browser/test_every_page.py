"""Every page: contrast in light and dark, accessible names of controls and figures, width."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from benchmarks.contrast import lowest
from s2s.ui.shell import pages
from tests.browser.conftest import DESKTOP, Tabs, visiting
from tests.browser.server import Server
from tests.browser.test_home import PHONE, QUIET

WITH_A_FIGURE = ("", "train", "attention")
# what a phone shows on its first screen, which is 860 pixels high
PICTURES = {
    "": ".js-plotly-plot",
    "data": "[data-testid=stFileUploader]",
    "compare": ".st-key-figure-compared table",
    "steps": ".st-key-answer .js-plotly-plot",
    "attention": ".js-plotly-plot",
    "states": ".js-plotly-plot",
    "walkthrough": ".tokens",
    "positions": ".js-plotly-plot",
    "architecture": ".diagram",
}
SETTLED = """() => !document.querySelector('[data-stale=true]') && document.getAnimations().every(
  one => one.playState !== 'running' || one.timeline !== document.timeline // scrolling moves it, not time
    || one.effect.getComputedTiming().endTime === Infinity)"""
CONTROLS = "input, button, textarea, [role=combobox], [role=radiogroup], [role=slider]"
UNNAMED = f"""() => [...document.querySelectorAll('{CONTROLS}')]
  .filter(one => one.offsetParent && !one.ariaLabel && !one.innerText.trim() && !one.labels?.length
    && !one.getAttribute('aria-labelledby') && !one.title
    && !one.closest('[data-testid=stFileUploader], [data-testid=stDataFrame], details:not([open])'))
  .map(one => one.outerHTML.slice(0, 200))"""
STYLED = (
    "[...document.querySelectorAll('style')].some(one => one.textContent.includes('st-key-chips'))"
)
WIDTH = """() => Math.max(document.documentElement.scrollWidth,
  document.querySelector('[data-testid=stMain]').scrollWidth)"""
IS_IN_SIGHT = "shown => shown.isConnected && shown.getBoundingClientRect().top < 700"
# texts of figures in the theme's gray, which is too faint on white
FAINT = """() => [...document.querySelectorAll('.js-plotly-plot text')]
  .filter(one => getComputedStyle(one).fill === 'rgb(128, 132, 149)').map(one => one.textContent)"""
DARK = """isDark => {
  const color = getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor;
  return (Number(color.match(/\\d+/)[0]) < 128) === isDark;
}"""


def settled(page: Page) -> None:
    """Waits until the script has ended, and the animations, after which colors are final."""
    page.locator(QUIET).wait_for()
    expect(page.locator("h1")).to_be_visible()
    page.wait_for_function(STYLED)
    page.wait_for_function(SETTLED)


@pytest.fixture(scope="module")
def visit_to_all(shared: Server, tabs: Tabs) -> Iterator[Page]:
    """One visit to all pages by the menu: a page opened by its address loads all scripts again."""
    with visiting(tabs) as visit:
        yield visit(shared.address)


@pytest.fixture
def home(visit_to_all: Page, shared: Server, request: pytest.FixtureRequest) -> Page:
    """That visit; a test that is repeated begins a new one, so that one failure is not every page's."""
    if getattr(request.node, "execution_count", 1) > 1:
        visit_to_all.goto(shared.address)
    return visit_to_all


@pytest.mark.parametrize("row", pages.PAGES, ids=lambda row: row.url_path)
def test_every_text_has_contrast_every_control_a_name_and_a_phone_is_wide_enough(
    row: pages.Page, home: Page
) -> None:
    page = home
    page.set_viewport_size(DESKTOP)
    page.get_by_test_id("stSidebarNavLink").get_by_text(row.entry, exact=True).click()
    if row not in pages.in_menu(pages.PAGES):
        page.locator(".st-key-tabs").get_by_text(row.tab or row.title, exact=True).click()
    expect(page).to_have_title(re.compile(rf"^{row.title}(: .+)? · seq2seq-lab$"))
    is_dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    for scheme in ("dark", "light") if is_dark else ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(DARK, arg=scheme == "dark")
        settled(page)
        worst = lowest(page)
        assert worst[0]["ratio"] >= 4.5, (scheme, worst)
        assert page.evaluate(FAINT) == []
    assert page.evaluate(UNNAMED) == []
    if row.url_path in WITH_A_FIGURE:
        expect(page.locator(".js-plotly-plot").first).to_be_visible()
        for figure in page.get_by_test_id("stPlotlyChart").all():
            assert len(figure.get_attribute("aria-label") or "") > 20
    assert page.get_by_role("dialog").count() == 0
    assert page.get_by_test_id("stException").count() == 0
    assert page.evaluate(WIDTH) <= 1440
    page.set_viewport_size(PHONE["viewport"])
    page.wait_for_function(f"() => ({WIDTH})() <= 420", timeout=10_000)
    if picture := PICTURES.get(row.url_path):
        shown = page.locator(picture).first.element_handle()  # also in a component's own tree
        page.wait_for_function(IS_IN_SIGHT, arg=shown, timeout=10_000)

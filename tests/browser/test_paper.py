"""A page on paper: nothing that can only be pressed, nothing cut at the edge, black on white."""

from tests.browser.conftest import Open
from tests.browser.test_walk import quiet

# What the printer sees: the media query changes after `beforeprint`, when the page has its width on paper.
MEASURE = """() => { matchMedia('print').addEventListener('change', (event) => {
  if (!event.matches) return;
  const all = (names) => [...document.querySelectorAll(names)];
  const right = document.querySelector('[data-testid="stMainBlockContainer"]').getBoundingClientRect().right + 1;
  const shown = (each) => each.getBoundingClientRect().width > 0;
  window.printed = {
    pressed: all(['stSidebar', 'stHeader', 'stButton', 'stDownloadButton', 'stPopover']
      .map((name) => `[data-testid="${name}"]`).join()).filter(shown).length,
    figures: all('.js-plotly-plot .main-svg').filter(shown).length,
    cut: all('.js-plotly-plot .main-svg, [data-testid="stDataFrame"] canvas, table')
      .filter((each) => each.getBoundingClientRect().right > right).length,
    paper: getComputedStyle(document.querySelector('[data-testid="stApp"]')).backgroundColor,
    ink: getComputedStyle(document.querySelector('h1')).color,
  };
}); }"""


def test_a_page_is_printed_whole_in_black_on_white(server: str, visit: Open) -> None:
    page = visit(f"{server}/steps?run=demo-en-fr&src=the+red+house", color_scheme="dark")
    quiet(page)
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    page.evaluate(MEASURE)
    assert page.pdf(format="A4").startswith(b"%PDF")
    printed = page.evaluate("printed")
    assert printed.pop("figures") >= 3
    white = "rgb(255, 255, 255)"
    assert printed == {"pressed": 0, "cut": 0, "paper": white, "ink": "rgb(0, 0, 0)"}
    assert page.locator("[viewBox].main-svg, html[data-dark]").count() == 0  # as it was

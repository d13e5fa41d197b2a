"""`python -m benchmarks.make.curated_pictures`: the small pictures of Home's views and of lessons, in both themes.

Each is what its page draws first, without its title, in one shape; run it after a page or a theme has changed.
"""

from __future__ import annotations

import argparse
import io
from urllib.parse import urlencode

from PIL import Image, ImageOps
from playwright.sync_api import Page

from benchmarks.browser import chromium, new_page, wait_idle
from benchmarks.serving import server
from s2s.lessons import OpenedStep, find_step
from s2s.links import share
from s2s.ui.lessons.cards import PICTURED
from s2s.ui.shell.curated_views import CURATED_VIEWS, THEMES, picture_file

SHAPE = (480, 270)
WINDOW = {"width": 700, "height": 1400}  # so narrow that labels can be read in a small picture
PLOT = ".js-plotly-plot"
# in place of a plot; the first that a page has
TEXTS = (".st-key-answer", ".st-key-columns", '[data-testid="stMainBlockContainer"]')
PLAIN = ".modebar, .gtitle, .xtitle, .ytitle, [data-testid=stElementToolbar] { display: none !important }"
AREA = """plot => {
  const boxes = [...plot.querySelectorAll('.nsewdrag, .xtick text, .ytick text, .plot text, .annotation text')]
    .map(part => part.getBoundingClientRect()).filter(box => box.width && box.height);
  const x = Math.min(...boxes.map(box => box.left)) - 8, y = Math.min(...boxes.map(box => box.top)) - 8;
  const right = Math.max(...boxes.map(box => box.right)), bottom = Math.max(...boxes.map(box => box.bottom));
  return {x, y, width: right - x + 8, height: bottom - y + 8};
}"""


def taken(page: Page) -> Image.Image:
    """The first plot whole, or the beginning of what else a page shows."""
    page.add_style_tag(content=PLAIN)
    plots = page.locator(PLOT).filter(visible=True)
    if plots.count():
        plots.first.scroll_into_view_if_needed()
        page.wait_for_timeout(500)
        image = _read(page.screenshot(clip=plots.first.evaluate(AREA)))
        return ImageOps.pad(image, SHAPE, color=image.getpixel((1, 1)))
    text = next(each for each in TEXTS if page.locator(each).count())
    return ImageOps.fit(_read(page.locator(text).first.screenshot()), SHAPE, centering=(0, 0))


def _read(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def links() -> dict[str, str]:
    """By the name of a picture: what it shows."""
    views = {view.name: f"/{view.page}?{urlencode(view.values)}" for view in CURATED_VIEWS}
    return views | {lesson: _step_link(find_step(step)) for lesson, step in PICTURED.items()}


def _step_link(at: OpenedStep) -> str:
    """With its lesson, which hides what the step does not show."""
    values = {"run": at.step.view.run, **at.step.view.values, share.LESSON: str(at)}
    return f"/{at.step.view.page}?{urlencode(values)}"


def save(image: Image.Image, name: str, theme: str) -> int:
    """Returns the bytes."""
    file = picture_file(name, theme)
    file.parent.mkdir(exist_ok=True)
    image.save(file, quality=82, method=6)
    return file.stat().st_size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="of pictures; by default all")
    names = parser.parse_args().names
    with server() as served, chromium() as browser:
        for theme in THEMES:
            for name, link in links().items():
                if names and name not in names:
                    continue
                page = new_page(browser, viewport=WINDOW, color_scheme=theme)
                page.goto(f"{served.url}{link}")
                wait_idle(page)
                print(f"{name} {theme}: {save(taken(page), name, theme):,} bytes")
                page.context.close()


if __name__ == "__main__":
    main()

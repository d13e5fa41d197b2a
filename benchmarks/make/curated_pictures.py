"""`python -m benchmarks.make.curated_pictures`: the small pictures of Home's curated views, in both themes.

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
from s2s.ui.shell.curated_views import CURATED_VIEWS, THEMES, CuratedView

SHAPE = (480, 270)
WINDOW = {"width": 700, "height": 1400}  # so narrow that labels can be read in a small picture
PLOT = ".js-plotly-plot"
# in place of a plot; the first that a page has
TEXTS = (".st-key-answer", ".st-key-columns", '[data-testid="stMainBlockContainer"]')
PLAIN = ".modebar, .gtitle, [data-testid=stElementToolbar] { display: none !important }"
AREA = """plot => {
  const boxes = [...plot.querySelectorAll('.nsewdrag, .xtick text, .ytick text, .cartesianlayer .textpoint')]
    .map(part => part.getBoundingClientRect()).filter(box => box.width && box.height);
  const x = Math.min(...boxes.map(box => box.left)) - 8, y = Math.min(...boxes.map(box => box.top)) - 8;
  const right = Math.max(...boxes.map(box => box.right)), bottom = Math.max(...boxes.map(box => box.bottom));
  return {x, y, width: right - x + 8, height: bottom - y + 8};
}"""


def taken(page: Page) -> Image.Image:
    """The first plot whole, or the beginning of what else a page shows."""
    page.add_style_tag(content=PLAIN)
    plots = page.locator(PLOT)
    if plots.count():
        plots.first.scroll_into_view_if_needed()
        page.wait_for_timeout(500)
        image = _read(page.screenshot(clip=plots.first.evaluate(AREA)))
        return ImageOps.pad(image, SHAPE, color=image.getpixel((1, 1)))
    text = next(each for each in TEXTS if page.locator(each).count())
    return ImageOps.fit(_read(page.locator(text).first.screenshot()), SHAPE, centering=(0, 0))


def _read(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def save(image: Image.Image, view: CuratedView, theme: str) -> int:
    """Returns the bytes."""
    file = view.picture(theme)
    file.parent.mkdir(exist_ok=True)
    image.save(file, quality=82, method=6)
    return file.stat().st_size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="of pictures; by default all")
    names = parser.parse_args().names
    with server() as served, chromium() as browser:
        for theme in THEMES:
            for view in CURATED_VIEWS:
                if names and view.name not in names:
                    continue
                page = new_page(browser, viewport=WINDOW, color_scheme=theme)
                page.goto(f"{served.url}/{view.page}?{urlencode(view.values)}")
                wait_idle(page)
                print(f"{view.name} {theme}: {save(taken(page), view, theme):,} bytes")
                page.context.close()


if __name__ == "__main__":
    main()

"""README's moving picture: a sentence typed on Home, its translation and its attention, then single heads.

Writes an animated WebP; its frames are screenshots, each shown for as long as a reader needs.
"""

from __future__ import annotations

import argparse
import io
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

from benchmarks.browser import chromium, new_page, wait_idle
from benchmarks.results import ROOT
from benchmarks.serving import server

SENTENCE = "I don't know where she lives now."
RUN = "demo-en-de"  # it ships
SIZE = {"width": 1280, "height": 1010}
MOST_BYTES = 2_000_000
HEADS = ("1", "2", "3", "mean")
TYPED = 3  # characters per frame
Frame = tuple[Image.Image, int]  # a screenshot and its milliseconds


def frame(page: Page, milliseconds: int) -> Frame:
    """What the page shows now."""
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB"), milliseconds


def filmed(page: Page, url: str) -> list[Frame]:
    """Home without a sentence, the typing, the answer, and some heads of the last layer."""
    page.goto(f"{url}/?run={RUN}&src=")
    wait_idle(page)
    frames = [frame(page, 900)]
    page.get_by_placeholder("Type").click()
    for start in range(0, len(SENTENCE), TYPED):
        page.keyboard.type(SENTENCE[start : start + TYPED])
        frames.append(frame(page, 120))
    page.keyboard.press("Enter")
    page.locator(".st-key-picture .js-plotly-plot").wait_for()
    wait_idle(page)
    frames.append(frame(page, 3000))
    for head in HEADS:
        page.locator(".st-key-picture").get_by_role("radio", name=head, exact=True).last.click()
        wait_idle(page)
        frames.append(frame(page, 1500))
    return frames


def save(frames: list[Frame], file: Path) -> None:
    """One WebP that repeats for ever; equal pixels of following frames cost next to nothing."""
    first, *others = [image for image, _ in frames]
    first.save(
        file,
        save_all=True,
        append_images=others,
        duration=[milliseconds for _, milliseconds in frames],
        loop=0,
        quality=80,
        method=4,
        minimize_size=True,
    )
    if file.stat().st_size > MOST_BYTES:
        message = f"{file} has {file.stat().st_size:,} bytes; at most {MOST_BYTES:,} are allowed"
        raise SystemExit(message)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "pictures" / "home.webp")
    out = parser.parse_args().out
    with server() as served, chromium() as browser:
        page = new_page(browser, viewport=SIZE, color_scheme="light")
        save(filmed(page, served.url), out)
    print(f"{out}: {out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

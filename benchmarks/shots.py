"""Screenshots of every page, at two widths in light and dark, with measurable problems.

For each: exceptions on the screen, horizontal scrolling, errors in the browser's console, and the lowest contrast of
any text with its background (WCAG 2.1 requires 4.5, for large text 3).
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import urlencode

from playwright.sync_api import Browser, BrowserContext, Page

from benchmarks.browser import PATIENCE, chromium, wait_idle
from benchmarks.contrast import lowest
from benchmarks.report import last_line, options, table
from benchmarks.results import ROOT
from benchmarks.serving import DATA, server
from s2s.ui.shell.pages import PAGES

WIDTHS = {1440: 900, 420: 860}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
TALLEST = 4000  # pixels
LINES = 500  # of each uploaded file
# Streamlit's frontend requests these relative to the page's address before it tries the root.
EXPECTED = ("/_stcore/health", "/_stcore/host-config")
DOCS = {
    "attention": "/attention?run=demo-en-fr&src=the+red+house+that+the+cats+see+is+old",
    "steps": "/steps?run=demo-en-fr&src=the+bank+is+by+the+river",
    "compare": "/compare",
    "walkthrough": "/walkthrough",
}


class State(NamedTuple):
    """A page's address, and what is done there before the screenshot."""

    address: str
    act: Callable[[Page], None] | None = None


def still_states(done: str, files: list[Path]) -> dict[str, State]:
    """By screenshot name: every page as it opens, then other states. `done` is the id of a finished run."""
    pages = {row.url_path or "home": State(f"/{row.url_path}") for row in PAGES}
    others = {
        "home-unknown-words": State(_at("", src="the giraffe sits on The sofa")),
        "home-empty": State(_at("", src="")),
        "home-share": State("/", _share),
        "home-own-run": State(_at("", run=done)),
        "home-lost-run": State(_at("", run="gone", layer="9")),
        "data-upload": State("/data", _upload(files)),
        "train-done": State(_at("train", run=done)),
        "train-all-settings": State("/train", _open_settings),
        "train-wrong": State(_at("train", set="model.d_model:50")),
        "runs-own": State(_at("runs", run=done)),
        "compare-greedy": State(_at("compare", c1="demo-en-fr!greedy!")),
        "attention-encoder": State(_at("attention", kind="encoder")),
    }
    return {
        name: state for name, state in {**pages, **others}.items() if files or name != "data-upload"
    }


def live_states(live: str, waiting: str) -> dict[str, State]:
    """States while one run trains and another is queued."""
    return {
        "train-live": State(_at("train", run=live)),
        "runs-live": State(_at("runs", run=live)),
        "train-waiting": State(_at("train", run=waiting)),
        "attention-waiting": State(_at("attention", run=waiting)),
    }


def _at(page: str, **query: str) -> str:
    return f"/{page}?{urlencode(query)}"


def _upload(files: list[Path]) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        page.locator('[data-testid="stFileUploader"] input[type=file]').set_input_files(files)
        page.get_by_role("button", name="Train on these pairs").wait_for()

    return act


def _share(page: Page) -> None:
    page.get_by_role("button", name="Share").click()


def _open_settings(page: Page) -> None:
    page.locator(".st-key-settings summary").first.click()
    page.get_by_text("All settings").click()
    page.get_by_role("tab").first.wait_for()


def shoot(context: BrowserContext, url: str, state: State, file: Path) -> dict[str, Any]:
    """Open, act, wait, measure, then take one tall screenshot of the whole page."""
    page = context.new_page()
    width = page.viewport_size["width"]  # type: ignore[index]
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: _note(errors, message))
    page.goto(url + state.address)
    wait_idle(page)
    if state.act:
        state.act(page)
        wait_idle(page)
    wide = page.evaluate("document.documentElement.scrollWidth")
    height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    page.set_viewport_size({"width": width, "height": max(WIDTHS[width], min(height, TALLEST))})
    wait_idle(page)
    exceptions = page.get_by_test_id("stException").count()
    found = {
        "exceptions": exceptions,
        "sideways": max(0, wide - width),
        "console": errors,
        "height": height,
        "lowest": lowest(page),
    }
    page.screenshot(path=file)
    page.close()
    return found


def _note(errors: list[str], message: Any) -> None:
    place = str(message.location.get("url", ""))
    if message.type == "error" and not place.endswith(EXPECTED):
        errors.append(f"{message.text} {place}")


def first_lines(folder: Path) -> list[Path]:
    """The first lines of two aligned files; none where the data are missing."""
    sources = [DATA / "multi30k" / name for name in ("train.en", "train.de")]
    if not all(source.is_file() for source in sources):
        return []
    for source in sources:
        lines = source.read_text(encoding="utf-8").splitlines(keepends=True)[:LINES]
        (folder / source.name).write_text("".join(lines), encoding="utf-8")
    return [folder / source.name for source in sources]


def wait_for_text(browser: Browser, address: str, text: str | re.Pattern[str]) -> None:
    """Wait until the panel of a run shows this text."""
    page = browser.new_page()
    page.goto(address)
    page.locator(".st-key-watch").get_by_text(text).first.wait_for(timeout=180_000)
    page.context.close()


def row(name: str, width: int, scheme: str, found: Mapping[str, Any]) -> dict[str, Any]:
    worst = found["lowest"][0] if found["lowest"] else {}
    numbers = {key: found[key] for key in ("exceptions", "sideways")} | {
        "console": len(found["console"]),
        "height": found["height"],
    }
    return {
        "page": name,
        "width": width,
        "scheme": scheme,
        **numbers,
        "contrast": worst.get("ratio"),
        "of": worst.get("text"),
    }


def gallery(
    browser: Browser, url: str, states: Mapping[str, State], out: Path
) -> Iterator[dict[str, Any]]:
    """A row for each state at each width in each color scheme."""
    for width, height in WIDTHS.items():
        for scheme in SCHEMES:
            size: Any = {"width": width, "height": height}
            context = browser.new_context(viewport=size, color_scheme=scheme, is_mobile=width < 600)
            context.set_default_timeout(PATIENCE)
            for name, state in states.items():
                found = shoot(context, url, state, out / f"{name}-{width}-{scheme}.png")
                yield row(name, width, scheme, found) | {
                    "lowest": found["lowest"],
                    "errors": found["console"],
                }
            context.close()


def pictures(out: Path, only: str) -> list[dict[str, Any]]:
    """All screenshots: first states that do not change, then those while a run trains."""
    with server() as served, chromium() as browser, tempfile.TemporaryDirectory() as folder:
        done = served.submit("builtin:mini-en-fr", "mini-t5")
        wait_for_text(browser, f"{served.url}/train?run={done}", "done")
        still = {
            name: state
            for name, state in still_states(done, first_lines(Path(folder))).items()
            if name.startswith(only)
        }
        rows = list(gallery(browser, served.url, still, out))
        run, waiting = (
            served.submit("builtin:en-fr", "small", {"train.steps": 20_000}) for _ in range(2)
        )
        live = {
            name: state
            for name, state in live_states(run, waiting).items()
            if name.startswith(only)
        }
        if live:
            wait_for_text(browser, f"{served.url}/train?run={run}", re.compile(r"Step \d"))
        return rows + list(gallery(browser, served.url, live, out))


def for_docs(folder: Path) -> None:
    """The pictures of docs, small: one screen, light, in 128 colors."""
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    with server() as served, chromium() as browser:
        page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme="light")
        page.set_default_timeout(PATIENCE)
        for name, address in DOCS.items():
            page.goto(served.url + address)
            wait_idle(page)
            page.screenshot(path=folder / f"{name}.png")
            with Image.open(folder / f"{name}.png") as picture:
                small = picture.convert("RGB").quantize(128)
            small.save(folder / f"{name}.png", optimize=True)


def main() -> None:
    """All states, or those whose names start with `--only`."""
    parser = options(__doc__)
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "s2s-shots")
    parser.add_argument("--only", default="", help="only states whose names start with this")
    parser.add_argument("--docs", action="store_true", help="only the pictures of docs")
    arguments = parser.parse_args()
    if arguments.docs:
        for_docs(ROOT / "docs" / "pictures")
        return
    arguments.out.mkdir(parents=True, exist_ok=True)
    rows = pictures(arguments.out, arguments.only)
    table(
        [
            {key: value for key, value in line.items() if key not in ("lowest", "errors")}
            for line in rows
        ]
    )
    print(f"Screenshots: {arguments.out}")
    last_line("shots", rows, arguments)


if __name__ == "__main__":
    main()

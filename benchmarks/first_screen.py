"""Where each page's answer begins on the first screen of a laptop, 1440 x 900 pixels.

Every page with each of its views is opened as it is, and through a short link with a title and a note. For each: the
pixel at which the answer begins, the share of it that is above the fold (of what a screen can hold), and how many
controls stand above it, beside the header's. The answer is the container that the page's row names. At most 330 pixels
in the median and 450 anywhere, half of the answer above the fold, and at most six controls.
"""

from __future__ import annotations

import json
import statistics
from typing import Any

from playwright.sync_api import Page

from benchmarks.browser import chromium, new_page, wait_idle
from benchmarks.report import last_line, options, table
from benchmarks.serving import Server, server
from s2s.questions.views import tabs
from s2s.ui.positions.page import labels
from s2s.ui.shell import pages
from s2s.ui.walkthrough.steps import STEPS

SCREEN = {"width": 1440, "height": 900}
MEDIAN, MOST, CONTROLS = 330, 450, 6
SHARE = """
import json, sys
from s2s.links.short import Content, make, written
title, note = "What greedy search misses", "Look at the second row."
made = [make(Content(path, view, title, note)) for path, view in json.loads(sys.argv[1])]
print(",".join(written(link.letters) for link in made))
"""
# A widget counts once; of a component, each control in its shadow.
MEASURED = """key => {
  const main = document.querySelector('[data-testid="stMain"]');
  main.scrollTop = 0;
  const seen = element =>
    element.checkVisibility({visibilityProperty: true}) && element.getBoundingClientRect().width > 1;
  const answer = [...main.querySelectorAll(`.st-key-${key}`)].find(seen);
  if (!answer) return null;
  const box = answer.getBoundingClientRect(), host = element => element.getRootNode().host ?? element;
  const widgets = ['TextInput', 'TextArea', 'NumberInput', 'Slider', 'FileUploader', 'Selectbox', 'MultiSelect',
    'Checkbox', 'Radio', 'ButtonGroup', 'Popover', 'MenuButton', 'Button', 'DownloadButton', 'FormSubmitButton'];
  const inside = [...main.querySelectorAll('*')].filter(element => element.shadowRoot)
    .flatMap(element => [...element.shadowRoot.querySelectorAll('button, input, select')]);
  const all = [...main.querySelectorAll([...widgets.map(name => `[data-testid="st${name}"]`), 'summary'].join())];
  const above = [...all, ...inside].filter(element => seen(element) && !answer.contains(host(element))
    && !host(element).closest('.st-key-header, .st-key-lesson') && element.getBoundingClientRect().top < box.top);
  const share = Math.max(0, innerHeight - box.top) / Math.min(box.height, innerHeight);
  return {begins: Math.round(box.top), above_the_fold: Math.min(1, share), controls: above.length};
}"""


def measured(page: Page, url: str, key: str) -> dict[str, Any]:
    """Where the answer of one address is; nothing of an address without one."""
    page.goto(url)
    wait_idle(page)
    found: dict[str, Any] | None = page.evaluate(MEASURED, key)
    return found or {"begins": None, "above_the_fold": None, "controls": None}


def opened() -> dict[str, tuple[pages.Page, dict[str, str]]]:
    """By name: every page, each view of it that is not its first, each step of Step by step, and a lesson."""
    found = {"lesson 1": (pages.page(""), {"lesson": "five-minutes.1"})}
    for row in pages.PAGES:
        slugs = {"positions": labels(), "walkthrough": STEPS, "evaluate": ("scores",)}.get(
            row.url_path, tabs(row.url_path)
        )
        key = "step" if row.url_path == "walkthrough" else "view"
        found[row.title.lower()] = (row, {})
        for slug in [*slugs][1:]:
            found[f"{row.title.lower()}, {slug}"] = (row, {"set": f"{key}:{slug}"})
    return found


def addresses(app: Server) -> dict[str, tuple[str, str]]:
    """By name: the address and the key of the answer's container."""
    every = opened()
    views = [(row.url_path, view) for row, view in every.values()]
    letters = app.python(SHARE, json.dumps(views)).split(",")
    found = {}
    for (name, (row, view)), short in zip(every.items(), letters, strict=True):
        query = "&".join(f"{key}={value}" for key, value in view.items())
        found[name] = (f"{app.url}/{row.url_path}?{query}", row.answer)
        found[f"{name}, shared"] = (f"{app.url}/s/{short}", row.answer)
    return found


def main() -> None:
    arguments = options(__doc__).parse_args()
    with server() as app, chromium() as browser:
        page = new_page(browser, viewport=SCREEN)
        rows = [
            {"address": name, **measured(page, url, key)}
            for name, (url, key) in addresses(app).items()
        ]
    table(rows)
    begins = [row["begins"] for row in rows if row["begins"] is not None]
    wrong = [
        row["address"]
        for row in rows
        if row["begins"] is None
        or row["begins"] > MOST
        or row["above_the_fold"] < 0.5
        or row["controls"] > CONTROLS
    ]
    median = statistics.median(begins) if begins else None
    print(f"median {median} (at most {MEDIAN}); beyond the limits: {', '.join(wrong) or 'none'}")
    last_line("first_screen", {"rows": rows, "median": median}, arguments)


if __name__ == "__main__":
    main()

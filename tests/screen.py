"""Opening the dashboard without a browser."""

from __future__ import annotations

import base64
import html
import json
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from s2s.ui.kit.cached import background
from s2s.ui.kit.pictures import SHOWN
from s2s.ui.kit.text import JOINER
from s2s.ui.shell import pages
from s2s.ui.shell.curated_views import THEMES, picture_file

ROOT = Path(__file__).parents[1]
PAGES = [row.url_path for row in pages.PAGES]
background.SLICE = 60.0  # no search leaves this process only because the machine is busy


def opened(path: str = "", /, **params: str) -> AppTest:
    """The dashboard at an address, `compare` say, with these parameters, after its first run."""
    screen = AppTest.from_file(ROOT / "streamlit_app.py", default_timeout=30)
    screen._page_hash = calc_hash(
        path
    )  # `switch_page` knows no page before the first run, and a link opens on the first
    for key, value in params.items():
        screen.query_params[key] = value
    screen.session_state["share"] = True  # open, so that `link` finds the link
    return screen.run()


def settled(screen: AppTest, seconds: float = 60) -> AppTest:
    """After what is read beside the page has been read."""
    until = time.monotonic() + seconds
    while screen.get("progress"):
        assert time.monotonic() < until
        screen.run()
    assert not screen.exception
    return screen


def translation(screen: AppTest) -> str:
    """The text of the large field, or of the line above the tabs."""
    bodies = [str(each.proto.body) for each in screen.get("html")]
    body = next(
        body for body in bodies if re.match("<p class='written'|<div class=.*data-answer", body)
    )
    text = re.sub(r"<small>.*?</small>|<.*?>", "", body)
    return html.unescape(text).removeprefix("→").strip()


def component(screen: AppTest, field: str) -> dict[str, Any]:
    (data,) = (
        data
        for each in screen.get("bidi_component")
        if field in (data := json.loads(each.proto.json or "{}"))
    )
    return dict(data)


def link(screen: AppTest) -> str:
    """The link that the Share button offers."""
    return str(screen.code[0].value)


def box(screen: AppTest) -> str:
    """The text of the sentence box."""
    return str(screen.text_input(key="src").value)


def picture(screen: AppTest) -> tuple[str, np.ndarray]:
    """Title and weights of the heatmap."""
    figure = json.loads(screen.get("plotly_chart")[0].proto.spec)
    z = figure["data"][0]["z"]
    weights = np.frombuffer(base64.b64decode(z["bdata"]), np.float32)
    return figure["layout"]["title"]["text"], weights.reshape(
        [int(side) for side in str(z["shape"]).split(",")]
    )


def findings(screen: AppTest) -> list[str]:
    """The sentences above pictures."""
    return [picture.finding for picture in screen.session_state[SHOWN].values() if picture.finding]


def drawn_pictures(screen: AppTest) -> dict[str, str]:
    """The pictures of cards, which are there in both themes: by name, what they say to who cannot see them."""
    bodies = "".join(str(each.proto.body) for each in screen.get("html"))
    found = re.findall(
        r'<img class="card" src="curated/([\w-]+)-light\.webp"[^>]* alt="([^"]*)"', bodies
    )
    for name, _ in found:
        for theme in THEMES:
            with Image.open(picture_file(name, theme)) as image:
                assert image.size == (480, 270)
    return dict(found)


def page_text(screen: AppTest) -> str:
    """The text of the page as it is displayed: Markdown, captions, notices."""
    return re.sub(r"\\(.)", r"\1", page_markdown(screen)).replace(JOINER, "").replace("`", "")


def page_markdown(screen: AppTest) -> str:
    """The same text, as Markdown source."""
    return "\n".join(
        str(each.value)
        for kind in ("markdown", "caption", "info", "error", "warning")
        for each in getattr(screen, kind)
    )


def help_of(screen: AppTest, key: str) -> str:
    """The help text of a control."""
    widgets = [
        each
        for kind in ("number_input", "selectbox", "toggle", "text_input")
        for each in getattr(screen, kind)
    ]
    return str(next(each.help for each in widgets if each.key == key))


def lost(screen: AppTest) -> list[str]:
    """The notices about parts of a link that the page could not show."""
    return [str(each.value) for each in screen.info if "link_off" in str(each.icon)]


def html_table(screen: AppTest, titled: str) -> list[dict[str, str]]:
    """The rows of the HTML table that has a column of this name, as text; without words that only another one has."""
    body = next(
        text
        for each in screen.get("html")
        if f">{html.escape(titled)}</th>" in (text := str(each.proto.body))
    )
    cells = r'<td dir="auto" data-of="(.*?)">(.*?)</td>'
    return [
        {
            html.unescape(name): " ".join(
                html.unescape(re.sub(r"<del.*?</del>|<.*?>", "", cell)).split()
            )
            for name, cell in re.findall(cells, row)
        }
        for row in re.findall(r"<tr>(.*?)</tr>", body)[1:]
    ]

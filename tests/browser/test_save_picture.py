"""On paper: a whole page, and every picture, which its camera button saves as SVG, PNG and PDF."""

import re
import struct
import zlib
from pathlib import Path
from xml.etree import ElementTree

from playwright.sync_api import Page

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


def saved(page: Page, **asked: str) -> bytes:
    """What the open dialog downloads when these of its fields are filled in."""
    dialog = page.get_by_role("dialog", name="Save the picture")
    dialog.wait_for()
    for name, value in asked.items():
        field = dialog.locator(f"[name={name}]")
        if name in ("format", "face"):
            field.select_option(value)
        else:
            field.fill(value)
    with page.expect_download() as download:
        dialog.get_by_role("button", name="Save", exact=True).click()
    assert download.value.suggested_filename.endswith(f".{asked['format']}")
    return Path(download.value.path()).read_bytes()


def contents(pdf: bytes) -> str:
    """The drawing commands of a PDF's page."""
    streams = re.findall(rb"/Length (\d+)>>\nstream\n", pdf)
    start = pdf.index(b"stream\n") + 7
    return zlib.decompress(pdf[start : start + int(streams[0])]).decode()


def words(pdf: bytes) -> list[str]:
    return [
        bytes.fromhex(coded).decode("cp1252")
        for coded in re.findall(r"<([0-9a-f]+)> Tj", contents(pdf))
    ]


def printed_black_on_white(page: Page) -> None:
    """Prints the page: nothing that can only be pressed, nothing cut at the edge."""
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    page.evaluate(MEASURE)
    assert page.pdf(format="A4").startswith(b"%PDF")
    printed = page.evaluate("printed")
    assert printed.pop("figures") >= 3
    white = "rgb(255, 255, 255)"
    assert printed == {"pressed": 0, "cut": 0, "paper": white, "ink": "rgb(0, 0, 0)"}
    assert page.locator("[viewBox].main-svg, html[data-dark]").count() == 0  # as it was


def test_a_page_is_printed_whole_and_its_figure_saved_in_three_formats(
    server: str, visit: Open
) -> None:
    page = visit(f"{server}/steps?run=demo-en-fr&src=the+red+house", color_scheme="dark")
    quiet(page)
    printed_black_on_white(page)
    camera = page.locator(".js-plotly-plot .modebar-btn").first
    camera.click()
    pdf = saved(page, format="pdf", width="10", face="serif")
    assert pdf.startswith(b"%PDF-1.4")
    assert pdf.endswith(b"%%EOF\n")
    assert {"maison", "rouge", "chosen: the output", "demo-en-fr · step 1,500"} <= {*words(pdf)}
    assert b"/BaseFont/Times-Roman" in pdf
    box = re.search(rb"/MediaBox\[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert box
    assert abs(float(box[1]) - 10 / 2.54 * 72) < 0.01
    for number, offset in enumerate(re.findall(rb"(\d{10}) 00000 n", pdf), 1):
        assert pdf[int(offset) :].startswith(b"%d 0 obj" % number)
    camera.click()
    svg = ElementTree.fromstring(saved(page, format="svg", width="10", face="mono"))
    assert svg.attrib["width"] == "100mm"
    assert svg.attrib["font-family"].startswith("Courier")
    assert "maison" in "".join(svg.itertext())
    camera.click()
    png = saved(page, format="png", width="10")
    assert struct.unpack(">I", png[16:20])[0] == round(10 / 2.54 * 300)

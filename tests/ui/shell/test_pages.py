"""Every page, however one arrives there."""

import re
import shutil
from pathlib import Path

import pytest

from s2s import settings
from s2s.ui.kit import cached
from s2s.ui.shell import pages
from tests.screen import PAGES, box, opened

HOSTILE = (
    {
        "run": "![x](http://e)",
        "step": "**1**",
        "layer": "x",
        "head": "-1",
        "kind": "<b>",
        "src": "a\x00b",
        "tgt": "\u202ex",
        "set": "a:b,source:![x](http://e),preset:**b**",
        "c1": "![x](y)@5!**b**!num_beams:![x](z)",
        "c2": "x@y!z!a:b",
        "c3": "!!!!",
    },
    {  # the demo is shown instead, and reads the sentence, long as it is
        "run": "../../etc/passwd",
        "step": "7",
        "src": "cat " * 3000,
        "tgt": "chat " * 3000,
        "set": ",,:,source:../../etc,preset:x,train.steps:NaN,train.lr:1e999",
        "c1": "@99!beam!num_beams:1e9",
    },
)


@pytest.mark.parametrize("params", HOSTILE)
@pytest.mark.parametrize("path", PAGES)
def test_a_hostile_link_gives_a_sentence_and_something_useful(
    path: str, params: dict[str, str]
) -> None:
    screen = opened(path, **params)
    assert not screen.exception
    assert screen.title
    notices = "".join(str(each.value) for each in [*screen.info, *screen.error, *screen.warning])
    assert not re.search(r"(?<!\\)(!\[|\]\(|<script|\*\*)", re.sub(r"`[^`]*`", "", notices))


DAMAGES = (
    {"recipe.json": '{"format": 1}'},
    {
        "status.json": '{"state": "paused"}',
        "metrics.jsonl": '{"a": 1}\n{"half\n[]\n',
        "samples.jsonl": '{"a": 1}\n{"half\n[]\n',
    },
)


@pytest.mark.slow
def test_damaged_runs_take_down_no_page(own_run: str) -> None:
    runs = settings.home() / "runs"
    for number, damage in enumerate(DAMAGES):
        damaged = Path(shutil.copytree(runs / own_run, runs / f"damaged{number}00000000"))
        for name, content in damage.items():
            (damaged / name).write_text(content)
    cached.refresh_runs()
    for page in pages.PAGES:  # each lists both
        for number in range(len(DAMAGES) if page.run else 1):
            screen = opened(page.url_path, run=f"damaged{number}00000000")
            assert not screen.exception, (page.url_path, number)


def test_what_one_typed_stays_on_the_way_from_page_to_page(tmp_path: Path) -> None:
    screen = opened("", src="the red house")
    assert box(screen) == "the red house"
    screen.switch_page("pages/decode/compare.py").run()
    assert not screen.exception
    assert box(screen) == "the red house"

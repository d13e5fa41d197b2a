"""The numbers on a screen are those that the screen's own command and code compute."""

import ast
import shlex
from typing import NamedTuple

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from s2s.jobs import head_service
from s2s.ui.kit import reproduce
from tests.harvest import code_of, compared, executed
from tests.screen import ROOT

DEMO = "demo-en-fr"
SOURCE = "the cat who chased the mouse was black"


def unfolded(path: str, **view: str) -> AppTest:
    """The page with its section open, which writes the code only then."""
    screen = AppTest.from_file(ROOT / "streamlit_app.py", default_timeout=30)
    screen._page_hash = calc_hash(path)
    screen.session_state[reproduce.KEY] = True
    for key, value in {"run": DEMO, "src": SOURCE, **view}.items():
        screen.query_params[key] = value
    return screen.run()


class Case(NamedTuple):
    """A page, its address, sentences with numbers in groups, how many numbers at least, and elements without."""

    path: str
    view: dict[str, str]
    least: int
    texts: tuple[str, ...] = ()
    but: str = ""


CASES = (
    Case("heads", {"set": "view:alignment,links:both"}, 250),
    Case("heads", {"set": "view:patching,patch:cross"}, 8, (r"Run on A: (\S+) nats",)),
    Case(
        "heads",
        {"set": "view:attribution,method:gradient,one_head:2.1", "src": "the red house"},
        60,
        (r"Residuals are (\S+%) of the differences",),
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.path} {case.view.get('set', '')}")
def test_every_number_of_a_page_is_computed_by_its_code(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    # what ships was measured like this, as the tests of Heads see
    monkeypatch.setattr(head_service, "measure", head_service.result)
    screen = unfolded(case.path, **case.view)
    n_numbers, lacking = compared(screen, executed(screen), case.texts, case.but)
    assert not lacking
    assert n_numbers >= case.least


@pytest.mark.parametrize(
    ("path", "view"),
    [
        ("heads", "view:patching"),
    ],
)
def test_a_sentence_is_one_text_in_the_code_and_one_word_of_the_command(
    path: str, view: str
) -> None:
    hostile = """the cat"]); import os # ' $(touch x) `x` \\" + 1"""
    screen = unfolded(path, src=hostile, tgt=hostile, **({"set": view} if view else {}))
    shell, python = code_of(screen)
    texts = {node.value for node in ast.walk(ast.parse(python)) if isinstance(node, ast.Constant)}
    assert hostile in texts
    assert "os" not in {
        each.id for each in ast.walk(ast.parse(python)) if isinstance(each, ast.Name)
    }
    assert shlex.split(shell)[2] == hostile

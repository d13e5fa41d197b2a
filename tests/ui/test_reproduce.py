"""The numbers on a screen are those that the screen's own command and code compute."""

import ast
import io
import json
import shlex
import sys
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from s2s.cli import main
from s2s.jobs import head_service
from s2s.ui.kit import four_digits, reproduce
from tests.harvest import code_of, compared, executed
from tests.screen import PAGES, ROOT, html_table, opened

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
    Case(
        "",
        {"layer": "1", "head": "2"},
        70,
        (r"Log-probability (\S+) nats", r"gives this sentence a probability of (\S+%)"),
    ),
    Case(
        "architecture",
        {"set": "view:parameters,against:small,part:decoder.output"},
        100,
        (
            r"FLOPs, (\S+) for each",
            r"parameters (\S+) share of the model",
            r"FLOPs forward (\S+ [kMGT])",
        ),
    ),
    Case(
        "architecture",
        {"set": "view:costs,model:small"},
        40,
        (
            r"attention takes more FLOPs than the feed-forward from (\S+) tokens",
            r": (\S+) for 32 × 20",
        ),
    ),
    Case(
        "states",
        {"set": "view:map", "layer": "1"},
        28,
        (r"The two axes explain (\S+%) of the variance",),
    ),
    Case(
        "states",
        {"set": "view:near,unit:2", "src": "the bank is by the river"},
        30,
    ),
    Case(
        "states",
        {"set": "view:lens", "layer": "1", "tgt": "le chat noir"},
        19,
        (r"most probable: (\S+) before the first layer, (\S+) after layer 1, (\S+) after",),
    ),
    Case(
        "train",
        {"set": "train.steps:300,curve:loss"},
        390,
        (r"(\S+ M) parameters ·",),
    ),
    Case("train", {"set": "curve:accuracy,over:token"}, 12),
)


def test_every_page_and_200_numbers_are_recomputed() -> None:
    """Some pages and views have tests of their own, three below; Lessons leads to those of others."""
    others = {"attention", "heads", "compare", "data", "positions", "steps", "evaluate"}
    others |= {"walkthrough", "runs", "lessons"}
    assert {case.path for case in CASES} | others == {*PAGES}
    assert sum(min(case.least, 100) for case in CASES) > 200


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
        ("", ""),
        ("states", "view:near"),
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


def commanded(
    screen: AppTest, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[dict[str, Any]]:
    """What each of the page's commands prints."""
    lines, _ = code_of(screen)
    found = []
    for line in lines.splitlines():
        source, _, command = line.removeprefix("printf '%s\\n' ").partition(" | python -m s2s ")
        given = io.BytesIO("\n".join(shlex.split(source)).encode())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(given))
        capsys.readouterr()
        assert main(shlex.split(command)) == 0
        found.append(json.loads(capsys.readouterr().out))
    return found


def test_steps(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    view = {"run": DEMO, "src": SOURCE, "set": "strategy:beam,num_beams:6,length_penalty:0.5"}
    folded = opened("steps", **view)
    assert not any("import s2s" in each.value for each in folded.code)
    frames = [each.value for each in folded.dataframe]
    screen = unfolded("steps", set=view["set"])
    names = executed(screen)
    (printed,) = commanded(screen, monkeypatch, capsys)
    shown = html_table(folded, "tokens, with </s>")
    score = next(name for name in shown[0] if name.startswith("score"))
    assert len(shown) == 6
    for row, one, told in zip(shown, names["found"].hypotheses, printed["hypotheses"], strict=True):
        assert row["text"] == one.text == told["text"]
        assert row[score] == four_digits(one.score)
        assert told["score"] == one.score
        assert row["log-probability (nats)"] == four_digits(one.log_prob)
        assert told["log_prob"] == one.log_prob
        assert row["tokens, with </s>"] == str(len(one.tokens))
    inspected = next(frame for frame in frames if "sum so far" in frame)
    assert isinstance(inspected, pd.DataFrame)
    vocabulary = names["run"].tgt_tokenizer
    known = vocabulary.tokens([*range(vocabulary.vocab_size)])
    ids = [known.index(token) for token in inspected["token"]]
    percent = 100 * names["log_probs"].exp().numpy()[:, ids]  # (positions, rows of the table)
    distances = np.abs(percent - inspected["probability"].to_numpy())
    assert distances.max(1).min() < 1e-3  # the inspected position is one of them
    assert names["tree"].nodes

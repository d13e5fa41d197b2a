"""The numbers on a screen are those that the screen's own command and code compute."""

import io
import json
import re
import shlex
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from s2s.cli import main
from s2s.plots import theme
from s2s.ui.kit import reproduce
from tests.screen import opened, picture

DEMO = "demo-en-fr"
SOURCE = "the cat who chased the mouse was black"


def unfolded(path: str, **view: str) -> AppTest:
    """The page with its section open, which writes the code only then."""
    screen = opened(path, run=DEMO, src=SOURCE, **view)
    assert not any(each.value.startswith("printf") for each in screen.code)
    screen.session_state[reproduce.KEY] = True
    return screen.run()


def executed(screen: AppTest) -> dict[str, Any]:
    """The names that the page's code defines."""
    assert not screen.exception
    code = [each.value for each in screen.code if each.value.startswith("import s2s")][-1]
    names: dict[str, Any] = {}
    exec(code, names)  # as somebody pastes it
    return names


def commanded(
    screen: AppTest, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[dict[str, Any]]:
    """What each of the page's commands prints."""
    (lines,) = [each.value for each in screen.code if each.value.startswith("printf")]
    found = []
    for line in lines.splitlines():
        source, _, command = line.removeprefix("printf '%s\\n' ").partition(" | python -m s2s ")
        given = io.BytesIO("\n".join(shlex.split(source)).encode())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(given))
        capsys.readouterr()
        assert main(shlex.split(command)) == 0
        found.append(json.loads(capsys.readouterr().out))
    return found


def all_heads(screen: AppTest) -> np.ndarray:
    """What the canvas of Attention draws: 255 times the square root of each weight, rounded."""
    (packed,) = [each.proto.bytes for each in screen.get("bidi_component") if each.proto.bytes]
    start = 4 + theme.palette().nbytes
    end = start + int.from_bytes(packed[:4], "little")
    header = json.loads(packed[start:end])
    shape = (header["layers"], header["heads"], len(header["rows"]), len(header["keys"]))
    return np.frombuffer(packed[end:], np.uint8).reshape(shape)


@pytest.mark.parametrize(
    "view",
    [
        {"kind": "cross", "layer": "2", "head": "mean"},
        {"kind": "encoder", "layer": "1", "head": "3", "set": "words:1,drop:1"},
        {"kind": "cross", "tgt": "le chat dort"},
    ],
)
def test_attention(
    view: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    screen = unfolded("attention", **view)
    names = executed(screen)
    assert ("without_sinks" in names) == ("set" in view)
    _, weights = picture(screen)
    np.testing.assert_array_equal(weights, names["picture"].weights)
    pixels = all_heads(screen)
    np.testing.assert_array_equal(
        pixels, (np.sqrt(names["heads"]) * np.float32(255) + np.float32(0.5)).astype(np.uint8)
    )
    assert pixels.size > 200
    if "tgt" not in view:
        (found,) = commanded(screen, monkeypatch, capsys)
        assert found["text"] == screen.text_input(key="tgt box").placeholder


def test_steps(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    view = {"run": DEMO, "src": SOURCE, "set": "strategy:beam,num_beams:6,length_penalty:0.5"}
    frames = [each.value for each in opened("steps", **view).dataframe]
    screen = unfolded("steps", set=view["set"])
    names = executed(screen)
    (printed,) = commanded(screen, monkeypatch, capsys)
    shown = next(frame for frame in frames if "rank" in frame)
    score = next(name for name in shown if name.startswith("score"))
    assert len(shown) == 6
    for row, one, told in zip(
        shown.to_dict("records"), names["found"].hypotheses, printed["hypotheses"], strict=True
    ):
        assert row["text"] == one.text == told["text"]
        assert row[score] == pytest.approx(one.score, abs=1e-6)
        assert told["score"] == one.score
        assert row["log-probability"] == one.log_prob == told["log_prob"]
        assert row["tokens"] == len(one.tokens)
    inspected = next(frame for frame in frames if "sum so far" in frame)
    assert isinstance(inspected, pd.DataFrame)
    vocabulary = names["run"].tgt_tokenizer
    known = vocabulary.tokens([*range(vocabulary.vocab_size)])
    ids = [known.index(token) for token in inspected["token"]]
    percent = 100 * names["log_probs"].exp().numpy()[:, ids]  # (positions, rows of the table)
    distances = np.abs(percent - inspected["probability"].to_numpy())
    assert distances.max(1).min() < 1e-3  # the inspected position is one of them
    assert names["tree"].nodes


def test_compare(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    reference = "le chat qui a chassé la souris était noir"
    screen = unfolded(
        "compare",
        tgt=reference,
        c1=f"{DEMO}@1500!beam",
        c2=f"{DEMO}@1500!sample!seed:7,temperature:1.2",
    )
    names = executed(screen)
    printed = commanded(screen, monkeypatch, capsys)
    drawn = [each.proto.body for each in screen.get("html") if 'class="figures"' in each.proto.body]
    assert len(drawn) == len(names["numbers"]) == len(printed) == 2
    for body, numbers, told in zip(drawn, names["numbers"].values(), printed, strict=True):
        cells = re.findall(r"<span>([\w-]+(?: token)?).*?</span> <b>(.*?)</b>", body)
        known = {name: value for name, value in cells if name != "seconds"}
        assert {"log-probability", "score", "tokens", "distinct-1", "chrF", "BLEU"} <= {*known}
        for name, value in known.items():
            digits = len(value.partition(".")[2].rstrip("%"))
            wanted = numbers[name if name in numbers else name.lower()]
            assert float(value.replace("−", "-").rstrip("%")) == pytest.approx(
                wanted, abs=0.51 * 10**-digits
            )
        assert told["log_prob"] == numbers["log-probability"]

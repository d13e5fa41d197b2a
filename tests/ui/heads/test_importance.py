import base64
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.make import measurements
from s2s.jobs import head_importance, head_service, test_sets
from s2s.library.checkpoints import load
from s2s.links.share import pack
from s2s.runs import Measurement, Sentences
from tests.harvest import compared, executed
from tests.screen import AppTest, opened, page_text
from tests.ui.test_reproduce import unfolded


def shown(**more: str) -> AppTest:
    screen = opened("heads", set=pack({"view": "importance", **more}))
    assert not screen.exception
    return screen


def figure(screen: AppTest, title: str) -> dict[str, Any]:
    specs = [json.loads(each.proto.spec) for each in screen.get("plotly_chart")]
    (found,) = (one for one in specs if title in one["layout"]["title"]["text"])
    return dict(found)


def numbers(values: Any) -> list[float]:
    if isinstance(values, dict):
        return list(np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"]))
    return list(values)


@pytest.fixture
def kept() -> dict[str, Any]:
    """What ships of the demo, over the sentences that the page opens with."""
    sentences = Sentences("", split=test_sets.HELD_OUT, run="demo-en-fr", n=measurements.N)
    step = load("demo-en-fr").step
    found = head_service.result(Measurement("demo-en-fr", step, "importance", sentences))
    assert found is not None
    return found


def test_the_pictures_show_the_kept_numbers(
    kept: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(head_service, "measure", head_service.result)  # it ships
    screen = unfolded("heads", set="view:importance")
    n_numbers, lacking = compared(screen, executed(screen), (r"The loss is (\S+) nats",))
    assert not lacking
    assert n_numbers >= 290
    grids = figure(screen, "Importance of heads, off")
    cross = np.array(kept["measured"]["value"]["cross"], np.float32)
    assert numbers(grids["data"][0]["z"]) == pytest.approx(list(cross.ravel()))
    assert (
        "off (nats per token)<br>demo-en-fr, step 1,500<br>500 sentences"
        in grids["layout"]["title"]["text"]
    )
    both = figure(screen, "Measured and gradient importance")
    assert numbers(both["data"][0]["x"]) == pytest.approx(
        [value for layer in kept["gradient"]["value"]["cross"] for value in layer]
    )
    curve = figure(screen, "Loss without the least important heads")
    lines = [trace for trace in curve["data"] if trace.get("name")]
    assert numbers(lines[0]["y"]) == pytest.approx(kept["curves"]["measured"]["loss"], rel=1e-5)
    scores = figure(screen, "Scores without the least important heads")
    assert len(scores["data"]) == 4
    role = figure(screen, "the role: previous token")  # which cross-attention does not have
    encoder = np.array(kept["measured"]["value"]["encoder"])
    assert numbers(role["data"][0]["y"]) == pytest.approx(list(encoder.ravel()), rel=1e-5)
    spearman = f"{kept['agreement']['all']['spearman']:.2f}"
    assert f"all heads {spearman}" in page_text(screen)
    assert sum("(CSV)" in each.label for each in screen.get("download_button")) == 4
    assert_the_sentence_on_top_answers(page_text(screen), kept)


def assert_the_sentence_on_top_answers(said: str, kept: dict[str, Any]) -> None:
    """What a reader asks of the pictures."""
    gradient = kept["gradient"]["value"]
    kind, layer, head = max(
        (
            (kind, i, j)
            for kind in gradient
            for i, row in enumerate(gradient[kind])
            for j in range(len(row))
        ),
        key=lambda at: gradient[at[0]][at[1]][at[2]],
    )
    assert (kind, layer, head) == ("cross", 1, 0)
    assert "By the gradient it would be cross-attention, layer 2 head 1." in said
    curve = kept["curves"]["measured"]
    below = sum(loss < 2 * kept["loss"] for loss in curve["loss"])  # the curve rises
    assert f"has doubled when **{curve['n_pruned'][below]} heads** are off" in said


def test_another_role_and_another_intervention_are_in_the_link(kept: dict[str, Any]) -> None:
    screen = shown(strength="spread")
    assert (
        "spread out"
        in figure(screen, "Importance, and the role")["layout"]["xaxis"]["title"]["text"]
    )
    other = shown(how="uniform")
    assert any(each.label.startswith("Measure importance") for each in other.button)
    assert "no longer selects" in page_text(other)


def test_the_table_has_every_head_with_both_importances(kept: dict[str, Any]) -> None:
    rows = pd.DataFrame(head_importance.rows(kept))
    assert len(rows) == 24
    row = rows[(rows.attention == "decoder") & (rows.layer == 2) & (rows["head"] == 3)].iloc[0]
    assert row.measured == kept["measured"]["value"]["decoder"][1][2]
    assert row["gradient low"] == kept["gradient"]["low"]["decoder"][1][2]
    assert (rows["measured low"] <= rows["measured"]).all()

import base64
import json
from typing import Any

import numpy as np
import pytest

from s2s.links.share import pack
from s2s.questions import Have, HeadImportance, Importance
from tests.screen import AppTest, opened, page_text


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
def kept() -> Importance:
    """What ships of the demo, over the sentences that the page opens with."""
    return Have().answer(HeadImportance("demo-en-fr"))


def test_the_pictures_show_the_kept_numbers(kept: Importance) -> None:
    screen = shown()
    grids = figure(screen, "Importance of heads, off")
    assert numbers(grids["data"][0]["z"]) == pytest.approx(kept.measured.value["cross"].ravel())
    assert (
        "off (nats per token)<br>demo-en-fr · step 1,500<br>500 sentences"
        in grids["layout"]["title"]["text"]
    )
    both = figure(screen, "Measured and gradient importance")
    assert numbers(both["data"][0]["x"]) == pytest.approx(kept.gradient.value["cross"].ravel())
    curve = figure(screen, "Loss without the least important heads")
    lines = [trace for trace in curve["data"] if trace.get("name")]
    assert numbers(lines[0]["y"]) == pytest.approx(kept.curves["measured"].loss, rel=1e-5)
    scores = figure(screen, "Scores without the least important heads")
    assert len(scores["data"]) == 4
    role = figure(screen, "the role: previous token")  # which cross-attention does not have
    encoder = kept.measured.value["encoder"].ravel()
    assert numbers(role["data"][0]["y"]) == pytest.approx(encoder, rel=1e-5)


def test_another_role_and_another_intervention_are_in_the_link() -> None:
    screen = shown(strength="spread")
    drawn = figure(screen, "Importance, and the role")
    assert "spread out" in drawn["layout"]["xaxis"]["title"]["text"]
    other = shown(how="uniform")
    assert any(each.label.startswith("Measure importance") for each in other.button)
    assert "no longer selects" in page_text(other)

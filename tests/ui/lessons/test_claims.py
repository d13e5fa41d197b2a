import html
import json

import pytest

from s2s.lessons.claims import CLAIMS, parallel
from s2s.links import share
from s2s.ui.lessons.claims import LEVELS
from tests.screen import opened, page_text


def test_every_claim_is_shown_and_one_is_measured_on_this_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = opened("lessons", set=share.pack({"view": "claims", "claim": "agreement"}))
    for name in sorted(CLAIMS, key=lambda name: name != "agreement"):
        claim = CLAIMS[name]
        if name != "agreement":
            screen.get_by_key("lessons claim").set_value(name).run()
        assert not screen.exception
        said = page_text(screen)
        assert claim.statement in said
        assert LEVELS[claim.measured.level].label in said
        bodies = [each.proto.body for each in screen.get("html")]
        assert any(html.escape(claim.measured.finding) in each for each in bodies)
        (figure,) = (json.loads(each.proto.spec) for each in screen.get("plotly_chart"))
        assert [trace["name"] for trace in figure["data"] if trace.get("showlegend", True)] == [
            one.name for one in claim.measured.picture.series
        ]
        assert len(screen.dataframe[0].value) == len(next(iter(claim.measured.table.values())))
    monkeypatch.setattr(parallel, "LENGTHS", (2, 4))
    screen.get_by_key("lessons claim").set_value("parallel").run()
    screen.button(key="measure claim").click().run()
    assert not screen.exception
    assert list(screen.dataframe[0].value["source tokens"]) == [2, 4]
    assert "Measured on this server." in page_text(screen)

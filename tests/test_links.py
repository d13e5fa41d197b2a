from urllib.parse import parse_qsl, urlsplit

import pytest

from s2s.data import profile
from s2s.links.share import Column, read, unpack
from s2s.ui.compare.rows import KEYS
from tests.data.reading import ProcessHere
from tests.screen import ROOT, box, lost, opened, picture
from tests.screen import link as written

LINKS = [
    line
    for line in (ROOT / "tests" / "links.txt").read_text().splitlines()
    if line and not line.startswith("#")
]


@pytest.mark.parametrize("link", LINKS)
def test_a_published_link_opens(link: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile, "Process", ProcessHere)
    address = urlsplit(link)
    params = dict(parse_qsl(address.query, keep_blank_values=True))
    screen = opened(address.path.strip("/"), **params)
    assert not screen.exception
    assert bool(lost(screen)) is ("sweep:gone" in params.get("set", ""))  # nobody has that one
    assert read(params).problems == ()
    assert not screen.error
    assert written(screen).startswith("/?v=1")
    if "src" in params:
        assert box(screen) == params["src"]
    if address.path in ("/", "/attention") and "view:lines" not in params.get(
        "set", ""
    ):  # which no Plotly draws
        assert picture(screen)[1].size
    if "run" in screen.session_state and params and "run" not in params:
        first = Column.read(params.get("c1", "")).run
        assert screen.session_state["run"] == (first or "demo-en-fr")
    for key in {"run", "kind", "layer", "head"} & set(params):
        assert screen.session_state[key] == params[key]
    if "set" in params:
        assert unpack(params["set"]).items() <= unpack(screen.session_state["set"]).items()
    for key in {*KEYS} & params.keys():
        linked = Column.read(params[key])
        held = Column.read(screen.session_state[key])
        assert (linked.run, linked.strategy) == (held.run, held.strategy)
        assert linked.settings.items() <= held.settings.items()

from urllib.parse import parse_qsl, urlsplit

import pytest

from s2s.share import read
from tests.screen import ROOT, box, opened, picture

LINKS = [line for line in (ROOT / "tests" / "links.txt").read_text().splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("link", LINKS)
def test_a_published_link_opens(link: str) -> None:
    address = urlsplit(link)
    params = dict(parse_qsl(address.query, keep_blank_values=True))
    screen = opened(address.path.strip("/"), **params)
    assert not screen.exception
    assert not screen.info  # nothing of it is lost
    assert read(params).lost == ()
    if "src" in params:
        assert box(screen) == params["src"]
    assert picture(screen)[1].size

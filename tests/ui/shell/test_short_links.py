"""Short links on the screen and at their address: made by Share, opened by anybody, and no way to another site."""

import re
from types import SimpleNamespace
from urllib.parse import parse_qsl, urlsplit

import anyio
import anyio.to_thread
import pytest
import sqlalchemy as sa
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from s2s.config import UserError, asker
from s2s.links import share
from s2s.links import short as short_links
from s2s.links.short import SHORT_LINKS, Content
from s2s.processes import queue
from s2s.ui.kit import turns
from s2s.ui.lessons import links
from s2s.ui.shell import (
    addresses,
    arrival,
    misses,
    previews,
    share_button,
    short_link_route,
)
from s2s.ui.shell.misses import Misses
from s2s.ui.shell.short_link_form import is_local as reaches_only_here
from tests.screen import box, opened, page_markdown
from tests.test_links import LINKS

MARKUP = "<script>alert(1)</script> **bold** :red[x]"
VIEW = {"run": "demo-en-fr", "src": "the red house", "kind": "encoder", "layer": "1", "head": "2"}


def answer(letters: str) -> tuple[int, str]:
    got = TestClient(Starlette(routes=addresses.routes())).get(f"/s/{letters}")
    assert "script-src" not in got.text
    assert "default-src 'none'" in got.headers["content-security-policy"]
    return got.status_code, got.text


def target(page: str) -> str:
    """Where the page leads."""
    found = re.search(r'http-equiv="refresh" content="0; url=([^"]*)"', page)
    assert found
    return found[1].replace("&amp;", "&")


def arrived(link: short_links.ShortLink) -> AppTest:
    return opened(link.content.page, **link.content.view, s=link.letters)


def test_a_short_link_opens_its_view() -> None:
    link = short_links.make(Content("attention", VIEW, MARKUP))
    status, page = answer(short_links.written(link.letters).lower())
    assert status == 200
    assert target(page) == (
        "/attention?v=1&run=demo-en-fr&src=the+red+house&layer=1&head=2&kind=encoder"
        f"&s={link.letters}"
    )
    assert "<script" not in page
    assert "<title>&lt;script&gt;" in page


def test_a_published_link_to_each_page_has_a_short_one_that_opens_the_same() -> None:
    by_page = {urlsplit(link).path: link for link in LINKS}
    for link in by_page.values():
        given = urlsplit(link)
        view = share.read(dict(parse_qsl(given.query, keep_blank_values=True))).view
        made = short_links.make(Content(given.path.strip("/"), view))
        opens = urlsplit(target(answer(made.letters)[1]))
        assert opens.path == given.path
        assert share.read(dict(parse_qsl(opens.query, keep_blank_values=True))).view == view


@pytest.mark.parametrize(
    "page", ["//evil.example", "https://evil.example/", "gone", "../x", "operator"]
)
def test_no_short_link_leads_elsewhere(page: str) -> None:
    link = short_links.make(Content("", {"src": "https://evil.example"}))
    assert target(answer(link.letters)[1]).startswith("/?v=1&src=https%3A%2F%2Fevil")
    with queue.begin() as connection:
        connection.execute(sa.update(SHORT_LINKS).values(page=page))
    status, said = answer(link.letters)
    assert status == 404
    assert "made by a newer version" in said
    assert "refresh" not in said


@pytest.mark.parametrize("letters", ["KFR-WTPH", "<b>", "AAAAAAA", "x" * 500])
def test_a_link_that_never_was_is_a_sentence_with_a_way_home(letters: str) -> None:
    status, said = answer(letters)
    assert status == 404
    assert "short link" in said
    assert "<b>" not in said
    assert '<a href="/">Open the dashboard</a>' in said


class _Clock:
    """Time that passes only while somebody waits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("S2S_HOSTED", "1")
        monkeypatch.setenv("S2S_SECRET", "x" * 32)
        self.now = 1000.0
        monkeypatch.setattr(short_link_route, "MISSES", Misses(lambda: self.now))
        waits = SimpleNamespace(sleep=self.wait, to_thread=anyio.to_thread)
        monkeypatch.setattr(short_link_route, "anyio", waits)
        monkeypatch.setattr(short_link_route, "time", SimpleNamespace(sleep=self.pass_by))

    def pass_by(self, seconds: float) -> None:
        self.now += seconds

    async def wait(self, seconds: float) -> None:
        self.pass_by(seconds)

    def waited(self, letters: str, address: str = "203.0.113.9") -> float:
        """The seconds for which an address waits for a link."""
        before = self.now
        client = TestClient(Starlette(routes=addresses.routes()), client=("10.0.0.2", 5))
        client.get(f"/s/{letters}", headers={"x-forwarded-for": f"198.51.100.1, {address}"})
        return self.now - before


def test_a_class_opens_a_link_at_once_and_whoever_guesses_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = _Clock(monkeypatch)
    monkeypatch.setattr(previews, "preview_of", lambda view: previews.Preview("", "", ""))
    with asker.acting_as("ann"):
        link = short_links.make(Content("attention", VIEW))
    waits = [clock.waited("KFRWTPHBCD"[: 7 + 3 * (n % 2)]) for n in range(30)]
    waits += [clock.waited(link.letters) for _ in range(200)]
    assert set(waits) == {0.0}
    guesses = [clock.waited("KFRWTPHBCD") for _ in range(60)]
    assert sum(guesses) >= 110  # one every two seconds
    assert max(guesses) <= misses.MOST
    assert clock.waited(link.letters) == 0
    assert clock.waited("KFRWTPHBCD", "203.0.113.10") == 0  # another address
    clock.pass_by(100)
    assert clock.waited("KFRWTPHBCD") == 0


def test_who_guesses_from_many_addresses_waits_and_a_link_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = _Clock(monkeypatch)
    tries = misses.OF_ALL.free + 200
    waits = [short_link_route._delay(f"203.0.{n // 200}.{n % 200}") for n in range(tries)]
    assert max(waits[: misses.OF_ALL.free]) < 0.001
    assert waits[-1] == misses.MOST
    with asker.acting_as("ann"):
        link = short_links.make(Content("attention", VIEW))
    assert clock.waited(link.letters) == 0
    assert clock.waited("KFRWTPHBCD", "192.0.2.1") == misses.MOST


@pytest.mark.parametrize("way", ["an address", "an editor"])
def test_no_page_tells_faster_whether_letters_are_a_link(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = _Clock(monkeypatch)
    monkeypatch.setattr(misses, "OF_ADDRESS", misses.Allowance(1, 2.0))
    for n in range(3):
        if way == "an address":
            monkeypatch.setattr(arrival.st, "query_params", {"s": "KFRWTPHBCD"})
            monkeypatch.setattr(arrival.st, "session_state", {})
            arrival.read_letters()
        else:
            with pytest.raises(UserError, match="There is no short link"):
                links.given_view("/s/KFRWTPHBCD", "http://testserver/")
        assert clock.now == 1000.0 + 2 * n


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("203.0.113.9", "", "203.0.113.9"),
        ("8.8.8.8", "203.0.113.9", "8.8.8.8"),  # no proxy of this network
        ("127.0.0.1", "1.2.3.4, 8.8.8.8", "8.8.8.8"),
        ("::ffff:172.18.0.3", "8.8.8.8", "8.8.8.8"),
        ("172.18.0.3", "evil", "172.18.0.3"),
        ("172.18.0.3", "", "172.18.0.3"),
        ("2001:4860:1:2:3::4", "", "2001:4860:1:2::/64"),
        ("", "", ""),
    ],
)
def test_the_address_of_a_guess_is_that_which_the_proxy_saw(
    peer: str, forwarded: str, address: str
) -> None:
    assert turns.address_of(peer, forwarded) == address


def test_a_database_that_is_away_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_DATABASE_URL", "postgresql+psycopg://@/none?host=/nowhere")
    assert answer("KFRWTPH")[0] == 503


def test_share_makes_a_link_that_the_receiver_reads_and_dismisses() -> None:
    screen = opened("attention", **VIEW)
    screen.text_input(key="short link title").set_value(MARKUP)
    screen.text_input(key="short link note").set_value("Read *this*")
    next(button for button in screen.button if button.label == "Make a short link").click().run()
    (link,) = (screen.session_state["made short link"],)
    assert link.content.view.items() >= VIEW.items()
    assert screen.code[0].value.endswith(f"/s/{short_links.written(link.letters)}")

    receiver = arrived(link)
    assert not receiver.exception
    assert box(receiver) == "the red house"
    said = page_markdown(receiver)
    assert "You are looking at a shared view" in said
    assert "**bold**" not in said
    assert ":red[" not in said
    assert r"Read \*this\*" in said
    receiver.button(key="dismiss arrival").click().run()
    assert "shared view" not in page_markdown(receiver)

    screen.button(key="delete short link").click().run()
    assert not any("/s/" in code.value for code in screen.code)
    assert "shared view" not in page_markdown(arrived(link))


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("Which house?", "**Which house?** Look at layer 2"),
        ("Which house", "**Which house**. Look at layer 2"),
        ("", "a shared view. Look at layer 2"),
    ],
)
def test_a_title_ends_in_one_mark(title: str, said: str) -> None:
    content = short_links.Content("attention", VIEW, title, "Look at layer 2")
    assert said in page_markdown(arrived(short_links.make(content))).replace("\\", "")


@pytest.mark.parametrize(
    ("url", "is_local"),
    [
        ("http://127.0.0.2:8501/", True),
        ("http://[::1]:8501/", True),
        ("http://s2s.localhost./", True),
        ("http://192.168.1.7:8501/", False),
        ("http://localhost.example/", False),
    ],
)
def test_an_address_of_this_computer_is_known(url: str, is_local: bool) -> None:
    assert reaches_only_here(url) is is_local


@pytest.mark.parametrize("host", ["http://localhost:8501", "https://s2s.example"])
def test_the_address_of_this_computer_alone_says_so_and_how_to_host(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(share_button, "page_url", lambda page: f"{host}/positions?v=1&src=")
    screen = opened("positions")
    next(button for button in screen.button if button.label == "Make a short link").click().run()
    assert screen.code[0].value.startswith(f"{host}/s/")
    has_code = any("QR code" in str(each.proto.body) for each in screen.get("html"))
    assert has_code == (host == "https://s2s.example")
    assert ("the documentation" in page_markdown(screen)) == (not has_code)


def test_too_long_a_view_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(short_links, "MAX_VIEW", 10)
    screen = opened("compare", src="the red house")
    next(button for button in screen.button if button.label == "Make a short link").click().run()
    assert "a short link holds at most 10" in screen.error[0].value
    assert "made short link" not in screen.session_state

"""What visitors of a hosted server see of each other: nothing."""

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from s2s import settings
from s2s.config import asker
from s2s.data import Corpus, Pair, saved_datasets
from s2s.hosted import COOKIE, REPLACED, delete_workspace, make_link, new_key, open_link
from s2s.hosted.keys import FRAMED
from s2s.links.share import pack
from s2s.ui.kit import cached
from s2s.ui.shell import visitors
from s2s.ui.shell.endpoints import ready
from tests.conftest import make_run
from tests.screen import opened, page_text
from tests.spawned import awaited

Visit = Callable[[dict[str, str]], None]


@pytest.fixture
def visit(monkeypatch: pytest.MonkeyPatch) -> Visit:
    """From now on the pages are opened by a browser with these cookies."""
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    visitors.identify()  # an earlier test may have left another way to find them

    def with_cookies(cookies: dict[str, str]) -> None:
        monkeypatch.setattr(visitors, "cookies", lambda: cookies)

    with_cookies({})
    return with_cookies


def test_each_visitor_sees_only_their_own_runs_and_datasets(visit: Visit) -> None:
    keys = [new_key(), new_key()]
    hashes = []
    for number, key in enumerate(keys):
        make_run(settings.home() / "runs" / f"run{number}aaaaaaaaaaaa", {"train.steps": 2})
        path = settings.home() / "runs" / f"run{number}aaaaaaaaaaaa" / "recipe.json"
        path.write_text(path.read_text().replace('"owner": "local"', f'"owner": "{key.digest}"'))
        pairs = (Pair("a b", "c d"), Pair("e", f"f {number}"))
        corpus = Corpus("mine", "train", pairs, (), False)
        hashes += [saved_datasets.save(corpus, name=f"dataset of {number}", owner=key.digest)]
    cached.refresh_runs()
    for number, key in enumerate(keys):
        visit({COOKIE: key.signed})
        screen = opened("runs", run="run1aaaaaaaaaaaa")
        assert asker.current() == key.digest
        labels = " ".join(screen.selectbox(key="run").options)
        assert f"run{number}" in labels
        assert f"run{1 - number}" not in labels
        data = opened("data", set=pack({"source": f"corpus:{hashes[1 - number]}"}))
        assert f"dataset of {1 - number}" not in str(data.main)
        data = opened("data", set=pack({"source": f"corpus:{hashes[number]}"}))
        assert data.selectbox(key="saved").options == [f"dataset of {number}"]


def test_without_a_cookie_a_visitor_is_nobody_sees_the_demos_and_is_told_why(visit: Visit) -> None:
    screen = opened()
    assert asker.current() == asker.NOBODY
    assert not screen.exception
    assert "Nothing that you make here can be stored" in page_text(screen)
    assert "demo-en-fr" in " ".join(screen.selectbox(key="run").options)


def test_a_replaced_key_is_said_once(visit: Visit) -> None:
    visit({COOKIE: new_key().signed, REPLACED: "1"})
    screen = opened("positions")
    assert page_text(screen).count("has a new, empty workspace now") == 1
    assert "empty workspace" not in page_text(screen.run())


def test_in_a_frame_of_another_site_the_page_says_at_every_run_that_its_workspace_is_another(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_FRAME_ANCESTORS", "https://school.example")
    key = new_key()
    visit({FRAMED: key.signed})
    screen = opened("positions")
    for _ in range(2):
        assert "What you make here is in a workspace of this frame" in page_text(screen)
        screen.run()
    assert asker.current() == key.digest
    visit({COOKIE: key.signed})
    assert "frame of another site" not in page_text(opened("positions"))


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("https://s2s.example/data?src=a", "https://s2s.example/data"),
        ("http://[::1]:8501/lab/data", "http://[::1]:8501/lab/data"),
        ("https://s2s.example/a)[b](c d", "https://s2s.example/a%29[b]%28c%20d"),
    ],
)
def test_the_link_to_a_tab_is_the_pages_address(
    address: str, link: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visitors.st, "context", SimpleNamespace(url=address))
    assert visitors._address() == link


def test_a_made_up_key_is_nobodys(visit: Visit) -> None:
    visit({COOKIE: "1" + "A" * 43 + "." + "A" * 43})
    assert asker.current() == asker.NOBODY


def test_without_a_secret_the_page_says_what_the_operator_must_do(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("S2S_SECRET")
    screen = opened("runs")
    assert "its operator must set S2S_SECRET" in page_text(screen)
    assert not screen.selectbox
    answer = awaited(ready(None))  # type: ignore[arg-type]
    assert answer.status_code == 503
    assert b"S2S_SECRET" in bytes(answer.body)


def test_the_key_is_nowhere_in_the_page(visit: Visit) -> None:
    key = new_key()
    visit({COOKIE: key.signed})
    assert key.secret not in str(opened("data").main)


def test_a_linked_key_says_that_the_database_is_away_or_that_the_workspace_is_gone(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    with asker.acting_as("ann"):
        key = open_link(make_link("ann"))
    assert key
    visit({COOKIE: key.signed})
    with monkeypatch.context() as patch:
        patch.setenv("S2S_DATABASE_URL", "postgresql+psycopg://@/none?host=/nowhere")
        assert "Your workspace cannot be opened at the moment." in page_text(opened("positions"))
    assert asker.current() == "ann"
    with asker.acting_as("ann"):
        delete_workspace("ann")
    assert "was deleted on another computer" in page_text(opened("positions"))

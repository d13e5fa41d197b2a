"""What a robot reads of a short link, without a browser and without a workspace, and that a full one says nothing."""

import html
import re

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from s2s.config import asker
from s2s.library import Sharing, sharing
from s2s.links import short as short_links
from s2s.links.short import Content
from s2s.runs import RunFolder, runs_folder
from s2s.ui.shell import addresses, previews
from s2s.ui.shell.pages import PAGES, browser_title
from tests.conftest import make_run

RUN = "anas0123456789ab"
MARKUP = '"><script>alert(1)</script>'


def client() -> TestClient:
    return TestClient(Starlette(routes=addresses.routes()), "https://s2s.example")


def read(address: str) -> dict[str, str]:
    """The title and the meta elements of an address."""
    answer = client().get(address)
    assert answer.status_code == 200
    assert "alert(1)</script>" not in answer.text
    found = dict(re.findall(r'<meta (?:name|property)="([\w:]+)" content="([^"]*)">', answer.text))
    titles = re.findall(r"<title>(.*?)</title>", answer.text)
    assert len(titles) == 1
    return {key: html.unescape(text) for key, text in (found | {"title": titles[0]}).items()}


def read_short(view: dict[str, str], title: str = "", note: str = "") -> dict[str, str]:
    """That of a short link to Attention."""
    return read(f"/s/{short_links.make(Content('attention', view, title, note)).letters}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.url_path or "home")
def test_a_full_link_has_no_preview(page: previews.Page) -> None:
    path = f"/{page.url_path}"
    answer = client().get(path)
    assert "og:" not in answer.text
    assert "static/js/index" in answer.text  # Streamlit's own document
    assert f"<title>{page.title} · seq2seq-lab</title>" in answer.text
    assert answer.text == client().get(f"{path}?run=demo-en-fr&src={MARKUP}").text


def test_a_short_link_says_its_sentence_and_shows_its_weights() -> None:
    said = read_short({"run": "demo-en-fr", "src": "the red house", "layer": "1", "head": "3"})
    assert said["title"] == said["og:title"] == "Attention: the red house · seq2seq-lab"
    assert said["og:description"].endswith("· demo-en-fr")
    assert said["og:image"].startswith("https://s2s.example/preview.png?page=attention&")
    answer = client().get(said["og:image"])
    assert answer.headers["content-type"] == "image/png"
    assert answer.content[:4] == b"\x89PNG"
    others = [said["og:image"].replace(*change) for change in (("head=3", "head=4"), ("fr", "xx"))]
    assert len({answer.content, *(client().get(other).content for other in others)}) == 3


def test_hostile_values_are_shown_as_they_were_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    view = {"src": MARKUP, "run": MARKUP, "layer": "999", "head": "x", "step": "9", "kind": "y"}
    said = read_short(view)
    assert MARKUP in said["title"]
    assert client().get(said["og:image"]).status_code == 200
    assert len(read_short({"src": "x" * 1500})["title"]) < 120
    for path in ("/etc", "..%2F..%2Fetc", "x" * 300):
        assert client().get(f"/preview.png?page=attention&run={path}").status_code == 200
    assert client().get("/preview.png?page=../x").status_code == 404
    monkeypatch.setattr(previews, "MOST_WAITING", 0)
    assert client().get("/preview.png?page=").status_code == 503


def test_a_short_link_shows_the_words_of_its_sender() -> None:
    view = {"run": "demo-en-fr", "src": "the red house"}
    said = read_short(view, MARKUP, "Look.")
    assert (said["title"], said["og:title"], said["og:description"]) == (MARKUP, MARKUP, "Look.")
    plain = read_short(view)
    assert plain["title"] == "Attention: the red house · seq2seq-lab"
    assert said["og:image"] == plain["og:image"]
    assert client().get(plain["og:image"]).status_code == 200


def test_a_robot_reads_nothing_of_a_private_run(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_run(runs_folder() / RUN, {})
    RunFolder(folder).amend(lambda about: {"owner": "ana", "name": "first model"})
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    run = sharing.thing("run", RUN, "ana")
    with asker.acting_as("ana"):
        private, missing = (read_short({"run": of, "src": "1 2 3"}) for of in (RUN, "gone"))
        assert private["description"] == missing["description"]
        unseen = client().get(private["og:image"]).content
        assert unseen == client().get(missing["og:image"]).content
        sharing.share(run, Sharing(link=True))
        assert read_short({"run": RUN, "src": "1 2 3"})["description"].endswith("· first model")
        assert client().get(private["og:image"]).content != unseen
        sharing.share(run, Sharing())
    assert client().get(private["og:image"]).content == unseen


def test_the_title_of_a_tab_is_short_and_on_one_line() -> None:
    page = next(row for row in PAGES if row.url_path == "attention")
    assert browser_title(page, "a\nb") == "Attention: a b · seq2seq-lab"
    assert len(browser_title(page, "x" * 999)) < 100

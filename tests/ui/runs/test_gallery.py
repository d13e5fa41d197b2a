"""The view Gallery of Runs: publish under Share, find, copy, report, and what the operator does."""

import re
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from s2s import access, gallery, short_links
from s2s.access import Sharing
from s2s.runs import RunFolder, list_runs
from s2s.share import unpack
from s2s.short_links import Content
from s2s.ui.shell import operator, visitors
from tests.conftest import make_run
from tests.screen import opened, page_markdown, page_text

RUN = "anas0123456789ab"
MARKUP = '<img src=x onerror=alert(1)> "**bold**" :red[x]'
KEY = "k" * 40


@pytest.fixture
def visit(monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    """Opens an address as a visitor with this workspace, of a server with a published run of Ana's."""
    folder = make_run(access.runs_folder() / RUN, {})
    RunFolder(folder).amend(lambda about: {"owner": "ana", "name": "first model"})
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    monkeypatch.setenv("S2S_OPERATOR_KEY", KEY)
    with access.acting_as("ana"):
        view = {"run": RUN, "src": "1 2 3"}
        link = short_links.make(Content("attention", view, MARKUP, "Read *this*"))
        gallery.publish(link.letters)
        access.share(access.run_of(RUN, "ana"), Sharing(link=True, copy=True))

    def as_visitor(workspace: str, path: str = "runs", **params: str) -> AppTest:
        monkeypatch.setattr(visitors, "workspace_of_visitor", lambda: workspace)
        monkeypatch.setattr(visitors, "cookies", dict)
        return opened(path, **(params or {"set": "tab:gallery"}))

    return as_visitor


def letters() -> list[str]:
    with access.acting_as(access.NOBODY):
        return [entry.letters for entry in gallery.entries()]


def test_a_guest_finds_copies_and_reports_and_the_operator_unpublishes(
    visit: Callable[..., AppTest],
) -> None:
    (one,) = letters()
    his = visit("bob")
    assert not his.exception
    picture = next(body for each in his.get("html") if "published" in (body := each.proto.body))
    assert 'src="preview.png?page=attention&amp;run=anas' in picture
    assert "&lt;img src=x onerror=alert(1)&gt; &quot;" in picture
    said = page_markdown(his)
    assert MARKUP not in said
    assert r"Read \*this\*" in said
    lines = RunFolder(access.runs_folder() / RUN).lines("metrics")
    best = min((line for line in lines if line["kind"] == "valid"), key=lambda line: line["loss"])
    share = 100 * best["token_accuracy"]
    numbers = rf"validation loss {best['loss']:.3f} · token accuracy {share:.1f}%"
    assert re.search(rf"Attention · BLEU \d\.\d · {numbers}", page_text(his))
    assert not any("unpublish" in str(button.key) for button in his.button)
    his.text_input(key="runs search").set_value("nowhere").run()
    assert "No published view has the words “nowhere”" in page_text(his)
    assert unpack(his.session_state["set"]) == {"tab": "gallery", "search": "nowhere"}
    his.text_input(key="runs search").set_value("READ bold").run()

    his.text_input(key=f"reason {one}").set_value("Not *nice*")
    send = next(each for each in his.button if each.label == "Report to the operator")
    send.click().run()
    assert "reads your report" in his.toast[0].value
    his.button(key=f"copy {one}").click().run()
    assert not his.exception
    assert [row.id for row in list_runs("bob")] == [his.selectbox(key="run").value]

    screen = visit("", "operator")
    screen.text_input(key="operator key").set_value(KEY)
    next(button for button in screen.button if button.label == "Continue").click().run()
    assert "“Not *nice*”" in page_text(screen)
    screen.button(key=f"hide {one}").click().run()
    assert "out of the gallery" in screen.success[0].value
    assert "No published view is reported" in page_text(screen)
    assert "Nothing is published yet" in "".join(each.value for each in visit("bob").subheader)


def test_an_owner_publishes_under_share_and_unpublishes(
    visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operator, "has_operator_page", lambda: False)
    (old,) = letters()
    hers = visit("ana")
    hers.button(key=f"unpublish {old}").click().run()
    assert not letters()
    hers = visit("ana", "attention", run=RUN, src="1 2 3")
    next(each for each in hers.button if each.label == "Make a short link").click().run()
    link = hers.session_state["made short link"]
    switch = hers.toggle(key=f"publish {link.letters}")
    assert switch.value is False
    switch.set_value(True).run()
    assert letters() == [link.letters]
    assert hers.toggle(key=f"publish {link.letters}").value is True
    hers.toggle(key=f"share run {RUN}").set_value(False).run()
    assert not letters()
    assert hers.toggle(key=f"publish {link.letters}").value is False


def test_on_ones_own_computer_the_gallery_is_a_list_of_ones_own() -> None:
    assert "nobody else sees them" in page_text(opened("runs", set="tab:gallery"))
    link = short_links.make(Content("attention", {"run": "demo-en-fr", "src": "the red house"}))
    gallery.publish(link.letters)
    screen = opened("runs", set="tab:gallery")
    assert "Attention: the red house" in page_text(screen)
    assert "validation loss 0.068 · token accuracy 99.9%" in page_text(screen)
    assert not any("Report" in str(each.label) for each in screen.button)
    screen.button(key=f"unpublish {link.letters}").click().run()
    assert not list(gallery.entries())

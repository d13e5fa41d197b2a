"""Same word: what its links open, and that the page, its own code and a copied link ask the same."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

import s2s
from s2s.links.share import unpack
from s2s.questions import TWO_BANKS, Have, SameWord, partner, shared_word, words_in
from s2s.runs import runs_folder
from tests.conftest import make_run
from tests.screen import ROOT, link, lost, opened

HERE, THERE = TWO_BANKS
WHOLE = "strategy:{},view:same,side:encoder,colour:word,shown:both,layers:one"  # as pages wrote it
PUBLISHED = [
    line
    for line in (ROOT / "tests" / "links.txt").read_text().splitlines()
    if urlsplit(line).path == "/states" and "view:same" in line
]
OLD = (
    f"/states?src={HERE}&layer=1&set=view:same,second:{THERE},word:2,word2:4",
    f"/states?v=1&run=demo-en-fr&step=1500&src={HERE}&tgt=la+banque&layer=0&set={WHOLE.format('greedy')},word:6,word2:6",
    f"/states?src=the+red+house&set={WHOLE.format('beam')},second:a+red+door,word:2,word2:3",
    "/states?run=demo-tasks&layer=2&set=view:same",
    f"/states?src={HERE}&set=view:same,word2:6",
    "/states?run=mine&step=20&src=1+2+3&layer=1&set=view:same,second:3+2+4,word2:3",
)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    found: list[Any] = []
    monkeypatch.setattr(s2s, "ask", found.append, raising=False)
    return found


def question_of(screen: AppTest, asked: list[Any]) -> SameWord:
    """What the code in the menu of the picture asks: that of the screen."""
    assert not screen.exception
    screen.session_state["menu same word"] = True
    screen.run()
    assert not screen.exception
    (code,) = (each.value for each in screen.code if each.language == "python")
    asked.clear()
    exec(code, {})  # as somebody pastes it
    (question,) = asked
    assert isinstance(question, SameWord)
    return question


def positions(question: SameWord) -> list[int]:
    run = Have().run(question.run)
    shared = shared_word(*(words_in(run, text) for text in (question.text, question.second)))
    chosen = zip((question.word, question.word2), shared, strict=True)
    return [given or place + 1 for given, place in chosen]


@pytest.mark.parametrize("address", [*PUBLISHED, *OLD])
def test_a_link_opens_on_the_same_sentences_words_and_layer_also_copied_again(
    address: str, asked: list[Any]
) -> None:
    if "run=mine" in address:
        make_run(runs_folder() / "mine", {})
    params = dict(parse_qsl(urlsplit(address).query))
    said = unpack(params["set"])
    screen = opened("states", **params)
    question = question_of(screen, asked)
    assert not lost(screen)
    name, step = question.run.split("@")
    run = s2s.load(name)
    assert name == params.get("run", "demo-en-fr")
    assert step == params.get("step", str(run.step))
    assert question.text == params.get("src", question.text)
    assert question.second == said.get("second", partner(run, question.text))
    assert question.strategy == said.get("strategy", "beam")
    assert question.layer == params.get("layer", "")
    places = zip(("word", "word2"), positions(question), strict=True)
    assert all(said.get(word, str(place)) == str(place) for word, place in places)
    copied = dict(parse_qsl(urlsplit(link(screen)).query))
    assert question_of(opened("states", **copied), asked) == question


def test_a_word_chosen_here_is_in_the_code_and_in_the_link_and_stays_behind_another_tab(
    asked: list[Any],
) -> None:
    screen = opened("states", src=HERE, set="view:same")
    screen.selectbox(key="states word").set_value("6").run()
    assert positions(question_of(screen, asked)) == [6, 4]
    assert unpack(screen.session_state["set"])["word"] == "6"
    for view in ("near", "map", "same"):
        screen.segmented_control(key="states view").set_value(view).run()
    assert positions(question_of(screen, asked)) == [6, 4]
    screen.text_input(key="states second").set_value("a red bank").run()
    assert positions(question_of(screen, asked)) == [2, 3]
    assert settings_of(screen) == "Settings"


def settings_of(screen: AppTest) -> str:
    """The title of the folded settings."""
    (box,) = (one for one in walked(screen.main) if one.proto.popover.icon.endswith("tune:"))
    return str(box.proto.popover.label).replace("*", "")


def walked(block: Any) -> Iterator[Any]:
    """Every popover below."""
    for child in getattr(block, "children", {}).values():
        if getattr(child, "type", "") == "popover":
            yield child
        yield from walked(child)


def test_the_settings_say_what_is_not_as_usual() -> None:
    titles = {
        "": "Settings",
        "word:2,word2:4": "Settings",
        "word2:6": "Settings: words 2 and 6",
        "word:99": "Settings",  # the sentence has no such word, as the page says
        "strategy:greedy,word:1": "Settings: greedy, words 1 and 4",
    }
    for given, title in titles.items():
        assert settings_of(opened("states", src=HERE, set=f"view:same,{given}")) == title


def test_what_cannot_be_compared_is_said_where_the_answer_would_be() -> None:
    screen = opened("states", src="... !", set=f"view:same,second:{THERE}")
    assert not screen.exception
    assert ["no word to compare" in str(each.value) for each in screen.error] == [True]
    assert not screen.get("plotly_chart")
    screen.text_input(key="src").set_value("the money").run()
    assert not screen.error
    assert screen.get("plotly_chart")

"""Home with several sentences."""

from streamlit.testing.v1 import AppTest

import s2s
from s2s.links.share import unpack
from tests.screen import link, opened, picture

TEXT = "I saw the dog. Where is it? She went to the station."
SENTENCES = ("I saw the dog.", "Where is it?", "She went to the station.")


def html_of(screen: AppTest) -> str:
    assert not screen.exception
    return "".join(str(each.proto.body) for each in screen.get("html"))


def chooser(screen: AppTest) -> list[str]:
    """The sentences to choose from."""
    return [
        str(option).replace("\\", "")
        for each in screen.get("button_group")
        if "Look inside" in each.proto.label
        for option in each.options
    ]


def test_sentences_are_translated_one_by_one(sentence_run: str) -> None:
    screen = opened(run=sentence_run, src=TEXT)
    shown = html_of(screen)
    for found in s2s.load(sentence_run).translate(SENTENCES, "beam"):
        assert f'<small dir="auto">{found.source}</small>' in shown
        assert f">{found.text or '(empty)'}</p>" in shown
    assert chooser(screen) == [f"{number}: {each}" for number, each in enumerate(SENTENCES, 1)]


def test_the_picture_is_of_the_chosen_sentence_which_the_link_carries(sentence_run: str) -> None:
    run = s2s.load(sentence_run)
    screen = opened(run=sentence_run, src=TEXT, set="sentence:3")
    (found,) = run.translate([SENTENCES[2]], "beam")
    seen = run.attention(SENTENCES[2], found.hypotheses[0].ids).cross[-1].mean(0)
    assert picture(screen)[1].shape == seen.shape
    assert unpack(screen.session_state["set"]) == {"sentence": "3"}
    assert "set=sentence%3A3" in link(screen)
    screen.text_input(key="src").set_value("The dog is here. I went.").run()
    assert not screen.exception
    assert "set" not in screen.query_params
    screen.text_input(key="src").set_value("The dog is here.").run()
    assert unpack(screen.session_state["set"]) == {}


def test_one_sentence_has_no_choice(sentence_run: str) -> None:
    screen = opened(run=sentence_run, src=SENTENCES[0], set="sentence:2")
    assert not screen.exception
    assert chooser(screen) == []


def test_of_many_sentences_the_first_are_translated_and_markup_stays_text(
    sentence_run: str,
) -> None:
    screen = opened(run=sentence_run, src="<b>I</b> saw. " + "The dog is here. " * 7)
    assert "&lt;b&gt;I&lt;/b&gt; saw." in html_of(screen)
    captions = [each.value for each in screen.caption]
    assert "Only the first 6 of 8 sentences are translated." in captions
    assert len(chooser(screen)) == 6

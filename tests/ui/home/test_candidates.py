"""A candidate that is pressed on Home: the translation, its picture and its words continue from it."""

import html

import s2s
from tests.screen import link, lost, opened, picture

DEMO = "demo-en-fr"
TEXT = "the red house"


def translation(screen) -> str:
    (said,) = [str(each.proto.body) for each in screen.get("html") if "Click to" in each.proto.body]
    return html.unescape(said.partition(">")[2].partition(">")[2].partition("<")[0])


def test_the_translation_and_its_picture_continue_from_the_words_of_the_link_until_undo() -> None:
    run = s2s.load(DEMO)
    own = run.translate(TEXT, "beam")[0].hypotheses[0].ids
    other = int(run.next_tokens(TEXT, own[:-1])[2].topk(2).indices[1])
    begun = (*own[:2], other)
    found = run.complete(TEXT, begun, "beam")
    forced = ".".join(map(str, begun))
    screen = opened(run=DEMO, src=TEXT, set=f"forced:{forced}")
    assert not screen.exception
    assert translation(screen) == found.text != "la maison rouge"
    assert picture(screen)[1].shape[0] == len(found.hypotheses[0].ids)
    assert forced in link(screen)
    screen.button(key="undo candidate").click().run()
    assert translation(screen) == "la maison rouge"
    assert "set" not in screen.query_params
    assert "undo candidate" not in {each.key for each in screen.button}


def test_words_of_another_model_are_dropped_and_said() -> None:
    screen = opened(run=DEMO, src=TEXT, set="forced:99999")
    assert not screen.exception
    assert translation(screen) == "la maison rouge"
    assert "The forced words cannot be used" in lost(screen)[0]


def test_a_sentence_with_bank_leads_to_its_two_translations() -> None:
    labels = {
        text: [each.proto.label for each in opened(run=DEMO, src=text).get("page_link")]
        for text in ("the bank is by the river", TEXT)
    }
    has_link = ["Why *bank* has two translations" in each for each in labels.values()]
    assert has_link == [True, False]

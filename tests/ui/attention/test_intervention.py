import re
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from s2s.analysis.intervene import Head
from s2s.links.share import pack, unpack
from s2s.questions import Have, Intervene
from tests.screen import link, lost, opened, page_text

DEMO = "demo-en-fr"
TEXT = "the red house"
TARGET = "la maison rouge"


def change(**values: str) -> AppTest:
    """The view, with values of `set`; `kind`, `layer` and `head` are the page's own."""
    own = {key: values.pop(key) for key in ("kind", "layer", "head") if key in values}
    screen = opened("attention", run=DEMO, src=TEXT, set=pack({"view": "change", **values}), **own)
    assert not screen.exception
    return screen


def kept(screen: AppTest) -> dict[str, str]:
    """The view's own values in the address."""
    values = unpack(parse_qs(urlsplit(link(screen)).query)["set"][-1])
    return {
        name: value for name, value in values.items() if name in ("at", "to", "among", "switched")
    }


def texts(screen: AppTest) -> list[str]:
    """The translation without and with the change, as HTML."""
    return [
        str(each.proto.body)
        for each in screen.get("html")
        if str(each.proto.body).startswith('<p dir="auto" title=')
    ]


def bare(marked: str) -> str:
    return re.sub(r"<.*?>", "", re.sub(r"<del.*?</del>\s*", "", marked)).strip()


def finding(screen: AppTest) -> str:
    """What the picture shows, in words; empty where nothing is said."""
    bodies = [str(each.proto.body) for each in screen.get("html")]
    return next((body for body in bodies if "data-answer" in body), "")


def test_without_an_intervention_the_page_offers_an_example() -> None:
    screen = change()
    assert "Choose a token and the source words" in page_text(screen)
    assert not texts(screen)
    screen.button(key="example change").click().run()
    assert not screen.exception
    assert kept(screen) == {"at": "2", "to": "2"}
    assert "made to attend to “red” while it wrote token 2; it wrote “rouge”" in finding(screen)
    answer = Have().answer(Intervene(DEMO, TEXT, at="2", to="2"))
    old, new = texts(screen)
    assert (bare(old), bare(new)) == (TARGET, answer.after.text)
    assert ("<del" in old, "<del" in new) == (False, True)
    assert "Active interventions: while token 2 (“maison”) is written" in page_text(screen)
    table = next(each.value for each in screen.dataframe if "token" in each.value)
    assert answer.next
    assert [*table["with the change"]] == pytest.approx(
        100 * np.asarray(answer.next.after)
    )  # percent


def test_the_share_link_opens_the_same() -> None:
    values = {
        "at": "2",
        "to": "2.3",
        "among": "chosen",
        "switched": "cross.1.2=off encoder.1.1=uniform",
    }
    screen = change(**values, head="2")
    query = parse_qs(urlsplit(link(screen)).query)
    again = opened("attention", **{key: value[-1] for key, value in query.items()})
    assert kept(again) == kept(screen) == values
    asked = Intervene(
        DEMO, TEXT, at="2", to="2.3", overridden="chosen", switched=values["switched"], head="2"
    )
    assert bare(texts(again)[1]) == Have().answer(asked).after.text
    assert (
        "1 head of cross-attention looks only at “red” and “house”; off: cross layer 1 head 2; uniform: encoder"
        in page_text(again)
    )


def test_words_and_tokens_are_chosen_on_the_screen() -> None:
    screen = change()
    screen.selectbox(key="attention at").select(2).run()
    assert "Now choose the source words" in page_text(screen)
    screen.pills(key="attention to").set_value([0, 2]).run()
    assert not screen.exception
    assert kept(screen) == {"at": "3", "to": "1.3"}
    assert len(texts(screen)) == 2
    screen.button(key="reset change").click().run()
    assert not screen.exception
    assert kept(screen) == {}
    assert not texts(screen)
    screen.pills(key="attention to").set_value([1]).run()
    assert "Now choose the target token" in page_text(screen)


def test_heads_are_switched_on_the_screen_those_of_other_kinds_stay() -> None:
    screen = change(kind="encoder")
    # "Select all" would come first: Enter, pressed once, would switch every head off
    assert all(box.proto.select_all == 0 for box in screen.multiselect)
    screen.multiselect(key="attention heads off").set_value(
        [Head("encoder", 0, 1), Head("encoder", 1, 3)]
    )
    screen.multiselect(key="attention heads uniform").set_value([Head("encoder", 0, 0)]).run()
    assert not screen.exception
    own = "encoder.1.1=uniform encoder.1.2=off encoder.2.4=off"
    assert kept(screen) == {"switched": own}
    assert "layer 1 head 2" not in screen.multiselect(key="attention heads uniform").options
    assert "layer 1 head 1" not in screen.multiselect(key="attention heads off").options
    screen.segmented_control(key="kind").set_value("cross").run()
    screen.multiselect(key="attention heads off").set_value([Head("cross", 1, 0)]).run()
    assert kept(screen) == {"switched": f"cross.2.1=off {own}"}
    assert "With 4 heads changed" in finding(screen)
    screen.text_input(key="src").set_value("the cat sleeps").run()
    assert kept(screen) == {
        "switched": f"cross.2.1=off {own}"
    }  # heads are the model's, places the sentence's


def test_only_the_selected_layer_of_cross_attention_can_be_overridden() -> None:
    screen = change(at="3", to="3", among="chosen", layer="1")
    assert "4 heads of cross-attention look only at" in page_text(screen)
    assert screen.segmented_control(key="attention overridden").options == [
        "All layers and heads",
        "Only layer 1",
    ]
    screen.segmented_control(key="kind").set_value("decoder").run()
    assert "all heads of cross-attention look only at" in page_text(screen)
    assert "all heads of cross-attention" in page_text(
        change(at="3", to="3", among="chosen", layer="mean")
    )


@pytest.mark.parametrize(
    ("values", "sentences", "left"),
    [
        (
            {"at": "99", "switched": "cross.9.1=off"},
            (
                "There is no token 99 in this translation; it has 4",
                "cross.9.1=off names no head or intervention of this model",
            ),
            {},
        ),
        (
            {"at": "0", "to": "9", "switched": "zebra"},
            (
                "There is no token 0",
                "The link overrides attention with 9; this source has the tokens 1 to 4",
                "zebra names no head",
            ),
            {},
        ),
        (
            {"at": "1.2", "to": "red", "switched": "cross.1.1=louder"},
            (
                "There is no token 1.2",
                "overrides attention with red",
                "cross.1.1=louder names no head",
            ),
            {},
        ),
        ({"at": "**x**"}, ("There is no token **x**",), {}),
        (
            {"at": "1", "to": "2", "among": "zebra", "switched": "cross.1.2=off cross.1.0=off"},
            ("not in zebra; all are used", "cross.1.0=off names no head"),
            {"at": "1", "to": "2", "switched": "cross.1.2=off"},
        ),
    ],
)
def test_what_a_link_asks_for_and_does_not_exist_is_reported(
    values: dict[str, str], sentences: tuple[str, ...], left: dict[str, str]
) -> None:
    screen = change(**values)
    (told,) = lost(screen)
    told = re.sub(r"\\(.)", r"\1", told).replace("\u2060", "")
    assert all(sentence in told for sentence in sentences)
    assert kept(screen) == left


def test_positions_are_forgotten_with_their_sentence_and_so_is_what_a_link_lost() -> None:
    screen = change(at="3", to="3", switched="cross.1.1=off cross.9.1=off")
    assert len(lost(screen)) == 1
    screen.text_input(key="src").set_value("the cat sleeps").run()
    assert not screen.exception
    assert not lost(screen)
    assert kept(screen) == {"switched": "cross.1.1=off"}

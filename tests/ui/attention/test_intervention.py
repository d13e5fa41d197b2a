import csv
import io
import re
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import s2s
from s2s.analysis import Attention
from s2s.analysis.intervene import WEIGHT_INTERVENTIONS, Head
from s2s.runs import (
    Decoded,
    DecodedHypothesis,
    InterventionResult,
    Interventions,
    Run,
    translate_with,
)
from s2s.share import pack, unpack
from s2s.ui.attention import intervention_effect
from tests.screen import link, lost, opened, page_text

DEMO = "demo-en-fr"
TEXT = "the red house"
TARGET = "la maison rouge"


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load(DEMO)


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


def test_without_an_intervention_the_page_offers_an_example(run: Run) -> None:
    screen = change()
    assert "Choose a token and the source words" in page_text(screen)
    assert not texts(screen)
    screen.button(key="example change").click().run()
    assert not screen.exception
    assert kept(screen) == {"at": "2", "to": "2"}
    assert (
        "The model was made to attend to *red* while it wrote token 2; it wrote *rouge* instead of *maison*"
        in page_text(screen)
    )
    assert [bare(text) for text in texts(screen)] == [
        TARGET,
        translate_with(run, TEXT, TARGET, Interventions((), 1, (1,))).after.text,
    ]


def test_attention_is_overridden_as_the_link_says(run: Run) -> None:
    screen = change(at="3", to="3")
    found = translate_with(run, TEXT, TARGET, Interventions((), 2, (2,)))
    old, new = texts(screen)
    assert bare(old) == TARGET
    assert bare(new) == found.after.text
    assert "<ins" in new
    assert "<ins" not in old
    assert f"With the change · log-probability {found.after.log_prob:.2f} nats".replace(
        "-0", "−0"
    ) in page_text(screen)
    assert (
        "Active interventions: while token 3 (*rouge*) is written, all heads of cross-attention look only at *house*."
        in page_text(screen)
    )
    assert found.next is not None
    table = next(each.value for each in screen.dataframe if "token" in each.value)
    assert table["token"].iloc[0] == "rouge"
    assert list(table["without"]) == sorted(table["without"], reverse=True)
    row = table[table["token"] == "maison"]
    (token,) = run.tgt_tokenizer.encode("maison")
    assert float(row["with"].iloc[0]) == pytest.approx(
        float(found.next.after[token].exp()), abs=1e-5
    )
    assert float(row["without"].iloc[0]) == pytest.approx(
        float(found.next.before[token].exp()), abs=1e-5
    )


def test_the_share_link_opens_the_same(run: Run) -> None:
    screen = change(
        at="2", to="2.3", among="chosen", switched="cross.1.2=off encoder.1.1=uniform", head="2"
    )
    again = opened(
        "attention",
        **{key: value[-1] for key, value in parse_qs(urlsplit(link(screen)).query).items()},
    )
    assert (
        kept(again)
        == kept(screen)
        == {
            "at": "2",
            "to": "2.3",
            "among": "chosen",
            "switched": "cross.1.2=off encoder.1.1=uniform",
        }
    )
    assert texts(again) == texts(screen)
    assert (
        "1 head of cross-attention looks only at *red* and *house*; off: cross layer 1 head 2; uniform: encoder"
        in page_text(again)
    )
    both = Interventions(
        ((Head("cross", 0, 1), "off"), (Head("encoder", 0, 0), "uniform")),
        1,
        (1, 2),
        (Head("cross", 1, 1),),
    )
    assert bare(texts(again)[1]) == translate_with(run, TEXT, TARGET, both).after.text


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
    assert "With 4 heads changed" in page_text(screen)
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


def decoded(*tokens: str) -> Decoded:
    return Decoded(
        "",
        (
            DecodedHypothesis(
                " ".join(tokens),
                tokens,
                (-1.0,) * len(tokens),
                -1.0,
                -1.0,
                tuple(range(len(tokens))),
            ),
        ),
    )


ROWS = np.zeros((1, 1, 3, 3), np.float32)
SEEN = Attention(
    ("*red*", ":red[x]", "</s>"), ("<s>", "a", "b"), ("a", "b", "</s>"), ROWS, ROWS, ROWS
)


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (
            ("a", "b", "</s>"),
            ("a", "c", "</s>"),
            "it wrote *c* instead of *b*, then continued on its own.",
        ),
        (
            ("a", "b", "</s>"),
            ("a", "b", "</s>"),
            "it wrote *b* anyway, then continued on its own.",
        ),
        (("a", "b", "</s>"), ("a", "</s>"), "it stopped instead of writing *b*."),
        (
            ("a", "</s>"),
            ("a", "b", "</s>"),
            "it wrote *b* instead of stopping, then continued on its own.",
        ),
        (("a", "</s>"), ("a", "</s>"), "it stopped there anyway."),
    ],
)
def test_the_summary_says_what_happened(
    before: tuple[str, ...], after: tuple[str, ...], sentence: str
) -> None:
    found = InterventionResult(1, decoded(*before), decoded(*after), SEEN, None)
    summary = intervention_effect.summary(SEEN, Interventions((), 1, (2,)), found)
    assert summary.endswith(sentence)
    assert summary.startswith("The model was made to attend to")


def test_tokens_are_escaped_and_many_heads_are_counted() -> None:
    heads = tuple(
        (Head("cross", layer, 0), how) for how in WEIGHT_INTERVENTIONS for layer in range(5)
    )
    sentence = intervention_effect.describe(Interventions(heads, 0, (0, 1)), SEEN)
    assert r"*\*red\**" in sentence
    assert ":red[" not in sentence
    assert sentence.count("and 1 more") == 2
    rows = intervention_effect.table_csv([("=1+1", 0.5, 0.25)])
    assert [*csv.reader(io.StringIO(rows))] == [
        ["token", "without the change", "with the change"],
        ["'=1+1", "0.5", "0.25"],
    ]

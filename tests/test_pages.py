import shutil
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import s2s
from s2s.links.share import unpack
from s2s.runs import runs_folder
from s2s.ui.kit import cached, vocabulary
from s2s.ui.kit.sentence import MAX_SHOWN
from s2s.ui.kit.text import plain
from tests.screen import box, link, opened, page_markdown, page_text, picture, translation

DEMO = "demo-en-fr"
EVERYDAY = "demo-en-de"


def test_home_opens_with_a_translation_and_its_attention_and_a_chip_fills_the_box() -> None:
    screen = opened(run=DEMO)
    assert not screen.exception
    assert box(screen) == "the cat sits on the mat"
    assert translation(screen).split()[1] == "chat"
    run = s2s.load(DEMO)
    title, weights = picture(screen)
    seen = run.attention(box(screen), translation(screen))
    assert title == f"{DEMO} · step 1,500<br>cross-attention · layer 2 of 2 · mean of 4 heads"
    np.testing.assert_allclose(weights, seen.cross[-1].mean(0), atol=1e-6)
    assert f"Knows {len(run.src_tokenizer.words)} English words" in page_text(screen)
    assert "The model reads" not in page_text(screen)  # as it was typed
    screen.button(key="chip4").click().run()  # which fills the box
    assert not screen.exception
    assert box(screen) == "the red house"
    assert translation(screen) == "la maison rouge"


def test_layer_and_head_choose_the_picture_and_the_share_link_opens_it() -> None:
    screen = opened(src="the red house", layer="1", head="3")
    title, weights = picture(screen)
    seen = s2s.load(DEMO).attention("the red house", translation(screen))
    assert title == f"{DEMO} · step 1,500<br>cross-attention · layer 1 of 2 · head 3 of 4"
    np.testing.assert_allclose(weights, seen.cross[0, 2], atol=1e-6)
    assert link(screen) == f"/?v=1&run={DEMO}&src=the+red+house&layer=1&head=3"
    again = opened(v="1", run=DEMO, src="the red house", layer="1", head="3")
    np.testing.assert_array_equal(picture(again)[1], weights)


def test_surprise_me_never_says_the_same_twice_and_an_empty_box_says_what_to_do() -> None:
    screen = opened()
    before = box(screen)
    for _ in range(3):
        screen.button(key="surprise").click().run()
        assert not screen.exception
        assert box(screen) != before
        assert "known words: " not in page_text(screen)
        before = box(screen)
    screen.text_input(key="src").set_value("   ").run()
    assert not screen.exception
    assert "Type a sentence above" in page_text(screen)
    assert not screen.get("plotly_chart")
    assert "src=+++" in link(screen)


@pytest.mark.parametrize(
    ("typed", "button"), [("the tiger sleeps", "suggestion 0 0"), ("the tiger eats a giraffe", "suggestions")]
)  # fmt: skip
def test_unknown_words_are_marked_and_the_nearest_known_ones_offered(
    typed: str, button: str
) -> None:
    screen = opened(src=typed)
    (said,) = [line for line in page_text(screen).splitlines() if " known words: " in line]
    assert "guess" in said
    for strange in s2s.load(DEMO).unknown(typed):
        assert f"**{strange}**" in said
    screen.button(key=button).click().run()
    assert not screen.exception
    assert not s2s.load(DEMO).unknown(box(screen))
    assert "known words: " not in page_text(screen)


def test_a_sentence_with_capital_and_full_stop_simply_works() -> None:
    screen = opened(src="The cat sits on the mat.")
    assert translation(screen) == "le chat est assis sur le tapis"
    assert "The model reads: the cat sits on the mat" in page_text(screen)
    assert "known words: " not in page_text(screen)


def test_a_press_on_an_alternative_writes_it() -> None:
    run = s2s.load(DEMO)
    (found,) = run.translate(["the red house"], "beam")
    ids = (run.next_tokens("the red house", ())[0].topk(2).indices[1].item(),)
    expected = run.complete("the red house", ids, "beam").text
    assert expected != found.text
    screen = opened(src="the red house", set=f"forced:{ids[0]}")
    assert unpack(screen.session_state["set"]) == {"forced": str(ids[0])}
    assert translation(screen) == expected
    screen.text_input(key="src").set_value("the cat sleeps").run()
    assert "set" not in screen.query_params
    screen = opened(src="the red house", set="forced:999999")
    assert translation(screen) == found.text


def test_without_a_sentence_a_link_says_neither_its_target_nor_what_another_page_shows() -> None:
    screen = opened("heads", run=DEMO, set="view:importance")
    screen.switch_page("pages/inspect/attention.py").run()
    screen.text_input(key="src").set_value("the red house").run()
    screen.text_input(key="tgt box").set_value("la maison verte").run()
    assert "verte" in link(screen)
    screen.text_input(key="src").set_value("").run()
    assert not screen.exception
    assert "importance" not in link(screen)
    assert "verte" not in link(screen)


def html_of(screen: AppTest) -> str:
    return "".join(str(element.proto.body) for element in screen.get("html"))


def test_a_french_word_is_unknown_on_the_english_side() -> None:
    assert [*s2s.load(DEMO).unknown("the chat sleeps")] == ["chat"]


@pytest.mark.parametrize(
    ("params", "sentences"),
    [
        (
            {"run": "../../etc/passwd", "layer": "-1", "src": "cat " * 2000},
            ["passwd", "layer 2 is shown instead", "was cleaned"],
        ),
        (
            {
                "run": "gone",
                "src": "a\x00b",
                "layer": "99",
                "head": "<script>alert(1)</script>",
                "v": "7",
            },
            [
                "There is no run gone",
                "was cleaned",
                "layer 99, which this model doesn't have",
                "head mean is shown instead",
                "another version",
            ],
        ),
    ],
)
def test_a_broken_link_shows_the_page_and_says_what_was_lost(
    params: dict[str, str], sentences: list[str]
) -> None:
    screen = opened(**params)
    assert not screen.exception
    assert not [sentence for sentence in sentences if sentence not in page_text(screen)]
    assert picture(screen)[1].size
    screen.button(key="chip4").click().run()  # the next thing anybody does
    assert not screen.exception
    assert not [sentence for sentence in sentences if sentence in page_text(screen)]


def test_a_sentence_too_long_is_cut_in_a_sentence() -> None:
    screen = opened(src=" ".join(["the cat"] * 100))
    assert "Only the first 128 of 200 words" in page_text(screen)
    assert picture(screen)[0].endswith("× 129")  # of all columns, the first are drawn


MARKUP = (
    "**bold** :material/home: $x^2$",
    "<img src=x onerror=alert(1)>",
    ":red[x] [a](http://b) `x`",
)


@pytest.mark.parametrize("text", MARKUP)
def test_markup_in_the_box_is_inert(text: str) -> None:
    screen = opened(src=f"the {text} cat")
    assert not screen.exception
    strange = [word for word in text.split() if not word.isalpha()]
    for word in strange[:MAX_SHOWN]:
        assert f"**{plain(word)}**" in page_markdown(screen)


@pytest.fixture
def own() -> str:
    """A run of the visitor's own, with data that no grammar wrote."""
    folder = runs_folder() / "mine"
    shutil.copytree(cached.DEMO_FOLDER / DEMO, folder)
    recipe = folder / "recipe.json"
    recipe.write_text(
        recipe.read_text()
        .replace("builtin:en-fr", "pairs.tsv")
        .replace(f'"name": "{DEMO}"', '"name": "My own"')
    )
    (runs_folder() / "unfinished").mkdir()
    return folder.name


def test_own_runs_can_be_picked_and_bring_their_sentences(own: str) -> None:
    assert own in cached.runs()
    assert "unfinished" not in cached.runs()
    assert next(iter(cached.runs())) == EVERYDAY
    screen = opened(run=own)
    assert not screen.exception
    probes = [line["source"] for line in s2s.load(own).folder.lines("samples")]
    assert box(screen) == probes[0]
    assert picture(screen)[0].startswith("My own · ")


def test_picking_another_run_keeps_a_sentence_that_it_can_read(own: str) -> None:
    screen = opened(run=DEMO)
    screen.selectbox(key="run").set_value(own).run()
    assert not screen.exception
    assert box(screen) == vocabulary.of(s2s.load(DEMO)).examples[0]
    screen.text_input(key="src").set_value("the dog sleeps").run()
    screen.selectbox(key="run").set_value(DEMO).run()
    assert box(screen) == "the dog sleeps"  # what somebody typed stays


def test_a_run_that_cannot_be_opened_says_why(own: str) -> None:
    recipe = runs_folder() / own / "recipe.json"
    recipe.write_text(recipe.read_text().replace('"format": 1', '"format": 99'))
    screen = opened(run=own)
    assert not screen.exception
    assert "format 99" in page_text(screen).replace("\\", "")


def test_without_any_run_home_says_how_to_make_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("s2s.ui.kit.cached.stored_runs.DEMO_FOLDER", tmp_path / "none")
    screen = opened()
    assert not screen.exception
    assert "There is no trained run yet; train one on the page Train." in page_text(screen)

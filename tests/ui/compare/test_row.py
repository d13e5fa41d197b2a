"""One row: a run, a checkpoint and a strategy with its settings."""

import pytest

import s2s
from s2s import decode
from s2s.links.share import Column
from s2s.ui.compare.rows import KEYS
from tests.screen import link, lost, opened, page_text
from tests.ui.compare.test_compare import texts

DEMO = "demo-en-fr"
STRATEGIES = tuple(decode.STRATEGIES)


def test_a_row_is_a_link(own_run: str) -> None:
    values = {
        "num_beams": "3",
        "length_penalty": "0.5",
        "length_formula": "power",
        "early_stopping": "never",
        "max_new_tokens": "9",
    }
    written = str(Column(own_run, "20", "beam", values))
    screen = opened("compare", src="1 2 3", c1=written)
    assert not lost(screen)
    assert screen.session_state["run"] == own_run
    assert screen.session_state["c1"] == written
    expected = s2s.load(own_run, 20).translate(
        ["1 2 3"], "beam", num_beams=3, length_penalty=0.5, early_stopping="never", max_new_tokens=9
    )[0]
    assert texts(screen) == [expected.text or "(nothing)"]
    assert len(expected.hypotheses) == 3
    assert "c1=" in link(screen)


@pytest.mark.parametrize("strategies", [STRATEGIES[: len(KEYS)], STRATEGIES[len(KEYS) :]])
def test_every_strategy_is_decoded_on_the_page(strategies: tuple[str, ...]) -> None:
    columns = {key: f"{DEMO}!{strategy}!" for key, strategy in zip(KEYS, strategies, strict=False)}
    screen = opened("compare", src="the red house", **columns)
    assert not lost(screen)
    run = s2s.load(DEMO)
    assert texts(screen) == [
        run.translate(["the red house"], strategy)[0].text for strategy in strategies
    ]


def test_a_setting_that_cannot_be_obeyed_is_said_in_its_row() -> None:
    screen = opened("compare", src="the red house", c1=f"{DEMO}!constrained!force_words:zebrä")
    assert "is not in this model's target vocabulary" in texts(screen)[0]
    assert not screen.exception


def test_more_settings_are_drawn_while_open_and_kept_while_closed() -> None:
    """A setting moves the link, and its default leaves the address."""
    key = "c1 beam repetition_penalty"
    screen = opened("compare", src="the red house")
    assert key not in {each.key for each in screen.number_input}
    screen.number_input(key="c1 beam num_beams").set_value(2).run()
    assert Column.read(screen.session_state["c1"]).settings["num_beams"] == "2"
    assert screen.query_params["c1"] in (screen.session_state["c1"], [screen.session_state["c1"]])
    screen.session_state["c1 beam rules"] = True
    screen.number_input(key="c1 beam num_beams").set_value(5).run()
    assert "c1" not in screen.query_params  # what one finds without it
    screen.number_input(key=key).set_value(1.3).run()
    assert screen.number_input(key=key).value == 1.3
    screen.session_state["c1 beam rules"] = False
    screen.run()
    assert key not in {each.key for each in screen.number_input}
    assert Column.read(screen.session_state["c1"]).settings["repetition_penalty"] == "1.3"


def test_what_a_link_changes_is_seen_at_once_and_of_a_sample_with_one_setting_that_one() -> None:
    screen = opened("compare", src="the red house", c1=f"{DEMO}!beam!repetition_penalty:1.3")
    assert screen.number_input(key="c1 beam repetition_penalty").value == 1.3
    screen = opened("compare", src="the red house", c1=f"{DEMO}!sample!top_p:0.8")
    shown = {str(each.key) for each in screen.number_input if "sample" in str(each.key)}
    assert shown == {"c1 sample top_p", "c1 sample seed"}


def test_a_search_whose_penalty_decides_offers_another_one() -> None:
    source = "They really know how to throw a party!"
    screen = opened("compare", run="demo-en-de", src=source, c1="demo-en-de!beam")
    before = texts(screen)
    screen.button(key="c1 lower length_penalty").click().run()
    assert texts(screen) != before
    penalty = float(Column.read(screen.session_state["c1"]).settings["length_penalty"])
    assert screen.number_input(key="c1 beam length_penalty").value == penalty < 1


def test_the_tokens_of_a_row_have_their_probabilities_and_its_score_its_arithmetic() -> None:
    screen = opened("compare", src="the red house", c1=f"{DEMO}!greedy!")
    strip = next(
        body for each in screen.get("html") if 'class="tokens"' in (body := str(each.proto.body))
    )
    assert "<b><bdi>maison</bdi></b> <small>94%</small>" in strip
    assert "the log-probability itself" in page_text(screen)

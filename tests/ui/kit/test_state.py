"""A toy page whose state is declared, opened by links and changed by widgets."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from s2s.links.share import unpack
from s2s.ui.kit.state import ViewState, between, field, one_of

TOY = Path(__file__).parent / "toy_page.py"


def opened(link: str = "") -> AppTest:
    page = AppTest.from_file(TOY)
    if link:
        page.query_params["set"] = link
    return page.run()


def link(page: AppTest) -> dict[str, str]:
    return unpack(str(page.session_state["set"]))


def test_a_bare_address_shows_the_defaults_and_writes_none_of_them_into_the_address() -> None:
    page = opened()
    assert not page.exception
    assert "set" not in page.query_params
    assert link(page) == {
        "view": "map",
        "layer": "2",
        "colour": "word",
        "strategy": "beam",
        "names": "a b",
        "unit": "2",
    }


def test_a_link_fills_the_widgets() -> None:
    page = opened("view:lens,layer:3,colour:rank,word:4,is_log:1")
    assert page.selectbox(key="toy view").value == "lens"
    assert page.slider(key="toy layer").value == 3
    assert page.toggle(key="toy is_log").value is True
    assert page.markdown[0].value == "lens 3 rank 4 True"


def test_a_widget_writes_the_link() -> None:
    page = opened()
    page.selectbox(key="toy view").select("lens").run()
    page.slider(key="toy layer").set_value(4).run()
    assert link(page).items() >= {"view": "lens", "layer": "4"}.items()
    assert page.query_params["set"] == page.session_state["set"]


@pytest.mark.parametrize("wrong", ["view:film", "layer:9", "layer:two", "colour:sound"])
def test_what_a_link_cannot_mean_is_said_and_the_default_is_shown(wrong: str) -> None:
    page = opened(f"{wrong},word:4")
    assert page.markdown[0].value == "map 2 word 4 False"
    assert wrong.partition(":")[2] in page.session_state["notices"][0].sentence
    assert len(page.session_state["notices"]) == 1


def test_what_belongs_to_a_sentence_goes_with_it_and_the_rest_stays() -> None:
    page = opened("view:lens,word:4")
    page.text_input(key="sentence").set_value("another sentence").run()
    assert page.markdown[0].value == "lens 2 word  False"
    assert "word" not in link(page)


def test_a_link_to_another_sentence_keeps_what_it_says_of_it() -> None:
    page = opened("word:4")
    page.query_params["set"] = "word:1"
    page.text_input(key="sentence").set_value("another sentence")
    page.run()
    assert page.markdown[0].value == "map 2 word 1 False"


def test_undeclared_values_are_handed_to_the_page_and_travel_with_the_state() -> None:
    page = opened("strategy:greedy,view:lens")
    assert page.session_state["strategy"] == "greedy"
    assert link(page).items() >= {"strategy": "greedy", "view": "lens"}.items()


def test_a_button_changes_what_a_widget_shows() -> None:
    page = opened()
    page.button(key="last layer").click().run()
    assert page.slider(key="toy layer").value == 6


def test_several_values_travel_and_an_unknown_one_is_said_and_left_out() -> None:
    page = opened("names:c z,note:a%2C b")
    assert page.multiselect(key="toy names").value == ["c"]
    assert page.multiselect(key="toy names").proto.select_all == 0
    assert page.text_input(key="toy note").value == "a, b"
    assert "there is no z here" in page.session_state["notices"][0].sentence
    page.multiselect(key="toy names").set_value(["b", "c"]).run()
    assert link(page).items() >= {"names": "b c", "note": "a, b"}.items()


def test_a_default_that_the_page_offers_is_in_the_link_but_not_in_a_bare_address() -> None:
    page = opened()
    assert "set" not in page.query_params
    page.selectbox(key="toy unit").select("1").run()
    assert "unit:1" in page.query_params["set"]
    page.selectbox(key="toy unit").select("2").run()
    assert "set" not in page.query_params
    assert link(page)["unit"] == "2"


def test_a_link_to_a_result_says_how_it_is_shown_and_nothing_else() -> None:
    page = opened("view:lens")
    page.button(key="result").click().run()
    assert page.query_params["set"] == "result:x1"
    page.selectbox(key="toy sort").select("loss").run()
    assert link(page) == {"result": "x1", "sort": "loss"}
    page.selectbox(key="toy sort").select("number").run()
    page.selectbox(key="toy unit").select("1").run()
    assert page.query_params["set"] == "result:x1"
    page = opened("result:x1,sort:loss")
    assert page.selectbox(key="toy sort").value == "loss"
    assert link(page) == {"result": "x1", "sort": "loss"}


def test_an_undeclared_field_is_a_mistake_of_ours() -> None:
    state = ViewState("toy", _declaration())
    with pytest.raises(ValueError, match="declares no `film`"):
        state.key("film")


def test_checks() -> None:
    assert one_of("a", "b")("a")
    assert not one_of("a", "b")("c")
    assert [between(1, 3)(number) for number in (0, 1, 3, 4)] == [False, True, True, False]


def _declaration() -> type:
    import dataclasses

    @dataclasses.dataclass(frozen=True)
    class Toy:
        view: str = field("map")

    return Toy

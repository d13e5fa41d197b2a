"""The Architecture page: its diagram, the card beside it, its tabs, and its link."""

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from s2s.config import PRESETS, flat
from s2s.links.share import pack, unpack
from s2s.plots import compact_number
from s2s.plots.costs_view import AXES, in_bytes
from s2s.sizing import BatchSizes, ModelSpec, cost, within
from s2s.ui.architecture.view_state import STATE
from tests.screen import component, link, lost, opened, page_text

DEMO = "demo-en-fr"


def page(**values: str) -> AppTest:
    screen = opened("architecture", run=DEMO, set=pack(values))
    assert not screen.exception
    return screen


def spec(name: str) -> ModelSpec:
    row = PRESETS[name]
    return ModelSpec(row.recipe, row.src_vocab_size, row.tgt_vocab_size)


def drawn(screen: AppTest) -> dict[str, Any]:
    return component(screen, "boxes")


def html(screen: AppTest, part: str) -> str:
    """What such elements say, without their tags."""
    bodies = [str(each.proto.body) for each in screen.get("html")]
    return " ".join(re.sub(r"<[^>]*>", " ", "".join(b for b in bodies if part in b)).split())


def card(screen: AppTest) -> str:
    return html(screen, 'class="parts"')


def test_a_newcomer_sees_the_run_as_a_whole() -> None:
    screen = opened("architecture")
    assert not screen.exception
    assert "Knows" not in page_text(screen)  # the header would describe the run beside any model
    assert drawn(screen)["chosen"] == ""
    assert "set" not in screen.query_params
    assert "This run has 1.09 million parameters" in html(screen, "data-answer")
    assert "parameters 1,086,976 share of the model 100%" in card(screen)


COMPONENTS = (
    "decoder.layer.cross_attention",
    "encoder.layer",
    "decoder.output",
    "encoder.positions",
    "decoder.tokens",
)


@pytest.mark.parametrize("name", COMPONENTS)
def test_the_card_shows_weights_outputs_and_products(name: str) -> None:
    screen = page(model="t5-small", part=name, batch="2", src_len="9", tgt_len="4")
    inner = within(spec("t5-small").components(BatchSizes(2, 9, 4)), name)
    text = card(screen)
    costs = cost(inner)
    assert f"{costs.parameters:,}" in text
    copies = {part.copies for part in inner if part.name == name} - {1}
    assert re.findall(r"parameters [\d,]+ \((.*?)\)", text) == [f"all {n} layers" for n in copies]
    assert compact_number(costs.flops) in text
    assert (
        f"saved activations {in_bytes(4 * costs.saved_activations) if costs.saved_activations else 'none'}"
        in text
    )
    for array in (
        row
        for part in inner
        if part.name == name
        for row in (*part.weights, *part.weight_products, *part.attention_products)
    ):
        assert f" × {array.lengths[-1]:,}" in text or len(array.lengths) == 1
        assert f"= {array.size:,}" in text
    for array in (row for part in inner if part.name == name for row in part.outputs):
        assert (
            " × ".join(
                f"{n:,} {AXES[axis]}" for n, axis in zip(array.lengths, array.axes, strict=True)
            )
            in text
        )
    assert drawn(screen)["chosen"] == name
    assert ("counted there" in page_text(screen)) == (name in ("decoder.output", "decoder.tokens"))


def test_hovering_says_the_shape_for_the_sizes_of_the_sliders() -> None:
    screen = page(model="small")
    screen.slider(key=STATE.key("tgt_len")).set_value(33).run()
    assert not screen.exception
    box = next(
        box for box in drawn(screen)["boxes"] if box["name"] == "decoder.layer.cross_attention"
    )
    assert (
        box["lines"][0]
        == "output: 32 sentences × 33 target tokens × 128 columns of the residual stream"
    )
    assert unpack(screen.session_state["set"])["tgt_len"] == "33"


def test_what_differs_is_marked_and_listed() -> None:
    screen = page(model="transformer-base", against="vaswani-512")
    marked = {box["name"]: box["lines"] for box in drawn(screen)["boxes"] if box["marked"]}
    assert "embeddings.shared: true, in vaswani-512 false" in marked["encoder.tokens"]
    assert "output.bias: false, in vaswani-512 true" in marked["decoder.output"]
    assert "attention.dropout: false, in vaswani-512 true" in marked["encoder.layer.self_attention"]
    assert "encoder.positions" not in marked
    one, other = (flat(spec(name).recipe.model) for name in ("transformer-base", "vaswani-512"))
    listed = next(each.value for each in screen.dataframe if "setting" in each.value)
    assert set(listed["setting"]) == {key for key in one if one[key] != other[key]} | {
        "src_vocab_size",
        "tgt_vocab_size",
    }
    deeper = {
        box["name"]
        for box in drawn(page(model="small", against="t5-small"))["boxes"]
        if box["marked"]
    }
    assert {"encoder.layer", "decoder.layer", "encoder.positions"} <= deeper
    assert not [
        box for box in drawn(page(model="small", against="small"))["boxes"] if box["marked"]
    ]


@pytest.mark.parametrize("view", ["parameters", "costs", "t5", "masks"])
def test_each_tab_shows_its_answer_first_and_its_link_opens_it_again(view: str) -> None:
    screen = page(model="t5-large", against="run", view=view, part="decoder.output", batch="5")
    params = parse_qs(urlsplit(link(screen)).query, keep_blank_values=True)
    again = opened("architecture", **{key: values[-1] for key, values in params.items()})
    assert not lost(again)
    for each in (screen, again):
        assert unpack(each.session_state["set"]).items() >= {("view", view), ("batch", "5")}
        assert html(each, "data-answer").endswith(".")
    assert html(again, "data-answer") == html(screen, "data-answer")


def test_an_empty_box_says_what_to_do() -> None:
    screen = opened("architecture", run=DEMO, src="", set=pack({"view": "masks"}))
    assert not screen.exception
    assert "Type a sentence above" in page_text(screen)


@pytest.mark.parametrize(
    ("packed", "lacking"),
    [
        (
            "model:t6-small,against:zork,batch:0,src_len:many,tgt_len:9999999999999,view:plan",
            ["t6-small", "zork", "0", "many", "9999999999999", "plan"],
        ),
        ("model:mini-t5,src_len:300", ["300 here; 20, between 1 and 128"]),
        ("model:<b>x</b>,view:costs,vary:luck,cost:tears", ["<b>x</b>", "luck", "tears"]),
        ("part:encoder.magic", []),
        ("zork:1", []),
    ],
)
def test_a_broken_link_shows_the_page_and_says_what_was_lost(
    packed: str, lacking: list[str]
) -> None:
    screen = opened("architecture", set=packed)
    assert not screen.exception
    assert bool(lost(screen)) == bool(lacking) or "no component encoder.magic" in page_text(screen)
    assert all(f"there is no {each}" in page_text(screen) for each in lacking)
    assert html(screen, "data-answer")


def test_another_model_without_the_chosen_component_shows_the_whole() -> None:
    screen = page(model="small", part="encoder.final_norm")
    screen.selectbox(key=STATE.key("model")).set_value("transformer-base").run()
    assert not screen.exception
    assert "no component encoder.final_norm" in page_text(screen)
    assert drawn(screen)["chosen"] == ""

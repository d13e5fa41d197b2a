"""The Architecture page: its diagram, and every number on it against the library."""

import itertools
import json
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import s2s
from s2s.config import PRESETS, flat, override
from s2s.links.share import pack, unpack
from s2s.model import masks
from s2s.plots import compact_number
from s2s.sizing import (
    MEASURES,
    T5_SIZES,
    VARIABLES,
    BatchSizes,
    ModelSpec,
    cache_bytes,
    components,
    cost,
    count_parameters,
    crossover,
    memory_bytes,
    within,
)
from s2s.ui.architecture.component_card import AXES, diagram_caption, in_bytes
from s2s.ui.architecture.diagram_layout import diagram_of
from s2s.ui.architecture.models import GROUPS, NamedSpec
from s2s.ui.architecture.request import STATE, ArchitectureRequest
from s2s.ui.canvas.diagram import DIAGRAM_WIDTH
from tests.harvest import compared, executed
from tests.screen import component, link, lost, opened, page_text
from tests.ui.test_reproduce import unfolded

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


def card(screen: AppTest) -> str:
    """Its tables, without their tags."""
    bodies = [
        str(each.proto.body)
        for each in screen.get("html")
        if 'class="parts"' in str(each.proto.body)
    ]
    return " ".join(re.sub(r"<[^>]*>", " ", "".join(bodies)).split())


def figures(screen: AppTest) -> list[dict[str, Any]]:
    return [json.loads(chart.proto.spec) for chart in screen.get("plotly_chart")]


def table(screen: AppTest, column: str) -> Any:
    return next(each.value for each in screen.dataframe if column in each.value)


def test_every_component_is_drawn_once_and_no_box_covers_another() -> None:
    for changes in [
        {},
        {"positions.kind": "relative"},
        {"norm.kind": "none"},
        {"norm.after_embeddings": True, "norm.place": "post"},
        {"decoder.d_ff": 0},
    ]:
        for name in PRESETS:
            config = override(
                PRESETS[name].recipe, {f"model.{key}": value for key, value in changes.items()}
            ).model
            found = components(config, (40, 40), BatchSizes(2, 3, 4))
            plan = diagram_of(found, is_pre=config.norm.place == "pre")
            bare = {part.name for part in found if part.kind == "residual" and not part.weights}
            assert sorted(box.name for box in plan.boxes) == sorted(
                [*({part.name for part in found} - bare), *GROUPS]
            )
            for one, other in itertools.combinations(plan.boxes, 2):
                apart = (
                    one.x + one.w <= other.x
                    or other.x + other.w <= one.x
                    or one.y + one.h <= other.y
                    or other.y + other.h <= one.y
                )
                assert apart, f"{one.name} covers {other.name}"
            places = [point for arrow in plan.arrows for point in arrow.points]
            places += [
                corner
                for box in plan.boxes
                for corner in ((box.x, box.y), (box.x + box.w, box.y + box.h))
            ]
            assert all(0 <= x <= DIAGRAM_WIDTH and 0 <= y <= plan.height for x, y in places)
            assert [arrow.kind for arrow in plan.arrows].count("residual") == sum(
                part.kind == "residual" for part in found
            )
            (memory,) = [arrow for arrow in plan.arrows if arrow.kind == "memory"]
            cross = next(box for box in plan.boxes if box.name == "decoder.layer.cross_attention")
            assert memory.points[-1] == (cross.x, cross.y + cross.h / 2)


def test_a_newcomer_sees_the_run_as_a_whole() -> None:
    screen = opened("architecture")
    assert not screen.exception
    run = s2s.load(DEMO)
    total = sum(weight.numel() for weight in run.model.parameters())
    assert f"{total:,} parameters" in page_text(screen)
    assert "Knows" not in page_text(screen)  # the header would describe the run beside any model
    assert drawn(screen)["chosen"] == ""
    assert "set" not in screen.query_params
    assert f"parameters {total:,} share of the model 100.0%" in card(screen)


@pytest.mark.parametrize("name", ["modern-small", "first-steps", "t5-base"])
def test_the_table_and_the_bars_hold_the_librarys_numbers(name: str) -> None:
    screen = page(model=name, batch="3", src_len="7", tgt_len="5")
    assert "Knows" not in page_text(screen)
    found = spec(name).components(BatchSizes(3, 7, 5))
    shown = table(screen, "FLOPs forward")
    assert list(shown["parameters"]) == [part.copies * part.parameters for part in found]
    assert list(shown["FLOPs forward"]) == [part.copies * part.flops for part in found]
    assert sum(shown["parameters"]) == count_parameters(
        spec(name).recipe.model, *spec(name).vocab_sizes
    )
    assert sum(shown["share (%)"]) == pytest.approx(100, abs=0.1)
    state = 2 if name.startswith("t5") else 4  # numbers a weight
    assert list(shown["training memory (bytes)"]) == [
        4 * part.copies * (state * part.parameters + part.saved_activations) for part in found
    ]
    assert sum(figures(screen)[0]["data"][0]["x"]) == sum(shown["parameters"])
    flops = cost(found).flops
    assert f"takes {flops:,} FLOPs, {flops / 36:,.0f} for each of its 36 tokens" in page_text(
        screen
    )


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
    shown = table(screen, "setting")
    assert set(shown["setting"]) == {key for key in one if one[key] != other[key]} | {
        "src_vocab_size",
        "tgt_vocab_size",
    }
    assert len(figures(screen)[0]["data"]) == 2
    deeper = {
        box["name"]
        for box in drawn(page(model="small", against="t5-small"))["boxes"]
        if box["marked"]
    }
    assert {"encoder.layer", "decoder.layer", "encoder.positions"} <= deeper
    assert not [
        box for box in drawn(page(model="small", against="small"))["boxes"] if box["marked"]
    ]


@pytest.mark.parametrize(("vary", "measure"), [*zip(VARIABLES, MEASURES, strict=True)])
def test_every_curve_is_drawn(vary: str, measure: str) -> None:
    """Each measure along a variable of its own: there are as many of one as of the other."""
    screen = page(model="small", view="costs", vary=vary, cost=measure)
    figure = figures(screen)[0]
    assert {trace["name"] for trace in figure["data"]} == set(
        MEASURES[measure].terms(spec("small"), BatchSizes(1, 2, 3))
    )
    assert figure["layout"]["shapes"][0]["x0"] == VARIABLES[vary].value(
        spec("small"), BatchSizes(32, 20, 20)
    )
    assert figure["layout"]["xaxis"]["type"] == figure["layout"]["yaxis"]["type"] == "log"
    is_tie = "the largest terms are generated tokens and source (50% each)" in page_text(screen)
    assert is_tie == (measure == "cache")


def test_the_costs_are_the_librarys() -> None:
    screen = page(model="small", view="costs", batch="8")
    sizes = BatchSizes(8, 20, 20)
    small = spec("small")
    cached = cache_bytes(small, sizes)
    shown = {metric.label: metric.value for metric in screen.metric}
    assert shown == {
        "Training memory": in_bytes(memory_bytes(small, sizes)),
        "FLOPs forward": compact_number(cost(small.components(sizes)).flops),
        "KV cache": in_bytes(sum(cached)),
    }
    assert (
        f"{cached.target:,} for 8 × 20 target tokens, {cached.source:,} for 8 × 20 source tokens"
        in page_text(screen)
    )
    assert f"from {crossover(small).attention:,} tokens per side on" in page_text(screen)
    assert f"from {crossover(small).attention_products:,} tokens" in page_text(screen)


def test_t5_by_the_numbers() -> None:
    screen = unfolded("architecture", set="view:t5")
    n_numbers, lacking = compared(screen, executed(screen))
    assert not lacking
    assert n_numbers >= 40
    shown = table(screen, "our count")
    assert list(shown["size"]) == list(T5_SIZES)
    assert list(shown["our count"]) == [
        count_parameters(spec(name).recipe.model, 32_128, 32_128) for name in T5_SIZES
    ]
    for name, twice in zip(T5_SIZES, shown["embedding counted twice"], strict=True):
        assert twice == count_parameters(
            override(spec(name).recipe, {"model.output.tied": False}).model, 32_128, 32_128
        )
    # What the page says of rounding: near the paper's numbers with one table or with two.
    million = [60, 220, 770, 2800, 11_000]
    counts = (
        shown[["our count", "embedding counted twice"]].to_numpy()
        / 1e6
        / np.array(million)[:, None]
    )
    assert (abs(counts - 1).min(1) < 0.03).all()


def test_the_masks_are_the_models_own() -> None:
    given = {"view": "masks", "masks": "second"}
    screen = unfolded("architecture", src="the red house", set=pack(given))
    n_numbers, lacking = compared(screen, executed(screen))
    assert not lacking
    assert n_numbers >= 40
    run = s2s.load(DEMO)
    place = 1  # the second
    other = re.search(
        r"<bdi>(.*)</bdi>", "".join(str(each.proto.body) for each in screen.get("html"))
    ).group(1)
    texts = ["the red house", other]
    ids = run._batch(run._source_ids(texts))
    padding = masks.padding(ids, run.recipe.model.ids.pad)
    assert not padding.all()  # one of the two is filled up
    attention = run.attention(texts[place], run.translate([texts[place]])[0].text)
    names = [figure["layout"]["title"]["text"].split()[0] for figure in figures(screen)]
    shown = dict(zip(names, (cells(figure) for figure in figures(screen)), strict=True))
    np.testing.assert_array_equal(shown["Padding"], padding[:, 0, 0])
    length = max(
        len(run.attention(text, run.translate([text])[0].text).tgt_inputs) for text in texts
    )
    np.testing.assert_array_equal(shown["Causal"], masks.causal(length)[0, 0])
    np.testing.assert_array_equal(shown["Cross"], padding[place, 0].expand(length, -1))
    down = figures(screen)[names.index("Cross")]["layout"]["yaxis"]["ticktext"]
    assert [
        each.replace("&lt;", "<").replace("&gt;", ">") for each in down[: len(attention.tgt_inputs)]
    ] == list(attention.tgt_inputs)


def cells(figure: dict[str, Any]) -> np.ndarray:
    """Of a mask, True = may attend."""
    return np.array([[sign == "✓" for sign in row] for row in figure["data"][0]["text"]])


def test_an_empty_box_says_what_to_do() -> None:
    screen = opened("architecture", run=DEMO, src="", set=pack({"view": "masks"}))
    assert not screen.exception
    assert "Type a sentence above" in page_text(screen)


@pytest.mark.parametrize(
    ("packed", "sentences"),
    [
        (
            "model:t6-small,against:zork,batch:0,src_len:many,tgt_len:9999999999999,view:plan",
            [
                "Model: there is no t6-small",
                "Compare with: there is no zork here; no other model is shown instead.",
                "Sentences: there is no 0 here; 32, between 1 and 128, is shown instead.",
                "src_len: there is no many here; 20 is shown instead.",
                "tgt_len: there is no 9999999999999 here",
                "View: there is no plan",
            ],
        ),
        (
            "model:mini-t5,src_len:300,part:encoder.magic",
            [
                "Source tokens: there is no 300 here; 20, between 1 and 128,",
                "no component encoder.magic",
            ],
        ),
        (
            "model:<b>x</b>,part:decoder.layer.cross,view:costs,vary:luck,cost:tears",
            [
                "there is no <b>x</b>",
                "no component decoder.layer.cross",
                "Grows with: there is no luck",
                "Cost: there is no tears",
            ],
        ),
        ("zork:1", []),
    ],
)
def test_a_broken_link_shows_the_page_and_says_what_was_lost(
    packed: str, sentences: list[str]
) -> None:
    screen = opened("architecture", set=packed)
    assert not screen.exception
    assert bool(lost(screen)) == bool(sentences)
    assert all(sentence in page_text(screen) for sentence in sentences)
    assert drawn(screen)["boxes"]


@pytest.mark.parametrize("view", ["costs", "masks"])
def test_the_share_link_opens_the_same_view(view: str) -> None:
    screen = page(
        model="t5-large",
        against="run",
        view=view,
        part="decoder.output",
        batch="5",
        src_len="77",
        tgt_len="9",
    )
    params = {
        key: values[-1]
        for key, values in parse_qs(urlsplit(link(screen)).query, keep_blank_values=True).items()
    }
    assert unpack(params["set"]).keys() == {each.link for each in STATE.fields.values()}
    again = opened("architecture", **params)
    assert not lost(again)
    assert drawn(again) == drawn(screen)
    assert figures(again) == figures(screen)


def test_another_model_without_the_chosen_component_shows_the_whole() -> None:
    screen = page(model="small", part="encoder.final_norm")
    screen.selectbox(key=STATE.key("model")).set_value("transformer-base").run()
    assert not screen.exception
    assert "no component encoder.final_norm" in page_text(screen)
    assert drawn(screen)["chosen"] == ""


@pytest.mark.parametrize(
    ("kind", "place", "words"),
    [("layer", "pre", "pre-norm"), ("rms", "post", "post-norm"), ("none", "pre", "no norms")],
)
def test_the_caption_of_the_diagram_names_the_norms(kind: str, place: str, words: str) -> None:
    row = PRESETS["small"]
    recipe = override(row.recipe, {"model.norm.kind": kind, "model.norm.place": place})
    model = ModelSpec(recipe, 40, 40)
    sizes = BatchSizes(1, 1, 1)
    parts = model.components(sizes)
    request = ArchitectureRequest(
        s2s.load(DEMO), NamedSpec("small", model), None, sizes, parts, selected=""
    )
    assert diagram_caption(request).splitlines()[0].split(" · ")[-1] == words


@pytest.mark.parametrize(
    "name", ["first-steps", "transformer-tiny", "blocks", "t5-large", "modern-small"]
)
def test_the_diagram_is_saved_with_the_models_sizes_and_differences(name: str) -> None:
    screen = page(model=name, against="modern-small")
    saved = component(screen, "svg")
    words = " ".join("".join(ElementTree.fromstring(saved["svg"]).itertext()).split())
    recipe = PRESETS[name].recipe
    assert f"Architecture · {name}" in words
    assert f"{cost(spec(name).components(BatchSizes(32, 20, 20))).parameters:,} parameters" in words
    assert f"d_model {recipe.model.d_model}" in words
    boxes = drawn(screen)["boxes"]
    assert all(f"{box['label']}{box['small']}" in words for box in boxes if box["name"])
    assert saved["svg"].count(">≠<") == sum(box["marked"] for box in boxes)
    assert ("differs in modern-small." in words) is (name != "modern-small")

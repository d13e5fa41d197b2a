"""The diagram of a model: every component has its box, and what is saved of it says the model's sizes."""

import itertools
from xml.etree import ElementTree

import pytest

from s2s.config import PRESETS, override
from s2s.plots import DIAGRAM_WIDTH, Diagram, diagram_of
from s2s.plots.costs_view import diagram_caption, pictures
from s2s.questions import Costs, Have
from s2s.questions.costs import GROUPS
from s2s.sizing import BatchSizes, components


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


@pytest.mark.parametrize(
    ("name", "words"),
    [("small", "pre-norm"), ("transformer-base", "post-norm")],
)
def test_the_caption_names_the_place_of_the_norms(name: str, words: str) -> None:
    answer = Have().answer(Costs(model=name))
    assert diagram_caption(answer, name, "").splitlines()[0].split(" · ")[-1] == words


@pytest.mark.parametrize("name", ["first-steps", "blocks", "t5-large", "modern-small"])
def test_the_diagram_is_saved_with_the_models_sizes_and_differences(name: str) -> None:
    question = Costs(model=name, other="modern-small")
    answer = Have().answer(question)
    picture = pictures(question, answer, "")[0]
    drawing = picture.figure
    assert isinstance(drawing, Diagram)
    saved = picture.svg()
    words = " ".join("".join(ElementTree.fromstring(saved).itertext()).split())
    assert f"{name}: {answer.model.parameters:,} parameters" in words
    assert f"d_model {PRESETS[name].recipe.model.d_model}" in words
    assert all(f"{box.label}{box.small}" in words for box in drawing.boxes if box.name)
    assert saved.count(">≠<") == sum(box.marked for box in drawing.boxes)
    assert ("differs in modern-small." in words) is (name != "modern-small")

import dataclasses
from typing import Any

import numpy as np
import pytest

import s2s
from s2s.config import PRESETS, UserError, override
from s2s.model import masks as model_masks
from s2s.questions import CostGrowth, Costs, Growth, Have, Masks, ModelCosts, T5Sizes
from s2s.questions.costs import COST_FINDINGS, GROWTH_FINDINGS, CostFacts, GrowthFacts
from s2s.questions.masks import FINDINGS as MASK_FINDINGS
from s2s.questions.masks import MaskFacts
from s2s.questions.t5_sizes import FINDINGS as T5_FINDINGS
from s2s.questions.t5_sizes import OneSize
from s2s.sizing import (
    MEASURES,
    T5_SIZES,
    VARIABLES,
    BatchSizes,
    CacheBytes,
    CostPoint,
    Crossover,
    ModelSpec,
    arithmetic,
    count_parameters,
    rounded,
)

DEMO = "demo-en-fr"


def spec(name: str) -> ModelSpec:
    row = PRESETS[name]
    return ModelSpec(row.recipe, row.src_vocab_size, row.tgt_vocab_size)


@pytest.mark.parametrize("name", [*PRESETS])
def test_the_products_are_written_out_and_add_up_to_the_models_parameters(name: str) -> None:
    sized = spec(name)
    terms = arithmetic(sized.components(BatchSizes(1, 1, 1)))
    counted = count_parameters(sized.recipe.model, *sized.vocab_sizes)
    assert sum(term.parameters for term in terms) == counted
    for term in terms:
        product = term.product.replace(" layers", "").replace("×", "*").replace(",", "")
        assert eval(product, {}) == term.parameters


@pytest.mark.parametrize("name", ["modern-small", "first-steps", "t5-base"])
def test_the_rows_of_a_models_components_are_the_librarys(name: str) -> None:
    sizes = BatchSizes(3, 7, 5)
    answer = Have().answer(Costs(model=name, batch=3, src_len=7, tgt_len=5))
    table = Costs(model=name).table(answer)
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    state = 2 if name.startswith("t5") else 4  # numbers per weight
    for row, part in zip(rows, spec(name).components(sizes), strict=True):
        assert row["parameters"] == part.copies * part.parameters
        assert row["FLOPs forward"] == part.copies * part.flops
        saved = state * part.parameters + part.saved_activations
        assert row["training memory (bytes)"] == 4 * part.copies * saved
    total = count_parameters(spec(name).recipe.model, *spec(name).vocab_sizes)
    assert answer.model.parameters == total == sum(row["parameters"] for row in rows)


def test_a_run_is_sized_as_its_model_is_and_no_model_is_refused() -> None:
    answer = Have().answer(Costs(DEMO))
    weights = s2s.load(DEMO).model.parameters()
    assert answer.model.parameters == sum(weight.numel() for weight in weights)
    assert s2s.ask(Costs(model="t5-small")).finding
    with pytest.raises(UserError, match="Neither a run nor a preset"):
        Have().answer(Costs())


def costs_of(groups: tuple[int, ...], other: tuple[int, ...] = (), differs: bool = False) -> Any:
    answer = Have().answer(Costs(model="small", other="small"))
    padded = dataclasses.replace(answer.model, groups=(*groups, *[0] * (8 - len(groups))))
    if not other:
        return ModelCosts(padded, None, answer.rows)
    settings = {"d_model": 2} if differs else padded.settings
    beside = dataclasses.replace(
        padded, groups=(*other, *[0] * (8 - len(other))), settings=settings
    )
    return ModelCosts(padded, beside, answer.rows)


# By the place in its findings: what it is said of, words, and an answer of which it would be false.
COSTS = (
    (costs_of((20,), (10,)), "2 times as many as other", costs_of((10,), (20,))),
    (costs_of((10,), (20,)), "other has 2 times as many", costs_of((20,), (10,))),
    (costs_of((10,), (10,)), "same shape", costs_of((10,), (10,), differs=True)),
    (costs_of((10,), (10,), differs=True), "both have about 10", costs_of((10,), (10,))),
    (costs_of((6, 4)), "more than half of them, 60%, are in the embeddings", costs_of((5, 4, 3))),
    (costs_of((3, 5, 4)), "42% are in the encoder attention, 33%", costs_of((6, 4))),
)


@pytest.mark.parametrize("place", range(len(COST_FINDINGS)))
def test_what_is_said_of_costs_is_said_where_it_holds_only(place: int) -> None:
    where, words, elsewhere = COSTS[place]
    question = Costs(model="small")
    object.__setattr__(question, "other", "other")
    said = question.finding(where)
    assert said == COST_FINDINGS[place].said(CostFacts(question, where))
    assert words in said
    assert words not in question.finding(elsewhere)


def growth(*terms: dict[str, float], attention: int = 9) -> Growth:
    points = tuple(CostPoint(2**at, each) for at, each in enumerate(terms))
    return Growth(points, 2, 1, 1, CacheBytes(1, 1), Crossover(attention, 700))


ONE, TWO = {"training": 1.0}, {"a": 1.0, "b": 3.0}
MEMORY = CostGrowth(model="small", cost="memory")
BY_LENGTH = CostGrowth(model="small")
GROWTHS = (
    (MEMORY, growth(), "No other value", growth(ONE, ONE)),
    (BY_LENGTH, growth(TWO, TWO), "from 9 tokens per side on", growth(TWO, attention=1)),
    (BY_LENGTH, growth(TWO, attention=1), "at any length", growth(TWO, TWO)),
    (MEMORY, growth(TWO, {"a": 2.0, "b": 2.0}), "a and b (50% each) at 2", growth(ONE)),
    (MEMORY, growth(ONE, {"training": 3.0}), "by a factor of 3.", growth(TWO)),
)


@pytest.mark.parametrize("place", range(len(GROWTH_FINDINGS)))
def test_what_is_said_of_growth_is_said_where_it_holds_only(place: int) -> None:
    question, where, words, elsewhere = GROWTHS[place]
    said = question.finding(where)
    assert said == GROWTH_FINDINGS[place].said(GrowthFacts(question, where))
    assert words in said
    assert words not in question.finding(elsewhere)


@pytest.mark.parametrize(("vary", "measure"), [*zip(VARIABLES, MEASURES, strict=True)])
def test_a_curve_has_the_terms_of_its_measure(vary: str, measure: str) -> None:
    question = CostGrowth(model="small", vary=vary, cost=measure)
    answer = Have().answer(question)
    terms = MEASURES[measure].terms(spec("small"), question.sizes)
    present = next(point for point in answer.points if point.value == answer.now)
    assert present.terms == terms
    assert question.table(answer).columns[1:-1] == (*terms,)


def test_the_sizes_of_t5_are_near_the_papers_with_one_embedding_table_or_two() -> None:
    answer = Have().answer(T5Sizes())
    for row in answer.rows:
        name = str(row["size"])
        assert row["our count"] == count_parameters(spec(name).recipe.model, 32_128, 32_128)
        twice = override(spec(name).recipe, {"model.output.tied": False}).model
        assert row["embedding counted twice"] == count_parameters(twice, 32_128, 32_128)
        said = T5Sizes(size=name).finding(answer)
        assert "the paper says" in said
        assert ("counts that table twice" in said) == (name == "t5-large")
    assert [row["size"] for row in answer.rows] == [*T5_SIZES]
    far = OneSize("t5-small", 90_000_000, 99_000_000, 9_000_000, "60 million")
    assert not T5_FINDINGS[0].said(far)
    assert not T5_FINDINGS[1].said(far)


def test_the_masks_are_the_models_own() -> None:
    answer = Have().answer(Masks(DEMO, "the red house"))
    run = s2s.load(DEMO)
    padding = model_masks.padding(run._batch(run._source_ids([*answer.texts])), 0)
    assert not padding.all()  # one of the two is filled up
    np.testing.assert_array_equal(answer.padding, padding[:, 0, 0])
    pairs = [run.attention(text, run.translate([text])[0].text) for text in answer.texts]
    length = max(len(pair.tgt_inputs) for pair in pairs)
    np.testing.assert_array_equal(answer.causal, model_masks.causal(length)[0, 0])
    for row, pair in enumerate(pairs):
        expected = padding[row, 0].expand(length, -1)
        np.testing.assert_array_equal(answer.cross(row), expected)
        assert answer.tgt[row][: len(pair.tgt_inputs)] == tuple(pair.tgt_inputs)


@pytest.mark.parametrize(("n_padded", "place"), [(1, 0), (3, 1), (0, 2)])
def test_what_is_said_of_masks_counts_the_padding(n_padded: int, place: int) -> None:
    answer = Have().answer(Masks(DEMO, "the red house"))
    padding = np.ones((2, 4), bool)
    padding[1, 4 - n_padded :] = False
    facts = MaskFacts(dataclasses.replace(answer, padding=padding))
    said = Masks(DEMO).finding(facts.answer)
    assert said == MASK_FINDINGS[place].said(facts)
    assert [bool(each.said(facts)) for each in MASK_FINDINGS[:2]] == [place == 0, place == 1]


@pytest.mark.parametrize(
    ("n", "words"),
    [
        (60_506_624, "60.5 million"),
        (999_600_000, "1 billion"),
        (60_928, "60,900"),
        (999_499, "999,000"),
        (78, "78"),
        (0, "0"),
    ],
)
def test_a_count_is_said_in_three_digits(n: int, words: str) -> None:
    assert rounded(n) == words

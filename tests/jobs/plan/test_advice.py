import dataclasses
from pathlib import Path

import pytest

from s2s.config import PRESETS, Recipe, override
from s2s.data import Preview, load, load_preview
from s2s.jobs.plan import advice
from s2s.jobs.plan.advice import Advice, PlannedRun
from s2s.jobs.plan.cost import Forecast, forecast
from s2s.jobs.plan.dataset_similarity import traits_of
from s2s.jobs.plan.measured_runs import MeasuredRun, ValidationPoint
from s2s.jobs.plan.recommendation import by_rule, recommend
from s2s.jobs.plan.time_budget import fit_to_minutes
from s2s.settings import LOCAL, Limits

SAMPLES = Path(__file__).parents[2] / "samples"
ROWS = tuple(
    zip(
        *((SAMPLES / f"captions.{side}").read_text().splitlines() for side in ("en", "de")),
        strict=True,
    )
)


def captions(n_pairs: int) -> Preview:
    """As real captions are: the counts of many, and a few rows."""
    words = round(43 * (11 * n_pairs) ** 0.5)
    counts = (*[0] * 8, *[n_pairs // 7] * 6, n_pairs - 6 * (n_pairs // 7))
    characters = 62 * n_pairs
    return Preview(
        "captions",
        ROWS,
        (),
        n_pairs,
        n_pairs,
        0,
        0,
        counts,
        counts,
        11,
        11,
        words,
        words,
        characters,
        characters,
        80,
        90,
    )


def case(preset: str, preview: Preview, limits: Limits = LOCAL, **changes: object) -> PlannedRun:
    recipe = override(
        PRESETS[preset].recipe, {key.replace("__", "."): value for key, value in changes.items()}
    )
    return PlannedRun(recipe, preset, preview, forecast(recipe, preview), limits)


def advice_by_rule(given: PlannedRun) -> dict[str, Advice]:
    return {name: one for name, rule in advice.RULES.items() if (one := rule(given))}


@pytest.fixture(scope="module")
def grammar() -> Preview:
    return load_preview("builtin:en-fr")


BAD = [
    ("small", captions(29_000), {"train__fault": "no-positions"}, "fault"),
    ("transformer-base", captions(29_000), {}, "overfits"),
    ("small", captions(29_000), {"train__steps": 100}, "few_epochs"),
    ("small", captions(1000), {"train__steps": 10_000}, "many_epochs"),
    ("small", captions(29_000), {"train__warmup_steps": 1200}, "long_warmup"),
    ("small", captions(29_000), {"train__lr": 0.03}, "learning_rate"),
    ("small", captions(29_000), {"train__lr": 1e-5}, "learning_rate"),
    ("small", captions(29_000), {"model__dropout": 0.0}, "no_dropout"),
    ("small", captions(5000), {"tokenizer__vocab_size": 20_000}, "large_vocabulary"),
    ("small", captions(1000), {"tokenizer__kind": "word"}, "large_vocabulary"),
    ("small", captions(29_000), {"data__max_length": 12}, "too_long"),
    ("small", load_preview("builtin:summaries"), {}, "copies"),
    ("transformer-tiny", load_preview("builtin:dialogue"), {}, "copies"),
]


@pytest.mark.parametrize(("preset", "preview", "changes", "rule"), BAD)
def test_a_cure_cures(preset: str, preview: Preview, changes: dict[str, object], rule: str) -> None:
    one = advice_by_rule(case(preset, preview, **changes))[rule]
    assert one.sentence.endswith(".")
    assert not one.is_refusal
    assert one.label(case(preset, preview, **changes).recipe)
    then = one.preset or preset
    cured = override(
        PRESETS[then].recipe if one.preset else case(preset, preview, **changes).recipe, one.fix
    )
    again = advice_by_rule(PlannedRun(cured, then, preview, forecast(cured, preview), LOCAL))
    assert rule not in again or len(again[rule].fix) < len(one.fix)


def test_what_is_as_it_should_be_gets_no_advice(grammar: Preview) -> None:
    assert not advice_by_rule(case("small", grammar))
    assert not advice_by_rule(case("modern-small", grammar))
    assert not advice_by_rule(case("small", captions(29_000)))
    assert not advice_by_rule(case("transformer-tiny", captions(29_000)))


@pytest.mark.parametrize("preset", ["mini-t5", "first-steps"])
def test_a_handful_of_phrases_is_meant_to_be_memorized(preset: str) -> None:
    assert not advice_by_rule(case(preset, Preview.of(load("builtin:mini-en-fr"))))
    assert not advice_by_rule(case(preset, captions(80)))


@pytest.mark.parametrize("preset", ["small", "transformer-tiny", "transformer-base"])
@pytest.mark.parametrize("n_pairs", [5, 80, 99])
def test_a_large_model_for_a_handful_is_warned_of(preset: str, n_pairs: int) -> None:
    one = advice_by_rule(case(preset, captions(n_pairs)))["overfits"]
    assert one.sentence.startswith(f"{n_pairs} pairs and ")
    assert "; try mini-t5, which has " in one.sentence
    assert one.label(PRESETS[preset].recipe) == "Use mini-t5"


def test_weights_that_are_trained_need_not_see_everything_again() -> None:
    given = case("small", captions(29_000), train__steps=100, train__warmup_steps=10)
    assert any("seen only" in one.sentence for one in advice.advise(given))
    assert not advice.advise(dataclasses.replace(given, is_initialized=True))
    hot = case("small", captions(29_000), train__lr=0.03)
    assert advice.advise(dataclasses.replace(hot, is_initialized=True))
    cool = case("small", captions(29_000), train__lr=5e-5)
    assert "learn slowly" in advice_by_rule(cool)["learning_rate"].sentence
    assert not advice.advise(dataclasses.replace(cool, is_initialized=True))
    assert set(advice.FRESH) < set(advice.RULES)


@pytest.mark.parametrize(("name", "most"), [("steps", 100), ("minutes", 1), ("parameters", 1000)])
def test_what_the_place_does_not_allow_is_refused_first(name: str, most: int) -> None:
    limits = dataclasses.replace(Limits(None, None, None, None, None), **{name: most})
    given = case("small", captions(29_000), limits, train__warmup_steps=5000)
    first, *rest = advice.advise(given)
    assert first.is_refusal
    assert "allowed here" in first.sentence
    assert rest
    if first.fix:
        cured = override(given.recipe, first.fix)
        assert not any(
            one.is_refusal
            for one in advice.advise(
                PlannedRun(cured, "small", given.preview, forecast(cured, given.preview), limits)
            )
        )


def test_the_preset_of_a_text(grammar: Preview) -> None:
    assert by_rule(grammar, 10).preset == "small"
    assert by_rule(Preview.of(load("builtin:mini-en-fr")), 10).preset == "mini-t5"
    assert by_rule(Preview.of(load("builtin:first-steps")), 10).preset == "first-steps"
    assert by_rule(captions(2), 10).preset == "mini-t5"  # two long sentences
    assert by_rule(captions(29_000), 60).preset == "quick"
    assert by_rule(captions(5000), 5).preset == "quick"
    assert by_rule(captions(4999), 60).preset == "small"
    assert by_rule(captions(5_000_000), 6000).preset == "transformer-base"
    plain = dataclasses.replace(captions(500), is_plain=True)
    assert by_rule(plain, 10).preset == "char-halves"
    assert all(
        by_rule(captions(n), minutes).preset in PRESETS
        for n in (1, 99, 100, 10_000)
        for minutes in (1, 100)
    )


def measured(preset: str, bleu: float, n_pairs: int = 29_000) -> MeasuredRun:
    points = tuple(
        ValidationPoint(step, step / 10, step * 2000, 3.0, 0.5, bleu * step / 100, 40.0)
        for step in (10, 50, 100)
    )
    traits = traits_of(captions(n_pairs))
    return MeasuredRun("t", "captions", preset, n_pairs, 40.0, 2_000_000, traits, points)


def test_a_time_budget_is_advised_in_minutes() -> None:
    short = case("quick", captions(29_000), train__minutes=0.1)
    one = advice.too_few_minutes(dataclasses.replace(short, cost=slow(short.cost)))
    assert one is not None
    assert one.is_refusal
    assert one.sentence.startswith("`train.minutes` 0.1 leaves no time for an update: preparing")
    assert not advice.too_few_minutes(case("quick", captions(29_000)))
    few = advice_by_rule(case("quick", captions(29_000), train__steps=100))["few_epochs"]
    assert few.fix["train.minutes"] > 10
    limits = dataclasses.replace(LOCAL, minutes=5, steps=10)
    (refused,) = [
        one for one in advice.advise(case("quick", captions(29_000), limits)) if one.is_refusal
    ]
    assert refused.fix == {"train.minutes": 5.0}


def slow(cost: Forecast) -> Forecast:
    """With ten seconds per update."""
    return dataclasses.replace(cost, seconds=10 * cost.steps)


def test_measured_runs_speak_before_the_rule_of_thumb() -> None:
    few = [measured("small", 10, 3000), measured("transformer-tiny", 30, 3000)]
    assert recommend(captions(3000), 5, known=few).preset == "transformer-tiny"
    assert "BLEU" in recommend(captions(3000), 5, known=few).why
    known = [measured("small", 10), measured("transformer-tiny", 30)]
    assert recommend(captions(3000), 5, known=known) == by_rule(captions(3000), 5)
    assert recommend(captions(29_000), 5, known=known).preset == "quick"  # until it is measured
    known.append(measured("quick", 20))
    assert recommend(captions(29_000), 5, known=known).preset == "transformer-tiny"
    assert recommend(captions(29_000), 5, known=known[:1]) == by_rule(captions(29_000), 5)
    assert recommend(captions(29_000), 5, known=[]) == by_rule(captions(29_000), 5)


@pytest.mark.parametrize("preset", ["small", "mini-t5", "transformer-tiny"])
@pytest.mark.parametrize("minutes", [1, 10, 100])
def test_as_many_steps_as_fit(preset: str, minutes: int) -> None:
    preview = captions(5000)
    base = PRESETS[preset].recipe
    recipe = override(base, fit_to_minutes(base, preview, minutes))
    seconds = forecast(recipe, preview).seconds
    assert seconds <= 60 * minutes * 1.01 or recipe.train.steps == 10
    assert seconds > 40 * minutes
    assert recipe.train.warmup_steps < recipe.train.steps


def test_a_schedule_as_long_as_the_run_is_warned_of_and_one_without_warm_up_is_not() -> None:
    preview = captions(29_000)
    assert advice.long_warmup(case("small", preview, train__steps=200))
    assert not advice.long_warmup(case("small", preview, train__steps=201))
    assert not advice.long_warmup(case("small", preview, train__steps=1, train__warmup_steps=0))
    assert isinstance(
        case("small", preview, train__steps=200).recipe, Recipe
    )  # a warning, no error: such a recipe can be trained


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (63_082_496, "63 M"),
        (2_177_408, "2.2 M"),
        (78, "78"),
        (999, "999"),
        (1000, "1.0 k"),
        (18e12, "18 T"),
        (11e9, "11 B"),
    ],
)
def test_numbers_in_short(number: float, text: str) -> None:
    assert advice.short_count(number) == text

import json
import shlex
from typing import Any

import pytest

from benchmarks.results import FOLDER as RESULTS
from s2s.config import PRESETS, Recipe, flat, override
from s2s.data import Preview, load_preview
from s2s.jobs import Forecast
from s2s.jobs.plan import throughput, time_budget
from s2s.jobs.plan.time_budget import CHOSEN, SIZES, changed_settings, fitting, within_minutes
from tests.jobs.plan.test_advice import captions

QUICK = PRESETS["quick"].recipe
PLANNED = {
    "train.steps",
    "train.threads",
    "train.warmup_steps",
    "train.watch.validate_every",
    "train.watch.save_every",
}


@pytest.fixture(autouse=True)
def _same_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throughput, "peak", lambda: 1e11)
    monkeypatch.setattr(time_budget, "is_fast_accurate", lambda: True)


TWO_CORES = {"train.threads": 2, "train.device": "cpu"}


def quick(n_pairs: int, minutes: float, **more: Any) -> Recipe:
    recipe = override(QUICK, {**TWO_CORES, "train.minutes": minutes})
    return within_minutes(recipe, "quick", captions(n_pairs), **more)


def epochs(n_pairs: int, minutes: float) -> float:
    return fitting(quick(n_pairs, minutes), captions(n_pairs)).epochs


def test_without_minutes_a_recipe_stays_and_with_them_only_its_length_follows() -> None:
    small = PRESETS["small"].recipe
    assert within_minutes(small, "small", captions(5000)) is small
    limited = override(small, {"train.minutes": 30})
    changed = changed_settings(limited, within_minutes(limited, "small", captions(5000)))
    assert changed.keys() <= PLANNED
    assert changed["train.steps"] > small.train.steps


def test_more_minutes_never_make_quick_smaller() -> None:
    widths = [quick(29_000, minutes).model.d_model for minutes in (0.5, 2, 8, 20, 600)]
    assert widths == sorted(widths)
    assert widths[0] == SIZES[-1].d_model < widths[-1]
    assert quick(29_000, 8).train.precision == "fast"


def test_a_dataset_that_is_read_a_hundred_times_gets_the_deep_model_that_was_measured() -> None:
    costs = {minutes: deep(captions(29_000), minutes) for minutes in range(20, 200)}
    fitting_minutes = [
        minutes
        for minutes, cost in costs.items()
        if 80 <= cost.epochs <= 160 and cost.steps >= 5000
    ]
    assert len(fitting_minutes) > 20
    for minutes in (fitting_minutes[0] - 1, fitting_minutes[-1] + 1):
        assert quick(29_000, minutes).train.schedule == "cosine"
    found = quick(29_000, fitting_minutes[len(fitting_minutes) // 3])
    record = json.loads((RESULTS / "minutes-75-averaged.json").read_text())
    (measured,) = record["results"]["runs"]
    words = shlex.split(measured["command"])
    given = dict(words[at + 1].split("=", 1) for at, word in enumerate(words) if word == "--set")
    other = {"train.steps", "train.minutes", "train.warmup_steps", "train.precision"}
    other |= {"train.watch.keep", "train.watch.scores"}  # how closely it was watched
    settings = flat(found)
    for key in given.keys() - other:
        assert json.dumps(settings[key]) == given[key], key
    assert within_minutes(found, "quick", captions(29_000)).train == found.train


def test_many_short_sentences_do_not_make_up_for_updates() -> None:
    short = load_preview("builtin:en-fr")
    often = [minutes for minutes in range(5, 90, 4) if 80 <= deep(short, minutes).epochs <= 160]
    assert often
    for minutes in often:
        recipe = override(QUICK, {**TWO_CORES, "train.minutes": minutes})
        is_deep = within_minutes(recipe, "quick", short).train.schedule == "inverse_sqrt"
        assert is_deep == (deep(short, minutes).steps >= 5000)
    assert deep(short, often[0]).steps < 5000


def test_the_deep_model_is_chosen_as_it_was_measured_or_not_at_all() -> None:
    at = next(
        minutes
        for minutes in range(20, 200, 10)
        if quick(29_000, minutes).train.schedule == "inverse_sqrt"
    )
    own = {"model.norm.place": "pre", "train.schedule": "cosine", "train.batch_tokens": 1024}
    for key, value in own.items():
        assert quick(29_000, at, given=(key,)).train.average_last != 15
        recipe = override(QUICK, {**TWO_CORES, "train.minutes": at, key: value})
        assert within_minutes(recipe, "quick", captions(29_000), given=(key,)).train.lr != 5e-3
    assert quick(29_000, at, given=CHOSEN).train.warmup_steps <= QUICK.train.warmup_steps
    assert quick(29_000, at, given=("train.watch.validate_every",)).train.average_last == 15
    for n_pairs in (1000, 5000):
        for minutes in (1, 20, 60):
            assert quick(n_pairs, minutes).train.schedule == "cosine"


def deep(preview: Preview, minutes: float) -> Forecast:
    settings = {**time_budget.DEEP.settings(preview), **time_budget.RECIPE_OF_DEEP, **TWO_CORES}
    changes = {**settings, "train.minutes": minutes, "train.precision": "fast"}
    return fitting(override(QUICK, changes), preview)


def test_a_small_dataset_gets_a_smaller_model_and_more_dropout() -> None:
    few = quick(1000, 600)
    many = quick(29_000, 600)
    assert few.model.d_model < many.model.d_model
    assert few.model.dropout == 0.3 > quick(29_000, 2).model.dropout


def test_five_thousand_pairs_read_some_fifteen_times_get_the_dropout_measured_as_best() -> None:
    budgets = [tenths / 10 for tenths in range(10, 40)]
    fifteen = next(minutes for minutes in budgets if epochs(5000, minutes) >= 15)
    assert epochs(5000, fifteen) < 20
    assert quick(5000, fifteen).model.dropout == 0.2


def test_the_model_fits_into_the_memory() -> None:
    assert quick(29_000, 600, free=10**8).model.d_model < quick(29_000, 600).model.d_model


def test_what_somebody_set_stays() -> None:
    own = {"model.d_model": 64, "model.dropout": 0.25, "train.batch_tokens": 512}
    found = within_minutes(override(QUICK, own), "quick", captions(29_000))
    assert {key: flat(found)[key] for key in own} == own
    assert found.train.lr != QUICK.train.lr or found.train.steps != QUICK.train.steps


def test_what_somebody_gave_stays_even_where_it_is_the_presets() -> None:
    assert quick(29_000, 600).model.d_model != QUICK.model.d_model
    given = ("model.d_model", "model.d_ff", "train.lr")
    found = quick(29_000, 600, given=given)
    assert found.model.d_model == QUICK.model.d_model
    assert found.model.decoder.d_ff == QUICK.model.decoder.d_ff
    assert found.train.lr == QUICK.train.lr


def test_a_width_that_larger_models_cannot_have_leaves_the_smallest() -> None:
    found = within_minutes(override(QUICK, {"model.d_model": 200}), "quick", captions(29_000))
    assert found.model.d_model == 200


def test_a_warmup_and_intervals_that_were_given_stay() -> None:
    given = {"train.warmup_steps": 900, "train.watch.save_every": 50}
    limited = override(PRESETS["small"].recipe, {**given, "train.minutes": 0.2})
    free, kept = (
        within_minutes(limited, "small", captions(5000), given=names) for names in ((), given)
    )
    assert {key: flat(kept)[key] for key in given} == given
    assert free.train.warmup_steps < 900
    assert kept.train.steps == free.train.steps


def test_quick_decides_on_no_setting_that_a_command_would_not_repeat() -> None:
    for minutes in (1, 8, 60, 75, 90, 600):
        found = within_minutes(
            override(QUICK, {"train.minutes": minutes}), "quick", captions(29_000)
        )
        changed = changed_settings(QUICK, found).keys() - PLANNED - {"train.minutes"}
        assert changed <= set(CHOSEN)

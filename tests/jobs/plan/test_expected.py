import codecs
import dataclasses
import math
from collections.abc import Callable

import numpy as np
import pytest

from s2s.config import PRESETS, override
from s2s.data import Corpus, Pair, Preview, load, load_preview
from s2s.jobs.plan import throughput
from s2s.jobs.plan.cost import Forecast, forecast
from s2s.jobs.plan.dataset_similarity import SIZES, richness, traits_of
from s2s.jobs.plan.expected import (
    FAR,
    MARGIN,
    best_presets,
    predict_quality,
    why_no_prediction,
    why_not_comparable,
)
from s2s.jobs.plan.measured_runs import (
    MeasuredRun,
    ValidationPoint,
    alike,
    measured_runs,
    why_unlike,
)
from s2s.jobs.plan.recommendation import recommend
from s2s.jobs.plan.time_budget import within_minutes
from tests.jobs.plan.test_advice import captions

SMALL = PRESETS["small"].recipe


def run(
    n_pairs: int, bleu: float, *, preset: str = "small", like: str = "captions", rich: float = 40.0
) -> MeasuredRun:
    """To `bleu` in a straight line over 3 million tokens."""
    points = tuple(
        ValidationPoint(step, step / 100, step * 2048, 2.0, 0.6, bleu * step / 1500, 50.0)
        for step in (150, 750, 1500)
    )
    start = ValidationPoint(0, 0.0, 0, 9.0, 0.0)
    alike = load_preview("builtin:en-fr") if like == "grammar" else captions(n_pairs)
    traits = traits_of(alike)
    return MeasuredRun("text", like, preset, n_pairs, rich, 2_000_000, traits, (start, *points))


GRID = [run(1000, 5), run(5000, 15), run(29_000, 30), run(10_000, 80, like="grammar", rich=2.2)]


def asked(n_pairs: int, steps: int = 1500) -> tuple[Preview, Forecast]:
    seen = captions(n_pairs)
    return seen, forecast(override(SMALL, {"train.steps": steps}), seen)


def test_the_interval_holds_the_runs_of_neighboring_sizes() -> None:
    found = predict_quality(SMALL, "small", *asked(10_000), GRID)
    assert found
    assert (found.low, found.high) == pytest.approx((15 - MARGIN, 30 + MARGIN))
    assert {one.n_pairs for one in found.runs} == {5000, 29_000}
    assert not found.caveats
    assert found.like == "captions"


def test_more_steps_expect_no_less() -> None:
    bands = [
        predict_quality(SMALL, "small", *asked(10_000, steps), GRID) for steps in (300, 900, 1500)
    ]
    assert all(bands)
    assert sorted(each.low for each in bands if each) == [each.low for each in bands if each]
    middle = bands[2]
    assert middle
    assert np.all(np.diff(middle.highs[np.isfinite(middle.highs)]) >= -1e-4)
    assert np.all(middle.lows[np.isfinite(middle.lows)] <= middle.highs[np.isfinite(middle.highs)])


def test_the_kind_of_text_decides_which_runs_speak() -> None:
    grammar = load_preview("builtin:en-fr")
    assert richness(grammar) < 8 < richness(captions(1000))
    found = predict_quality(SMALL, "small", grammar, forecast(SMALL, grammar), GRID)
    assert found
    assert found.like == "grammar"


@pytest.mark.parametrize(("n_pairs", "said"), [(50_000, "this many pairs"), (600, "so few pairs")])
def test_beyond_what_was_measured_it_says_so(n_pairs: int, said: str) -> None:
    found = predict_quality(SMALL, "small", *asked(n_pairs), GRID)
    assert found
    assert any(said in sentence for sentence in found.caveats)


def test_no_further_than_our_runs_went() -> None:
    seen, cost = asked(29_000, 20_000)
    found = predict_quality(SMALL, "small", seen, cost, GRID)
    assert found
    longest = max(one.tokens for one in found.runs) * FAR / cost.tokens_per_second
    assert found.reach <= longest < cost.seconds


def test_another_preset_is_said_to_be_another() -> None:
    base = PRESETS["transformer-base"].recipe
    found = predict_quality(base, "transformer-base", *asked(5000), GRID)
    assert found
    assert "No measured run used this preset" in found.caveats[0]


def test_other_presets_that_differ_widely_say_nothing_of_this_one() -> None:
    seen, cost = asked(5000)
    known = [run(5000, 99), run(5000, 1, preset="transformer-tiny")]
    for preset in ("first-steps", "quick"):
        recipe = PRESETS[preset].recipe
        assert predict_quality(recipe, preset, seen, cost, known) is None
        said = why_no_prediction(recipe, preset, seen, cost, known)
        assert f"There are no measured runs of `{preset}` on captions" in said
        assert "BLEU 1 to 99" in said
    assert predict_quality(SMALL, "small", seen, cost, known)  # its own
    nearer = [run(5000, 45), run(5000, 1, preset="transformer-tiny")]
    recipe = PRESETS["first-steps"].recipe
    assert predict_quality(recipe, "first-steps", seen, cost, nearer)
    _, few = asked(5000, 20)
    assert "as early as 20 steps" in why_no_prediction(recipe, "first-steps", seen, few, known)


def test_no_run_of_ours_says_0_to_100() -> None:
    seen = load_preview("builtin:en-fr")
    quick = within_minutes(PRESETS["quick"].recipe, "quick", seen)
    cost = forecast(quick, seen)
    assert predict_quality(quick, "quick", seen, cost) is None
    assert "no measured runs of `quick`" in why_no_prediction(quick, "quick", seen, cost)


def test_where_nothing_can_be_said_nothing_is() -> None:
    seen, cost = asked(5000)
    assert predict_quality(SMALL, "small", seen, cost, []) is None
    assert "memorized" in why_not_comparable(SMALL, captions(5))
    assert "translate" in why_not_comparable(SMALL, dataclasses.replace(seen, is_plain=True))
    assert "translate" in why_not_comparable(override(SMALL, {"data.task": "denoise"}), seen)
    assert (
        predict_quality(override(SMALL, {"data.task": "denoise"}), "small", seen, cost, GRID)
        is None
    )
    assert not why_not_comparable(SMALL, seen)


def test_it_says_which_reason_leaves_no_interval() -> None:
    seen, cost = asked(5000, 20)
    assert predict_quality(SMALL, "small", seen, cost, GRID) is None
    short = why_no_prediction(SMALL, "small", seen, cost, GRID)
    assert "captions was scored as early as 20 steps" in short
    begin = int(short.split("about ")[1].split(".")[0])
    assert predict_quality(SMALL, "small", *asked(5000, begin), GRID)
    assert predict_quality(SMALL, "small", *asked(5000, begin - 1), GRID) is None
    unscored = [dataclasses.replace(one, points=one.points[:1]) for one in GRID]
    assert "such a dataset was scored" in why_no_prediction(SMALL, "small", *asked(5000), unscored)
    assert "no measured runs" in why_no_prediction(SMALL, "small", *asked(5000), [])
    assert "memorized" in why_no_prediction(SMALL, "small", *asked(5), GRID)


@pytest.mark.parametrize("preset", ["small", "quick"])
def test_however_fast_the_computer_predictions_start_where_it_says(
    preset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runs of quick count tokens as small reads them."""
    recipe = PRESETS[preset].recipe
    seen = captions(5000)
    known = [run(5000, 15, preset=preset)]
    for peak in np.geomspace(1e9, 1e13, 30):
        monkeypatch.setattr(throughput, "peak", lambda peak=peak: peak)
        few = forecast(override(recipe, {"train.steps": 10}), seen)
        short = why_no_prediction(recipe, preset, seen, few, known)
        steps = int(short.split("about ")[1].split(".")[0].replace(",", ""))
        begin, before = (
            forecast(override(recipe, {"train.steps": n}), seen) for n in (steps, steps - 1)
        )
        assert predict_quality(recipe, preset, seen, begin, known), peak
        assert predict_quality(recipe, preset, seen, before, known) is None, peak


def test_before_its_first_validation_a_run_says_nothing() -> None:
    assert run(1000, 30).bleu_at(1000) is None
    assert run(1000, 30).bleu_at(1e12) == pytest.approx(30)
    assert run(1000, 30).bleu_at(750 * 2048) == pytest.approx(15)


def test_the_best_preset_is_first() -> None:
    known = [run(29_000, 30), run(29_000, 10, preset="transformer-tiny")]
    ranked = best_presets(
        captions(29_000), {"small": 2000.0, "transformer-tiny": 2000.0}, 10, known
    )
    assert [preset for preset, _ in ranked] == ["small", "transformer-tiny"]
    assert best_presets(captions(29_000), {}, 10, known) == []


def test_what_ships_can_be_read() -> None:
    for one in measured_runs():
        assert one.preset in PRESETS
        assert [point.tokens for point in one.points] == sorted(
            point.tokens for point in one.points
        )
        assert all(point.bleu is None or 0 <= point.bleu <= 100 for point in one.points)
        assert one.n_pairs >= 100
        assert not math.isnan(one.richness)
        assert "/" not in one.like


@pytest.mark.parametrize("factor", [0.05, 0.4, 2.5, 10])
def test_no_bleu_is_promised_for_a_learning_rate_that_none_of_our_runs_had(factor: float) -> None:
    seen, cost = asked(10_000)
    other = override(SMALL, {"train.lr": SMALL.train.lr * factor})
    assert predict_quality(SMALL, "small", seen, cost, GRID)
    assert predict_quality(other, "small", seen, cost, GRID) is None
    sentence = why_no_prediction(other, "small", seen, cost, GRID)
    assert ("may diverge" in sentence) == (factor > 1)
    assert f"{SMALL.train.lr * factor:g}" in sentence
    wide = override(SMALL, {"model.d_model": 4 * SMALL.model.d_model})
    assert predict_quality(wide, "small", seen, cost, GRID) is None


def test_another_optimizer_has_no_expectation() -> None:
    seen, cost = asked(10_000)
    kinds = {"adam", "adamw", "sgd"} & set(
        type(SMALL.train.optimizer).__dataclass_fields__["kind"].metadata["choices"]
    )
    other = (kinds - {SMALL.train.optimizer.kind}).pop()
    recipe = override(SMALL, {"train.optimizer.kind": other})
    assert predict_quality(recipe, "small", seen, cost, GRID) is None
    assert other in why_no_prediction(recipe, "small", seen, cost, GRID)


def test_settings_that_our_runs_did_not_have_are_named() -> None:
    seen, cost = asked(10_000)
    changes = {"train.lr": SMALL.train.lr * 1.5, "model.dropout": 0.35, "train.seed": 9}
    found = predict_quality(override(SMALL, changes), "small", seen, cost, GRID)
    assert found
    (caveat,) = found.caveats
    assert f"`train.lr` {SMALL.train.lr * 1.5:g}" in caveat
    assert "`model.dropout` 0.35" in caveat
    assert "seed" not in caveat


LINES = [pair.src for pair in load("builtin:en-fr#rows=400").pairs]
KOREAN = ("".join(map(chr, range(0xAC00 + 3 * i, 0xAC00 + 3 * i + 3))) for i in range(3000))
SYLLABLES = dict(
    zip(sorted({word for line in LINES for word in line.split()}), KOREAN, strict=False)
)


def other(make: Callable[[str], tuple[str, str]]) -> Preview:
    """The lines of the grammar, made into pairs of another kind."""
    return Preview.of(Corpus("other", "train", tuple(Pair(*make(line)) for line in LINES)))


def hangul(line: str) -> str:
    return " ".join(SYLLABLES[word] for word in line.split())


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (
            lambda line: (hangul(line), hangul(line)[::-1]),
            "its sources are in Hangul, theirs in Latin",
        ),
        (lambda line: (hangul(line), line), "its sources are in Hangul"),
        (lambda line: (line, line.upper()), "of its targets' words are in their sources"),
        (lambda line: (line, codecs.encode(line, "rot13")), "as many words on both sides"),
        (lambda line: (line.split()[0], " ".join(line.upper())), "words on average"),
        (lambda line: (line, line.split()[-1]), ""),
        (lambda line: (" ".join("12"), str(len(line))), "in no one script"),
    ],
)
def test_no_bleu_is_promised_for_data_unlike_that_of_the_measured_runs(
    make: Callable[[str], tuple[str, str]], why: str
) -> None:
    seen = other(make)
    assert predict_quality(SMALL, "small", seen, forecast(SMALL, seen)) is None
    said = why_no_prediction(SMALL, "small", seen, forecast(SMALL, seen))
    assert said.startswith("No BLEU is expected")
    assert why in said
    assert "Only the time is known" in said
    assert "BLEU" not in recommend(seen, 10).why


@pytest.mark.parametrize("spec", ["builtin:en-fr", "builtin:en-es", "builtin:en-fr#rows=500"])
def test_what_is_like_the_measured_data_is_compared_with_it(spec: str) -> None:
    found = alike(measured_runs(), load_preview(spec))
    assert {run.like for run in found} == {"short English-French sentences of a grammar"}


@pytest.mark.parametrize("n_pairs", [400, 100_000])
def test_far_smaller_and_larger_datasets_are_like_no_measured_one(n_pairs: int) -> None:
    assert why_unlike(GRID, captions(n_pairs)).count(f"it has {n_pairs:,} pairs") == 1
    assert not why_unlike(GRID, captions(round(SIZES * 29_000)))


def test_the_direction_is_that_of_the_recipe() -> None:
    seen = other(lambda line: (" ".join([line] * 3), codecs.encode(line[::-1], "rot13")))
    run_here = dataclasses.replace(
        run(400, 50, like="grammar", rich=richness(seen)), traits=traits_of(seen)
    )
    back = override(SMALL, {"data.task": "reverse_direction"})
    cost = forecast(SMALL, seen)
    assert predict_quality(SMALL, "small", seen, cost, [run_here])
    assert predict_quality(back, "small", seen, cost, [run_here]) is None

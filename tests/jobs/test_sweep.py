import pytest

from s2s.config import PRESETS, UserError, asker, flat, override
from s2s.data import load_preview
from s2s.jobs import forecast, sweep, within_minutes
from s2s.jobs.sweep import MOST, grid, values, with_control_run
from s2s.jobs.training import RunRequest
from s2s.processes import queue
from tests.conftest import TINY

SMALL = PRESETS["small"].recipe
ASKED = RunRequest(SMALL, "builtin:mini-en-fr", preset="small", name="five phrases")


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_WORKER", "elsewhere")


@pytest.mark.parametrize(
    ("key", "text", "found"),
    [
        ("train.lr", "0.001, 3e-3", [0.001, 0.003]),
        ("train.steps", " 100,200 , 300,", [100, 200, 300]),
        ("tokenizer.kind", "bpe, word", ["bpe", "word"]),
        ("model.norm.bias", "true,false", [True, False]),
        ("tokenizer.vocab_size", "null, 500", [None, 500]),
        ("model.n_layers", "1, 2", [1, 2]),
    ],
)
def test_values_are_read(key: str, text: str, found: list[object]) -> None:
    assert values(SMALL, key, text) == found


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("train.lr", "0.001, -1, 1000", "`train.lr` cannot be -1"),
        ("train.steps", "100, 2.5", "cannot be 2.5"),
        ("tokenizer.kind", "bpe, wrd", "cannot be wrd"),
        ("train.lr", "", "has no values"),
        ("train.lr", "0.1, 0.10", "twice"),
        ("train.steps", "[1]", "cannot be"),
    ],
)
def test_the_first_wrong_value_is_named(key: str, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        values(SMALL, key, text)


def test_every_combination_is_a_run() -> None:
    orders = grid(ASKED, {"train.lr": [0.001, 0.003], "model.d_model": [32, 64, 128]}, "widths")
    assert len(orders) == 6
    assert len({order.name for order in orders}) == 6
    assert {order.tags for order in orders} == {("sweep:widths",)}
    assert orders[0].name == "widths: lr 0.001, d_model 32"
    for order in orders:
        assert order.given == ("train.lr", "model.d_model")
        now = flat(order.recipe)
        before = flat(SMALL)
        assert {key for key in now if now[key] != before[key]} <= {"train.lr", "model.d_model"}
        assert f"d_model {order.recipe.model.d_model}" in order.name
        assert (order.source, order.preset, order.owner) == (
            ASKED.source,
            ASKED.preset,
            ASKED.owner,
        )


def test_too_many_or_none_are_refused() -> None:
    with pytest.raises(UserError, match="would have 25"):
        grid(ASKED, {"train.seed": list(range(5)), "train.steps": [1, 2, 3, 4, 5]}, "x")
    assert len(grid(ASKED, {"train.seed": list(range(MOST))}, "x")) == MOST
    with pytest.raises(UserError, match="1 to 3 settings"):
        grid(ASKED, {}, "x")
    with pytest.raises(UserError, match="1 to 3 settings"):
        grid(
            ASKED,
            {key: [1] for key in ("train.seed", "train.lr", "train.steps", "model.dropout")},
            "x",
        )


def test_the_preset_quick_chooses_nothing_that_is_swept() -> None:
    quick = RunRequest(PRESETS["quick"].recipe, "builtin:en-fr", preset="quick", name="rates")
    preview = load_preview(quick.source)
    rates = [0.1, 0.2, 0.3]
    for order, rate in zip(grid(quick, {"model.dropout": rates}, "x"), rates, strict=True):
        planned = within_minutes(order.recipe, order.preset, preview, given=order.given)
        assert planned.model.dropout == rate


def test_steps_are_not_swept_with_a_time_budget() -> None:
    quick = RunRequest(PRESETS["quick"].recipe, "builtin:en-fr", preset="quick")
    with pytest.raises(UserError, match=r"`train.steps` follows from `train.minutes`; sweep that"):
        grid(quick, {"train.steps": [10, 20]}, "x")
    with pytest.raises(UserError, match="follows from"):
        grid(ASKED, {"train.steps": [10, 20], "train.minutes": [None, 1.0]}, "x")
    assert len(grid(quick, {"train.steps": [10, 20], "train.minutes": [None]}, "x")) == 2


def test_a_combination_that_does_not_go_together_is_named() -> None:
    with pytest.raises(UserError, match=r"with d_model 130 .*not divisible"):
        grid(ASKED, {"model.d_model": [128, 130]}, "x")


def test_names_stay_within_what_a_name_may_be() -> None:
    (order, *_) = grid(
        ASKED, {"train.optimizer.weight_decay": [0.1], "train.watch.validate_every": [5]}, "n" * 200
    )
    assert len(order.name) <= 80
    assert "weight_decay 0.1" in order.name
    assert all(len(tag) <= 46 for tag in order.tags)


def test_control_runs_differ_by_their_initialization() -> None:
    first, second = with_control_run(
        RunRequest(SMALL, "builtin:en-fr", name="fine", init_from="demo-en-fr"), "fine"
    )
    assert (first.init_from, second.init_from) == ("demo-en-fr", "")
    assert first.tags == second.tags == ("twin:fine",)
    assert first.recipe == second.recipe
    assert "from scratch" in second.name


def test_a_control_run_within_minutes_has_the_sizes_of_the_initialized_one() -> None:
    recipe = override(PRESETS["quick"].recipe, {"train.minutes": 60})
    order = RunRequest(recipe, "builtin:en-fr", preset="quick", init_from="demo-en-fr")
    first, second = with_control_run(order, "fine")
    preview = load_preview(order.source)
    one = within_minutes(first.recipe, "", preview, given=first.given)
    other = within_minutes(second.recipe, second.preset, preview, given=second.given)
    assert other == one


def tiny(**changes: object) -> RunRequest:
    return RunRequest(
        override(SMALL, {**TINY, **changes}), "builtin:mini-en-fr", preset="small", name="t"
    )


FORECAST = forecast(tiny().recipe, load_preview("builtin:mini-en-fr"))


def test_all_are_queued_with_their_tag() -> None:
    orders = grid(tiny(), {"train.lr": [0.001, 0.003]}, "rates")
    ids = sweep.submit(orders, [FORECAST] * 2)
    jobs = {job.run: job for job in queue.jobs(asker.LOCAL)}
    assert set(ids) == set(jobs)
    assert all(list(job.spec["tags"]) == ["sweep:rates"] for job in jobs.values())
    assert {job.slot for job in jobs.values()} == {"express"}
    assert {job.spec["seconds"] for job in jobs.values()} == {FORECAST.seconds}


def test_all_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_MAX_JOBS", "2")
    orders = grid(tiny(), {"train.lr": [0.001, 0.003, 0.01]}, "rates")
    with pytest.raises(UserError):
        sweep.submit(orders, [FORECAST] * 3)
    assert not [job for job in queue.jobs(asker.LOCAL) if job.state in ("queued", "running")]

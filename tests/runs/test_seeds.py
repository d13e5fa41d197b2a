"""Which runs differ only in their seed, and what mean and spread of their scores are."""

import json
import shutil
import statistics
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2s
from s2s.config import Recipe, UserError, override
from s2s.data import load
from s2s.data.split import hold_out
from s2s.runs import RunFolder, seeds
from s2s.runs.seeds import Described, Spread, difference
from tests.conftest import make_run

ABOUT: Mapping[str, Any] = {
    "source": "builtin:en-fr",
    "valid": None,
    "data": {"n_train": 90, "n_valid": 10, "train_hash": "a", "valid_hash": "b", "notes": []},
}
DRAWN = {**ABOUT["data"], "notes": [hold_out(load("builtin:en-fr#rows=60"), 1).note]}


def described(seed: int, about: Mapping[str, Any] = ABOUT, /, **settings: object) -> Described:
    changes = {key.replace("__", "."): value for key, value in settings.items()}
    return Described(override(Recipe(), {"train.seed": seed, **changes}), {**ABOUT, **about})


def test_runs_that_differ_only_in_seed_and_hardware_are_one_setting() -> None:
    runs = {
        "a": described(1),
        "b": described(2, train__threads=3),
        "again": described(2),
        "other": described(3, train__lr=0.5),
    }
    assert seeds.groups(runs) == [("a", "b"), ("other",)]
    assert seeds.varied([runs["a"], runs["other"]]) == {
        "train.lr": [runs["a"].recipe.train.lr, 0.5]
    }


@pytest.mark.parametrize(
    "other",
    [
        described(2, train__steps=7),
        described(2, train__minutes=1.0),
        described(2, tokenizer__kind="char"),
        described(2, {"source": "builtin:en-es"}),
        described(2, {"valid": "builtin:en-es"}),
        described(2, {"init_from": {"run": "x", "step": 3}}),
        described(2, {"changes": [{"step": 5, "lr": 0.1, "time": "now"}]}),
        described(2, {"data": {**ABOUT["data"], "train_hash": "c"}}),
        described(2, {"data": {**ABOUT["data"], "n_train": 91}}),
    ],
)
def test_what_differs_in_more_than_the_seed_is_not_averaged(other: Described) -> None:
    assert seeds.groups({"a": described(1), "b": other}) == [("a",), ("b",)]


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({"source": "builtin:en-es"}, {"dataset": ["builtin:en-fr", "builtin:en-es"]}),
        ({"valid": "builtin:en-es"}, {"validation": ["", "builtin:en-es"]}),
        ({"init_from": {"run": "/home/a/x", "step": 3}}, {"start": ["", "x@3"]}),
        ({"data": {**ABOUT["data"], "n_train": 91}}, {"pairs": [100, 101]}),
        ({"data": {**ABOUT["data"], "train_hash": "c"}}, {"data hash": ["a", "c"]}),
        ({seeds.AT: 5}, {"step": ["best", 5]}),
    ],
)
def test_rows_say_in_what_their_data_differ(
    other: Mapping[str, Any], named: dict[str, list[Any]]
) -> None:
    runs = {"a": described(1), "b": described(2, other)}
    assert seeds.groups(runs) == [("a",), ("b",)]
    assert seeds.varied([*runs.values()]) == named


def test_validation_pairs_that_the_seed_draws_are_part_of_its_spread() -> None:
    runs = {
        "a": described(1, {"data": DRAWN}),
        "b": described(2, {"data": {**DRAWN, "n_train": 89, "n_valid": 11, "train_hash": "c"}}),
    }
    assert seeds.groups(runs) == [("a", "b")]
    assert seeds.draws_pairs(runs.values())
    assert not seeds.draws_pairs([described(1)])


def test_the_spread_is_the_sample_standard_deviation() -> None:
    values = [1.0, 2.0, 4.0, None, float("nan")]
    found = Spread.of(values)
    assert found == Spread(np.mean(values[:3]), pytest.approx(np.std(values[:3], ddof=1)), 3)
    assert Spread.of([3.0]) == Spread(3.0, None, 1)
    assert Spread.of([None]) is None
    assert found is not None
    assert found.text(".1f") == "2.3 ± 1.5"
    assert Spread(3.0, None, 1).text(".1f") == "3.0"


@pytest.fixture
def put(tmp_path: Path) -> Callable[[str, int, float], Path]:
    """A finished run with this seed, loss at its best validation."""
    trained = make_run(tmp_path / "trained", {})

    def copy(name: str, seed: int, lr: float) -> Path:
        folder = RunFolder(shutil.copytree(trained, tmp_path / name))
        recipe = override(folder.recipe(), {"train.seed": seed, "train.lr": lr})
        folder.amend(lambda about: {"recipe": recipe.to_json()})
        lines = [line for line in folder.lines("metrics") if line["kind"] == "valid"]
        lines[-1] |= {"loss": lr * seed, "bleu": 10.0 * seed}
        folder.set_status("done", best_step=lines[-1]["step"])
        path = folder.path / "metrics.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return folder.path

    return copy


def test_python_gives_a_row_per_setting(put: Callable[[str, int, float], Path]) -> None:
    runs = [put("a", 1, 0.1), put("b", 4, 0.1), put("c", 2, 0.2)]
    table = s2s.mean_and_spread(runs)
    assert list(table["train.lr"]) == [0.1, 0.2]
    assert list(table["n"]) == [2, 1]
    assert list(table["seeds"]) == [[1, 4], [2]]
    assert table.loc[0, "loss"] == pytest.approx(0.25)
    assert table.loc[0, "loss sd"] == pytest.approx(statistics.stdev([0.1, 0.4]))
    assert table.loc[0, "bleu"] == pytest.approx(25.0)
    assert np.isnan(table.loc[1, "loss sd"])
    assert table.to_latex().count("&") == 3 * len(table.columns)


def test_an_unfinished_run_is_named(put: Callable[[str, int, float], Path]) -> None:
    path = put("a", 1, 0.1)
    RunFolder(path).set_status("stopped", best_step=30)
    with pytest.raises(UserError, match=r"`.*a` has not finished; leave it out, or resume it"):
        s2s.mean_and_spread([path])


def test_a_run_may_be_opened_alone_or_named_with_its_step(
    put: Callable[[str, int, float], Path],
) -> None:
    run = put("a", 1, 1.0)
    opened = s2s.load(run)
    rows = [s2s.mean_and_spread(each) for each in (run, str(run), opened, [opened], (run,))]
    assert [each["loss"][0] for each in rows] == [1.0] * 5
    at = s2s.mean_and_spread(f"{run}@last")
    assert at["loss"][0] == 1.0
    with pytest.raises(UserError, match="no checkpoint of step 7"):
        s2s.mean_and_spread(f"{run}@7")
    with pytest.raises(UserError, match="`None` is no run"):
        s2s.mean_and_spread([None])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("sd", "n", "t", "p"),
    [(1.0, 6, 2.2281, 0.05), (1.0, 2, 4.3027, 0.05), (2.0, 6, 0.0, 1.0), (1.0, 61, 2.6174, 0.01)],
)
def test_p_of_a_difference_is_that_of_the_table_of_t(sd: float, n: int, t: float, p: float) -> None:
    """Equal spreads have 2 n - 2 degrees of freedom."""
    error = sd * (2 / n) ** 0.5
    found = difference(Spread(1.0, sd, n), Spread(1.0 + t * error, sd, n))
    assert found is not None
    assert found.p == pytest.approx(p, abs=1e-4)
    assert (found.low > 0) == (p < 0.05 - 1e-4) or found.low == pytest.approx(0, abs=1e-3)
    assert (found.low + found.high) / 2 == pytest.approx(t * error)


def test_a_single_run_has_no_difference_to_test() -> None:
    assert difference(Spread(1.0, None, 1), Spread(2.0, 0.1, 3)) is None
    assert difference(Spread(1.0, 0.0, 3), Spread(2.0, 0.0, 3)) is None

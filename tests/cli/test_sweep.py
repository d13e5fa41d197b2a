"""`python -m s2s sweep`: a run per combination, as the sweep of Train makes them, and mean and spread over seeds."""

import json
import re
import statistics
from pathlib import Path

import pytest

import s2s
from s2s.cli import main, sweeping, training
from s2s.config import PRESETS, override
from s2s.data import load_preview
from s2s.jobs.plan import time_budget
from s2s.runs import RunFolder, seeds
from tests.conftest import TINY

SHORT = {**TINY, "train.steps": 4, "train.watch.validate_every": 2, "train.watch.samples": 0}
GIVEN = [
    "sweep",
    *("--source", "synthetic:reverse#rows=40"),
    *("--valid", "synthetic:reverse#split=valid,rows=10"),
    *(part for key, value in SHORT.items() for part in ("--set", f"{key}={json.dumps(value)}")),
]


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("sweep") / "out"
    assert main([*GIVEN, "--vary", "train.lr=0.001,0.1", "--seeds", "2", "--out", str(out)]) == 0
    return out


def test_each_combination_is_a_run_with_the_sweeps_tag(swept: Path) -> None:
    folders = sorted(path for path in swept.iterdir() if path.is_dir())
    trained = [(one.recipe(), one.about()) for one in map(RunFolder, folders)]
    found = {(recipe.train.lr, recipe.train.seed) for recipe, _ in trained}
    assert found == {(0.001, 1), (0.001, 2), (0.1, 1), (0.1, 2)}
    assert len(folders) == 4
    assert {tuple(about["tags"]) for _, about in trained} == {("sweep:out",)}


def test_given_again_it_trains_only_what_is_new_and_prints_mean_and_spread(
    swept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {str(path): path.stat().st_mtime_ns for path in swept.glob("*/metrics.jsonl")}
    options = ["--vary", "train.lr=0.001,0.1", "--seeds", "3", "--out", str(swept)]
    assert main([*GIVEN, *options]) == 0
    out = capsys.readouterr().out
    assert out.count("It has been trained already.") == 4
    assert before == {
        str(path): path.stat().st_mtime_ns
        for path in swept.glob("*/metrics.jsonl")
        if str(path) in before
    }
    rows = json.loads(out.splitlines()[-1])["rows"]
    assert [(row["train.lr"], row["seeds"]) for row in rows] == [
        (0.001, [1, 2, 3]),
        (0.1, [1, 2, 3]),
    ]
    for row in rows:
        losses = [seeds.best_scores(RunFolder(Path(run)))["loss"] or 0.0 for run in row["runs"]]
        mean, sd = statistics.fmean(losses), statistics.stdev(losses)
        assert (row["loss"], row["loss sd"]) == pytest.approx((mean, sd))
        assert f"{mean:.3f} ± {sd:.3f}" in out
    assert s2s.mean_and_spread(rows[0]["runs"])["loss"].tolist() == [rows[0]["loss"]]


def stopped(started: object, group: object) -> None:
    """Trains, and is stopped at the end."""
    training.show(started, group)  # type: ignore[arg-type]
    raise training.StoppedError("Stopped at step 4 and saved.")


def test_what_was_stopped_is_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [*GIVEN, "--seeds", "2", "--out", str(tmp_path / "out")]
    with monkeypatch.context() as patched:
        patched.setattr(sweeping, "show", stopped)
        assert main(options) == 2
    assert "the same command continues the sweep" in capsys.readouterr().err
    assert main(options) == 0
    assert [path.name for path in sorted((tmp_path / "out").iterdir())] == [
        "sweep.json",
        "train.seed=1",
        "train.seed=2",
    ]


def test_a_sweep_stopped_in_its_first_run_is_continued_only_with_its_own_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    options = ["--seeds", "1", "--out", str(out)]
    monkeypatch.setattr(sweeping, "show", stopped)
    assert main([*GIVEN, *options]) == 2
    capsys.readouterr()
    assert main([*GIVEN, "--set", "model.d_ff=24", *options]) == 2
    assert "holds a sweep with another dataset, recipe or start" in capsys.readouterr().err
    (out / "sweep.json").unlink()
    assert main([*GIVEN, "--set", "model.decoder.d_ff=24", *options]) == 2
    assert "a run with another `model.decoder.d_ff`; choose" in capsys.readouterr().err
    assert main([*GIVEN, "--valid", "synthetic:reverse#split=valid,rows=9", *options]) == 2
    assert "a run with another dataset; choose" in capsys.readouterr().err


def test_a_combination_never_takes_the_run_of_another_whose_folder_has_the_same_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--out", str(tmp_path / "out")]
    assert main([*GIVEN, "--vary", "data.prefix=a:", *options]) == 0
    capsys.readouterr()
    assert main([*GIVEN, "--vary", "data.prefix=a;", *options]) == 2
    assert "holds a run with another `data.prefix`" in capsys.readouterr().err


@pytest.mark.parametrize("preset", ["quick", "small"])
def test_a_run_with_a_time_budget_differs_only_by_what_does_not_follow_from_it(preset: str) -> None:
    asked = override(PRESETS[preset].recipe, {"train.minutes": 0.2, "train.warmup_steps": 7})
    given = ("train.minutes", "train.warmup_steps")
    preview = load_preview("builtin:first-steps")
    planned = time_budget.within_minutes(asked, preset, preview, given=given)
    follows = time_budget.following(asked, preset, given)
    changed = time_budget.changed_settings(asked, planned)
    assert {"train.steps"} <= changed.keys() - {"train.threads"} <= follows
    assert not follows & {*given}


def test_long_names_that_begin_alike_are_different_folders(tmp_path: Path) -> None:
    same = "x" * 120
    one, two = (
        sweeping._folders(tmp_path, {"data.prefix": [f"{same}{end}"]})[0] for end in ("a", "b")
    )
    assert one != two
    assert len(one.name) == len(two.name) == sweeping.LONGEST_FOLDER
    assert re.fullmatch(r"data\.prefix=x+-[0-9a-f]{8}", one.name)


def test_several_processes_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert main([*GIVEN, "--seeds", "1", "--out", str(tmp_path / "x")]) == 2
    out, err = capsys.readouterr()
    assert (out, err) == (
        "",
        "`sweep` trains in one process, and torchrun has started 2; start it without torchrun.\n",
    )
    assert not (tmp_path / "x").exists()


MISTAKES = {
    "nothing": ([], r"`sweep` needs settings with their values, .* or --seeds N"),
    "no values": (["--vary", "train.lr"], "`--vary train.lr` has no setting and values"),
    "empty": (["--vary", "train.lr="], "`train.lr` has no values"),
    "key": (["--vary", "train.lrr=1,2"], "no setting `train.lrr`; .*`train.lr`"),
    "value": (["--vary", "train.lr=0.1,-1"], "`train.lr` cannot be -1"),
    "value twice": (["--vary", "train.lr=1,1"], "`train.lr` has 1 twice"),
    "key twice": (["--vary", "train.lr=1", "--vary", "train.lr=2"], "has `train.lr` twice"),
    "heads": (
        ["--vary", "model.d_model=16,24", "--vary", "model.n_heads=4,16"],
        "with d_model 24, n_heads 16 cannot be trained",
    ),
    "seeds": (["--seeds", "0"], "`--seeds` 0 is not a number of seeds; give 1 to 24"),
    "too many seeds": (["--seeds", "999999999999"], "give 1 to 24"),
    "seeds as text": (["--seeds", "two"], "invalid int value: 'two'"),
    "both": (["--vary", "train.seed=1,2", "--seeds", "2"], "both choose the seeds"),
    "grid": (
        ["--vary", "train.lr=1,2,3,4,5", "--seeds", "5"],
        "1 to 24 runs and this one would have 25",
    ),
    "four": (
        [
            *("--vary", "train.lr=1", "--vary", "train.steps=1"),
            *("--vary", "model.d_ff=8", "--seeds", "1"),
        ],
        "1 to 3 settings and this one 4",
    ),
    "folders": (["--vary", "data.prefix=a:,a;"], "would have the same folder"),
    "preset": (["--seeds", "1", "--preset", "smol"], "no preset `smol`"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_sentence_and_exit_2(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, sentence = MISTAKES[case]
    try:
        status = main([*GIVEN, *arguments, "--out", str(tmp_path / "x")])
    except SystemExit as end:
        status = int(end.code or 0)
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1), err
    assert re.search(sentence, err), err
    assert not (tmp_path / "x").exists()


def test_a_folder_of_something_else_is_left_alone(
    swept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = next(path for path in swept.iterdir() if path.is_dir())
    for out, options, sentence in (
        (swept, ["--set", "train.steps=5"], "another dataset, recipe or start"),
        (one, [], "is a run's folder"),
        (one / "recipe.json", [], "is a file; give `--out` a folder"),
    ):
        assert main([*GIVEN, *options, "--seeds", "1", "--out", str(out)]) == 2
        assert sentence in capsys.readouterr().err


def test_a_sweep_needs_a_dataset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", "--seeds", "2", "--out", str(tmp_path / "x")]) == 2
    assert "`sweep` needs a dataset; add `--source`" in capsys.readouterr().err

"""`python -m s2s sweep`: a run per combination, as the sweep of Train makes them, and mean and spread over seeds."""

import json
import re
import statistics
from pathlib import Path

import pytest

import s2s
from s2s.cli import main, sweeping, training
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


def test_what_was_stopped_is_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(started: object, group: object) -> None:
        training.show(started, group)  # type: ignore[arg-type]
        raise training.StoppedError("Stopped at step 4 and saved.")

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

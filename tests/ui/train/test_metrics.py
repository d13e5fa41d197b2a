"""The newest metrics of a run, the step they belong to, and the pairs they were measured on."""

import json
from pathlib import Path

import numpy as np
import pytest

from s2s import plots
from s2s.config import Recipe, override
from s2s.plots import Curve, CurveOptions
from s2s.runs import Curves, Metrics
from s2s.ui.kit import cached
from s2s.ui.kit.validation_pairs import worded_for
from s2s.ui.train import metrics
from s2s.ui.train.curves import _marks, _missing, first_score

VALID = {"kind": "valid", "loss": 8.1, "perplexity": 3000.0, "token_accuracy": 0.0}
RECIPE = override(Recipe(), {"train.steps": 400, "train.watch.validate_every": 150})


def read(path: Path, *lines: dict[str, object]) -> Curves:
    (path / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return Metrics(path / "metrics.jsonl").read()


def trained(step: int) -> dict[str, object]:
    return {
        "kind": "train",
        "step": step,
        "loss": 5.0,
        "n_tokens": 9,
        "seconds": 0.1,
        "lr": 0.1,
        "grad_norm": 1.0,
    }


@pytest.mark.parametrize(
    ("step", "said"), [(0, ""), (1, ""), (2, "at step 0"), (1490, "at step 0")]
)
def test_an_older_validation_shows_its_step(step: int, said: str, tmp_path: Path) -> None:
    row = {
        each.label: each.step
        for each in metrics.main(
            read(tmp_path, {**VALID, "step": 0}, *([trained(step)] if step else []))
        )
    }
    assert row == {
        "Training loss": "",
        "Validation loss": said,
        "Perplexity": said,
        "Token accuracy": said,
    }


def test_a_score_shows_its_own_step(tmp_path: Path) -> None:
    known = read(
        tmp_path, {**VALID, "step": 1150, "bleu": 3.0}, {**VALID, "step": 1200}, trained(1300)
    )
    assert {each.label: each.step for each in metrics.main(known)}["BLEU"] == "at step 1,150"


@pytest.mark.parametrize(
    ("scores", "is_short"),
    [
        ({"bleu": 0.0, "chrf": 97.0}, True),
        ({"bleu": 0.0, "chrf": 10.0}, False),
        ({"bleu": 0.2, "token_accuracy": 0.99}, True),
        ({"bleu": 30.0, "chrf": 97.0}, False),
        ({"chrf": 97.0}, False),
    ],
)
def test_a_bleu_that_misleads_is_explained(
    scores: dict[str, float], is_short: bool, tmp_path: Path
) -> None:
    known = read(tmp_path, {**VALID, "step": 150, **scores})
    assert metrics.is_short(known) is is_short
    helps = [
        each.help
        for each in (*metrics.main(known), *metrics.more(known))
        if each.label in ("BLEU", "chrF")
    ]
    assert all((metrics.SHORT in help) is is_short for help in helps)


def test_a_dataset_too_small_for_held_out_pairs_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = {
        "tiny": ["With 19 pairs nothing is held out: validation uses the training pairs."],
        "large": ["20 are held out."],
    }
    monkeypatch.setattr(cached, "run_notes", notes.__getitem__)
    assert worded_for("large", "Nats, on the held-out pairs.") == "Nats, on the held-out pairs."
    assert worded_for("tiny", "Nats, on the held-out pairs.").startswith(
        "Nats, on the training pairs. The dataset is too small"
    )
    assert worded_for("tiny", "Nats.") == "Nats."


@pytest.mark.parametrize(
    ("changes", "steps", "said"),
    [
        ({}, 0, "The first score is measured at step 150."),
        ({}, 149, "The first score is measured at step 150."),
        ({"train.steps": 100}, 3, "The first score is measured at step 100."),
        ({"train.steps": 100}, 100, ""),
        (
            {"train.watch.scores": 0},
            3,
            "BLEU and chrF are switched off: `train.watch.scores` is 0.",
        ),
    ],
)
def test_the_first_score_is_announced(
    changes: dict[str, object], steps: int, said: str, tmp_path: Path
) -> None:
    known = read(tmp_path, {**VALID, "step": 0}, *([trained(steps)] if steps else []))
    assert first_score(override(RECIPE, changes), known) == said
    assert first_score(None, known) == ""


def test_a_score_that_was_measured_or_never_will_be_is_not_announced(tmp_path: Path) -> None:
    assert (
        first_score(RECIPE, read(tmp_path, {**VALID, "step": 150, "bleu": 0.0}, trained(160))) == ""
    )
    assert first_score(RECIPE, read(tmp_path, {**VALID, "step": 150}, trained(160))) == ""


def test_several_runs_each_say_why_a_curve_is_missing() -> None:
    lines = [Curve("a", [1], [1.0]), Curve("b", [], [], run=1), Curve("c", [], [], run=2)]
    assert _missing(lines, CurveOptions(), ["", "It comes.", ""]) == " b: It comes. Not logged: c."
    assert _missing(lines[1:2], CurveOptions(), ["It comes."] * 2) == " b: It comes."
    figure = plots.curves([Curve("BLEU", [], [])], title="", y_label="", nothing="It comes.")
    assert figure.layout.annotations[0].text == "It comes."


def test_changes_of_the_last_step_and_of_the_learning_rate_are_marked(tmp_path: Path) -> None:
    known = read(
        tmp_path,
        {"kind": "change", "step": 401, "lr": 0.5},
        {"kind": "change", "step": 9, "lr": 0.1},
    )
    about = {
        "changes": [
            {"step": 401, "steps": 1600},
            {"step": 200, "steps": 600},
            {"step": 401, "lr": 0.5},
            {"step": "x"},
            7,
        ]
    }
    assert _marks(known, about) == [
        (9, "train.lr 0.1"),
        (200, "to step 600"),
        (401, "train.lr 0.5, to step 1,600"),
    ]
    assert _marks(known, {"changes": 4}) == _marks(known, {})


@pytest.mark.parametrize(("last", "dtick"), [(9, None), (100, 1), (100_000, 1)])
def test_only_decades_have_numbers_where_there_are_several(last: int, dtick: int | None) -> None:
    line = Curve("a", np.arange(1, last + 1), np.full(last, 2.0))
    figure = plots.curves(
        [line], title="", y_label="", options=CurveOptions(is_log_x=True, is_log_y=True)
    )
    assert (figure.layout.xaxis.dtick, figure.layout.yaxis.dtick) == (dtick, None)

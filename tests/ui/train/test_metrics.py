"""The newest metrics of a run, the step they belong to, and the pairs they were measured on."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from s2s import plots
from s2s.config import PRESETS, Recipe, override
from s2s.plots import Curve, CurveOptions
from s2s.questions import have
from s2s.runs import Curves, Metrics, diverged_at, has_diverged
from s2s.ui.kit.training_curves import worded_for
from s2s.ui.train import diagnosis, metrics
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
def test_a_bleu_that_misleads_is_explained_and_chrf_shown_first(
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
    first = [each.label for each in metrics.main(known)]
    assert ("chrF" in first) is is_short
    assert ("BLEU" in first) is ("bleu" in scores and not is_short)


def test_bleu_says_with_which_signature_it_was_counted(tmp_path: Path) -> None:
    line = {**VALID, "step": 150, "bleu": 30.0, "signature": "tok:char|unicode:NFC"}
    bleu = metrics.main(read(tmp_path, line))[-1]
    assert bleu.label == "BLEU"
    assert bleu.help.endswith("Signature: tok:char|unicode:NFC")


def test_exact_match_is_shown_where_bleu_misleads(tmp_path: Path) -> None:
    right = {**VALID, "step": 150, "bleu": 0.0, "chrf": 100.0, "exact_match": 100.0}
    known = read(tmp_path, right)
    scores = {each.label: each.value for each in metrics.main(known)}
    assert scores["Exact match"] == "100.0%"
    assert not {"BLEU", "chrF"} & scores.keys()
    assert {"BLEU", "chrF"} <= {each.label for each in metrics.more(known)}
    wrong = read(tmp_path, right | {"bleu": 30.0, "exact_match": 10.0})
    assert "Exact match" not in {each.label for each in metrics.main(wrong)}


def test_a_dataset_too_small_for_held_out_pairs_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = {
        "tiny": ["With 19 pairs nothing is held out: validation uses the training pairs."],
        "large": ["20 are held out."],
    }
    monkeypatch.setattr(have, "about", lambda run: {"data": {"notes": notes[run]}})
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


@pytest.mark.parametrize(
    ("last", "labels"),
    [
        (9, ["1", "2", "5", "10"]),
        (100, ["1", "2", "5", "10", "20", "50", "100"]),
        (100_000, ["1", "10", "100", "1,000", "10,000", "100,000"]),
    ],
)
def test_a_log_axis_writes_every_number_in_full(last: int, labels: list[str]) -> None:
    line = Curve("a", np.arange(1, last + 1), np.full(last, 2.0))
    figure = plots.curves(
        [line], title="", y_label="", options=CurveOptions(is_log_x=True, is_log_y=True)
    )
    assert list(figure.layout.xaxis.ticktext) == labels
    assert list(figure.layout.yaxis.ticktext) == ["2"]


def losses(path: Path, *rows: tuple[int, float, float]) -> Curves:
    """Curves of (step, training loss, validation loss); step 0 has no training loss."""
    lines: list[dict[str, object]] = []
    for step, train, valid in rows:
        lines += [{**trained(step), "loss": train}] if step else []
        lines += [{**VALID, "step": step, "loss": valid, "perplexity": math.exp(min(valid, 700))}]
    return read(path, *lines)


@pytest.mark.parametrize(
    ("rows", "at", "is_now"),
    [
        ([(0, 0.0, 3.5), (10, 160.0, 158.0), (20, 90.0, 94.0)], 10, True),
        ([(0, 0.0, 3.5), (10, 15.0, 14.8), (60, 2.6, 2.5)], 10, False),
        ([(0, 0.0, 3.5), (10, 2.0, 2.0), (60, 0.01, 9.0)], None, False),  # it overfits
        ([(0, 0.0, 3.5), (10, 3.6, 3.6)], None, False),
        ([(0, 0.0, 3.5)], None, False),
        ([(10, 90.0, 94.0)], None, False),  # its first validation is not known
        ([], None, False),
    ],
)
def test_a_run_whose_loss_rose_has_diverged(
    rows: list[tuple[int, float, float]], at: int | None, is_now: bool, tmp_path: Path
) -> None:
    known = losses(tmp_path, *rows)
    assert (diverged_at(known), has_diverged(known)) == (at, is_now)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (7.25, "7.25"), (12_345.6, "12,346"), (2.4e9, "2.4e9"), (math.inf, "> 1e38")],
)
def test_a_large_perplexity_fits_into_its_card(value: float | None, shown: str) -> None:
    assert metrics.perplexity(value) == shown
    assert len(shown) <= 7


def test_the_remedy_is_a_lower_rate() -> None:
    hot = override(PRESETS["small"].recipe, {"train.lr": 10.0})
    usual = PRESETS["small"].recipe.train.lr
    assert f"such as {usual:g}." in diagnosis.remedy(hot, "small", 10.0, is_live=False)
    assert "such as 1." in diagnosis.remedy(hot, "", 10.0, is_live=False)
    cool = diagnosis.remedy(hot, "small", usual / 2, is_live=False)
    assert f"such as {usual / 20:.1g}." in cool
    assert "`train.lr` 0.0015" in cool
    assert "lower it now" in diagnosis.remedy(hot, "small", 10.0, is_live=True)

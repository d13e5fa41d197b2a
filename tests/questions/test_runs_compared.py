"""The numbers of runs side by side, from their logs."""

from pathlib import Path
from typing import Any

import pytest

from s2s.questions import ComparedRun, ComparedRuns, Have, RunsCompared
from s2s.questions.runs_compared import compared
from s2s.runs import Curves, Metrics
from tests.runs.test_metrics import train_line, valid_line, write


def test_a_short_session_after_a_pause_says_little_about_the_time_of_all_steps(
    tmp_path: Path,
) -> None:
    lines = [train_line(step, step / 2, first=step == 1) for step in range(1, 51)]
    lines += [valid_line(50, 33.0)]
    lines += [train_line(step, step / 2 + 8) for step in range(51, 101)]
    lines += [train_line(101, 9000.5, first=True), valid_line(101, 9008.5)]
    curves = Metrics(write(tmp_path / "metrics.jsonl", lines)).read()

    class Logged(Have):
        def curves(self, run: str) -> Curves:
            return curves

    row = Have().summary("demo-en-fr")
    assert compared(Logged(), row, "resumed").seconds == pytest.approx(0.5 * 101 + 2 * 8)
    assert curves.seconds_per_step == pytest.approx(8.5)  # of one step with its validation


def run(name: str, **scores: Any) -> ComparedRun:
    measured = {"loss": 1.0, "accuracy": 0.5, "bleu": 10.0, "settings": {"lr": name}} | scores
    signed = {"measured_on": "one", "signatures": ("a",)} | measured
    rest = {"parameters": 1, "seconds": 1.0, "dataset": "d", "smoothing": 0.0}
    return ComparedRun(id=name, name=name, state="done", step=1, steps=1, **rest | signed)


ASKED = RunsCompared(("a", "b"))


def test_the_lowest_loss_is_named_with_what_differs_and_what_bleu_prefers() -> None:
    found = ASKED.finding(ComparedRuns((run("a"), run("b", loss=1.5, bleu=20.0))))
    assert "“a” has the lowest validation loss, 1 nats per token (next: “b”, 1.5)" in found
    assert "by BLEU it is “b” (20). They differ in lr." in found


@pytest.mark.parametrize(
    "other",
    [{}, {"loss": 2.0, "measured_on": "other"}, {"loss": None}],
    ids=["equal", "other tokens", "not measured"],
)
def test_nobody_leads_where_losses_do_not_compare(other: dict[str, Any]) -> None:
    assert ASKED.finding(ComparedRuns((run("a"), run("b", **other)))) == ""


def test_scores_with_different_signatures_have_no_best() -> None:
    runs = ComparedRuns((run("a"), run("b", bleu=20.0, signatures=("b",))))
    assert runs.signature_note
    assert runs.best("bleu") == []

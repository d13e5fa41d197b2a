"""The numbers of the view Side by side, from the logs of runs."""

from pathlib import Path

import pytest

from s2s.runs import Metrics
from s2s.ui.kit import cached
from s2s.ui.runs import comparison
from tests.runs.test_metrics import train_line, valid_line, write


def test_a_short_session_after_a_pause_says_little_about_the_time_of_all_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [train_line(step, step / 2, first=step == 1) for step in range(1, 51)]
    lines += [valid_line(50, 33.0)]
    lines += [train_line(step, step / 2 + 8) for step in range(51, 101)]
    lines += [train_line(101, 9000.5, first=True), valid_line(101, 9008.5)]
    curves = Metrics(write(tmp_path / "metrics.jsonl", lines)).read()
    monkeypatch.setattr(cached, "curves", lambda run: curves)
    assert comparison.SCORES["training time"].of("resumed") == pytest.approx(0.5 * 101 + 2 * 8)
    assert curves.seconds_per_step == pytest.approx(8.5)  # of one step with its validation

import json
import math
import random
import threading
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s.runs import Curves, Metrics, metrics
from s2s.runs.metrics import LearningRateChange


def train_line(step: int, time: float, **more: Any) -> dict[str, Any]:
    return {
        "kind": "train",
        "step": step,
        "loss": 10.0 / step,
        "lr": step * 1e-4,
        "grad_norm": 1.5,
        "n_tokens": 100,
        "seconds": 0.5,
    } | {"time": time, **more}


def valid_line(step: int, time: float, loss: float = 2.0) -> dict[str, Any]:
    return {
        "kind": "valid",
        "step": step,
        "loss": loss,
        "perplexity": 7.4,
        "token_accuracy": 0.5,
        "is_best": True,
        "time": time,
    }


def text(lines: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_bytes(text(lines))
    return path


def many(n: int) -> list[dict[str, Any]]:
    lines = [valid_line(0, 0.0)]
    for step in range(1, n + 1):
        lines.append(
            train_line(step, step * 1.0, word="désolé 🙂", **({"first": True} if step == 1 else {}))
        )
        lines += [valid_line(step, step + 0.1)] if step % 7 == 0 else []
    return lines


def assert_same(left: Curves, right: Curves) -> None:
    for field in fields(Curves):
        np.testing.assert_array_equal(
            getattr(left, field.name), getattr(right, field.name), err_msg=field.name
        )


@pytest.mark.parametrize("seed", range(3))
def test_following_a_file_split_anywhere_equals_reading_it_at_once(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics, "POINTS", 16)
    monkeypatch.setattr(metrics, "BLOCK", 300)
    draw = random.Random(seed)
    content = text(many(90))
    path = tmp_path / "metrics.jsonl"
    following = Metrics(path)
    with path.open("wb", buffering=0) as file:
        while content:
            size = draw.choice([1, 7, 150, 2000])
            file.write(content[:size])
            content = content[size:]
            curves = following.read()
            assert len(curves.steps) <= 16
            assert_same(curves, Metrics(path).read())
    assert (curves.step, curves.steps[-1], len(curves.valid_steps)) == (90, 90, 13)


def test_short_curves_are_as_they_were_logged(tmp_path: Path) -> None:
    curves = Metrics(write(tmp_path / "m", many(30))).read()
    assert curves.steps.tolist() == list(range(1, 31))
    np.testing.assert_allclose(curves.loss, 10.0 / np.arange(1, 31), rtol=1e-6)
    assert (curves.loss.dtype, curves.steps.dtype) == (np.float32, np.int64)
    assert curves.valid_steps.tolist() == [0, 7, 14, 21, 28]
    assert (curves.valid_loss[0], curves.valid_perplexity[0], curves.valid_token_accuracy[0]) == (
        2.0,
        np.float32(7.4),
        0.5,
    )
    assert (curves.lr, curves.grad_norm) == (30 * 1e-4, 1.5)


def test_long_curves_are_means_over_buckets_and_the_newest_step_is_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics, "POINTS", 8)
    lines = [train_line(step, float(step), loss=float(step)) for step in range(1, 12)]
    curves = Metrics(write(tmp_path / "m", lines)).read()
    assert curves.steps.tolist() == [1, 3, 5, 7, 9, 11]
    assert curves.loss.tolist() == [1.5, 3.5, 5.5, 7.5, 9.5, 11.0]
    curves = Metrics(write(tmp_path / "m", [*lines, train_line(12, 12.0, loss=12.0)])).read()
    assert curves.loss.tolist() == [1.5, 3.5, 5.5, 7.5, 9.5, 11.5, 12.0]


def test_a_truncated_metrics_file_is_read_again_from_the_start(tmp_path: Path) -> None:
    path = write(tmp_path / "m", many(30))
    following = Metrics(path)
    assert following.read().step == 30
    write(path, many(12))
    assert following.read().step == 12
    write(
        path, [*many(11), *(train_line(step, 500.0 + step, loss=1.0) for step in range(12, 60))]
    )  # longer than before
    curves = following.read()
    assert_same(curves, Metrics(path).read())
    assert (curves.step, curves.loss[-1]) == (59, 1.0)
    path.unlink()
    assert following.read().step == 0


def test_a_run_that_has_not_started_has_no_metrics(tmp_path: Path) -> None:
    curves = Metrics(tmp_path / "none").read()
    assert (
        len(curves.steps),
        len(curves.valid_steps),
        curves.step,
        curves.lr,
        curves.tokens_per_second,
        curves.seconds_left(10),
    ) == (0, 0, 0) + (None,) * 3


def test_speed_is_of_the_last_seconds_and_throughput_counts_validation_but_no_pause(
    tmp_path: Path,
) -> None:
    path = tmp_path / "m"
    slow = [
        train_line(step, 10.0 * step, n_tokens=50, first=step == 1, seconds=10.0)
        for step in range(1, 11)
    ]
    curves = Metrics(write(path, slow)).read()
    assert curves.tokens_per_second == pytest.approx(5.0)
    assert curves.seconds_left(30) == pytest.approx(200.0)
    resumed = [
        train_line(step, 9000.0 + step, n_tokens=80, first=step == 11) for step in range(11, 15)
    ]
    later = [valid_line(14, 9018.5)]
    curves = Metrics(write(path, slow + resumed + later)).read()
    assert curves.tokens_per_second == pytest.approx(80.0)
    assert curves.seconds_per_step == pytest.approx((9018.5 - 9010.5) / 4)
    assert curves.seconds_left(14) == 0.0


def test_what_is_logged_beside_the_loss_has_a_curve_and_what_older_runs_lack_is_nan(
    tmp_path: Path,
) -> None:
    old = {
        key: value for key, value in train_line(1, 1.0).items() if key not in ("lr", "grad_norm")
    }
    scored = valid_line(2, 2.5) | {"bleu": 31.5, "chrf": 52.0, "memory": 3_000_000_001}
    change = {"kind": "change", "step": 3, "lr": 5e-4, "time": 2.7}
    curves = Metrics(
        write(
            tmp_path / "m",
            [valid_line(0, 0.5), old, train_line(2, 2.0), scored, change, train_line(3, 3.0)],
        )
    ).read()
    np.testing.assert_array_equal(curves.rates, np.float32([math.nan, 2e-4, 3e-4]))
    np.testing.assert_array_equal(curves.grad_norms, np.float32([math.nan, 1.5, 1.5]))
    np.testing.assert_array_equal(curves.speeds, np.float32([200, 200, 200]))
    np.testing.assert_array_equal(curves.valid_bleu, np.float32([math.nan, 31.5]))
    np.testing.assert_array_equal(curves.valid_chrf, np.float32([math.nan, 52.0]))
    np.testing.assert_array_equal(curves.valid_memory, [math.nan, 3_000_000_001])
    assert curves.changes == (LearningRateChange(3, 5e-4, 2.7),)


def test_every_curve_is_a_mean_over_the_same_buckets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics, "POINTS", 8)
    lines = [
        train_line(step, float(step), grad_norm=step**2, n_tokens=step, seconds=2.0)
        for step in range(1, 12)
    ]
    curves = Metrics(write(tmp_path / "m", lines)).read()
    assert curves.grad_norms.tolist() == [2.5, 12.5, 30.5, 56.5, 90.5, 121.0]
    np.testing.assert_allclose(
        curves.rates, 1e-4 * np.array([1.5, 3.5, 5.5, 7.5, 9.5, 11]), rtol=1e-6
    )
    assert curves.speeds.tolist() == [0.75, 1.75, 2.75, 3.75, 4.75, 5.5]


def test_who_looks_again_gets_the_same_arrays_and_can_spoil_them_for_nobody(tmp_path: Path) -> None:
    following = Metrics(write(tmp_path / "m", many(10)))
    curves = following.read()
    assert following.read() is curves
    with pytest.raises(ValueError, match="read-only"):
        curves.loss[0] = 0.0


def play(
    steps: int, every: int, update: float, validation: float, pause_at: int = 0
) -> tuple[list[dict[str, Any]], dict[int, float]]:
    """The log of a run, and the seconds from each step to the end without its pause."""
    draw = random.Random(1)
    time = 100.0
    paused = 0.0
    lines = [valid_line(0, 100.0)]
    reached = {}
    for step in range(1, steps + 1):
        if step == pause_at:
            time = time + 3600
            paused = 3600.0
        seconds = (
            update * draw.uniform(0.5, 1.5) * (5 if step == 1 else 1)
        )  # the first step warms up
        time += seconds * 1.05  # what lies between two steps
        lines.append(
            train_line(
                step, time, seconds=seconds, **({"first": True} if step in (1, pause_at) else {})
            )
        )
        if step % every == 0 or step == steps:
            lines.append(valid_line(step, time + 0.6 * validation))
            time += validation * (
                1.2 if step == every else 1
            )  # translations that end late, at first
        reached[step] = time - paused
    return lines, {step: time - paused - at for step, at in reached.items()}


@pytest.mark.parametrize("pause_at", [0, 60])
@pytest.mark.parametrize("every", [10, 33, 100, 150, 199])
@pytest.mark.parametrize("validation", [0.0, 2.0, 30.0], ids="validation={}".format)
def test_after_a_fifth_of_a_run_the_time_left_is_right_within_thirty_percent(
    every: int, validation: float, pause_at: int, tmp_path: Path
) -> None:
    lines, truth = play(1000, every, 0.1, validation, pause_at)
    end = next(i for i, line in enumerate(lines) if line["kind"] == "train" and line["step"] == 201)
    left = Metrics(write(tmp_path / "m", lines[:end])).read().seconds_left(1000)
    assert left == pytest.approx(truth[200], rel=0.3)


def test_single_steps_between_pauses_do_not_upset_the_time_left(tmp_path: Path) -> None:
    lines, truth = play(1000, 100, 0.1, 2.0)
    lines = [line for line in lines if line["step"] <= 300]
    before = Metrics(write(tmp_path / "m", lines)).read().seconds_left(1000)
    assert before == pytest.approx(truth[300], rel=0.3)
    singles = [train_line(step, 9000.0 * step, seconds=0.2, first=True) for step in range(301, 321)]
    for n in (1, 5, 15):
        left = Metrics(write(tmp_path / "m", lines + singles[:n])).read().seconds_left(1000)
        assert left == pytest.approx(truth[300 + n], rel=0.3)


def test_at_the_last_step_nothing_is_left(tmp_path: Path) -> None:
    lines, _ = play(100, 30, 0.1, 2.0)
    assert Metrics(write(tmp_path / "m", lines)).read().seconds_left(100) == 0.0


def test_runs_from_before_there_was_a_time_of_day_have_a_throughput_too(tmp_path: Path) -> None:
    lines = [
        {key: value for key, value in train_line(step, 0.0).items() if key != "time"}
        for step in range(1, 11)
    ]
    curves = Metrics(write(tmp_path / "m", lines)).read()
    assert (curves.tokens_per_second, curves.seconds_left(20)) == (
        pytest.approx(200.0),
        pytest.approx(5.0),
    )


def test_a_perplexity_beyond_float32_is_infinite(tmp_path: Path) -> None:
    assert np.isinf(
        Metrics(write(tmp_path / "m", [valid_line(0, 0.0) | {"perplexity": 1e300}]))
        .read()
        .valid_perplexity[0]
    )


BROKEN = [
    b"{oops}",
    b'{"kind": "train", "step": 3, "lo{"kind": "train", "step": 4}',  # a full disk, and the next line behind it
    b"\xff\xfe",
    b"[1, 2]",
    b"null",
    b'{"step": 3}',
    b'{"kind": "train", "step": 3}',
    b'{"kind": "train", "step": null, "loss": 1.0, "n_tokens": 1, "seconds": 1.0}',
    b'{"kind": "valid", "step": 3, "loss": "low", "perplexity": 1.0, "token_accuracy": 1.0}',
    b'{"kind": "change", "step": 3}',
    b'{"kind": "valid", "step": 3, "loss": 1.0, "perplexity": 1.0, "token_accuracy": 1.0, "bleu": "good"}',
    b"[" * 100_000,
]


@pytest.mark.parametrize("line", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_line_is_passed_over_and_counted(line: bytes, tmp_path: Path) -> None:
    lines = [train_line(step, float(step)) for step in range(1, 9)]
    whole = Metrics(write(tmp_path / "whole", lines)).read()
    path = tmp_path / "m"
    path.write_bytes(text(lines[:4]) + line + b"\n" + text(lines[4:]))
    following = Metrics(path)
    for _ in range(2):
        assert_same(replace(following.read(), n_broken=0), whole)
        assert (following.read().n_broken, whole.n_broken) == (1, 0)
    write(path, lines[:2])
    assert following.read().n_broken == 0


def test_steps_that_go_backwards_have_no_throughput(tmp_path: Path) -> None:
    assert (
        Metrics(write(tmp_path / "m", [train_line(5, 1.0), train_line(4, 2.0)]))
        .read()
        .seconds_per_step
        is None
    )


def test_visitors_share_one_reader(tmp_path: Path) -> None:
    path = write(tmp_path / "m", many(2000))
    following = Metrics(path)
    found = []
    threads = [threading.Thread(target=lambda: found.append(following.read())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for curves in found:
        assert_same(curves, found[0])
    assert (len(found), found[0].step, len(found[0].steps) <= 1500) == (4, 2000, True)


@pytest.mark.parametrize("n", [5, 1499, 1501, 4000])
def test_tokens_and_minutes_grow_with_the_steps(n: int, tmp_path: Path) -> None:
    curves = Metrics(write(tmp_path / "metrics.jsonl", many(n))).read()
    np.testing.assert_allclose(curves.tokens, 100.0 * curves.steps, atol=100)
    np.testing.assert_allclose(curves.minutes, 0.5 / 60 * curves.steps, atol=0.5 / 60)
    assert curves.tokens[-1] == 100 * n
    steps = curves.valid_steps
    np.testing.assert_allclose(curves.at_steps(curves.tokens, steps), 100.0 * steps, atol=200)
    nothing = Metrics(tmp_path / "none").read()
    assert nothing.at_steps(nothing.tokens, np.array([3])).tolist() == [0.0]

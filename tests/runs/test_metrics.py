import json
import random
import threading
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s.runs import Curves, Metrics, metrics


def train_line(step: int, time: float, **more: Any) -> dict[str, Any]:
    return {"kind": "train", "step": step, "loss": 10.0 / step, "lr": step * 1e-4, "grad_norm": 1.5, "n_tokens": 100, "seconds": 0.5} | {
        "time": time,
        **more,
    }


def valid_line(step: int, time: float, loss: float = 2.0) -> dict[str, Any]:
    return {"kind": "valid", "step": step, "loss": loss, "perplexity": 7.4, "token_accuracy": 0.5, "is_best": True, "time": time}


def text(lines: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_bytes(text(lines))
    return path


def many(n: int) -> list[dict[str, Any]]:
    lines = [valid_line(0, 0.0)]
    for step in range(1, n + 1):
        lines.append(train_line(step, step * 1.0, word="désolé 🙂", **({"first": True} if step == 1 else {})))
        lines += [valid_line(step, step + 0.1)] if step % 7 == 0 else []
    return lines


def assert_same(left: Curves, right: Curves) -> None:
    for field in fields(Curves):
        np.testing.assert_array_equal(getattr(left, field.name), getattr(right, field.name), err_msg=field.name)


@pytest.mark.parametrize("seed", range(8))
def test_following_a_file_cut_anywhere_is_reading_it_whole(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "POINTS", 16)
    monkeypatch.setattr(metrics, "BLOCK", 300)
    draw = random.Random(seed)
    content, path = text(many(90)), tmp_path / "metrics.jsonl"
    following = Metrics(path)
    with path.open("wb", buffering=0) as file:
        while content:
            size = draw.choice([1, 7, 150, 2000])
            file.write(content[:size])
            content = content[size:]
            seen = following.read()
            assert len(seen.steps) <= 16
            assert_same(seen, Metrics(path).read())
    assert (seen.step, seen.steps[-1], len(seen.valid_steps)) == (90, 90, 13)


def test_short_curves_are_as_they_were_logged(tmp_path: Path) -> None:
    seen = Metrics(write(tmp_path / "m", many(30))).read()
    assert seen.steps.tolist() == list(range(1, 31))
    np.testing.assert_allclose(seen.loss, 10.0 / np.arange(1, 31), rtol=1e-6)
    assert (seen.loss.dtype, seen.steps.dtype) == (np.float32, np.int64)
    assert seen.valid_steps.tolist() == [0, 7, 14, 21, 28]
    assert (seen.valid_loss[0], seen.valid_perplexity[0], seen.valid_token_accuracy[0]) == (2.0, np.float32(7.4), 0.5)
    assert (seen.lr, seen.grad_norm) == (30 * 1e-4, 1.5)


def test_long_curves_are_means_over_buckets_and_the_newest_step_stands_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "POINTS", 8)
    lines = [train_line(step, float(step), loss=float(step)) for step in range(1, 12)]
    seen = Metrics(write(tmp_path / "m", lines)).read()
    assert seen.steps.tolist() == [1, 3, 5, 7, 9, 11]
    assert seen.loss.tolist() == [1.5, 3.5, 5.5, 7.5, 9.5, 11.0]
    seen = Metrics(write(tmp_path / "m", [*lines, train_line(12, 12.0, loss=12.0)])).read()
    assert seen.loss.tolist() == [1.5, 3.5, 5.5, 7.5, 9.5, 11.5, 12.0]


def test_a_run_that_was_cut_back_is_read_again_from_the_start(tmp_path: Path) -> None:
    path = write(tmp_path / "m", many(30))
    following = Metrics(path)
    assert following.read().step == 30
    write(path, many(12))
    assert following.read().step == 12
    write(path, [*many(11), *(train_line(step, 500.0 + step, loss=1.0) for step in range(12, 60))])  # longer than before
    seen = following.read()
    assert_same(seen, Metrics(path).read())
    assert (seen.step, seen.loss[-1]) == (59, 1.0)
    path.unlink()
    assert following.read().step == 0


def test_nothing_is_known_of_a_run_that_has_not_begun(tmp_path: Path) -> None:
    seen = Metrics(tmp_path / "none").read()
    assert (len(seen.steps), len(seen.valid_steps), seen.step, seen.lr, seen.tokens_per_second, seen.seconds_left(10)) == (0, 0, 0) + (
        None,
    ) * 3


def test_speed_is_of_the_last_seconds_and_pace_counts_validation_but_no_pause(tmp_path: Path) -> None:
    path = tmp_path / "m"
    slow = [train_line(step, 10.0 * step, n_tokens=50, first=step == 1, seconds=10.0) for step in range(1, 11)]
    seen = Metrics(write(path, slow)).read()
    assert seen.tokens_per_second == pytest.approx(5.0)
    assert seen.seconds_left(30) == pytest.approx(200.0)
    resumed = [train_line(step, 9000.0 + step, n_tokens=80, first=step == 11) for step in range(11, 15)]
    later = [valid_line(14, 9018.5)]
    seen = Metrics(write(path, slow + resumed + later)).read()
    assert seen.tokens_per_second == pytest.approx(80.0)
    assert seen.seconds_per_step == pytest.approx((9018.5 - 9010.5) / 4)
    assert seen.seconds_left(14) == 0.0


def test_runs_from_before_there_was_a_time_of_day_have_a_pace_too(tmp_path: Path) -> None:
    lines = [{key: value for key, value in train_line(step, 0.0).items() if key != "time"} for step in range(1, 11)]
    seen = Metrics(write(tmp_path / "m", lines)).read()
    assert (seen.tokens_per_second, seen.seconds_left(20)) == (pytest.approx(200.0), pytest.approx(5.0))


def test_a_perplexity_beyond_float32_is_infinite(tmp_path: Path) -> None:
    assert np.isinf(Metrics(write(tmp_path / "m", [valid_line(0, 0.0) | {"perplexity": 1e300}])).read().valid_perplexity[0])


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


def test_steps_that_go_backwards_have_no_pace(tmp_path: Path) -> None:
    assert Metrics(write(tmp_path / "m", [train_line(5, 1.0), train_line(4, 2.0)])).read().seconds_per_step is None


def test_visitors_share_one_reader(tmp_path: Path) -> None:
    path = write(tmp_path / "m", many(2000))
    following, found = Metrics(path), []
    threads = [threading.Thread(target=lambda: found.append(following.read())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seen in found:
        assert_same(seen, found[0])
    assert (len(found), found[0].step, len(found[0].steps) <= 1500) == (4, 2000, True)

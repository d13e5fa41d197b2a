import json
from pathlib import Path

import numpy as np
import pytest

from s2s.analysis import KINDS, Attention
from s2s.config import UserError
from s2s.runs import RunFolder, SavedAttention, attention_history
from tests.conftest import full_disk


def rows(*shape: int, seed: int = 0) -> np.ndarray:
    raw = np.random.default_rng(seed).random(shape).astype(np.float32) ** 6
    return raw / raw.sum(-1, keepdims=True)


def kept(step: int, seed: int = 0) -> SavedAttention:
    src = ("▁the", "▁cat", "s", "</s>")
    inputs = ("<s>", "▁les", "▁chats")
    tgt = ("▁les", "▁chats", "</s>")
    backwards = np.tril(np.ones((2, 3, 3, 3), np.float32)) / [[1], [2], [3]]
    attention = Attention(
        src, inputs, tgt, rows(2, 3, 3, 4, seed=seed), rows(1, 2, 4, 4), backwards
    )
    return SavedAttention(step, "the cats", 'les "chats" <b>🙂</b>', attention)


def test_what_is_kept_comes_back_within_half_precision_and_sums_to_one(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    given = kept(200)
    attention_history.save(folder, given)
    found = attention_history.load(folder, 200)
    assert (found.step, found.source, found.target) == (200, given.source, given.target)
    for kind in KINDS:
        view = found.attention.view(kind)
        expected = given.attention.view(kind)
        assert (view.rows, view.keys) == (expected.rows, expected.keys)
        assert view.weights.dtype == np.float32
        np.testing.assert_allclose(view.weights, expected.weights, atol=1e-3)
        np.testing.assert_allclose(view.weights.sum(-1), 1, atol=1e-6)


def test_the_same_step_twice_is_the_newer_one(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    attention_history.save(folder, kept(5, seed=1))
    attention_history.save(folder, kept(5, seed=2))
    assert attention_history.saved_steps(folder) == [5]
    np.testing.assert_allclose(
        attention_history.load(folder, 5).attention.cross, rows(2, 3, 3, 4, seed=2), atol=1e-3
    )


def test_steps_are_the_whole_files_alone(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    assert attention_history.saved_steps(folder) == []
    for step in (300, 20, 123_456_789):
        attention_history.save(folder, kept(step))
    for name in (
        ".step-00000400.safetensors.ab12",
        "step-4.safetensors",
        "step-00000400.state.safetensors",
        "notes.txt",
    ):
        (tmp_path / "attention" / name).write_text("")
    assert attention_history.saved_steps(folder) == [20, 300, 123_456_789]


def test_going_on_from_a_step_forgets_the_later_ones(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    attention_history.delete_after(folder, 10)
    for step in (10, 20, 30):
        attention_history.save(folder, kept(step))
    attention_history.delete_after(folder, 20)
    assert attention_history.saved_steps(folder) == [10, 20]
    attention_history.delete_after(folder, 0)
    assert attention_history.saved_steps(folder) == []


def test_files_stay_few_and_spread() -> None:
    for seed in [None, 1]:
        for n in [3, 100, 101, 150, 250, 1000]:
            every = np.arange(1, n + 1) * 50
            if seed is not None:  # best checkpoints come in between
                every = np.unique(
                    np.concatenate([every, np.random.default_rng(seed).integers(1, n * 50, n // 4)])
                )
            left: list[int] = []
            for step in every.tolist():
                left.append(step)
                gone = attention_history.steps_to_drop(left, attention_history.MOST)
                assert len(gone) == max(0, len(left) - attention_history.MOST)
                left = [each for each in left if each not in gone]
            assert len(left) == min(len(every), attention_history.MOST)
            assert (left[0], left[-1]) == (every[0], every[-1])
            if len(every) > attention_history.MOST:
                assert (
                    np.diff(left).max()
                    <= 3 * (every[-1] - every[0]) / (attention_history.MOST - 1) + 50
                )


def test_a_run_never_has_more_files_than_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention_history, "MOST", 4)
    for step in range(1, 10):
        attention_history.save(RunFolder(tmp_path), kept(step))
    found = attention_history.saved_steps(RunFolder(tmp_path))
    assert (len(found), found[0], found[-1]) == (4, 1, 9)


def damaged(path: Path, how: str) -> None:
    content = path.read_bytes()
    ruined = {
        "half": content[: len(content) // 2],
        "text": b"no tensors",
        "key": content.replace(b"src_tokens", b"src_tokenz"),
    }
    ruined["shape"] = content.replace(rb"cat\", \"s\"", rb"catxxxxxxx\"")  # one token less
    assert len(ruined["shape"]) == len(content) != len(ruined["half"])
    assert content not in ruined.values()
    path.unlink()
    if how != "gone":
        path.write_bytes(ruined[how])


@pytest.mark.parametrize("how", ["gone", "half", "text", "key", "shape"])
def test_a_file_that_cannot_be_read_is_a_sentence(how: str, tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    attention_history.save(folder, kept(7))
    damaged(tmp_path / "attention" / "step-00000007.safetensors", how)
    with pytest.raises(UserError, match=r"step 7 .* choose another step"):
        attention_history.load(folder, 7)


def test_a_full_disk_is_a_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    with full_disk(100), pytest.raises(UserError, match="free some space"):
        attention_history.save(folder, kept(7))
    assert attention_history.saved_steps(folder) == []
    assert list((tmp_path / "attention").iterdir()) == []


def line(step: int, value: float, **more: object) -> dict[str, object]:
    return {
        "kind": "attention",
        "step": step,
        "time": 1.0,
        "entropy": [[value, 2], [3, 4], [5, 6]],
        "n_pairs": 32,
        **more,
    }


def written(path: Path, lines: list[dict[str, object]]) -> RunFolder:
    (path / "metrics.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    return RunFolder(path)


def test_the_history_is_the_lines_in_order(tmp_path: Path) -> None:
    aer = [[0.1, 0.2]] * 3
    train = {"kind": "train", "step": 1, "loss": 2.0}
    lines = [
        line(20, 1.0),
        train,
        line(10, 0.5, aer=aer, aer_mean=[1, 2, 3], uniform=2.5),
        line(20, 1.5, n_pairs=31),
    ]
    found = attention_history.history(written(tmp_path, lines))
    assert found is not None
    assert found.steps.tolist() == [10, 20]
    assert found.entropy.shape == (2, 3, 2)
    assert found.entropy[:, 0, 0].tolist() == [0.5, 1.5]  # a step that stands twice counts once
    assert found.aer is not None
    assert found.aer_mean is not None
    assert found.uniform is not None
    np.testing.assert_allclose(found.aer[0], aer)
    assert np.isnan(found.aer[1]).all()
    assert (found.aer_mean[0].tolist(), found.uniform[0], found.n_pairs) == ([1, 2, 3], 2.5, 31)


def test_without_gold_there_is_no_error_and_without_lines_no_history(tmp_path: Path) -> None:
    assert attention_history.history(RunFolder(tmp_path)) is None
    found = attention_history.history(written(tmp_path, [line(1, 1.0)]))
    assert found is not None
    assert (found.aer, found.aer_mean, found.uniform) == (None, None, None)
    assert (
        attention_history.history(
            written(tmp_path, [{"kind": "train", "step": 1, "name": "attention"}])
        )
        is None
    )


BROKEN = [
    '{"kind": "attention"}',
    '{"kind": "attention", "step": 2, "entropy": [1, 2]}',
    '"attention"',
    '{"kind": "attention", "st',
    "[" * 99_999 + '"attention"',
    '{"kind": "attention", "step": 3, "entropy": [[1, 2], [3]]}',
    '{"kind": "attention", "step": null, "entropy": [[1]]}',
    '{"kind": "attention", "step": 4, "entropy": [["low"]]}',
    '{"kind": "attention", "step": 5, "entropy": [[1, 2]]}',
]


@pytest.mark.parametrize("broken", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_line_is_left_out(broken: str, tmp_path: Path) -> None:
    folder = written(tmp_path, [line(1, 1.0), line(9, 2.0)])
    path = tmp_path / "metrics.jsonl"
    first, last = path.read_text().splitlines()
    path.write_text(f"{first}\n{broken}\n{last}\n{broken}")
    found = attention_history.history(folder)
    assert found is not None
    assert found.steps.tolist() == [1, 9]

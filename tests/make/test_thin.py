import json
import zlib
from pathlib import Path

import pytest
import safetensors.torch
import torch

from benchmarks.make.thin import LARGEST, POINTS, eight_bit_weights, thin_metrics, thin_weights
from s2s.config import UserError
from s2s.demo import EVERYDAY
from s2s.model import read_weights, write_steps
from s2s.runs import Metrics
from s2s.settings import SHIPPED

RUNS = sorted(SHIPPED.iterdir())


def test_a_matrix_is_rounded_and_a_vector_is_not(tmp_path: Path) -> None:
    generator = torch.Generator().manual_seed(0)
    given = {
        "encoder.layers.0.feed_forward.up.weight": torch.randn(64, 32, generator=generator),
        "encoder.embed.tokens.weight": torch.randn(64, 32, generator=generator),
        "encoder.final_norm.weight": torch.randn(32, generator=generator),
    }
    given["encoder.embed.tokens.weight"][0, 0] = 9.0  # more steps than a byte can count
    thin = thin_weights(given)
    errors = {name: float((thin.tensors[name] - given[name]).abs().max()) for name in given}
    matrix, embedding, vector = errors.values()
    assert vector < 2**-9
    assert 2**-7 < embedding <= 2**-6 < matrix <= 2**-5
    path = tmp_path / "thin.safetensors"
    write_steps(path, *thin)
    read = read_weights(path)
    assert all(torch.equal(read[name], tensor) for name, tensor in thin.tensors.items())
    kinds = [tensor.dtype for tensor in safetensors.torch.load_file(path).values()]
    assert sorted(map(str, kinds)) == ["torch.float16", "torch.int16", "torch.int8"]
    name = next(iter(given))
    stored = safetensors.torch.load_file(path)[name]
    compressed, plain = (
        len(zlib.compress(tensor.numpy().tobytes())) for tensor in (stored, given[name].half())
    )
    assert compressed < 0.5 * plain


def test_eight_bits_are_the_step_with_the_least_error(tmp_path: Path) -> None:
    generator = torch.Generator().manual_seed(0)
    given = {"weight": torch.randn(256, 64, generator=generator), "norm": torch.rand(64)}
    given["weight"][0, 0] = 17.0  # clipped rather than making every other weight coarse
    thin = eight_bit_weights(given)
    write_steps(path := tmp_path / "thin.safetensors", *thin)
    assert safetensors.torch.load_file(path)["weight"].dtype == torch.int8
    step = thin.steps["weight"]
    errors = (thin.tensors["weight"] - given["weight"]).flatten()[1:].abs()
    assert float(errors.max()) <= step / 2
    assert float(thin.tensors["weight"][0, 0]) == LARGEST * step < 17.0


@pytest.mark.parametrize("run", RUNS, ids=lambda path: path.name)
def test_what_ships_is_thin_already(run: Path) -> None:
    (checkpoint,) = (run / "checkpoints").glob("*.safetensors")
    weights = read_weights(checkpoint)
    again = (eight_bit_weights if run.name == EVERYDAY else thin_weights)(weights)
    assert all(torch.equal(again.tensors[name], tensor) for name, tensor in weights.items())
    lines = (run / "metrics.jsonl").read_text().splitlines()
    assert sum(json.loads(line)["kind"] == "train" for line in lines) < 1.2 * POINTS


def test_integers_without_their_steps_are_a_broken_file(tmp_path: Path) -> None:
    path = tmp_path / "step-00000001.safetensors"
    safetensors.torch.save_file({"a": torch.ones(2, 2, dtype=torch.int8)}, path)
    with pytest.raises(UserError, match="cannot be read"):
        read_weights(path)


def test_sums_and_the_newest_step_stay(tmp_path: Path) -> None:
    rows = []
    for step in range(1, 1001):
        update = {"kind": "train", "step": step, "loss": 8 / step, "lr": 0.1, "grad_norm": 1 / 3}
        rows.append({**update, "n_tokens": step, "seconds": 0.5, "time": 1.7e9 + 0.5 * step})
        if step % 100 == 0:
            rows.append(
                {"kind": "valid", "step": step, "loss": 1, "perplexity": 3, "token_accuracy": 0.5}
            )
    curves = []
    for name, lines in (("whole", rows), ("thin", list(thin_metrics(rows)))):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in lines))
        curves.append(Metrics(tmp_path / name).read())
    whole, thin = curves
    assert len(thin.steps) == 340  # three at a time, and the hundredth alone
    assert thin.step == whole.step == 1000
    assert thin.tokens[-1] == whole.tokens[-1] == 500_500
    assert thin.minutes[-1] == pytest.approx(whole.minutes[-1])
    assert list(thin.valid_steps) == list(whole.valid_steps)
    assert thin.n_broken == 0
    assert thin.loss[0] == pytest.approx(whole.loss[:3].mean(), rel=1e-4)
    assert thin.tokens_per_second == pytest.approx(whole.tokens_per_second or 0, rel=0.1)

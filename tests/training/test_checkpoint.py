"""Checkpoints that somebody else wrote: what does not fit the run is refused in a sentence, never met in a step."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import safetensors.torch
import torch
from safetensors import safe_open
from torch import Tensor

from s2s.config import PRESETS, Recipe, UserError, override
from s2s.data import Corpus, load
from s2s.training import Trainer, TrainingData, checkpoint, prepare, train
from tests.conftest import TINY

Tensors = dict[str, Tensor]
Metadata = dict[str, str]


@pytest.fixture(scope="module")
def recipe() -> Recipe:
    return override(PRESETS["small"].recipe, {**TINY, "train.steps": 2})


@pytest.fixture(scope="module")
def data(recipe: Recipe) -> TrainingData:
    corpus = Corpus("synthetic:reverse", "train", load("synthetic:reverse", "valid").pairs[:20])
    return prepare(recipe, corpus, corpus)


@pytest.fixture(scope="module")
def trained(recipe: Recipe, data: TrainingData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints")
    list(train(recipe, data, folder))
    return folder


def progress(**changes: object) -> Callable[[Tensors, Metadata], object]:
    def change(tensors: Tensors, metadata: Metadata) -> None:
        metadata["progress"] = json.dumps(json.loads(metadata["progress"]) | changes)

    return change


CHANGES: dict[str, Callable[[Tensors, Metadata], object]] = {
    "no metadata": lambda tensors, metadata: metadata.clear(),
    "no progress": lambda tensors, metadata: metadata.update(progress="[]"),
    "other progress": progress(evil=1),
    "progress to another step": progress(step=3),
    "a batch that is none": progress(batch=-1),
    "a batch that is a word": progress(batch="1"),
    "optimizer": lambda tensors, metadata: metadata.update(optimizer="[]"),
    "no generator": lambda tensors, metadata: tensors.pop("rng.cpu"),
    "another generator": lambda tensors, metadata: tensors.update({"rng.cpu": torch.zeros(3)}),
    "other means": lambda tensors, metadata: tensors.update({"0.exp_avg": torch.zeros(3, 3)}),
    "more means": lambda tensors, metadata: tensors.update({"999.exp_avg": torch.zeros(1)}),
}


@pytest.mark.parametrize("case", CHANGES)
def test_a_state_that_does_not_fit_its_run_is_refused(
    case: str, recipe: Recipe, data: TrainingData, trained: Path, tmp_path: Path
) -> None:
    shutil.copytree(trained, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "step-00000002.state.safetensors"
    with safe_open(path, "pt") as file:
        metadata = dict(file.metadata())
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    metadata.pop("sum")  # as in older checkpoints
    CHANGES[case](tensors, metadata)
    path.write_bytes(safetensors.torch.save(tensors, metadata))
    trainer = Trainer(recipe, data, tmp_path)
    with pytest.raises(
        UserError, match=r"`step-00000002\.state\.safetensors` is not one of this run"
    ):
        checkpoint.load(tmp_path, 2, trainer.model, trainer.optimizer, recipe)

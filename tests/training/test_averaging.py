from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

import s2s
from s2s.config import Recipe, override
from s2s.data import Corpus, load
from s2s.model.weights import read_weights, saved_steps, weights_path
from s2s.runs import RunFolder
from s2s.training import Trainer, TrainingData, Validation, Warned, checkpoint, prepare
from tests.conftest import make_run

AVERAGED = {
    "train.average_last": 3,
    "train.steps": 12,
    "train.watch.keep": 1,
    "train.watch.save_every": 4,
    "train.watch.validate_every": 4,
}
Weights = dict[str, Tensor]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus("synthetic:reverse", "train", load("synthetic:reverse", "valid").pairs[:80])


@pytest.fixture
def recipe(tiny: Recipe) -> Recipe:
    return override(tiny, AVERAGED)


@pytest.fixture
def data(recipe: Recipe, corpus: Corpus) -> TrainingData:
    return prepare(recipe, corpus, replace(corpus, pairs=corpus.pairs[:16]))


def given(folder: Path, step: int) -> bytes:
    return weights_path(folder, step).read_bytes()


def trained(folder: Path, steps: list[int]) -> list[Weights]:
    return [checkpoint.trained(folder, step) for step in steps]


def is_mean(found: Weights, parts: list[Weights]) -> bool:
    return all(
        torch.equal(
            found[name], torch.stack([part[name].double() for part in parts]).mean(0).float()
        )
        for name in found
    )


def finished(recipe: Recipe, data: TrainingData, folder: Path) -> Trainer:
    trainer = Trainer(recipe, data, folder)
    list(trainer.run())
    return trainer


def test_the_run_gives_the_mean_of_its_last_checkpoints(
    recipe: Recipe, data: TrainingData, tmp_path: Path
) -> None:
    usual = tmp_path / "usual"
    finished(override(recipe, {"train.average_last": 0, "train.watch.keep": 100}), data, usual)
    trainer = Trainer(recipe, data, tmp_path / "mean")
    events = list(trainer.run())
    assert [event.n_averaged for event in events if isinstance(event, Validation)] == [0, 0, 0, 3]
    assert trainer.progress.best_step == 12
    found = read_weights(weights_path(tmp_path / "mean", 12))
    parts = [read_weights(weights_path(usual, step)) for step in (4, 8, 12)]
    assert is_mean(found, parts)
    assert any(not torch.equal(found[name], parts[-1][name]) for name in found)
    assert trainer.model.output.weight is trainer.model.encoder.embed.tokens.weight
    assert trainer.model.output.weight is trainer.model.decoder.embed.tokens.weight
    last = next(event for event in reversed(events) if isinstance(event, Validation))
    assert last.loss == trainer.validate().loss == trainer.progress.best_loss


@pytest.mark.parametrize("wanted", [2, 3])
def test_fewer_checkpoints_than_wanted_are_what_the_mean_is_of(
    wanted: int, recipe: Recipe, data: TrainingData, tmp_path: Path
) -> None:
    trainer = finished(
        override(recipe, {"train.steps": 8, "train.average_last": wanted}), data, tmp_path
    )
    assert is_mean(read_weights(weights_path(tmp_path, 8)), trained(tmp_path, [4, 8]))
    assert trainer.trained


@pytest.mark.parametrize("changes", [{"train.average_last": 1}, {"train.steps": 3}])
def test_of_one_checkpoint_there_is_no_mean(
    changes: dict[str, int], recipe: Recipe, data: TrainingData, tmp_path: Path
) -> None:
    trainer = Trainer(override(recipe, changes), data, tmp_path)
    assert not [event for event in trainer.run() if getattr(event, "n_averaged", 0)]
    assert not trainer.trained


def test_of_checkpoints_that_are_not_kept_there_is_no_mean(
    recipe: Recipe, data: TrainingData
) -> None:
    trainer = Trainer(recipe, data, None)
    assert not [event for event in trainer.run() if getattr(event, "n_averaged", 0)]
    assert not trainer.trained


def stopped_after(events: Iterator[object], step: int) -> None:
    next(event for event in events if getattr(event, "step", 0) == step)


@pytest.mark.slow
def test_stopping_and_going_on_gives_the_same_mean(
    recipe: Recipe, data: TrainingData, tmp_path: Path
) -> None:
    undisturbed = tmp_path / "undisturbed"
    finished(recipe, data, undisturbed)
    for stops in ((10,), (2, 4, 5, 7, 12)):
        folder = tmp_path / f"stopped at {stops}"
        for number, step in enumerate((*stops, None)):
            trainer = Trainer(recipe, data, folder)
            if number:
                trainer.resume()
            with closing(trainer.run()) as events:
                if step is None:
                    list(events)
                else:
                    stopped_after(events, step)
                    list(trainer.end())
        assert given(folder, 12) == given(undisturbed, 12), stops
        assert checkpoint.trained(folder, 12).keys() == checkpoint.trained(undisturbed, 12).keys()


@pytest.mark.slow
def test_going_on_trains_the_weights_that_were_trained_and_takes_a_new_mean(
    recipe: Recipe, data: TrainingData, tmp_path: Path
) -> None:
    constant = override(recipe, {"train.schedule": "constant"})
    finished(constant, data, tmp_path / "short")
    longer = override(constant, {"train.steps": 24})
    finished(longer, data, tmp_path / "long")
    resumed = Trainer(longer, data, tmp_path / "short")
    resumed.resume()
    assert resumed.trained
    list(resumed.run())
    assert given(tmp_path / "short", 24) == given(tmp_path / "long", 24)
    assert is_mean(
        read_weights(weights_path(tmp_path / "short", 24)),
        trained(tmp_path / "short", [16, 20, 24]),
    )


def test_those_of_the_mean_are_kept(recipe: Recipe, data: TrainingData, tmp_path: Path) -> None:
    finished(override(recipe, {"train.steps": 20}), data, tmp_path)
    assert saved_steps(tmp_path) == [12, 16, 20]


def test_early_stopping_ends_with_a_mean_too(
    recipe: Recipe, data: TrainingData, tmp_path: Path
) -> None:
    still = override(recipe, {"train.lr": 0.0, "train.watch.patience": 2})
    trainer = finished(still, data, tmp_path)
    assert (trainer.progress.step, trainer.is_stale, trainer.progress.best_step) == (8, True, 8)
    assert trainer.trained


@pytest.mark.parametrize(("mean", "best_step"), [(1.5, 4), (0.5, 12)])
def test_an_earlier_checkpoint_that_is_better_than_the_mean_is_kept_and_given(
    mean: float, best_step: int, recipe: Recipe, data: TrainingData, tmp_path: Path
) -> None:
    losses = iter([4.0, 1.0, 2.0, 3.0, mean])  # of the steps 0, 4, 8 and 12

    class Scripted(Trainer):
        def validate(self) -> Validation:
            loss = next(losses)
            return replace(super().validate(), loss=loss, is_best=loss < self.progress.best_loss)

    stopping = {"train.watch.patience": 2, "train.average_last": 2, "train.steps": 24}
    trainer = Scripted(override(recipe, stopping), data, tmp_path)
    events = list(trainer.run())
    last = next(event for event in reversed(events) if isinstance(event, Validation))
    assert (last.step, last.n_averaged, last.is_best) == (12, 2, best_step == 12)
    assert (trainer.progress.best_step, trainer.progress.best_loss) == (best_step, min(1.0, mean))
    assert saved_steps(tmp_path) == sorted({best_step, 8, 12})
    assert is_mean(read_weights(weights_path(tmp_path, 12)), trained(tmp_path, [8, 12]))


def test_a_broken_checkpoint_is_left_out_and_said(
    recipe: Recipe, data: TrainingData, tmp_path: Path
) -> None:
    trainer = Trainer(recipe, data, tmp_path)
    events = trainer.run()
    next(event for event in events if event.step == 10)
    weights_path(tmp_path, 4).write_bytes(b"x")
    (said,) = [event for event in events if isinstance(event, Warned)]
    assert said.text.startswith(
        "The mean of the last checkpoints lacks that of step 4. The checkpoint `step-00000004.safetensors`"
    )
    assert is_mean(read_weights(weights_path(tmp_path, 12)), trained(tmp_path, [8, 12]))


def test_the_mean_is_what_a_run_opens_with(tmp_path: Path) -> None:
    folder = RunFolder(make_run(tmp_path / "run", AVERAGED))
    run = s2s.load(folder.path)
    assert (run.step, folder.status()["best_step"]) == (12, 12)
    assert is_mean(dict(run.model.named_parameters()), trained(folder.checkpoints, [4, 8, 12]))
    (last,) = [
        line for line in folder.lines("metrics") if line["kind"] == "valid" and line["step"] == 12
    ]
    assert (last["n_averaged"], last["loss"]) == (3, folder.status()["best_loss"])

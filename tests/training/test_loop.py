import hashlib
import math
from dataclasses import replace
from pathlib import Path

import pytest
import safetensors.torch
import torch

from s2s.config import Recipe, UserError, override
from s2s.data import Corpus, Pair, load
from s2s.model.weights import load_weights, saved_steps, trained_tensors, weights_path
from s2s.training import (
    Sample,
    Saved,
    Step,
    Trainer,
    TrainingData,
    Validation,
    Warned,
    checkpoint,
    prepare,
    train,
)
from s2s.training.optimizers import OPTIMIZERS
from tests.conftest import full_disk


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    pairs = load("synthetic:reverse", "valid").pairs[:80]
    return Corpus("synthetic:reverse", "train", pairs)


@pytest.fixture
def tiny(tiny: Recipe) -> Recipe:
    """A few steps are enough here."""
    return override(
        tiny,
        {"train.steps": 12, "train.watch.save_every": 4, "train.watch.validate_every": 4},
    )


def ready(recipe: Recipe, corpus: Corpus) -> TrainingData:
    return prepare(recipe, corpus, replace(corpus, pairs=corpus.pairs[:16]))


def digest(trainer: Trainer) -> str:
    return hashlib.sha256(safetensors.torch.save(trained_tensors(trainer.model))).hexdigest()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in OPTIMIZERS if kind != "adamw"])  # adam's state
def test_a_resumed_run_ends_with_the_very_bits_of_an_undisturbed_one(
    kind: str, tiny: Recipe, corpus: Corpus, tmp_path: Path
) -> None:
    recipe = override(
        tiny,
        {
            "train.optimizer.kind": kind,
            "train.steps": 16,  # more than an epoch has
            "train.watch.save_every": 3,
            "train.lr": 0.01,
        },
    )
    data = ready(recipe, corpus)
    undisturbed = Trainer(recipe, data, tmp_path)
    losses = {event.step: event.loss for event in undisturbed.run() if isinstance(event, Step)}
    assert undisturbed.progress.epoch > 0
    every = saved_steps(tmp_path)
    assert set(every) >= {3, 6, 9, 12, 15, 16}
    for step in (3, 9, 15) if kind == "adam" else (6,):  # 15: of a later epoch
        folder = tmp_path / f"from-{step}"
        folder.mkdir()
        for path in tmp_path.glob(f"step-{step:08d}.*"):
            (folder / path.name).write_bytes(path.read_bytes())
        resumed = Trainer(recipe, data, folder)
        resumed.resume()
        torch.rand(7)  # somebody else uses torch's generator
        again = {event.step: event.loss for event in resumed.run() if isinstance(event, Step)}
        assert again == {later: loss for later, loss in losses.items() if later > step}
        assert digest(resumed) == digest(undisturbed)


def test_a_checkpoint_further_in_its_epoch_than_there_are_batches_now_goes_on_with_the_next(
    tiny: Recipe, corpus: Corpus
) -> None:
    trainer = Trainer(tiny, ready(tiny, corpus), None)
    trainer.progress = replace(trainer.progress, batch=len(trainer.order) + 1)
    trainer.update()
    assert (trainer.progress.epoch, trainer.progress.batch) == (1, 1)


def test_a_loss_worse_than_guessing_is_said_once(tiny: Recipe, corpus: Corpus) -> None:
    wild = override(tiny, {"train.lr": 3.0, "train.warmup_steps": 0, "train.schedule": "constant"})
    trainer = Trainer(wild, ready(wild, corpus), None)
    events = list(trainer.run())
    (said,) = [event for event in events if isinstance(event, Warned)]
    worst = next(
        event for event in events if isinstance(event, Validation) and event.step == said.step
    )
    assert worst.loss > 2 * math.log(trainer.data.tgt_tokenizer.vocab_size)
    assert said.text.endswith("the learning rate is too high; lower train.lr, also while it runs.")
    assert not [
        event
        for event in Trainer(tiny, ready(tiny, corpus), None).run()
        if isinstance(event, Warned)
    ]


def test_the_same_recipe_and_seed_give_the_same_bits_and_another_seed_others(
    tiny: Recipe, corpus: Corpus
) -> None:
    def bits(seed: int) -> str:
        recipe = override(tiny, {"train.seed": seed, "train.steps": 5})
        trainer = Trainer(recipe, ready(recipe, corpus), None)
        list(trainer.run())
        return digest(trainer)

    assert bits(1) == bits(1)
    assert bits(1) != bits(2)


def test_events_come_in_the_order_that_a_screen_wants(
    tiny: Recipe, corpus: Corpus, tmp_path: Path
) -> None:
    events = list(train(override(tiny, {"train.steps": 8}), ready(tiny, corpus), tmp_path))
    assert [event.step for event in events if isinstance(event, Step)] == list(range(1, 9))
    assert [event.step for event in events if isinstance(event, Validation)] == [0, 4, 8]
    assert [event.step for event in events if isinstance(event, Saved)] == [4, 8]
    samples = [event for event in events if isinstance(event, Sample)]
    assert [event.step for event in samples] == [0, 0, 4, 4, 8, 8]
    assert all(event.reference for event in samples)
    validations = [event for event in events if isinstance(event, Validation)]
    assert validations[-1].loss < validations[0].loss
    assert validations[-1].perplexity == pytest.approx(math.exp(validations[-1].loss))


def test_closing_the_generator_stops_training(tiny: Recipe, corpus: Corpus) -> None:
    stream = train(tiny, ready(tiny, corpus))
    next(stream)
    stream.close()
    assert list(stream) == []


def test_it_stops_early_when_the_loss_stays_where_it_is(
    tiny: Recipe, corpus: Corpus, tmp_path: Path
) -> None:
    recipe = override(
        tiny, {"train.lr": 0.0, "train.watch.patience": 2, "train.watch.save_every": 1000}
    )
    events = list(train(recipe, ready(recipe, corpus), tmp_path))
    assert events[-1] == Saved(8, weights_path(tmp_path, 8))
    # the first that is saved stands in for step 0, which is as good and is not
    assert [each.step for each in events if isinstance(each, Validation) and each.is_best] == [
        0,
        4,
    ]
    assert saved_steps(tmp_path) == [4, 8]


def test_a_broken_newest_checkpoint_never_takes_an_older_good_one_with_it(
    tiny: Recipe, corpus: Corpus, tmp_path: Path
) -> None:
    data = ready(tiny, corpus)
    list(train(tiny, data, tmp_path))
    for path in tmp_path.glob("step-00000012*"):
        path.write_bytes(path.read_bytes()[:-20])
    trainer = Trainer(tiny, data, tmp_path)
    with pytest.raises(UserError, match=r"cannot be read .*; use an older one of this run"):
        load_weights(trainer.model, weights_path(tmp_path, 12))
    trainer.resume()
    assert trainer.progress.step == 8
    assert len(trainer.warnings) == 1
    assert "step-00000012.state.safetensors` cannot be read" in trainer.warnings[0]
    assert saved_steps(tmp_path) == [
        4,
        8,
    ]  # a broken one must not count as one of the newest kept


def test_only_the_newest_and_the_best_checkpoints_are_kept(tmp_path: Path) -> None:
    for step in (10, 20, 30, 40):
        for name in (f"step-{step:08d}.safetensors", f"step-{step:08d}.state.safetensors"):
            (tmp_path / name).touch()
    checkpoint.prune(tmp_path, keep=2, spared={10})
    assert saved_steps(tmp_path) == [10, 30, 40]
    assert len(list(tmp_path.iterdir())) == 6


def test_resuming_nothing_says_what_to_do(tiny: Recipe, corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no checkpoint to resume from; start a new one"):
        Trainer(tiny, ready(tiny, corpus), tmp_path).resume()


def test_weights_of_another_shape_are_refused(tiny: Recipe, corpus: Corpus, tmp_path: Path) -> None:
    data = ready(tiny, corpus)
    list(train(override(tiny, {"train.steps": 1}), data, tmp_path))
    with pytest.raises(UserError, match="belongs to a model of another shape"):
        load_weights(
            Trainer(override(tiny, {"model.d_model": 32}), data, None).model,
            weights_path(tmp_path, 1),
        )


def test_a_full_disk_never_takes_an_older_checkpoint_with_it(
    tiny: Recipe, corpus: Corpus, tmp_path: Path
) -> None:
    data = ready(tiny, corpus)
    stream = train(tiny, data, tmp_path)
    assert next(event for event in stream if isinstance(event, Saved)).step == 4
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with full_disk(2000), pytest.raises(UserError, match=r"cannot be written \(File too large\)"):
        list(stream)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    resumed = Trainer(tiny, data, tmp_path)
    resumed.resume()
    assert resumed.progress.step == 4


def test_divergence_is_said_and_the_last_good_checkpoint_stays(
    tiny: Recipe, corpus: Corpus, tmp_path: Path
) -> None:
    data = ready(tiny, corpus)
    trainer = Trainer(tiny, data, tmp_path)
    events = trainer.run()
    next(event for event in events if event.step == 6)
    with torch.no_grad():
        trainer.model.output.weight[5, 0] = math.nan
    with pytest.raises(
        UserError,
        match=r"diverged at step 7: .*; lower train.lr .* \(the checkpoint of step 4 is kept: resume from it\)",
    ):
        list(events)
    assert saved_steps(tmp_path) == [4]


@pytest.mark.parametrize(
    ("validate_every", "kept"),
    [
        (5, [5, 10]),  # 10 was not the best, but sound
        (1000, [5, 10]),  # nothing is known against them
        (6, [5, 6]),
        (4, [4, 5]),  # 8 was sound, and is not saved
    ],
)
def test_divergence_deletes_no_checkpoint_that_was_never_found_worse(
    validate_every: int, kept: list[int], tiny: Recipe, corpus: Corpus, tmp_path: Path
) -> None:
    often = {"train.watch.save_every": 5, "train.watch.validate_every": validate_every}
    trainer = Trainer(override(tiny, often), ready(tiny, corpus), tmp_path)
    for event in (events := trainer.run()):
        if event.step == 7:
            trainer.progress = replace(trainer.progress, best_loss=0.0)
        if event.step == 11:
            break
    with torch.no_grad():
        trainer.model.output.weight[5, 0] = math.nan
    with pytest.raises(UserError, match=rf"the checkpoint of step {kept[-1]} is kept"):
        list(events)
    assert saved_steps(tmp_path) == kept


def test_samples_translate_sentences_that_the_model_can_read(tiny: Recipe, corpus: Corpus) -> None:
    long = replace(corpus, pairs=(Pair("1 " * 100, "1"), *corpus.pairs, Pair("2 " * 100, "2")))
    recipe = override(tiny, {"model.positions.kind": "learned", "model.positions.max_length": 32})
    recipe = override(recipe, {"data.max_length": 32, "train.watch.samples": 3})
    data = prepare(recipe, corpus, long)
    assert len(data.probes) == 3
    assert set(data.probes) <= {(pair.src, pair.tgt) for pair in corpus.pairs}
    assert sum(isinstance(event, Sample) for event in Trainer(recipe, data, None).sample()) == 3


def test_the_best_checkpoint_is_written_whenever_it_comes(
    tiny: Recipe, corpus: Corpus, tmp_path: Path
) -> None:
    trainer = Trainer(
        override(tiny, {"train.watch.save_every": 1000}), ready(tiny, corpus), tmp_path
    )
    list(trainer.run())
    assert trainer.progress.best_step in saved_steps(tmp_path)


def test_a_start_id_of_ones_own_trains_and_others_are_refused(tiny: Recipe, corpus: Corpus) -> None:
    data = ready(override(tiny, {"model.ids.start": 0}), corpus)
    assert {int(row[0]) for row in data.train.tgt} == {0}
    for changes in ({"model.ids.start": 7}, {"model.ids.pad": 1}, {"model.ids.eos": 9}):
        with pytest.raises(
            UserError, match=r"do not fit our tokenizers; give pad 0, eos 2 and a start from 0 to 3"
        ):
            ready(override(tiny, changes), corpus)

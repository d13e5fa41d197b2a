"""The training loop: teacher forcing as a stream of events."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from s2s.config import Recipe, UserError
from s2s.data import batches
from s2s.decode import Greedy, greedy
from s2s.model import (
    inference,
    keep_freed_memory,
    new_model,
    put_weights,
    saved_steps,
    stepper_for,
    trained_tensors,
)
from s2s.training import averaging, checkpoint, divergence
from s2s.training.budget import Budget
from s2s.training.checkpoint import Restored
from s2s.training.device import matrix_products, settle
from s2s.training.distributed import Group
from s2s.training.events import Changed, Event, Planned, Sample, Saved, Step, Validation, Warned
from s2s.training.loss import count, cross_entropy
from s2s.training.optimizers import make_optimizer
from s2s.training.prepare import TrainingData
from s2s.training.progress import Progress
from s2s.training.schedules import learning_rate
from s2s.training.teacher_forcing import Teach, shifted
from s2s.training.threads import chooser_for


def train(
    recipe: Recipe, data: TrainingData, folder: Path | None = None, *, resume: bool = False
) -> Iterator[Event]:
    """Train for `train.steps` updates, or for `train.minutes`, yielding what happens; closing the generator stops it.

    Checkpoints go to `folder`; with `resume`, training continues from the newest readable one there. On a CPU the
    weights after a step are bit-identical whatever was interrupted before, for the same threads and no `train.minutes`.
    """
    trainer = Trainer(recipe, data, folder)
    if resume:
        trainer.resume()
        trainer.ask_for_more()
    yield from trainer.run()


class Trainer:
    """The model, the optimizer, and how far training is in the data.

    `changes` are those of the learning rate, in order; more may be appended between two events, for later steps.
    `teach` splits targets into decoder inputs and labels. Where there are `train.minutes`, `budget` counts them, and
    `recipe.train.steps` is the last step as it is planned now.
    """

    def __init__(
        self,
        recipe: Recipe,
        data: TrainingData,
        folder: Path | None,
        changes: Sequence[Changed] = (),
        *,
        group: Group | None = None,
        teach: Teach = shifted,
        budget: Budget | None = None,
    ) -> None:
        recipe = settle(recipe)
        self.recipe = recipe
        self.data = data
        self.folder = folder
        self.group = group or Group()
        self.teach = teach
        keep_freed_memory()
        self.device = self.group.device(recipe.train.device)
        self.threads = chooser_for(recipe.train, self.group, self.device)
        torch.set_num_threads(self.threads.now)
        vocab_sizes = (data.src_tokenizer.vocab_size, data.tgt_tokenizer.vocab_size)
        self.model = new_model(recipe.model, *vocab_sizes, recipe.train.seed)
        self.model.to(self.device)
        self.optimizer = make_optimizer(self.model, recipe.train.optimizer)
        self.progress = Progress()
        self.order = self._epoch(0)
        self.rng = {"cpu": torch.Generator().manual_seed(recipe.train.seed).get_state()}
        # The weights that training continues from, where the model holds a mean of checkpoints; else empty.
        self.trained: dict[str, Tensor] = {}
        self.changes = list(changes)
        self.budget = budget or Budget(recipe.train.minutes)
        self.budget.n_last = 1 + (recipe.train.average_last > 1)
        self.warnings: list[str] = []
        self.saved_step = 0
        self.observed_step = 0
        self.is_warned = False

    def run(self) -> Iterator[Event]:
        self.group.spread(self.model.parameters())
        for warning in self.warnings:
            yield Warned(self.progress.step, warning)
        if self.progress.step == 0:
            yield from self.observe()
        yield from self.budget.start(self.progress.step, self.recipe.train.steps)
        yield from self._planned(self.budget.prolonged)
        while self.progress.step < self.recipe.train.steps and not self.is_stale:
            for change in self.changes:
                if change.step == self.progress.step + 1:
                    yield change
            yield self.update()
            yield from self._planned(self.budget.replanned)
            yield from self.observe()
            yield from self._planned(self.budget.prolonged)

    def update(self, rate: float | None = None) -> Step:
        """One batch, one step of the optimizer; `rate` is the learning rate that another process says, if one does."""
        started = time.perf_counter()
        settings = self.recipe.train
        self._restore_trained()
        batch = self.next_batch()
        step = self.progress.step + 1
        rate = self._set_rate(step, rate)
        if not self.model.training:  # each module is told, which takes a moment
            self.model.train()
        with matrix_products(settings.precision, self.device.type), self._dropout_stream():
            share = self.group.share(batch)
            src, tgt = self._tensors(share.batch)  # (batch, src_len), (batch, tgt_len)
            inputs, labels = self.teach(tgt)  # both (batch, tgt_len - 1)
            states = self._states(src, inputs)  # (batch, tgt_len - 1, d_model)
            loss = cross_entropy(
                states,
                labels,
                self.model.projection,
                smoothing=settings.label_smoothing,
                pad_id=self.recipe.model.ids.pad,
            )
            self.optimizer.zero_grad(set_to_none=True)
            loss.smoothed.backward()  # type: ignore[no-untyped-call]
            plain = self.group.join(self.model.parameters(), share, loss.plain)
            grad_norm = self._clip()
            if not math.isfinite(grad_norm):  # before it reaches the weights
                raise self._diverged(step)
            with torch.autocast(self.device.type, enabled=False):
                self.optimizer.step()
        self.progress = replace(self.progress, step=step)
        seconds = time.perf_counter() - started
        self.threads.updated(seconds, batch.n_tokens)
        return Step(step, float(plain), rate, grad_norm, batch.n_tokens, seconds)

    def observe(self) -> Iterator[Event]:
        """Validate, sample and save where they are due; the last step does all three."""
        step = self.progress.step
        watch = self.recipe.train.watch
        self.observed_step = step
        is_last = step == self.recipe.train.steps
        is_due = step % watch.validate_every == 0 or is_last
        with self.budget.observing() if is_due else contextlib.nullcontext():
            if is_due:
                self.threads.rest()
                validation = self._validated()
                if is_last or self.is_stale:
                    validation, warnings = self._averaged(validation)
                    yield from warnings
                yield validation
                yield from self._worse_than_guessing(validation)
                yield from self.sample()
            is_best = step == self.progress.best_step
            if step and (step % watch.save_every == 0 or is_last or is_best or self.is_stale):
                yield from self.save()

    def end(self) -> Iterator[Event]:
        """What a stopped training still does at its last step: the validation, if it was due, and a checkpoint."""
        if self.observed_step != self.progress.step:
            yield from self.observe()
        yield from self.save()

    def resume(self) -> None:
        """Restore everything from the newest readable checkpoint; of several processes, from the first one's."""
        if self.folder is None:
            raise ValueError("resume needs the folder that holds the checkpoints")
        restored, self.warnings = checkpoint.load_together(
            self.group, self.folder, self.model, self.optimizer, self.recipe
        )
        self.progress = restored.progress
        for planned in self.budget.restored(self.progress):
            self._take_plan(planned)
        self.rng = restored.rng
        self.trained = restored.trained
        self.saved_step = self.progress.step
        self.observed_step = self.progress.step
        self.order = self._epoch(self.progress.epoch)

    def ask_for_more(self) -> None:
        """Continue although early stopping has ended the training."""
        self.progress = replace(self.progress, stale=0)

    @property
    def is_stale(self) -> bool:
        return 0 < self.recipe.train.watch.patience <= self.progress.stale

    def peak(self, step: int) -> float:
        """The schedule's highest learning rate, as it is set at `step`."""
        rates = (change.lr for change in reversed(self.changes) if change.step <= step)
        return next(rates, self.recipe.train.lr)

    def next_batch(self) -> batches.Batch:
        """The next batch of this epoch; after its end, or past it (older versions made more), the first of the next."""
        if self.progress.batch >= len(self.order):
            self.progress = replace(self.progress, epoch=self.progress.epoch + 1, batch=0)
            self.order = self._epoch(self.progress.epoch)
        rows = self.order[self.progress.batch]
        self.progress = replace(self.progress, batch=self.progress.batch + 1)
        return batches.build(self.data.train, rows)

    def validate(self) -> Validation:
        """Loss and accuracy over all validation pairs."""
        settings = self.recipe.train
        pad_id = self.recipe.model.ids.pad
        nats = 0.0
        right = 0
        tokens = 0
        with matrix_products(settings.precision, self.device.type), inference(self.model):
            for batch in batches.in_order(self.data.valid, settings.batch_tokens):
                src, tgt = self._tensors(batch)  # (batch, src_len), (batch, tgt_len)
                inputs, labels = self.teach(tgt)  # both (batch, tgt_len - 1)
                states = self._states(src, inputs)  # (batch, tgt_len - 1, d_model)
                counted = count(states, labels, self.model.projection, pad_id=pad_id)
                nats += counted.nats
                right += counted.right
                tokens += counted.tokens
        loss = nats / tokens
        step = self.progress.step
        if not math.isfinite(loss):
            raise self._diverged(step, is_validation=True)
        perplexity = math.exp(min(loss, 700.0))
        is_best = loss < self.progress.best_loss
        return Validation(step, loss, perplexity, right / tokens, is_best)

    def save(self) -> Iterator[Saved]:
        """Write a checkpoint of this step, unless it has one or there is nowhere to write it."""
        step = self.progress.step
        if self.folder is None or step in (0, self.saved_step):
            return
        self.progress = replace(self.progress, **self.budget.counted())
        state = Restored(self.progress, self.rng, self.trained)
        path = checkpoint.save(self.folder, self.model, self.optimizer, state, self.recipe)
        self.saved_step = step
        settings = self.recipe.train
        averaged = self._steps_to_average(self.folder, settings.average_last, before=step + 1)
        spared = {self.progress.best_step, *averaged}
        checkpoint.prune(self.folder, keep=settings.watch.keep, spared=spared)
        yield Saved(step, path)

    def sample(self) -> Iterator[Sample]:
        """The probe sentences as the model translates them now."""
        if not self.data.probes:
            return
        special = self.recipe.model.ids
        sources = [source for source, _ in self.data.probes]
        ids = self.data.src_tokenizer.encode_many(sources)
        rows = batches.pad([np.array(special.source(row)) for row in ids], special.pad)
        src = torch.from_numpy(rows).to(self.device)  # (probes, src_len)
        settings = Greedy(max_new_tokens=self.recipe.data.max_length)
        with inference(self.model):
            results = greedy(stepper_for(self.model, src), settings)
        for (source, reference), result in zip(self.data.probes, results, strict=True):
            text = self.data.tgt_tokenizer.decode(result.best.ids)
            yield Sample(self.progress.step, source, reference, text)

    def _states(self, src: Tensor, tgt: Tensor) -> Tensor:
        """The decoder's states, which the logits project: (batch, src_len), (batch, tgt_len) -> (batch, tgt_len,
        d_model).
        """
        memory = self.model.encode(src)  # (batch, src_len, d_model)
        return self.model.decode(tgt, memory, src)

    def _tensors(self, batch: batches.Batch) -> tuple[Tensor, Tensor]:
        src = torch.from_numpy(batch.src).to(self.device)
        tgt = torch.from_numpy(batch.tgt).to(self.device)
        return src, tgt

    def _epoch(self, number: int) -> list[batches.Ids]:
        settings = self.recipe.train
        return batches.epoch(
            self.data.train, settings.batch_tokens, seed=settings.seed, number=number
        )

    def _set_rate(self, step: int, rate: float | None) -> float:
        if rate is None:
            rate = learning_rate(step, self.recipe.train, self.peak(step), self.budget.plan)
            self.group.tell(rate)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        return rate

    def _planned(self, plan: Callable[[int, int, int], list[Planned]]) -> Iterator[Planned]:
        train = self.recipe.train
        for planned in plan(self.progress.step, train.steps, train.watch.validate_every):
            self._take_plan(planned)
            yield planned

    def _take_plan(self, planned: Planned) -> None:
        self.recipe = replace(self.recipe, train=replace(self.recipe.train, steps=planned.steps))

    def _clip(self) -> float:
        largest = self.recipe.train.optimizer.clip_norm or math.inf
        return float(torch.nn.utils.clip_grad_norm_(self.model.parameters(), largest))

    @contextlib.contextmanager
    def _dropout_stream(self) -> Iterator[None]:
        """Dropout draws from this training's own stream, whatever else uses torch's global generator in between."""
        devices = [self.device] if self.device.type == "cuda" else []
        with torch.random.fork_rng(devices):
            torch.set_rng_state(self.rng["cpu"])
            if "cuda" in self.rng:
                torch.cuda.set_rng_state(self.rng["cuda"], self.device)
            elif devices:
                torch.cuda.manual_seed(self.recipe.train.seed)
            seed = self.group.seed(self.recipe.train.seed, self.progress.step)
            if seed is not None:
                torch.manual_seed(seed)
            yield
            self.rng = {"cpu": torch.get_rng_state()}
            if devices:
                self.rng["cuda"] = torch.cuda.get_rng_state(self.device)

    def _validated(self) -> Validation:
        validation = self.validate()
        is_sound = not divergence.worse_than_guessing(
            validation, self.data.tgt_tokenizer.vocab_size
        )
        self.progress = self.progress.validated(validation, is_sound=is_sound)
        return replace(validation, is_best=self.progress.best_step == self.progress.step)

    def _averaged(self, validation: Validation) -> tuple[Validation, list[Warned]]:
        step = self.progress.step
        earlier = self.recipe.train.average_last - 1
        if self.folder is None:
            return validation, []
        if not (steps := self._steps_to_average(self.folder, earlier, before=step)):
            return validation, []
        trained = trained_tensors(self.model)
        self.trained = {name: tensor.clone() for name, tensor in trained.items()}
        mean, broken = averaging.mean(self.folder, steps, self.trained)
        put_weights(self.model, mean)
        n_averaged = 1 + len(steps) - len(broken)
        validation = replace(self.validate(), n_averaged=n_averaged)
        self.progress = self.progress.averaged(validation)
        validation = replace(validation, is_best=self.progress.best_step == step)
        return validation, [Warned(step, sentence) for sentence in broken]

    def _steps_to_average(self, folder: Path, n: int, *, before: int) -> list[int]:
        every = self.recipe.train.watch.save_every
        return averaging.due(folder, count=n, every=every, before=before)

    def _restore_trained(self) -> None:
        if self.trained:
            put_weights(self.model, self.trained)
            self.trained = {}

    def _worse_than_guessing(self, validation: Validation) -> Iterator[Warned]:
        if not self.is_warned:
            found = divergence.worse_than_guessing(validation, self.data.tgt_tokenizer.vocab_size)
            self.is_warned = bool(found)
            yield from found

    def _diverged(self, step: int, *, is_validation: bool = False) -> UserError:
        last = divergence.last_sound(self.progress, is_validation=is_validation)
        if self.folder and not self.group.rank and last is not None and self.saved_step > last:
            checkpoint.drop_after(self.folder, last)  # the later ones hold what diverged
            self.saved_step = max(saved_steps(self.folder), default=0)
        return divergence.error(step, self.saved_step, self.group.rank)

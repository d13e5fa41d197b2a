"""The training loop: teacher forcing as a stream of events."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from s2s.config import Recipe, UserError
from s2s.data import Corpus, batches
from s2s.decode import Greedy, greedy
from s2s.model import (
    Transformer,
    inference,
    initialize,
    keep_freed_memory,
    put_weights,
    stepper_for,
    trained_tensors,
)
from s2s.sizing import check_memory
from s2s.tokenizers import EOS, PAD, UNK, Tokenizer, fit
from s2s.train import averaging, checkpoint
from s2s.train.checkpoint import Progress, Restored
from s2s.train.distributed import Group
from s2s.train.events import Changed, Event, Sample, Saved, Step, Validation, Warned
from s2s.train.loss import count, cross_entropy
from s2s.train.machine import free_memory, matrix_products, settle
from s2s.train.optimizers import make_optimizer
from s2s.train.schedules import learning_rate


@dataclass(frozen=True)
class TrainingData:
    """Everything the loop reads: ids to learn from, ids to validate on, and the text of the probe sentences."""

    train: batches.Encoded
    valid: batches.Encoded
    src_tokenizer: Tokenizer
    tgt_tokenizer: Tokenizer
    probes: tuple[tuple[str, str], ...]  # source, reference


def prepare(
    recipe: Recipe,
    train: Corpus,
    valid: Corpus,
    tokenizers: tuple[Tokenizer, Tokenizer] | None = None,
) -> TrainingData:
    """Fit the tokenizers on the training pairs (unless given), cut both corpora, and check that memory will do."""
    if tokenizers is None:
        tokenizers = fit(
            recipe.tokenizer, [pair.src for pair in train.pairs], [pair.tgt for pair in train.pairs]
        )
    src_tokenizer, tgt_tokenizer = tokenizers
    ids = recipe.model.ids
    limit = recipe.data.max_length
    if (ids.pad, ids.eos) != (PAD, EOS) or ids.start > UNK:
        raise UserError(
            f"`model.ids` {ids.pad}, {ids.start}, {ids.eos} do not fit our tokenizers;"
            f" give pad {PAD}, eos {EOS} and a start from {PAD} to {UNK}."
        )
    encoded = [
        batches.encode(corpus.pairs, *tokenizers, max_length=limit, start_id=ids.start)
        for corpus in (train, valid)
    ]
    slots = min(recipe.train.batch_tokens, encoded[0].n_slots)
    check_memory(
        recipe,
        (src_tokenizer.vocab_size, tgt_tokenizer.vocab_size),
        batch_tokens=slots,
        free=free_memory(recipe.train.device),
    )
    stride = max(1, len(valid.pairs) // max(1, recipe.train.watch.samples))
    probes = valid.pairs[::stride][: recipe.train.watch.samples]
    return TrainingData(
        encoded[0],
        encoded[1],
        src_tokenizer,
        tgt_tokenizer,
        tuple((pair.src, pair.tgt) for pair in probes),
    )


def train(
    recipe: Recipe, data: TrainingData, folder: Path | None = None, *, resume: bool = False
) -> Iterator[Event]:
    """Train for `recipe.train.steps` updates, yielding what happens; closing the generator stops it.

    Checkpoints go to `folder`; with `resume`, training goes on from the newest one there that can be read. On a CPU the
    weights after a step are the same bits whatever was interrupted before, for the same recipe and threads.
    """
    trainer = Trainer(recipe, data, folder)
    if resume:
        trainer.resume()
        trainer.ask_for_more()
    yield from trainer.run()


class Trainer:
    """The model, the optimiser and the place in the data between two updates.

    `changes` are those of the learning rate, in order; between two events more may be put behind them, for later steps.
    """

    def __init__(
        self,
        recipe: Recipe,
        data: TrainingData,
        folder: Path | None,
        changes: Sequence[Changed] = (),
        *,
        group: Group | None = None,
    ) -> None:
        recipe = settle(recipe)
        self.group = group or Group()
        torch.set_num_threads(self.group.threads(recipe.train.threads))
        keep_freed_memory()
        self.recipe = recipe
        self.data = data
        self.folder = folder
        self.model = Transformer(
            recipe.model, data.src_tokenizer.vocab_size, data.tgt_tokenizer.vocab_size
        )
        initialize(self.model, recipe.train.seed)
        self.device = self.group.device(recipe.train.device)
        self.model.to(self.device)
        self.optimizer = make_optimizer(self.model, recipe.train.optimizer)
        self.progress = Progress()
        self.rng = {"cpu": torch.Generator().manual_seed(recipe.train.seed).get_state()}
        self.trained: dict[
            str, Tensor
        ] = {}  # what training goes on from, where the model holds a mean of checkpoints
        self.order = batches.epoch(
            data.train, recipe.train.batch_tokens, seed=recipe.train.seed, number=0
        )
        self.changes = list(changes)
        self.warnings: list[str] = []
        self.saved_step = 0
        self.observed_step = 0
        self.is_warned = False

    def peak(self, step: int) -> float:
        """The schedule's highest learning rate, as it is at that step."""
        return next(
            (change.lr for change in reversed(self.changes) if change.step <= step),
            self.recipe.train.lr,
        )

    @property
    def is_stale(self) -> bool:
        """Whether early stopping says that it is enough."""
        patience = self.recipe.train.watch.patience
        return 0 < patience <= self.progress.stale

    def run(self) -> Iterator[Event]:
        """From where training stands to its last step."""
        self.group.spread(self.model.parameters())
        for warning in self.warnings:
            yield Warned(self.progress.step, warning)
        if self.progress.step == 0:
            yield from self.observe()
        while self.progress.step < self.recipe.train.steps and not self.is_stale:
            for change in self.changes:
                if change.step == self.progress.step + 1:
                    yield change
            yield self.update()
            yield from self.observe()

    def ask_for_more(self) -> None:
        """Training goes on although early stopping says that it is enough."""
        self.progress = replace(self.progress, stale=0)

    def resume(self) -> None:
        """Put everything back to the newest checkpoint that can be read."""
        if self.folder is None:
            raise ValueError("resume needs the folder that holds the checkpoints")
        with self.group.first():
            found, self.warnings = checkpoint.load_newest(
                self.folder, self.model, self.optimizer, self.recipe
            )
            checkpoint.drop_after(
                self.folder, found.progress.step
            )  # broken ones, which must not count as kept
        self.progress = found.progress
        self.rng = found.rng
        self.trained = found.trained
        self.saved_step = self.observed_step = self.progress.step
        self.order = self._epoch(self.progress.epoch)

    def update(self, rate: float | None = None) -> Step:
        """One batch, one step of the optimiser; at the learning rate that another process tells, if one does."""
        started = time.perf_counter()
        settings = self.recipe.train
        if self.trained:
            put_weights(self.model, self.trained)
            self.trained = {}
        batch = self.next_batch()
        step = self.progress.step + 1
        if rate is None:
            self.group.tell(rate := learning_rate(step, settings, self.peak(step)))
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.model.train()
        with matrix_products(settings.precision), self._dropout_stream():
            own = self.group.share(batch)
            src, tgt = self._tensors(own.batch)
            states = self.model.decode(tgt[:, :-1], self.model.encode(src), src)
            pad_id = self.recipe.model.ids.pad
            loss = cross_entropy(
                states,
                tgt[:, 1:],
                self.model.projection,
                smoothing=settings.label_smoothing,
                pad_id=pad_id,
            )
            self.optimizer.zero_grad(set_to_none=True)
            loss.smoothed.backward()  # type: ignore[no-untyped-call]
            plain = self.group.join(self.model.parameters(), own, loss.plain)
            grad_norm = self._clip()
            if not math.isfinite(grad_norm):  # before the weights are spoilt
                raise self._diverged(step)
            self.optimizer.step()
        self.progress = replace(self.progress, step=step)
        seconds = time.perf_counter() - started
        return Step(step, float(plain), rate, grad_norm, batch.n_tokens, seconds)

    def observe(self) -> Iterator[Event]:
        """Validate, sample and save where the step asks for it; the last step does all three."""
        step = self.progress.step
        watch = self.recipe.train.watch
        self.observed_step = step
        is_last = step == self.recipe.train.steps
        if step == 0 or step % watch.validate_every == 0 or is_last:
            validation = self.validate()
            if validation.is_best:
                self.progress = replace(
                    self.progress, best_step=step, best_loss=validation.loss, stale=0
                )
            else:
                self.progress = replace(self.progress, stale=self.progress.stale + 1)
            if is_last or self.is_stale:
                validation, warnings = self.averaged(validation)
                yield from warnings
            yield validation
            yield from self.worse_than_guessing(validation)
            yield from self.sample()
        is_best = step == self.progress.best_step
        if step and (step % watch.save_every == 0 or is_last or is_best or self.is_stale):
            yield from self.save()

    def averaged(self, found: Validation) -> tuple[Validation, list[Warned]]:
        """The last checkpoints' mean is what the model holds, and the run gives, from now on; as `found` where none is asked for."""
        step = self.progress.step
        wanted = self.recipe.train.average_last - 1
        if self.folder is None or not (steps := self._parts(self.folder, wanted, before=step)):
            return found, []
        self.trained = {
            name: tensor.clone() for name, tensor in trained_tensors(self.model).items()
        }
        mean, broken = averaging.mean(self.folder, steps, self.trained)
        put_weights(self.model, mean)
        found = replace(self.validate(), is_best=True, n_averaged=1 + len(steps) - len(broken))
        self.progress = replace(self.progress, best_step=step, best_loss=found.loss)
        return found, [Warned(step, text) for text in broken]

    def _parts(self, folder: Path, count: int, *, before: int) -> list[int]:
        return averaging.due(
            folder, count=count, every=self.recipe.train.watch.save_every, before=before
        )

    def end(self) -> Iterator[Event]:
        """What training that is stopped owes its last step: the validation, if it was due, and a checkpoint."""
        if self.observed_step != self.progress.step:
            yield from self.observe()
        yield from self.save()

    def save(self) -> Iterator[Saved]:
        """Write a checkpoint of where training stands, unless there is one or nowhere to write it."""
        step = self.progress.step
        if self.folder is not None and step and step != self.saved_step:
            beside = Restored(self.progress, self.rng, self.trained)
            path = checkpoint.save(self.folder, self.model, self.optimizer, beside, self.recipe)
            self.saved_step = step
            spared = {
                self.progress.best_step,
                *self._parts(self.folder, self.recipe.train.average_last, before=step + 1),
            }
            checkpoint.prune(self.folder, keep=self.recipe.train.watch.keep, spared=spared)
            yield Saved(step, path)

    def _diverged(self, step: int) -> UserError:
        if self.group.rank:
            return UserError(
                f"Training diverged at step {step:,}; the first process says what is kept."
            )
        if (
            self.folder is not None and self.saved_step > self.progress.best_step
        ):  # from those nobody could go on
            checkpoint.drop_after(self.folder, self.progress.best_step)
            self.saved_step = self.progress.best_step
        kept = "no good checkpoint was written yet: start anew"
        if self.saved_step:
            kept = f"the checkpoint of step {self.saved_step:,} is kept: go on from it"
        what = f"Training diverged at step {step:,}: its gradient is no number any more"
        return UserError(f"{what}; lower train.lr or raise train.warmup_steps ({kept}).")

    def validate(self) -> Validation:
        """Loss and accuracy over all validation pairs."""
        pad_id = self.recipe.model.ids.pad
        nats = 0.0
        right = 0
        tokens = 0
        with matrix_products(self.recipe.train.precision), inference(self.model):
            for batch in batches.in_order(self.data.valid, self.recipe.train.batch_tokens):
                src, tgt = self._tensors(batch)
                found = count(
                    self.model.decode(tgt[:, :-1], self.model.encode(src), src),
                    tgt[:, 1:],
                    self.model.projection,
                    pad_id=pad_id,
                )
                nats = nats + found.nats
                right = right + found.right
                tokens = tokens + found.tokens
        loss = nats / tokens
        if not math.isfinite(loss):
            raise self._diverged(self.progress.step)
        perplexity = math.exp(min(loss, 700.0))
        return Validation(
            self.progress.step, loss, perplexity, right / tokens, loss < self.progress.best_loss
        )

    def worse_than_guessing(self, found: Validation) -> Iterator[Warned]:
        """A loss twice that of giving every token the same probability is no noise any more: it is said, once."""
        guessing = math.log(self.data.tgt_tokenizer.vocab_size)
        if found.step and found.loss > 2 * guessing and not self.is_warned:
            self.is_warned = True
            what = f"At step {found.step:,} the validation loss was {found.loss:.3g}, and guessing gives {guessing:.3g}"
            yield Warned(
                found.step,
                f"{what}: the learning rate is too high; lower train.lr, also while it runs.",
            )

    def sample(self) -> Iterator[Sample]:
        """The probe sentences as they are translated now."""
        if not self.data.probes:
            return
        eos = self.recipe.model.ids.eos
        ids = self.data.src_tokenizer.encode_many([source for source, _ in self.data.probes])
        src = torch.from_numpy(batches.pad([np.array([*row, eos]) for row in ids])).to(self.device)
        settings = Greedy(max_new_tokens=self.recipe.data.max_length)
        with inference(self.model):
            found = greedy(stepper_for(self.model, src), settings)
        for (source, reference), result in zip(self.data.probes, found, strict=True):
            yield Sample(
                self.progress.step,
                source,
                reference,
                self.data.tgt_tokenizer.decode(result.best.ids),
            )

    def _epoch(self, number: int) -> list[batches.Ids]:
        return batches.epoch(
            self.data.train,
            self.recipe.train.batch_tokens,
            seed=self.recipe.train.seed,
            number=number,
        )

    def next_batch(self) -> batches.Batch:
        """The next batch of this epoch, or the first of the next."""
        if self.progress.batch == len(self.order):
            self.progress = replace(self.progress, epoch=self.progress.epoch + 1, batch=0)
            self.order = self._epoch(self.progress.epoch)
        rows = self.order[self.progress.batch]
        self.progress = replace(self.progress, batch=self.progress.batch + 1)
        return batches.build(self.data.train, rows)

    def _tensors(self, batch: batches.Batch) -> tuple[Tensor, Tensor]:
        return torch.from_numpy(batch.src).to(self.device), torch.from_numpy(batch.tgt).to(
            self.device
        )

    def _clip(self) -> float:
        """The gradient's norm before clipping."""
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
            if (seed := self.group.seed(self.recipe.train.seed, self.progress.step)) is not None:
                torch.manual_seed(seed)
            yield
            self.rng = {"cpu": torch.get_rng_state()}
            if devices:
                self.rng["cuda"] = torch.cuda.get_rng_state(self.device)

"""Our trainer and our decoder, with the interface of the peers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor

from benchmarks.peers import Update
from benchmarks.peers.decoding import TOKENS, Decode, Ids, on_device, padded, random_model
from s2s.config import Recipe, override
from s2s.decode import ID_CODEC, SearchResult, Stepper, configure
from s2s.model import Transformer, inference, keep_freed_memory, stepper_for
from s2s.training import Trainer, TrainingData

Wrap = Callable[[Any], Any]  # takes a stepper, returns one that wraps it


def exact(recipe: Recipe, data: TrainingData) -> Update:
    """Matrix products as torch computes them."""
    return _with("exact", recipe, data)


def fast(recipe: Recipe, data: TrainingData) -> Update:
    """Matrix products through oneDNN."""
    return _with("fast", recipe, data)


def _with(precision: str, recipe: Recipe, data: TrainingData) -> Update:
    trainer = Trainer(override(recipe, {"train.precision": precision}), data, None)
    return lambda: trainer.update().n_tokens


def decoder(recipe: Recipe, vocab_size: int) -> Decode:
    """As in `python -m s2s translate`."""
    return _decoder(recipe, vocab_size, {})


def fast_decoder(recipe: Recipe, vocab_size: int) -> Decode:
    """With the output projection in fewer bits."""
    return _decoder(recipe, vocab_size, {"precision": "fast"})


def _decoder(recipe: Recipe, vocab_size: int, settings: Mapping[str, Any]) -> Decode:
    keep_freed_memory()
    model = on_device(random_model(recipe, vocab_size), recipe)

    def decode(sources: Sequence[Ids], num_beams: int) -> list[list[int]]:
        found = search(
            model, sources, num_beams, {**settings, "max_new_tokens": TOKENS}, wrap=Endless
        )
        return [list(one.best.ids) for one in found]

    return decode


def search(
    model: Transformer,
    sources: Sequence[Ids],
    num_beams: int,
    settings: Mapping[str, Any],
    *,
    wrap: Wrap = lambda stepper: stepper,
) -> list[SearchResult]:
    """One SearchResult per source; greedy if `num_beams` is 1. `wrap` is applied to the stepper."""
    beams = {"num_beams": num_beams} if num_beams > 1 else {}
    strategy, config = configure("beam" if beams else "greedy", {**settings, **beams})
    src = padded(sources, model.config.ids.pad).to(model.device)
    with inference(model):
        return strategy(
            wrap(stepper_for(model, src, config.precision)),
            config,
            ID_CODEC,
        )


class WrappedStepper:
    """A stepper that forwards everything else to the one it wraps."""

    def __init__(self, stepper: Stepper) -> None:
        self.stepper = stepper

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stepper, name)


class Endless(WrappedStepper):
    """`</s>` is impossible, so that every target has the maximum length."""

    def step(self, tokens: Tensor) -> Tensor:
        """The wrapped step, without `</s>`."""
        logits = self.stepper.step(tokens)
        logits[:, self.stepper.eos_id] = float("-inf")
        return logits

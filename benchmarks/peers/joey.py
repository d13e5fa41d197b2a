"""JoeyNMT: its own dataset, sampler, model and TrainManager; its training loop without logging; its own search.

The data are tokenized already, one word per token of ours, so its tokenizer only splits at spaces, which favors it.
"""

from __future__ import annotations

import atexit
import logging
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from benchmarks.peers import Update
from benchmarks.peers.batches import SENTENCES
from benchmarks.peers.decoding import TOKENS, Decode, Ids, padded
from s2s.config import Recipe
from s2s.tokenizers import BOS, EOS, PAD, SPECIALS, UNK
from s2s.training import TrainingData

LANGUAGES = ("src", "trg")
SAME = {BOS: 2, EOS: 3, PAD: 1, UNK: 0}  # our special tokens, as it numbers them


def of_sentences(recipe: Recipe, data: TrainingData) -> Update:
    """An update with batches of 64 sentences in its sampler's order."""
    return _its_own(recipe, data, "sentence", SENTENCES)


def of_tokens(recipe: Recipe, data: TrainingData) -> Update:
    """An update with batches of as many tokens as ours, in its sampler's order, which does not sort by length."""
    return _its_own(recipe, data, "token", recipe.train.batch_tokens)


def _its_own(recipe: Recipe, data: TrainingData, batch_type: str, batch_size: int) -> Update:
    logging.disable(logging.INFO)
    from joeynmt.config import parse_global_args
    from joeynmt.prediction import prepare
    from joeynmt.training import TrainManager

    folder = Path(tempfile.mkdtemp(prefix="joeynmt-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "model").mkdir()
    write(folder, data)
    chosen = settings(recipe, folder)
    chosen["training"] |= {"batch_type": batch_type, "batch_size": batch_size}
    config = parse_global_args(chosen, rank=0, mode="train")
    model, train, *_ = prepare(config, rank=0, mode="train")
    manager = TrainManager(
        rank=0,
        model=model,
        model_dir=config.model_dir,
        device=config.device,
        autocast=config.autocast,
        seed=config.seed,
        train_args=config.train,
        dev_args=config.test,
    )
    order = endless(manager, train)

    def update() -> int:
        batch = next(order)
        tokens = int((batch.src != model.pad_index).sum()) + int(batch.ntokens)
        manager._train_step(batch)
        if manager.clip_grad_fun is not None:
            manager.clip_grad_fun(parameters=model.parameters())
        manager.optimizer.step()
        if manager.scheduler_step_at == "step":
            manager.scheduler.step(manager.stats.steps)
        model.zero_grad()
        manager.stats.steps += 1
        return tokens

    return update


def endless(manager: Any, train: Any) -> Iterator[Any]:
    """Its batches, epoch after epoch, as in `train_and_validate`."""
    loader = train.make_iter(
        batch_size=manager.args.batch_size,
        batch_type=manager.args.batch_type,
        seed=manager.seed,
        shuffle=manager.args.shuffle,
        num_workers=0,
        device=manager.device,
        eos_index=manager.model.eos_index,
        pad_index=manager.model.pad_index,
    )
    epoch = 0
    while True:
        epoch += 1
        loader.batch_sampler.set_seed(manager.seed + epoch)
        yield from loader


def write(folder: Path, data: TrainingData) -> None:
    """Write data and vocabulary as files: our id 57 becomes the word `57`."""
    special = {BOS, EOS}
    sides = zip(LANGUAGES, (data.train.src, data.train.tgt), strict=True)
    for language, rows in sides:
        (folder / f"train.{language}").write_text(
            "".join(_line(row, special) for row in rows), encoding="utf-8"
        )
    ids = range(len(SPECIALS), data.src_tokenizer.vocab_size)
    (folder / "vocabulary.txt").write_text("".join(f"{id}\n" for id in ids), encoding="utf-8")


def _line(row: Sequence[int] | np.ndarray[Any, Any], special: set[int]) -> str:
    return " ".join(str(id) for id in row if id not in special) + "\n"


def settings(recipe: Recipe, folder: Path) -> dict[str, Any]:
    """The recipe as JoeyNMT's configuration."""
    model = recipe.model
    train = recipe.train
    side = {
        "level": "word",
        "max_length": recipe.data.max_length,
        "voc_file": str(folder / "vocabulary.txt"),
    }
    return {
        "name": "benchmark",
        "model_dir": str(folder / "model"),
        "use_cuda": False,
        "fp16": False,
        "random_seed": train.seed,
        "data": {
            "train": str(folder / "train"),
            "dataset_type": "plain",
            **{language: {"lang": language, **side} for language in LANGUAGES},
        },
        "model": {
            "initializer": "xavier_uniform",
            "tied_embeddings": True,
            "tied_softmax": model.output.tied,
            "encoder": _stack(recipe, "encoder"),
            "decoder": _stack(recipe, "decoder"),
        },
        "training": {
            "normalization": "tokens",
            "label_smoothing": train.label_smoothing,
            "optimizer": "adam",
            "adam_betas": [0.9, 0.98],
            "learning_rate": 1e-4,
            "scheduling": "warmupinversesquareroot",
            "learning_rate_warmup": 2000,
            "shuffle": True,
        },
        "testing": {},
    }


def _stack(recipe: Recipe, side: str) -> dict[str, Any]:
    model = recipe.model
    stack = getattr(recipe.model, side)
    return {
        "type": "transformer",
        "num_layers": stack.n_layers,
        "num_heads": stack.n_heads,
        "hidden_size": model.d_model,
        "ff_size": stack.d_ff,
        "dropout": model.dropout,
        "layer_norm": model.norm.place,
        "activation": model.feed_forward.activation,
        "embeddings": {
            "embedding_dim": model.d_model,
            "scale": model.embeddings.scaled,
            "dropout": model.dropout,
        },
    }


def decoder(recipe: Recipe, vocab_size: int) -> Decode:
    """Its greedy and beam search, which recompute the whole prefix at each step, with its own weights."""
    network = model(recipe, vocab_size).eval()

    def decode(sources: Sequence[Ids], num_beams: int) -> list[list[int]]:
        return search(network, sources, num_beams, TOKENS, min_output_length=TOKENS)

    return decode


def model(recipe: Recipe, vocab_size: int) -> Any:
    """Its model of this shape, with new weights."""
    logging.disable(logging.INFO)
    from joeynmt.config import _check_special_symbols
    from joeynmt.model import build_model
    from joeynmt.vocabulary import Vocabulary

    tokens = Vocabulary(
        [str(token) for token in range(len(SPECIALS), vocab_size)],
        SimpleNamespace(**_check_special_symbols({})),
    )
    return build_model(settings(recipe, Path())["model"], tokens, tokens)


def batch(src: Tensor, tgt: Tensor | None = None) -> Any:
    """Its batch of our ids, (batch, length) each, padded at the end."""
    from joeynmt.batch import Batch

    return Batch(
        src=renumbered(src),
        src_length=src.ne(PAD).sum(1),
        src_prompt_mask=None,
        trg=None if tgt is None else renumbered(tgt),
        trg_prompt_mask=None,
        indices=torch.arange(len(src)),
        device=torch.device("cpu"),
        pad_index=SAME[PAD],
        eos_index=SAME[EOS],
        is_train=tgt is not None,
    )


def renumbered(ids: Tensor) -> Tensor:
    """Our ids as it numbers them."""
    found = ids.clone()
    for ours, theirs in SAME.items():
        found[ids == ours] = theirs
    return found


def search(
    network: Any, sources: Sequence[Ids], num_beams: int, longest: int, **options: Any
) -> list[list[int]]:
    """The best target of each source as it numbers ids, by its search; the length penalty is 1."""
    from joeynmt.search import search as its_own

    found, *_ = its_own(network, batch(padded(sources)), longest, num_beams, 1.0, **options)
    targets: list[list[int]] = found.tolist()
    return targets

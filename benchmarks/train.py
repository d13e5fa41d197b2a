"""Training speed of `transformer-tiny` on a parallel text, beside torch's nn.Transformer on the very same batches.

Tokens are real source and target tokens (no padding); batch building counts, validation does not. The two alternate
within one process, so that what else the machine does hits both; the ratio is the figure to trust.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.report import last_line, table
from s2s.config import Recipe, override
from s2s.data import load_pairs_for_training
from s2s.model.positions import sinusoids
from s2s.model.presets import PRESETS
from s2s.train import Trainer, TrainingData, prepare
from s2s.train.machine import settle


class Peer(nn.Module):
    """The same shape from torch's parts: one shared embedding, tied output, dropout as in the preset."""

    def __init__(self, recipe: Recipe, vocab_size: int) -> None:
        super().__init__()
        model, stack = recipe.model, recipe.model.encoder
        self.embedding = nn.Embedding(vocab_size, model.d_model, padding_idx=0)
        self.register_buffer("positions", sinusoids(512, model.d_model, model.positions))
        self.dropout = nn.Dropout(model.dropout)
        sizes = (model.d_model, stack.n_heads, stack.n_layers, stack.n_layers, stack.d_ff)
        self.core = nn.Transformer(*sizes, dropout=model.dropout, batch_first=True)

    def embed(self, ids: Tensor) -> Tensor:
        """(batch, len) -> (batch, len, d_model)."""
        return self.dropout(self.embedding(ids) * self.embedding.embedding_dim**0.5 + self.positions[: ids.shape[1]])

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        """Logits (batch, tgt_len, vocab)."""
        causal = torch.ones(tgt.shape[1], tgt.shape[1], dtype=torch.bool).triu(1)
        pads = src.eq(0)
        states = self.core(
            self.embed(src), self.embed(tgt), tgt_mask=causal, src_key_padding_mask=pads, memory_key_padding_mask=pads, tgt_is_causal=True
        )
        return states @ self.embedding.weight.T


def peer_update(recipe: Recipe, data: TrainingData) -> Callable[[], int]:
    """One update of the peer on our own batches; returns its real tokens."""
    source = Trainer(recipe, data, None)
    model = Peer(recipe, data.src_tokenizer.vocab_size)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98))
    loss = nn.CrossEntropyLoss(ignore_index=0, label_smoothing=recipe.train.label_smoothing)

    def update() -> int:
        batch = source.next_batch()
        src, tgt = torch.from_numpy(batch.src), torch.from_numpy(batch.tgt)
        logits = model(src, tgt[:, :-1])
        optimizer.zero_grad()
        loss(logits.flatten(0, 1), tgt[:, 1:].flatten()).backward()
        optimizer.step()
        return batch.n_tokens

    return update


def rate(update: Callable[[], int], seconds: float) -> float:
    """Real tokens a second over at least so many seconds."""
    started, tokens = time.perf_counter(), 0
    while time.perf_counter() - started < seconds:
        tokens += update()
    return tokens / (time.perf_counter() - started)


def peak_memory(source: str) -> float:
    """Largest resident size in MB of a process that trains a few steps, as a user starts it."""
    with tempfile.TemporaryDirectory() as scratch:
        settings = ["--set", "train.steps=5", "--set", "train.watch.samples=0"]
        command = ["train", "--source", source, "--preset", "transformer-tiny", *settings, "--out", f"{scratch}/run"]
        subprocess.run([sys.executable, "-m", "s2s", *command], check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", help="SPEC, for example multi30k/train.en,multi30k/train.de")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=6.0)
    arguments = parser.parse_args()
    pairs = load_pairs_for_training(arguments.source, None, 1)
    rows: list[dict[str, Any]] = []
    for threads in arguments.threads:
        recipe = settle(override(PRESETS["transformer-tiny"].recipe, {"train.threads": threads, "train.device": "cpu"}))
        data = prepare(recipe, pairs.train, pairs.valid)
        trainer = Trainer(recipe, data, None)
        updates = {"ours": lambda trainer=trainer: trainer.update().n_tokens, "nn.Transformer": peer_update(recipe, data)}
        for update in updates.values():
            update()
            update()
        rounds = [{name: rate(update, arguments.seconds) for name, update in updates.items()} for _ in range(arguments.rounds)]
        ours, peer = (statistics.median(found[name] for found in rounds) for name in updates)
        rows.append(
            {
                "threads": threads,
                "ours tokens/s": ours,
                "nn.Transformer tokens/s": peer,
                "ratio": statistics.median(found["ours"] / found["nn.Transformer"] for found in rounds),
            }
        )
    table(rows)
    memory = peak_memory(arguments.source)
    print(f"peak memory of the whole training process: {memory:,.0f} MB")
    last_line("train", {"speed": rows, "peak_memory_mb": memory})


if __name__ == "__main__":
    main()

"""BLEU on flickr2016 after a budget of minutes: our preset `quick` beside Marian, JoeyNMT and a decoder-only model.

The peers' data, vocabulary, batches, sizes and precision are those that `quick` takes for the budget, and the
schedule is the same cosine, over the time. A peer trains the whole budget once per learning rate, and the run with the
lowest validation loss counts: three rates with the shortest budget, then the best two, then the best.
Preparation counts, the translation of the test set does not, as in benchmarks.minutes. One process, one run at a time;
a budget that is complete in FOLDER is not trained again, and `quick` is that of benchmarks.minutes in the same folder.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM, MarianMTModel

from benchmarks.minutes import METRIC, row_of, say, trained
from benchmarks.peers import batches, joey
from benchmarks.peers.marian import shape
from benchmarks.peers.race import Mode
from benchmarks.quality import lines_of, scorers, spec, write_texts
from benchmarks.report import last_line, options, table
from s2s import files
from s2s.config import PRESETS, Recipe, override
from s2s.data import Batch, Preview, load_pairs_for_training
from s2s.data.batches import in_order
from s2s.jobs import within_minutes
from s2s.tokenizers import BOS, EOS, PAD
from s2s.training import TrainingData, cores, free_memory, prepare, settle

ROWS = 64  # sentences translated together
IGNORED = -100
WARMUP = 0.05  # of the time
CLIP = 1.0
RATES = (1.0, 0.5, 0.25)  # of the preset's
VALIDATION_TOKENS = 4096  # per batch
DIVERGED = 1e9  # in place of a validation loss that is no number


class Marian:
    """transformers' Marian of the recipe's sizes."""

    def __init__(self, recipe: Recipe, vocab_size: int) -> None:
        self.model: Any = MarianMTModel(shape(recipe, vocab_size))

    def loss(self, batch: Batch, smoothing: float) -> Tensor:
        """Teacher forcing, with label smoothing outside the model."""
        src = torch.from_numpy(batch.src)
        tgt = torch.from_numpy(batch.tgt)
        logits = self.model(
            input_ids=src, attention_mask=src.ne(PAD), decoder_input_ids=tgt[:, :-1]
        ).logits
        return F.cross_entropy(
            logits.flatten(0, 1),
            tgt[:, 1:].flatten(),
            ignore_index=PAD,
            label_smoothing=smoothing,
        )

    def translate(self, sources: Sequence[Sequence[int]], longest: int) -> list[list[int]]:
        """Beam search with five beams."""
        width = max(map(len, sources))
        src = torch.tensor([[*ids, *[PAD] * (width - len(ids))] for ids in sources])
        found = self.model.generate(
            src,
            attention_mask=src.ne(PAD),
            num_beams=5,
            do_sample=False,
            use_cache=True,
            max_new_tokens=longest,
        )
        return [row[1:] for row in found.tolist()]


class JoeyNMT:
    """JoeyNMT's model of the recipe's sizes, with its own loss and search.

    Without a cache its search is slow, so that its targets end at twice the longest source of the batch and ten tokens.
    """

    def __init__(self, recipe: Recipe, vocab_size: int) -> None:
        self.model: Any = joey.model(recipe, vocab_size)
        self.model.loss_function = ("crossentropy", recipe.train.label_smoothing)

    def loss(self, batch: Batch, smoothing: float) -> Tensor:
        """Teacher forcing, per token of the target."""
        del smoothing  # its loss has it
        theirs = joey.batch(torch.from_numpy(batch.src), torch.from_numpy(batch.tgt))
        found: Tensor = self.model(return_type="loss", **vars(theirs))[0]
        return found / theirs.ntokens

    def translate(self, sources: Sequence[Sequence[int]], longest: int) -> list[list[int]]:
        """Beam search with five beams."""
        ours = {theirs: ours for ours, theirs in joey.SAME.items()}
        longest = min(longest, 2 * max(map(len, sources)) + 10)
        found = joey.search(self.model, sources, 5, longest)
        return [[ours.get(token, token) for token in row] for row in found]


class DecoderOnly:
    """A Llama of the same width, with as many layers as encoder and decoder have together: source, then target."""

    def __init__(self, recipe: Recipe, vocab_size: int) -> None:
        model = recipe.model
        config = LlamaConfig(
            vocab_size=vocab_size,
            hidden_size=model.d_model,
            intermediate_size=model.decoder.d_ff,
            num_hidden_layers=model.encoder.n_layers + model.decoder.n_layers,
            num_attention_heads=model.decoder.n_heads,
            max_position_embeddings=1024,
            tie_word_embeddings=True,
            pad_token_id=PAD,
            bos_token_id=BOS,
            eos_token_id=EOS,
            attention_dropout=model.dropout,
        )
        self.model: Any = LlamaForCausalLM(config)

    def loss(self, batch: Batch, smoothing: float) -> Tensor:
        """The loss of the target's tokens alone."""
        rows = []
        for src, tgt in zip(batch.src.tolist(), batch.tgt.tolist(), strict=True):
            source = [token for token in src if token != PAD]
            rows.append((source, [token for token in tgt if token != PAD]))
        width = max(len(source) + len(target) for source, target in rows)
        ids = torch.full((len(rows), width), PAD)
        labels = torch.full((len(rows), width), IGNORED)
        for row, (source, target) in enumerate(rows):
            ids[row, : len(source) + len(target)] = torch.tensor(source + target)
            first = len(source) + 1  # after `<s>`
            labels[row, first : len(source) + len(target)] = torch.tensor(target[1:])
        logits = self.model(input_ids=ids, attention_mask=ids.ne(PAD)).logits
        return F.cross_entropy(
            logits[:, :-1].flatten(0, 1),
            labels[:, 1:].flatten(),
            ignore_index=IGNORED,
            label_smoothing=smoothing,
        )

    def translate(self, sources: Sequence[Sequence[int]], longest: int) -> list[list[int]]:
        """Beam search with five beams, padded at the start."""
        width = max(map(len, sources)) + 1
        rows = [[*[PAD] * (width - 1 - len(ids)), *ids, BOS] for ids in sources]
        ids = torch.tensor(rows)
        found = self.model.generate(
            ids,
            attention_mask=ids.ne(PAD),
            num_beams=5,
            do_sample=False,
            use_cache=True,
            max_new_tokens=longest,
        )
        targets: list[list[int]] = found[:, width:].tolist()
        return targets


OURS = "s2s, `quick`"
PEERS: Mapping[str, tuple[str, Callable[[Recipe, int], Any]]] = MappingProxyType(
    {
        "transformers' Marian": ("marian", Marian),
        "JoeyNMT": ("joeynmt", JoeyNMT),
        "decoder-only (Llama)": ("decoder-only", DecoderOnly),
    }
)  # by name: the file's, and how it is made


def planned(texts: Path, target: str, minutes: float, seed: int) -> tuple[Recipe, TrainingData]:
    """The recipe that `quick` takes for the budget, and its data."""
    changes = {"train.minutes": minutes, "train.seed": seed, "train.threads": cores()}
    recipe = settle(override(PRESETS["quick"].recipe, changes))
    pairs = load_pairs_for_training(
        spec(texts, "train", target), spec(texts, "valid", target), seed, recipe.data
    )
    preview = Preview.of(pairs.train)
    recipe = within_minutes(recipe, "quick", preview, free=free_memory(recipe.train.device))
    return recipe, prepare(recipe, pairs.train, pairs.valid)


def rate(share: float, peak: float) -> float:
    """The learning rate after a share of the time: warmup, then a cosine to zero."""
    if share < WARMUP:
        return peak * max(share, 1e-3) / WARMUP
    done = (min(share, 1.0) - WARMUP) / (1 - WARMUP)
    return peak * 0.5 * (1 + math.cos(math.pi * done))


def train(peer: Any, recipe: Recipe, data: TrainingData, since: float) -> dict[str, Any]:
    """Train until the time is over."""
    is_exact = recipe.train.precision == "exact"
    Mode(switch=not is_exact, explicit=not is_exact).use()
    torch.manual_seed(recipe.train.seed)
    torch.set_num_threads(recipe.train.threads)
    model = peer.model
    model.train()
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=0.0, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.0
    )
    seconds = 60 * (recipe.train.minutes or 0.0)
    source = batches.ours(recipe, data)
    tokens = 0
    said = 0
    begun = time.monotonic()
    for step in itertools.count(1):
        share = (time.monotonic() - since) / seconds
        if share >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = rate(share, recipe.train.lr)
        batch = next(source)
        loss = peer.loss(batch, recipe.train.label_smoothing)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        tokens += batch.n_tokens
        if int(20 * share) > said:
            said = int(20 * share)
            say(f"  {share:.0%}, update {step:,}, loss {float(loss.detach()):.3f}")
    return {
        "updates": step - 1,
        "tokens": tokens,
        "tokens_per_second": tokens / (time.monotonic() - begun),
        "parameters": sum(weights.numel() for weights in model.parameters()),
    }


@torch.inference_mode()
def validation_loss(peer: Any, data: TrainingData) -> float:
    """Per target token, by the peer's own loss."""
    peer.model.train(False)
    total = n_labels = 0.0
    for batch in in_order(data.valid, VALIDATION_TOKENS):
        total += float(peer.loss(batch, 0.0)) * batch.n_labels
        n_labels += batch.n_labels
    return total / n_labels


def all_but_the_worst(losses: Mapping[float, float]) -> list[float]:
    """Of the rates that were tried, the best first, by validation loss; one at least."""
    return sorted(losses, key=losses.__getitem__)[: max(1, len(losses) - 1)]


def translated(peer: Any, recipe: Recipe, data: TrainingData, lines: Sequence[str]) -> list[str]:
    """The test set, in batches of similar length."""
    special = recipe.model.ids
    rows = [special.source(ids) for ids in data.src_tokenizer.encode_many(list(lines))]
    order = sorted(range(len(rows)), key=lambda row: len(rows[row]))
    found = [""] * len(rows)
    peer.model.train(False)
    with torch.inference_mode():
        for part in _parts(order):
            targets = peer.translate([rows[row] for row in part], recipe.data.max_length)
            for row, target in zip(part, targets, strict=True):
                ids = list(itertools.takewhile(lambda token: token != EOS, target))
                found[row] = data.tgt_tokenizer.decode([id for id in ids if id != PAD])
    return found


def _parts(order: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(order), ROWS):
        yield order[start : start + ROWS]


def measured(
    name: str, minutes: float, shares: Sequence[float], arguments: argparse.Namespace
) -> dict[str, Any]:
    """One peer in one budget, trained with each of these shares of the preset's rate; the run with the lowest
    validation loss. Trained now unless it is complete in the folder.
    """
    kept: Path = arguments.out / f"peer-{PEERS[name][0]}-{minutes:g}.json"
    if kept.exists():
        return dict(json.loads(kept.read_text(encoding="utf-8")))
    losses = {}
    best: dict[str, Any] = {}
    lowest = math.inf
    for share in shares:
        peer, found, recipe, data = one_run(name, minutes, share, arguments)
        loss = validation_loss(peer, data)
        losses[share] = loss if math.isfinite(loss) else DIVERGED
        say(f"{name}, {minutes:g} minutes: validation loss {loss:.3f} with {found['lr']:g}")
        if not best or losses[share] < lowest:
            lowest = losses[share]
            best = found
            best_peer = (peer, recipe, data)
    texts = arguments.out / "text"
    outputs = translated(*best_peer, lines_of(texts / "test.en"))
    _, metric, postprocess, references = next(scorers(texts, arguments.target))
    score = metric.corpus_score([postprocess(text) for text in outputs], [references])
    row = {"system": name, "budget": minutes, "bleu": score.score, **best}
    row["validation_losses"] = [[share, loss] for share, loss in losses.items()]
    files.write_json(kept, row)
    say(f"{name}, {minutes:g} minutes: BLEU {score.score:.2f}")
    return row


def one_run(
    name: str, minutes: float, share: float, arguments: argparse.Namespace
) -> tuple[Any, dict[str, Any], Recipe, TrainingData]:
    """A peer trained with a share of the preset's rate: the peer, what it took, its recipe and data."""
    since = time.monotonic()
    recipe, data = planned(arguments.out / "text", arguments.target, minutes, arguments.seed)
    recipe = override(recipe, {"train.lr": recipe.train.lr * share})
    say(f"{name}, {minutes:g} minutes: width {recipe.model.d_model}, rate {recipe.train.lr:g}")
    peer = PEERS[name][1](recipe, data.tgt_tokenizer.vocab_size)
    found = train(peer, recipe, data, since)
    found |= {"lr": recipe.train.lr, "minutes": (time.monotonic() - since) / 60}
    return peer, found, recipe, data


def our_own(minutes: float, arguments: argparse.Namespace) -> dict[str, Any]:
    """The preset `quick` in one budget."""
    texts = arguments.out / "text"
    run = trained(arguments, texts, minutes, arguments.seed)
    row = row_of(run, texts, arguments.target, minutes, arguments.seed)
    return {
        "system": OURS,
        "budget": minutes,
        "bleu": row["bleu"][METRIC],
        "updates": row["updates"],
        "tokens": row["tokens"],
        "tokens_per_second": row["tokens"] / row["update_seconds"],
        "parameters": row["chosen"]["parameters"],
        "lr": row["chosen"]["lr"],
        "minutes": row["seconds"] / 60,
    }


def shown(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "minutes": f"{row['budget']:g}",
        "system": row["system"],
        f"flickr2016 BLEU, {METRIC}": row["bleu"],
        "updates": row["updates"],
        "tokens per second": round(row["tokens_per_second"]),
        "parameters": row["parameters"],
        "highest rate": f"{row['lr']:g}",
    }


def main() -> None:
    """Every system in every budget."""
    parser = options(__doc__)
    parser.add_argument("minutes", type=float, nargs="+", help="the budgets, such as 8 20")
    parser.add_argument("--target", choices=["de", "fr"], default="de", help="from English")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="as for minutes")
    parser.add_argument("--only", nargs="+", choices=[OURS, *PEERS], default=[OURS, *PEERS])
    arguments = parser.parse_args()
    arguments.set = []
    arguments.out = arguments.out.resolve()
    write_texts(arguments.out / "text", arguments.target)
    shares: dict[str, Sequence[float]] = dict.fromkeys(PEERS, RATES)
    runs = []
    for minutes in sorted(arguments.minutes):
        for name in arguments.only:
            if name == OURS:
                runs.append(our_own(minutes, arguments))
                continue
            runs.append(measured(name, minutes, shares[name], arguments))
            shares[name] = all_but_the_worst(dict(runs[-1]["validation_losses"]))
    rows = [shown(row) for row in runs]
    table(rows)
    last_line("peer_minutes", {"rows": rows, "runs": runs}, arguments)


if __name__ == "__main__":
    main()

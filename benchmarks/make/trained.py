"""The demo runs: how they are trained, and what ships of them."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from types import MappingProxyType

import safetensors.torch

from benchmarks.make.thin import thin_metrics, thin_weights
from s2s import files, tokenizers
from s2s.config import PRESETS, Recipe, asker, choose, override
from s2s.data import load
from s2s.demo import DEMOS, EVERYDAY
from s2s.jobs import training
from s2s.library.checkpoints import load as load_run
from s2s.model import weights_path, write_steps
from s2s.runs import RunFolder
from s2s.scores import score_all
from s2s.settings import SHIPPED

# Words, so that pictures show words; one vocabulary per side, so that French words are unknown on the English side.
CHANGES = {
    "tokenizer.kind": "word",
    "tokenizer.shared": False,
    "model.embeddings.shared": False,
    "train.seed": 1,
    "train.threads": 1,  # bit-identical wherever it is trained again
}
# Four tasks take more steps.
STEPS = MappingProxyType({"demo-en-fr": 1500, "demo-en-es": 1500, "demo-tasks": 6000})
# Summaries and answers copy from the source, which a model with sinusoids learns slowly; a smaller learning rate makes
# it reliable.
OWN_CHANGES = MappingProxyType(
    {"demo-tasks": {"model.positions.kind": "rotary", "train.lr": 0.002}}
)
# An encoder deeper than the decoder: most of a translation's time is spent in the decoder. The last seven checkpoints,
# whose mean ships, are trained with a quarter of the learning rate (demo_en_de.py).
EVERYDAY_RECIPE = MappingProxyType(
    {
        "data.clean.duplicates": True,
        "tokenizer.vocab_size": 8000,
        "model.d_model": 192,
        "model.encoder.n_layers": 4,
        "model.decoder.n_layers": 2,
        "model.d_ff": 768,
        "model.positions.kind": "rotary",
        "model.positions.layout": "interleaved",
        "train.steps": 9120,
        "train.schedule": "inverse_sqrt",
        "train.warmup_steps": 1500,
        "train.average_last": 7,
        "train.threads": 2,
        "train.precision": "fast",
        "train.watch.validate_every": 800,
        "train.watch.save_every": 160,
        "train.watch.keep": 1000,
        "train.watch.scores": 200,
        "train.watch.attention": False,
    }
)
SOURCE_TOKENIZER = "src.tokenizer.json"
METRICS = "metrics.jsonl"
RUNS = SHIPPED


def recipe_of(name: str) -> Recipe:
    """How a demo is trained."""
    if name == EVERYDAY:
        return override(PRESETS["small"].recipe, EVERYDAY_RECIPE)
    return override(
        PRESETS["small"].recipe,
        {**CHANGES, **OWN_CHANGES.get(name, {}), "train.steps": STEPS[name]},
    )


def make(name: str, out: Path = RUNS) -> None:
    """Train one demo and save what pages need: the best weights, rounded, without the optimizer's state."""
    recipe = recipe_of(name)
    with tempfile.TemporaryDirectory() as scratch:
        request = training.RunRequest(
            recipe, choose("demo", name, DEMOS), preset="small", name=name, owner=asker.LOCAL
        )
        started = training.start(request, Path(scratch) / name)
        for event in training.run(started):
            print(f"{name}: step {event.step} of {recipe.train.steps}", end="\r", flush=True)
        _ship(started.folder, out / name)
    print(check(out / name))


def _ship(run: RunFolder, out: Path) -> None:
    step = run.best_or_newest_step()
    shutil.rmtree(out, ignore_errors=True)
    for name in (
        "recipe.json",
        "status.json",
        "samples.jsonl",
        SOURCE_TOKENIZER,
        "tgt.tokenizer.json",
    ):
        files.write_bytes(out / name, (run.path / name).read_bytes())
    metrics = (run.path / METRICS).read_text(encoding="utf-8").splitlines()
    thinned = (json.dumps(row) + "\n" for row in thin_metrics(map(json.loads, metrics)))
    files.write_bytes(out / METRICS, "".join(thinned).encode())
    source = tokenizers.WordTokenizer(
        tokenizers.load(out / SOURCE_TOKENIZER).words, normalizes=True
    )
    source.save(out / SOURCE_TOKENIZER)  # visitors write "The cat sits on the mat."
    weights = safetensors.torch.load_file(weights_path(run.checkpoints, step))
    write_steps(weights_path(RunFolder(out).checkpoints, step), *thin_weights(weights))


def check(path: Path) -> str:
    """One line of JSON: the share of random held-out sources that the shipped weights translate exactly."""
    run = load_run(path)
    pairs = load(run.folder.about()["source"], "random").pairs
    texts = [one.text for one in run.translate([pair.src for pair in pairs])]
    score = score_all(texts, [pair.tgt for pair in pairs])["exact_match"]
    size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return json.dumps(
        {"demo": path.name, "exact": score.value / 100, "n": len(pairs), "bytes": size}
    )

"""`python -m s2s.demo [NAME ...]`: train the shipped runs again, from the built-in corpora, in five to twenty minutes each.

`python -m s2s.demo measured` makes the runs that say what to expect of a training: see `s2s/demo/measured.py`.
`python -m s2s.demo twins` makes those of the Positions page: see `s2s/demo/twins.py`.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType

import safetensors.torch

from s2s import files
from s2s.config import PRESETS, choose, override
from s2s.data import load, write_shipped_previews
from s2s.demo import DEMOS, measured, twins
from s2s.jobs import training
from s2s.model import weights_path
from s2s.runs import RunFolder
from s2s.runs import load as load_run
from s2s.settings import OWNER

# Words, so that a picture shows words; a vocabulary a side, so that a French word typed on the English side is unknown.
CHANGES = {
    "tokenizer.kind": "word",
    "tokenizer.shared": False,
    "model.embeddings.shared": False,
    "train.seed": 1,
    "train.threads": 1,  # the same bits wherever it is made again
}
STEPS = MappingProxyType(
    {"demo-en-fr": 1500, "demo-en-es": 1500, "demo-tasks": 6000}
)  # four tasks want more of them
# Summaries and answers are copied from the source, which sinusoids learn slowly; smaller steps make it certain.
OWN_CHANGES = MappingProxyType(
    {"demo-tasks": {"model.positions.kind": "rotary", "train.lr": 0.002}}
)


def make(name: str, out: Path) -> None:
    """Train one demo and keep what a page needs: the best weights in half precision, without the optimiser's state."""
    recipe = override(
        PRESETS["small"].recipe,
        {**CHANGES, **OWN_CHANGES.get(name, {}), "train.steps": STEPS[name]},
    )
    with tempfile.TemporaryDirectory() as scratch:
        asked = training.Asked(
            recipe, choose("demo", name, DEMOS), preset="small", name=name, owner=OWNER
        )
        started = training.start(asked, Path(scratch) / name)
        for event in training.run(started):
            print(f"{name}: step {event.step} of {recipe.train.steps}", end="\r", flush=True)
        _ship(started.folder, out / name)


def _ship(run: RunFolder, out: Path) -> None:
    step = run.best_or_newest_step()
    shutil.rmtree(out, ignore_errors=True)
    for name in (
        "recipe.json",
        "status.json",
        "metrics.jsonl",
        "samples.jsonl",
        "src.tokenizer.json",
        "tgt.tokenizer.json",
    ):
        files.write_bytes(out / name, (run.path / name).read_bytes())
    weights = safetensors.torch.load_file(weights_path(run.checkpoints, step))
    halved = {name: tensor.half() for name, tensor in weights.items()}
    files.write_bytes(
        weights_path(RunFolder(out).checkpoints, step), safetensors.torch.save(halved)
    )


def check(path: Path) -> str:
    """One line: how many of the random held-out sources the shipped weights turn into exactly their target."""
    run = load_run(path)
    pairs = load(run.folder.about()["source"], "random").pairs
    texts = [one.text for one in run.translate([pair.src for pair in pairs])]
    right = sum(text == pair.tgt for text, pair in zip(texts, pairs, strict=True))
    size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return json.dumps(
        {"demo": path.name, "exact": right / len(pairs), "n": len(pairs), "bytes": size}
    )


def main(arguments: Sequence[str]) -> None:
    """Make the demos that are named, or all; or what `measured` or `twins` asks for."""
    for name, part in (("measured", measured), ("twins", twins)):
        if arguments[:1] == [name]:
            part.main(arguments[1:])
            return
    write_shipped_previews()
    here = Path(__file__).parent / "runs"
    for demo in arguments or DEMOS:
        make(demo, here)
        print(check(here / demo))


if __name__ == "__main__":
    main(sys.argv[1:])

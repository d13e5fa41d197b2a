"""What ships and is made by this project: how each artifact is made, and of what, so that a stale one is noticed.

`inputs.json` has what every artifact was made of when it was made: a digest of the pairs, and the recipes. A setting
that is new since then has its default there, so it makes nothing stale.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from benchmarks.make import (
    corpora,
    demo_en_de,
    extrapolation,
    faults,
    measured,
    measurements,
    trained,
)
from s2s import files
from s2s.config import PRESETS, Recipe, choose, override
from s2s.data import GENERATED, Pair, Preview, load, load_pairs_for_training
from s2s.data.preview import SHIPPED as PREVIEWS
from s2s.demo import DEMOS, EVERYDAY
from s2s.jobs import MEASURED_FILE, ExtrapolationSettings, fault_experiment, read_measured
from s2s.jobs import extrapolation as runs_beyond

FILE = Path(__file__).parent / "inputs.json"


@dataclass(frozen=True)
class Inputs:
    """What an artifact is made of: a digest of the pairs, and recipes by name."""

    pairs: str
    recipes: Mapping[str, Recipe]


@dataclass(frozen=True)
class Artifact:
    """One thing that ships."""

    make: Callable[[], None]
    inputs: Callable[[], Inputs]


def make(name: str) -> None:
    """Make it again, and note of what. Raises UserError for an unknown name."""
    artifact = choose("artifact", name, ARTIFACTS)
    artifact.make()
    inputs = artifact.inputs()
    known = json.loads(FILE.read_bytes()) if FILE.exists() else {}
    files.write_json(FILE, known | {name: inputs})


def stale() -> list[str]:
    """The artifacts that were made of something else than they would be made of now."""
    known = json.loads(FILE.read_bytes())
    return [
        name
        for name, artifact in ARTIFACTS.items()
        if name not in known or files.from_json(Inputs, known[name]) != artifact.inputs()
    ]


def digest(pairs: Iterable[Pair]) -> str:
    """Of the sources and targets, in their order."""
    text = "".join(f"{pair.src}\t{pair.tgt}\n" for pair in pairs)
    return hashlib.sha256(text.encode()).hexdigest()


def of_demo(name: str) -> Inputs:
    """The pairs that are left after cleaning, and the recipe without what depends on the computer."""
    recipe = trained.recipe_of(name)
    if name == EVERYDAY:
        return Inputs(demo_en_de.digest(), {"demo": portable(recipe)})
    pairs = load_pairs_for_training(DEMOS[name], None, recipe.train.seed, recipe.data)
    return Inputs(digest(pairs.train.pairs), {"demo": portable(recipe)})


def make_demo(name: str) -> None:
    """Train one demo again: minutes of one thread, or two hours of two for the one of everyday sentences."""
    if name == EVERYDAY:
        demo_en_de.make()
    else:
        trained.make(name)


def portable(recipe: Recipe) -> Recipe:
    """The recipe on a CPU with one thread; how pairs are cleaned is part of the pairs."""
    whole = override(recipe, {"train.device": "cpu", "train.threads": 1})
    return replace(whole, data=replace(whole.data, clean=Recipe().data.clean))


def of_corpora() -> Inputs:
    """What their makers write now: a change there makes the corpora stale, and once they are made, what uses them."""
    texts = "".join(map(corpora.text, corpora.CORPORA))
    return Inputs(hashlib.sha256(texts.encode()).hexdigest(), {})


def make_previews() -> None:
    """Read every generated dataset."""
    for spec in GENERATED:
        files.write_json(PREVIEWS / f"{spec.replace(':', '-')}.json", Preview.of(load(spec)))


def of_previews() -> Inputs:
    """All generated datasets."""
    return Inputs(digest(pair for spec in GENERATED for pair in load(spec).pairs), {})


def of_measured(preset: str) -> Inputs:
    """The pairs of the built-in dataset, and the preset; its number of steps follows from the time it may take."""
    pairs = load("builtin:en-fr").pairs
    return Inputs(digest(pairs), {preset: portable(PRESETS[preset].recipe)})


def make_measured(preset: str) -> None:
    """Its runs on all datasets, four minutes each; needs Multi30k. The other presets' stay."""
    rows = [row for row in read_measured(MEASURED_FILE)["runs"] if row["preset"] != preset]
    files.write_json(MEASURED_FILE, {"runs": rows})
    measured.main([f"/{preset}"])


def of_extrapolation() -> Inputs:
    """The training pairs of every task, and the recipe of every encoding that has been measured."""
    pairs = [pair for task in extrapolation.TASKS for pair in load(f"synthetic:{task}").pairs]
    requests = runs_beyond.run_requests(ExtrapolationSettings(extrapolation.TASKS[0], seed=1))
    measured = {row["kind"] for row in extrapolation.known_rows()}
    recipes = (portable(request.recipe) for request in requests)
    of_kinds = {recipe.model.positions.kind: recipe for recipe in recipes}
    return Inputs(digest(pairs), {kind: of_kinds[kind] for kind in of_kinds if kind in measured})


def make_extrapolation() -> None:
    """All runs, half a minute each."""
    extrapolation.EXTRAPOLATION_FILE.unlink(missing_ok=True)
    extrapolation.main([])


def of_faults() -> Inputs:
    """All pairs of the task, and the recipe without a fault; what each fault does is in the program."""
    pairs = [
        pair
        for split in ("train", "valid", "test")
        for pair in load(fault_experiment.SOURCE, split).pairs
    ]
    return Inputs(digest(pairs), {"healthy": portable(fault_experiment.recipe())})


def make_faults() -> None:
    """All runs, half a minute each."""
    faults.FAULTS_FILE.unlink(missing_ok=True)
    faults.main([])


ARTIFACTS: Mapping[str, Artifact] = MappingProxyType(
    {
        "corpora": Artifact(corpora.write, of_corpora),
        "previews": Artifact(make_previews, of_previews),
        **{name: Artifact(partial(make_demo, name), partial(of_demo, name)) for name in DEMOS},
        **{
            f"measured-{preset}": Artifact(
                partial(make_measured, preset), partial(of_measured, preset)
            )
            for preset in measured.OURS
        },
        **{
            f"heads-{name}": Artifact(partial(measurements.make, name), partial(of_demo, name))
            for name in DEMOS
        },
        **{
            f"importance-{name}": Artifact(
                partial(measurements.make_importance, name), partial(of_demo, name)
            )
            for name in DEMOS
        },
        "heads-over-training": Artifact(
            measurements.make_history, partial(of_demo, measurements.TRAINED_AGAIN)
        ),
        "beyond-training-length": Artifact(make_extrapolation, of_extrapolation),
        "faults-on-purpose": Artifact(make_faults, of_faults),
    }
)

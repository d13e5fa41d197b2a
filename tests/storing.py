"""Things in `S2S_HOME`, as small as they can be."""

import json
import os
from pathlib import Path

from s2s import settings
from s2s.data import Corpus, Pair, saved_datasets
from s2s.runs import Evaluation, Sentences, System, evaluations
from tests.conftest import make_run


def store_run(run_id: str, owner: str) -> Path:
    folder = make_run(settings.home() / "runs" / run_id, {"train.steps": 2})
    about = folder / "recipe.json"
    about.write_text(json.dumps(json.loads(about.read_bytes()) | {"owner": owner}))
    return folder


def store_dataset(owner: str, n: int = 3, name: str = "mine") -> str:
    """The hash of a saved dataset of this many pairs."""
    pairs = tuple(Pair(f"a {i}", f"b {i} {owner}") for i in range(n))
    return saved_datasets.save(Corpus("x", "train", pairs), name=name, owner=owner)


def store_evaluation(owner: str, name: str = "mine") -> str:
    folder = evaluations.new_folder()
    test = Sentences("test", n=1, n_all=1)
    systems = (System("a file", uploaded="a.txt"),)
    folder.create(
        Evaluation(folder.id, name, owner, "2026-01-01T00:00:00+00:00", "", test, systems),
        [("a", "b")],
        (),
    )
    return folder.id


def grow_old(folder: Path, days: float, now: float) -> None:
    """As if nothing in it had been written for so many days."""
    for path in folder.iterdir():
        os.utime(path, (now - days * 86_400, now - days * 86_400))

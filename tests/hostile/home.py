"""A hosted server's home with the things of three workspaces, each full of words that nobody else may read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from s2s import files, settings
from s2s.config import PRESETS
from s2s.data import Corpus, Pair, saved_datasets, uploads
from s2s.processes import queue
from s2s.runs import Evaluation, Sentences, System, evaluations, runs_folder
from s2s.settings import new_id
from s2s.ui.shell import visitors
from tests.conftest import make_run

WORKSPACES = ("ann", "bob", "eve")


@dataclass(frozen=True)
class Things:
    """What a workspace has, by id."""

    owner: str
    run: str  # trained on `dataset`
    queued: str  # a run that waits
    dataset: str
    evaluation: str
    upload: str

    @property
    def secret(self) -> str:
        """A word that is in everything of this workspace."""
        return f"secret{self.owner}"

    @property
    def probe(self) -> str:
        """A word of the sentences that are translated at every checkpoint."""
        return f"probe{self.owner}"

    @property
    def ids(self) -> tuple[str, ...]:
        return (self.run, self.queued, self.dataset, self.evaluation, self.upload)


def things_of(owner: str) -> Things:
    """Makes one of everything."""
    secret = f"secret{owner}"
    pairs = tuple(Pair(f"{secret} line {n}", f"ligne {n} {secret}") for n in range(30))
    corpus = Corpus("upload", "train", pairs, (f"A note: {secret}.",))
    dataset = saved_datasets.save(corpus, name=f"{secret} dataset", owner=owner)
    run = new_id()
    about = make_run(runs_folder() / run, {}) / "recipe.json"
    content = json.loads(about.read_text()) | {
        "owner": owner,
        "name": f"{secret} run",
        "tags": [f"{secret} tag"],
        "comment": f"{secret} note",
        "source": f"corpus:{dataset}",
        "valid": None,
        "warnings": [f"{secret} warning"],
    }
    about.write_text(json.dumps(content))
    sample = {"step": 30, "source": f"probe{owner}", "text": "9", "reference": f"probe{owner}"}
    (about.parent / "samples.jsonl").write_text(json.dumps(sample) + "\n")
    queued = new_id()
    spec = {
        "recipe": PRESETS["small"].recipe.to_json(),
        "source": f"corpus:{dataset}",
        "valid": None,
        "preset": "small",
        "name": f"{secret} queued",
    }
    queue.submit("train", owner, queued, spec)
    folder = evaluations.new_folder()
    test = Sentences(f"{secret} test", files=(f"{secret}.src",), n=1, n_all=1)
    systems = (System(f"{secret} system", uploaded=f"{secret}.txt"),)
    told = Evaluation(
        folder.id, f"{secret} evaluation", owner, "2026-01-01T00:00:00+00:00", run, test, systems
    )
    folder.create(told, [(f"{secret} source", f"{secret} reference")])
    folder.add(0, [{"i": 0, "text": f"{secret} output"}])
    upload = uploads.begin(
        "Upload", f"{secret} upload", [("a.tsv", f"{secret}\t{secret}\n".encode())], owner=owner
    )
    return Things(owner, run, queued, dataset, folder.id, upload.id)


@contextmanager
def visiting(monkeypatch: pytest.MonkeyPatch, workspace: str) -> Iterator[None]:
    """A visitor of a hosted server, in every thread."""
    with monkeypatch.context() as patch:
        patch.setattr(visitors, "workspace_of_visitor", lambda: workspace)
        visitors.identify()
        yield
    visitors.identify()


def share(thing: Things, *, data: bool) -> None:
    """Anyone with the link may see its run, and its dataset's sentences or not."""
    what = {"format": 1, "link": True, "data": data}
    files.write_json(settings.home() / "sharing" / f"run-{thing.run}.json", what)

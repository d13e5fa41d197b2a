"""The openers: an id becomes a thing here, and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import sqlalchemy as sa

from s2s import settings
from s2s.config import UserError, asker, shortened
from s2s.data import ProfileFolder, Upload, profile_of, saved_datasets, uploads
from s2s.files import stored
from s2s.library import sharing
from s2s.library.rights import Thing, Verb, may, require, unknown
from s2s.processes import queue

if TYPE_CHECKING:
    from s2s.runs import EvaluationFolder, RunFolder

OWN_LESSONS = sa.Table(
    "lessons",
    sa.MetaData(),
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("owner", sa.String(80)),
    sa.Column("shared", sa.Boolean),
    sa.Column("content", sa.JSON),  # as `lesson_file.to_json` writes it
    sa.Column("created", sa.Double),
    sa.Column("opened", sa.Double),  # to the day, or changed
)
CLASSES = sa.Table(
    "classes",
    sa.MetaData(),
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("owner", sa.String(80)),
    sa.Column("lesson", sa.String(64)),
    sa.Column("created", sa.Double),
)
TABLES: Mapping[str, sa.Table] = MappingProxyType({"lesson": OWN_LESSONS, "class": CLASSES})
# the jobs that make things of a kind
JOBS = MappingProxyType(
    {"run": "train", "evaluation": "evaluate", "measurement": "heads", "import": "import"}
)


def made_by(job: queue.Job) -> Path:
    """The folder of the run that a job makes, where a worker has claimed the job or the library has opened it."""
    return stored.RUN.parent / job.run


def at(row: sa.Row[tuple[object, ...]]) -> sa.ColumnElement[bool]:
    """The SQL condition that finds again a row which the library has opened."""
    table = CLASSES if "lesson" in row._mapping else OWN_LESSONS
    found: sa.ColumnElement[bool] = table.c.id == row.id
    return found


class Library:
    """Opens what is stored, for a workspace; without one, for whoever this code works for.

    Every opener takes what is to be done with the thing, and raises DeniedError, or a UserError that reads the same
    for what does not exist, unless something says that the workspace may do that.
    """

    def __init__(self, workspace: str | None = None) -> None:
        self.workspace = asker.current() if workspace is None else workspace

    def run(self, run: str | Path, verb: Verb = "explore") -> RunFolder:
        """A run by its id, by the name of a demo run or, on one's own computer, by its folder.

        A Path comes from this program, not from a visitor, and is not checked.
        """
        from s2s.runs import RunFolder

        is_own_computer = self.workspace == asker.LOCAL
        candidates = [Path(run)] if is_own_computer or isinstance(run, Path) else []
        if stored.ID.fullmatch(str(run)):
            candidates += [stored.RUN.parent / str(run), settings.SHIPPED / str(run)]
        for folder in candidates:
            if os.path.isfile(folder / "recipe.json"):  # also for a name that is too long
                found = RunFolder(folder)
                if not isinstance(run, Path):
                    require(verb, sharing.run_in(found), self.workspace)
                return found
        if not is_own_computer:
            raise unknown("run", str(run))
        shipped = ", ".join(
            sorted(path.parent.name for path in settings.SHIPPED.glob("*/recipe.json"))
        )
        raise UserError(
            f"There is no run `{shortened(run)}`: neither the folder nor the id of a run; the demo"
            f" runs are {shipped or 'none'}."
        )

    def dataset(self, hash: str, verb: Verb = "explore") -> Path:
        """The folder of a saved dataset. Strangers get the same error whether or not it exists."""
        folder = stored.DATASET.parent / hash
        is_hash = saved_datasets.DATASET_HASH.fullmatch(hash) is not None
        about = saved_datasets.readable_about(folder) if is_hash else None
        thing = Thing("saved dataset", hash, about["owner"] if about else asker.LOCAL)
        if not is_hash or not may(self.workspace, verb, thing):
            raise saved_datasets.unknown(hash)
        if about is None:
            saved_datasets.about(folder)  # raises, and says why
        return folder

    def upload(self, id: str, verb: Verb = "change") -> Upload:
        """A dataset that is uploaded and not saved yet; none that is over a day old."""
        folder = stored.UPLOAD.parent / id
        found = uploads.opened(folder) if uploads.UPLOAD_ID.fullmatch(id) else None
        if found is None:
            raise unknown("upload", id)
        require(verb, Thing("upload", id, found.owner), self.workspace)
        return found

    def profile(self, dataset: str) -> ProfileFolder | None:
        """Where the computed profile of a saved, uploaded or shipped dataset is stored; None for files and the hub."""
        kind, _, place = dataset.partition(":")
        if kind == "upload":
            id, _, spec = place.partition("/")
            return self.upload(id).reading(spec)
        if kind == "corpus":
            return ProfileFolder(self.dataset(place), dataset)
        return profile_of(dataset) if kind in ("builtin", "synthetic") else None

    def evaluation(self, evaluation: str, verb: Verb = "view") -> EvaluationFolder:
        """An evaluation by its id; also one that ships with a demo run."""
        from s2s.runs import EvaluationFolder

        if not stored.ID.fullmatch(evaluation):
            raise unknown("evaluation", evaluation)
        parents = (stored.EVALUATION.parent, settings.SHIPPED_EVALUATIONS)
        paths = [parent / evaluation for parent in parents]
        path = next((path for path in paths if (path / "evaluation.json").is_file()), None)
        if path is None:
            raise unknown("evaluation", evaluation)
        found = EvaluationFolder(path)
        try:
            owner = found.evaluation().owner
        except UserError:  # damaged: the operator's
            require(verb, sharing.thing("evaluation", evaluation, asker.LOCAL), self.workspace)
            raise
        require(verb, sharing.thing("evaluation", evaluation, owner), self.workspace)
        return found

    def job(self, id: str, verb: Verb = "view", of: str = "run") -> queue.Job | None:
        """The newest job that makes a run, an evaluation, a measurement or an import of this id, or the job of this id;
        None where there is none that the workspace may see. Raises DeniedError where it may see it and not do that.
        Whoever may ask for a measurement sees how far it is.
        """
        if not stored.ID.fullmatch(id):
            return None
        job = queue.find(id) if of == "job" else queue.latest(id)
        if job is None or job.kind != JOBS.get(of, job.kind):
            return None
        thing = sharing.thing(of, id, job.owner)
        if may(self.workspace, verb, thing) or (of, verb) == ("measurement", "view"):
            return job
        if may(self.workspace, "view", thing):
            require(verb, thing, self.workspace)
        return None

    def lesson(
        self, id: str, verb: Verb, connection: sa.Connection, *, of: str = "lesson"
    ) -> sa.Row[tuple[object, ...]]:
        """The row of a lesson that somebody made, or of a class; whoever has the link of a class may look at it."""
        table = TABLES[of]
        row = connection.execute(sa.select(table).where(table.c.id == id)).first()
        if row is None:
            raise unknown(of, id)
        is_shared = verb == "view" if of == "class" else bool(row.shared)
        require(verb, Thing(of, id, str(row.owner), is_shared), self.workspace)
        return row

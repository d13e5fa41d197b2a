"""What a question may open: the runs and datasets of whoever asks, and the answers to other questions."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import re
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import torch

from s2s.config import DataConfig, Recipe, UserError, asker, middle
from s2s.data import (
    Preview,
    files_state,
    load_preview,
    profile_section,
    require_readable,
    saved_datasets,
    stored_section,
)
from s2s.faults import marked
from s2s.jobs import Calibration, calibrate, run_service
from s2s.library import Library, Verb, guests, rights, sharing
from s2s.library.checkpoints import load
from s2s.model import weights_path
from s2s.questions.answers import Answers, Timed
from s2s.questions.question import Question
from s2s.runs import (
    Curves,
    Evaluation,
    EvaluationFolder,
    Metrics,
    Run,
    RunFolder,
    RunSummary,
    clean_name,
)
from s2s.runs.listing import row_of

Answer = TypeVar("Answer")
ANSWERS = Answers()
UPLOAD = "upload:"  # before the id of a dataset that is not saved yet
SAMPLE = {"step", "source", "text", "reference"}  # of a line
UNREAD = "This part of the dataset has not been read yet; open it on Data."
UNNAMED = "unnamed run"
MAX_TITLE = 32  # characters
LANGUAGES = re.compile(r"(?P<name>.+):(?P<src>[\w-]*)>(?P<tgt>[\w-]*)")
# so many of so many steps are done; what it raises stops the question
Progress = Callable[[int, int], None]


def name_of(run: Run, as_saved: Run) -> str:
    """The name of a run at its checkpoint in a question: `demo-en-fr@1500`, `opus@0:en>fr` in chosen languages."""
    name = f"{run.folder.id}@{run.step}"
    if run.key.languages == as_saved.key.languages:
        return name
    return f"{name}:{run.key.languages.src}>{run.key.languages.tgt}"


def about(run: str) -> Mapping[str, Any]:
    """What the asker may know of a run, such as its origin; nothing where they may not open it, or it is gone."""
    try:
        return guests.about_run(Library().run(run))
    except (UserError, OSError):
        return {}


def are_held_out(run: str) -> bool:
    """Whether a run is validated on pairs that it does not train on."""
    data = about(run).get("data")
    notes = data.get("notes") if isinstance(data, Mapping) else None
    return not any("nothing is held out" in str(note) for note in notes or ())


def _title(run: str) -> str:
    known = about(run)
    if not known:
        return run
    name = clean_name(str(known.get("name") or ""))
    shown = middle(name, MAX_TITLE) if name and name != run else name or UNNAMED
    recipe = known.get("recipe") or {}
    return marked(shown, str((recipe.get("train") or {}).get("fault") or ""))


class TooLongError(Exception):
    """Raised if a question takes longer than is allowed in this process."""


class Outcome(NamedTuple):
    """What became of one of several questions: its answer, or why there is none."""

    timed: Timed | None = None
    problem: Exception | None = None

    @property
    def value(self) -> Any:
        """The answer; None where there is none."""
        return self.timed.value if self.timed else None


class Have:
    """What a question may open and ask, with the rights of the current asker.

    Every thing is opened here, and nowhere else in a question: what the asker may not open raises DeniedError.
    """

    def __init__(self, progress: Progress | None = None) -> None:
        self.progress = progress
        self._runs: dict[str, Run] = {}

    @property
    def owner(self) -> str:
        return asker.current()

    def steps(self, of: int) -> Callable[[], None] | None:
        """A function that a search of at most so many steps calls before each step; raising ends the search."""
        if (told := self.progress) is None:
            return None
        count = itertools.count()
        return lambda: told(next(count), of)

    def run(self, name: str) -> Run:
        """A run at the checkpoint and in the languages that its name says. Raises UserError where there is none."""
        found = LANGUAGES.fullmatch(name)
        run = self.opened(found["name"] if found else name)
        return run.in_languages(found["src"], found["tgt"]) if found else run

    def opened(self, name: str) -> Run:
        if name not in self._runs:
            self._runs[name] = load(name)
        return self._runs[name]

    def state(self, name: str) -> Hashable:
        """What a run's name means at present: its folder and checkpoint."""
        run = self.run(name)
        try:
            file = weights_path(run.folder.checkpoints, run.step).stat()
        except OSError:  # deleted meanwhile; it is open
            return run.key
        return run.key, file.st_mtime_ns, file.st_size

    def folder(self, run: str) -> RunFolder:
        """A run's folder, even without a checkpoint. Raises UserError where there is none that the asker may open."""
        return Library().run(run.partition("@")[0])

    def summary(self, run: str) -> RunSummary:
        """A run as a row of a list, even if it waits; a guest's row names no private dataset. Raises UserError where
        there is none that the asker may open.
        """
        run_id = run.partition("@")[0]
        with contextlib.suppress(UserError):
            return run_service.find(run_id, asker.current())
        found = row_of(self.folder(run_id).path)  # of one that ships
        if found is None:  # deleted meanwhile
            raise rights.unknown("run", run_id)
        return found

    def recipe(self, run: str) -> Recipe | None:
        """The settings of a run, even if it waits; None where they cannot be read."""
        try:
            return self.folder(run).recipe()
        except (UserError, OSError):
            return run_service.queued_recipe(run)

    def n_parameters(self, run: str) -> int | None:
        """How many parameters a run's model has; None before its first checkpoint."""
        try:
            return self.folder(run).n_parameters()
        except UserError:  # it waits
            return None

    def short_name(self, run: str) -> str:
        """A short name for a run that another refers to: the last part of its title, or of its folder if it is gone."""
        return self.titles([run]).get(run, "").rstrip("/").rpartition("/")[2]

    def curves(self, run: str) -> Curves:
        """What a run has logged while it trained. Raises UserError as `folder` does."""
        return Metrics(self.folder(run).path / "metrics.jsonl").read()

    def samples(self, run: str) -> list[dict[str, Any]]:
        """The whole lines of what a run has translated while it trained. Raises UserError as `folder` does."""
        lines = self.folder(run).lines("samples")
        return [line for line in lines if line.keys() >= SAMPLE and isinstance(line["step"], int)]

    def throughput(self) -> Calibration:
        """How fast earlier runs trained here, to calibrate a forecast with."""
        return calibrate("cuda" if torch.cuda.is_available() else "cpu")

    def may_see_data(self, run: Run | RunFolder) -> bool:
        """Whether the asker may see sentences of a run's dataset."""
        return sharing.may_see_data(run.folder if isinstance(run, Run) else run)

    def evaluation(self, evaluation: str) -> EvaluationFolder:
        """A stored evaluation by its id. Raises UserError where there is none that the asker may open."""
        return Library().evaluation(evaluation)

    def may_see_sentences(self, evaluation: Evaluation, verb: Verb = "view") -> bool:
        """Whether the asker may see the sentences of a stored evaluation and their translations, or do what `verb`
        says, such as download it.
        """
        sentences = sharing.sentences_of(evaluation.id, evaluation.owner)
        return rights.may(asker.current(), verb, sentences)

    def is_own(self, evaluation: Evaluation) -> bool:
        """Whether the evaluation is the asker's own, to change."""
        thing = sharing.thing("evaluation", evaluation.id, evaluation.owner)
        return rights.is_own(thing)

    def titles(self, runs: Iterable[str]) -> dict[str, str]:
        """The titles of runs, by id; the id itself where the asker may not open the run."""
        return {run: _title(run) for run in dict.fromkeys(runs) if run}

    def preview(self, spec: str) -> Preview:
        """The first pairs of a dataset. Raises UserError for one that cannot be read."""
        if spec.startswith(UPLOAD):
            found: Preview = self.section(spec, "preview", DataConfig())
            return found
        return load_preview(spec)

    def section(self, dataset: str, name: str, data: DataConfig) -> Any:
        """A section of a dataset's profile: a stored one, else computed here. Raises UserError for an unreadable
        dataset.
        """
        found = self.stored(dataset, name, data)
        if found is None and dataset.startswith(UPLOAD):
            raise UserError(UNREAD)
        return profile_section(dataset, name, data) if found is None else found

    def stored(self, dataset: str, name: str, data: DataConfig) -> Any | None:
        """A stored section of a dataset's profile; None if no reader has stored it."""
        profile = Library().profile(dataset)
        return stored_section(profile, name, data) if profile else None

    def dataset_name(self, dataset: str) -> str:
        """The name of a dataset. Raises DeniedError for an upload that the asker may not open."""
        kind, _, place = dataset.partition(":")
        if kind == "upload":
            return Library().upload(place.partition("/")[0]).name
        return place if kind in ("builtin", "synthetic") else saved_datasets.name_of(dataset)

    def dataset_state(self, dataset: str) -> Hashable:
        """What a dataset's SPEC means now, for the key. Raises UserError where the asker may not read it, or it is
        gone.
        """
        if dataset.startswith(UPLOAD):
            return self.dataset_name(dataset)
        require_readable(dataset)
        return self.dataset_name(dataset), files_state(dataset)

    def answer(self, question: Question[Answer]) -> Answer:
        """The answer, from the cache or asked here. Raises UserError for what cannot be answered."""
        return self.timed(question).value  # type: ignore[no-any-return]

    def timed(self, question: Question[Any]) -> Timed:
        """The answer with the seconds that computing it took, from the cache or asked here."""
        question.check()
        key = self.key(question)
        if known := self.known(question, key):
            return known
        with ANSWERS.asking(key, self.paused):
            if known := ANSWERS.get(key, asker.current()):  # while this one waited
                return known
            start = time.perf_counter()
            try:
                answer = question.ask(self)
            except TooLongError:
                return self.elsewhere(question, key)
            found = Timed(answer, time.perf_counter() - start)
            return ANSWERS.put(key, asker.current(), found)

    def outcome(self, question: Question[Any]) -> Outcome:
        """The answer, or the error that says why there is none."""
        try:
            return Outcome(self.timed(question))
        except UserError as error:
            return Outcome(problem=error)

    def outcomes(self, questions: Sequence[Question[Any]]) -> list[Outcome]:
        """The outcome of each question, in order: one error does not affect the others."""
        return [self.outcome(question) for question in questions]

    def paused(self) -> contextlib.AbstractContextManager[None]:
        """A context in which this thread waits while another one computes the same answer."""
        return contextlib.nullcontext()

    def key(self, question: Question[Any]) -> Hashable:
        """The cache key of a question. Raises DeniedError if the asker may not ask it."""
        asked = question.asked
        return (type(asked), dataclasses.astuple(asked), asked.stamp(self))

    def known(self, question: Question[Any], key: Hashable) -> Timed | None:
        """A cached answer, or None."""
        return ANSWERS.get(key, asker.current())

    def elsewhere(self, question: Question[Any], key: Hashable) -> Timed:
        """The answer, from another process, to a question that takes too long in this one."""
        raise NotImplementedError

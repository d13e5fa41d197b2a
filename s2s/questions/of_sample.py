"""What is measured of heads over many sentences: a stored measurement, found by what it is of, or one made here."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from s2s.analysis import KINDS
from s2s.config import UserError
from s2s.data import saved_datasets
from s2s.jobs import head_samples, head_service, test_sets
from s2s.questions.attention_of import KIND_NAMES
from s2s.questions.have import LANGUAGES, Have
from s2s.questions.question import RUN, Answer, Question, setting, subject
from s2s.runs import Measurement, Run, Sentences, measurements
from s2s.runs.portable import dataset_name

N = 500  # sentences
NOT_SHARED = (
    "Heads are measured over sentences of the run's dataset, and its owner has not shared them; name a dataset as"
    " `test`, such as builtin:en-fr."
)


class PlacedHead(NamedTuple):
    """A head of one kind of attention, layer and number from 0."""

    kind: str
    layer: int
    head: int

    def __str__(self) -> str:
        return f"{KIND_NAMES[self.kind]}, layer {self.layer + 1} head {self.head + 1}"


def in_order(kinds: Mapping[str, Any]) -> list[str]:
    """The kinds of attention that `kinds` has, in the order of pictures."""
    return [kind for kind in KINDS if kind in kinds]


@dataclass(frozen=True)
class OfSample(Question[Answer]):
    """A question about heads over `n` sentences of `test`, one of the run's test sets or a dataset, spread evenly over
    it. A stored measurement is read; without one it is measured in this process, and not kept.
    """

    experiment: ClassVar[str] = ""  # a row of EXPERIMENTS

    run: str = subject(RUN)
    test: str = subject("test set", in_set=True, scope="run", label="Sentences")
    n: int = setting(
        N,
        lambda n: head_samples.FEWEST <= n <= head_service.MOST_SENTENCES,
        label="How many",
        help="Spread evenly over the test set; always the same sentences. At most"
        f" {head_service.MOST_SENTENCES:,}.",
    )

    def ask(self, have: Have) -> Answer:
        """What is measured. Raises UserError for sentences that the asker may not read or that do not allow it."""
        request = self.request(have)
        found = head_service.result(request)
        if found is None:
            found = head_service.measure(request, progress=have.progress)
        return self.answer_of({**found, "sample": request.sentences.name})

    def answer_of(self, found: Mapping[str, Any]) -> Answer:
        raise NotImplementedError

    def request(self, have: Have) -> Measurement:
        """What is measured. Raises UserError where the test set is not there, or not the asker's to read."""
        run = have.run(self.run)
        return Measurement(
            run.folder.id,
            self.step(run),
            self.experiment,
            self.sentences(have, run),
            self.settings(run),
            languages=run.key.languages if LANGUAGES.fullmatch(self.run) else (),
        )

    def step(self, run: Run) -> int:
        return run.step

    def settings(self, run: Run) -> dict[str, Any]:
        return {}

    def sentences(self, have: Have, run: Run) -> Sentences:
        """The sentences to measure on: the test set; if none is named, the first of the run's own."""
        if ":" in self.test:
            return Sentences(saved_datasets.name_of(self.test), spec=self.test, n=self.n)
        if not have.may_see_data(run):
            raise UserError(NOT_SHARED)
        splits = test_sets.splits_of_run(run.folder.id)
        split = self.test or next(iter(splits), "")
        if split not in splits:
            known = ", ".join(splits) or "none of its own"
            raise UserError(
                f"`test` is `{split[:40]}`; the run `{run.folder.id}` has {known}. Name one, or a dataset such as"
                " builtin:en-fr."
            )
        source = dataset_name(str(run.folder.about().get("source", "its dataset")))
        return Sentences(f"{source}, {split}", split=split, run=run.folder.id, n=self.n)

    def stamp(self, have: Have) -> Hashable:
        """For the key: if it is stored by now. Raises DeniedError for sentences that are not the asker's to read."""
        run = super().stamp(have)
        request = self.request(have)
        head_service.check(request)
        return run, measurements.place(request)

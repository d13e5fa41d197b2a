"""The files of an evaluation: which sentences, translated by whom, and how well. Knows nothing of queues or screens.

evaluation.json     what was asked: test set, systems, baseline, owner, and the run it is kept with
test.jsonl          a line a sentence: source, and reference where there is one
lines-0.jsonl       a line a sentence that system 0 has done; `i` is its place in test.jsonl
own-0.jsonl         a line a sentence: its own scores
scores.json         of the sentences that all systems have done so far
words.json          how often the training text has each word of the sources
status.json         how far it is
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from s2s import files
from s2s.config import UserError
from s2s.runs.store import now
from s2s.settings import OWNER, home, new_id

FORMAT = 1
ID = re.compile(r"[\w-]{1,64}")
STATES = ("waiting", "running", "done", "stopped", "failed")


@dataclass(frozen=True)
class System:
    """Who translates: a run's checkpoint by a strategy, or a file that another system wrote. `name` tells it from the others."""

    name: str
    run: str = ""
    step: int = 0
    strategy: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    sweep: str = ""  # the setting that was varied
    uploaded: str = ""  # the file's name

    @classmethod
    def of(cls, written: Mapping[str, Any]) -> System:
        """As evaluation.json has it; what a newer program adds is passed over."""
        known = {each.name: written[each.name] for each in fields(cls) if each.name in written}
        return cls(**known, settings=written.get("knobs", {}))  # the file's name for them

    def to_json(self) -> dict[str, Any]:
        """As evaluation.json has it."""
        content = asdict(self)
        return {"knobs" if key == "settings" else key: value for key, value in content.items()}


@dataclass(frozen=True)
class Sentences:
    """Which sentences: of a run's own text, of another text by its SPEC, or brought; `n` of `n_all`, evenly spread."""

    name: str
    spec: str = ""
    split: str = ""
    run: str = ""  # whose own text it is
    n: int = 0
    n_all: int = 0  # 0 before it is read
    hash: str = ""  # of sources and references, 16 hexadecimal digits
    notes: tuple[str, ...] = ()
    has_references: bool = True

    @classmethod
    def of(cls, written: Mapping[str, Any]) -> Sentences:
        """As evaluation.json has it."""
        known = {each.name: written[each.name] for each in fields(cls) if each.name in written}
        return cls(**(known | {"notes": tuple(known.get("notes", ()))}))


@dataclass(frozen=True)
class Evaluation:
    """What was asked."""

    id: str
    name: str
    owner: str
    created: str  # UTC, to the second
    run: str  # that it is kept with
    test: Sentences
    systems: tuple[System, ...]
    baseline: int = 0


class EvaluationFolder:
    """One evaluation's folder, whether somebody works there or not."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @property
    def id(self) -> str:
        """The folder's name."""
        return self.path.resolve().name

    def create(self, asked: Evaluation, pairs: Sequence[tuple[str, str]] = ()) -> None:
        """Write what was asked, and the sentences where they were brought."""
        self.write(asked)
        if pairs:
            self.set_test(pairs)
        self.set_status("waiting")

    def write(self, asked: Evaluation) -> None:
        """Replace evaluation.json."""
        content = {key: value for key, value in asdict(asked).items() if key != "id"}
        content["systems"] = [system.to_json() for system in asked.systems]
        files.write_json(self.path / "evaluation.json", {"format": FORMAT, **content})

    def evaluation(self) -> Evaluation:
        """Raises UserError where evaluation.json is missing, broken or newer than this program."""
        content = self._read("evaluation.json")
        try:
            form = int(content["format"])
            if form > FORMAT:
                raise UserError(
                    f"The evaluation `{self.id}` has format {form}, newer than the {FORMAT} known here; update this program."
                )
            systems = tuple(map(System.of, content["systems"]))
            texts = {key: str(content[key]) for key in ("name", "owner", "created", "run")}
            return Evaluation(
                self.id,
                **texts,
                test=Sentences.of(content["test"]),
                systems=systems,
                baseline=int(content["baseline"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, UserError):
                raise
            raise UserError(
                f"`{self.id}` is no evaluation: its evaluation.json lacks what every one has; make another."
            ) from error

    def set_test(self, pairs: Iterable[tuple[str, str]]) -> None:
        """The sentences, in their order."""
        lines = (
            json.dumps({"source": source, "reference": reference}, ensure_ascii=False)
            for source, reference in pairs
        )
        files.write_text(self.path / "test.jsonl", "".join(f"{line}\n" for line in lines))

    def test(self) -> list[tuple[str, str]]:
        """Sources and references; none before they are read. A reference is empty where there is none."""
        return [
            (str(line["source"]), str(line["reference"]))
            for line in files.read_lines(self.path / "test.jsonl")
        ]

    def add(self, system: int, lines: Iterable[Mapping[str, Any]]) -> None:
        """What a system has done."""
        for line in lines:
            files.append_line(self._lines(system), line)

    def lines(self, system: int) -> dict[int, dict[str, Any]]:
        """What a system has done, by the sentence's place."""
        found = (
            line
            for line in files.read_lines(self._lines(system))
            if isinstance(line.get("i"), int) and "text" in line
        )
        return {line["i"]: line for line in found}

    def repair_lines(self, system: int) -> dict[int, dict[str, Any]]:
        """The same, once half a line that a killed process left is cut off, so that more can be added."""
        kept = self.lines(system)
        content = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in kept.values())
        files.write_text(self._lines(system), content)
        return kept

    def append_sentence_scores(
        self, system: int, scores: Mapping[int, Mapping[str, float]]
    ) -> None:
        """The scores of single sentences, by their places."""
        for i, own in scores.items():
            files.append_line(self._own(system), {"i": i, **own})

    def sentence_scores(self, system: int) -> dict[int, dict[str, float]]:
        """The scores of single sentences, by their places."""
        lines = files.read_lines(self._own(system))
        return {
            line["i"]: {key: value for key, value in line.items() if key != "i"}
            for line in lines
            if isinstance(line.get("i"), int)
        }

    def delete_sentence_scores(self, system: int) -> None:
        """They are counted anew."""
        self._own(system).unlink(missing_ok=True)

    def _own(self, system: int) -> Path:
        return self.path / f"own-{system}.jsonl"

    def _lines(self, system: int) -> Path:
        return self.path / f"lines-{system}.jsonl"

    def set_scores(self, content: Mapping[str, Any]) -> None:
        """Replace the scores."""
        files.write_json(self.path / "scores.json", {"format": FORMAT, **content})

    def scores(self) -> dict[str, Any]:
        """`n` and, for each system, its scores; empty before the first. Raises UserError where they cannot be read."""
        return self._read("scores.json") if (self.path / "scores.json").exists() else {}

    def set_status(self, state: str, **details: Any) -> None:
        """`done` sentences of `n`, `seconds` of work so far; `left` seconds, as it looked `at` that second since the epoch."""
        files.write_json(
            self.path / "status.json",
            {"format": FORMAT, "state": state, "updated": now(), **details},
        )

    def status(self) -> dict[str, Any]:
        """Empty where it cannot be read: the next look finds a new one."""
        try:
            return self._read("status.json")
        except UserError:
            return {}

    def set_words(self, counts: Mapping[str, int]) -> None:
        """How often each word of the sources stands in the training text."""
        files.write_json(self.path / "words.json", dict(counts))

    def words(self) -> dict[str, int] | None:
        """None where the training text was not read."""
        return self._read("words.json") if (self.path / "words.json").exists() else None

    def amend(self, change: Callable[[Evaluation], Evaluation]) -> Evaluation:
        """Put into evaluation.json what `change` makes of it; only the one process that works there does."""
        changed = change(self.evaluation())
        self.write(changed)
        return changed

    def _read(self, name: str) -> dict[str, Any]:
        try:
            return dict(json.loads((self.path / name).read_bytes()))
        except (OSError, ValueError, TypeError, RecursionError) as error:
            raise UserError(
                f"The {name} of the evaluation `{self.id}` cannot be read; make another evaluation."
            ) from error


def evaluations_folder() -> Path:
    """Where evaluations are."""
    return home() / "evaluations"


def folder(evaluation: str) -> EvaluationFolder:
    """By its id. Raises UserError where there is none."""
    path = evaluations_folder() / evaluation
    if not ID.fullmatch(evaluation) or not (path / "evaluation.json").is_file():
        raise UserError(
            f"There is no evaluation `{evaluation[:40]}` here (any more); make another."
        )
    return EvaluationFolder(path)


def new_folder() -> EvaluationFolder:
    """A folder with a name that nobody can guess; nothing is written yet."""
    return EvaluationFolder(evaluations_folder() / new_id())


def list_evaluations(owner: str = OWNER, run: str | None = None) -> list[Evaluation]:
    """An owner's evaluations, newest first; of one run, those that are kept with it or have it among their systems.

    One that cannot be read is left out: whoever opens it by a link hears why.
    """
    found = []
    for path in evaluations_folder().iterdir() if evaluations_folder().is_dir() else ():
        if not ID.fullmatch(path.name):  # being deleted
            continue
        try:
            asked = EvaluationFolder(path).evaluation()
        except UserError:
            continue
        is_of_run = (
            run is None or run == asked.run or any(run == system.run for system in asked.systems)
        )
        if asked.owner == owner and is_of_run:
            found.append(asked)
    return sorted(found, key=lambda one: (one.created, one.id), reverse=True)


def delete(evaluation: str, owner: str = OWNER) -> None:
    """With all its files. Raises UserError where that owner has none such."""
    held = folder(evaluation)
    if held.evaluation().owner != owner:
        raise UserError(
            f"There is no evaluation `{evaluation}` of yours; reload the page to see those there are."
        )
    gone = held.path.rename(held.path.with_name(f".deleted-{evaluation}"))
    shutil.rmtree(gone)

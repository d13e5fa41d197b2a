"""The files of an evaluation: the test set, its translations, their scores. Knows nothing of queues or screens.

evaluation.json     the request: test set, systems, baseline, owner, and the run it belongs to
test.jsonl          one line per sentence: source, reference if there is one, and all `references` if there are several
lines-0.jsonl       one line per sentence translated by system 0; `i` is its line in test.jsonl, from 0
own-0.jsonl         one line per sentence: its sentence scores
scores.json         corpus scores of the sentences that all systems have translated so far
words.json          how often each word of the sources occurs in the training data
provenance.json     what it was made with: checkpoints, settings that took effect, data, versions, commands
status.json         progress
external-*-0.json   segment scores that somebody gave for system 0 (external_scores.py)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

from s2s import files
from s2s.config import UserError
from s2s.files import stored
from s2s.scores import DEFAULT_TOKENIZER, METRICS, Scoring, is_comparable
from s2s.settings import SHIPPED_EVALUATIONS, new_id

FORMAT = 1


class SystemModel(NamedTuple):
    """The key of an opened run that a system translates with: run, step and languages."""

    run: str
    step: int
    src_lang: str
    tgt_lang: str


@dataclass(frozen=True)
class System:
    """A translating system: a run's checkpoint with a strategy, or an uploaded file.

    `name` is unique in its evaluation. `step` is the checkpoint, `checkpoint` what was asked for: `best`, `last`, or
    nothing where the step itself was. The languages are those of a multilingual model; empty: as the run was saved.
    """

    name: str
    run: str = ""
    step: int = 0
    strategy: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict, metadata={"json": "knobs"})
    sweep: str = ""  # the setting that was varied
    uploaded: str = ""  # the file's name
    checkpoint: str = ""
    src_lang: str = ""
    tgt_lang: str = ""

    @property
    def model(self) -> SystemModel:
        return SystemModel(self.run, self.step, self.src_lang, self.tgt_lang)


@dataclass(frozen=True)
class Sentences:
    """A test set: from a run's own dataset, from another dataset by its SPEC, or uploaded; `n` of `n_all`, evenly
    spread, or drawn with a `seed`.
    """

    name: str
    spec: str = ""
    split: str = ""
    run: str = ""  # whose own dataset it is
    n: int = 0
    n_all: int = 0  # 0 until it is read
    hash: str = ""  # of sources and references, 16 hexadecimal digits
    notes: tuple[str, ...] = ()
    has_references: bool = True
    files: tuple[str, ...] = ()  # the names of the uploaded files
    is_grouped: bool = False  # pairs of the same source are one sentence with several references
    seed: int = 0  # 0: evenly spread


@dataclass(frozen=True)
class Evaluation:
    """An evaluation as requested: what is evaluated, and how."""

    id: str
    name: str
    owner: str
    created: str  # UTC, to the second
    run: str  # to which it belongs
    test: Sentences
    systems: tuple[System, ...]
    baseline: int = 0
    scoring: Scoring = field(default_factory=Scoring)


class EvaluationFolder:
    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @property
    def id(self) -> str:
        """The folder's name."""
        return self.path.resolve().name

    def create(
        self,
        evaluation: Evaluation,
        pairs: Sequence[tuple[str, str]] = (),
        references: Sequence[Sequence[str]] = (),
    ) -> None:
        """Write the request, and the sentences if they were uploaded."""
        self.write(evaluation)
        if pairs:
            self.set_test(pairs, references)
        self.set_status("waiting")

    def write(self, evaluation: Evaluation) -> None:
        """Replace evaluation.json."""
        content = files.to_json(evaluation)
        del content["id"]
        files.write_json(self.path / "evaluation.json", {"format": FORMAT, **content})

    def evaluation(self) -> Evaluation:
        """Read evaluation.json. Raises UserError if it is missing, broken or newer than this program."""
        content = self._read("evaluation.json")
        try:
            form = int(content["format"])
            if form > FORMAT:
                raise UserError(
                    f"The evaluation `{self.id}` has format {form}, newer than the {FORMAT}"
                    " known here; update this program."
                )
            # versions that did not look at the script counted with it by default
            scoring = {"tokenize": DEFAULT_TOKENIZER, **content.get("scoring", {})}
            return files.from_json(Evaluation, {**content, "id": self.id, "scoring": scoring})
        except files.UNREADABLE as error:
            if isinstance(error, UserError):
                raise
            raise UserError(
                f"`{self.id}` is not an evaluation: its evaluation.json lacks required fields;"
                " start another evaluation."
            ) from error

    def set_test(
        self, pairs: Sequence[tuple[str, str]], references: Sequence[Sequence[str]] = ()
    ) -> None:
        """Write the sentences, in order; `references`: all those of each, if any has several."""
        several = ([*each] for each in references) if references else repeat(None)
        lines = (
            json.dumps(
                {"source": source, "reference": reference}
                | ({"references": each} if each and len(each) > 1 else {}),
                ensure_ascii=False,
            )
            for (source, reference), each in zip(pairs, several, strict=bool(references))
        )
        files.write_text(self.path / "test.jsonl", "".join(f"{line}\n" for line in lines))

    def test(self) -> list[tuple[str, str]]:
        """Pairs of source and reference, or none yet. A missing reference is empty."""
        return [
            (str(line["source"]), str(line["reference"]))
            for line in files.read_lines(self.path / "test.jsonl")
        ]

    def references(self) -> list[tuple[str, ...]]:
        """All references of each sentence, the first being the one of `test`."""
        return [
            tuple(map(str, line.get("references") or [line["reference"]]))
            for line in files.read_lines(self.path / "test.jsonl")
        ]

    def add(self, system: int, lines: Iterable[Mapping[str, Any]]) -> None:
        """Append translations of a system."""
        for line in lines:
            files.append_line(self._lines(system), line)

    def lines(self, system: int) -> dict[int, dict[str, Any]]:
        """The translations of a system, by sentence index."""
        found = (
            line
            for line in files.read_lines(self._lines(system))
            if isinstance(line.get("i"), int) and "text" in line
        )
        return {line["i"]: line for line in found}

    def repair_lines(self, system: int) -> dict[int, dict[str, Any]]:
        """Remove the incomplete line that a killed process left, so that lines can be appended. Returns the others."""
        complete = self.lines(system)
        content = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in complete.values())
        files.write_text(self._lines(system), content)
        return complete

    def append_sentence_scores(
        self, system: int, scores: Mapping[int, Mapping[str, float]]
    ) -> None:
        for i, own in scores.items():
            files.append_line(self._own(system), {"i": i, **own})

    def sentence_scores(self, system: int) -> dict[int, dict[str, float]]:
        lines = files.read_lines(self._own(system))
        return {
            line["i"]: {key: value for key, value in line.items() if key != "i"}
            for line in lines
            if isinstance(line.get("i"), int)
        }

    def delete_sentence_scores(self, system: int) -> None:
        """Delete a system's sentence scores, so that they are computed again."""
        self._own(system).unlink(missing_ok=True)

    def _own(self, system: int) -> Path:
        return self.path / f"own-{system}.jsonl"

    def _lines(self, system: int) -> Path:
        return self.path / f"lines-{system}.jsonl"

    def set_scores(self, content: Mapping[str, Any]) -> None:
        """Replace scores.json."""
        files.write_json(self.path / "scores.json", {"format": FORMAT, **content})

    def scores(self) -> dict[str, Any]:
        """`n` and the scores of each system; empty before the first. Raises UserError if they cannot be read."""
        return self._read("scores.json") if (self.path / "scores.json").exists() else {}

    def set_status(self, state: str, **details: Any) -> None:
        """Replace the status: `done` sentences of `n`, `seconds` of work, `left` seconds as estimated `at` a time since
        the epoch.
        """
        files.write_json(
            self.path / "status.json",
            {"format": FORMAT, "state": state, "updated": stored.now(), **details},
        )

    def status(self) -> dict[str, Any]:
        """The status; empty while it cannot be read, since the next write replaces it."""
        try:
            return self._read("status.json")
        except UserError:
            return {}

    def set_words(self, counts: Mapping[str, int]) -> None:
        """Write how often each word of the sources occurs in the training data."""
        files.write_json(self.path / "words.json", dict(counts))

    def words(self) -> dict[str, int] | None:
        """How often each word of the sources occurs in the training data; None if that was not read."""
        return self._read("words.json") if (self.path / "words.json").exists() else None

    def set_provenance(self, content: Mapping[str, Any]) -> None:
        """Write what the evaluation is made with."""
        files.write_json(self.path / "provenance.json", {"format": FORMAT, **content})

    def provenance(self) -> dict[str, Any]:
        """What the evaluation was made with; empty before the models are loaded, and for those of earlier versions."""
        path = self.path / "provenance.json"
        return self._read("provenance.json") if path.exists() else {}

    def amend(self, change: Callable[[Evaluation], Evaluation]) -> Evaluation:
        """Replace evaluation.json by `change` of it. Only the one process that works on the evaluation may do this."""
        changed = change(self.evaluation())
        self.write(changed)
        return changed

    def _read(self, name: str) -> dict[str, Any]:
        try:
            return dict(json.loads((self.path / name).read_bytes()))
        except files.UNREADABLE as error:
            raise UserError(
                f"The {name} of the evaluation `{self.id}` cannot be read; start another evaluation."
            ) from error


def new_folder() -> EvaluationFolder:
    """A folder with an unguessable name, not created yet."""
    return EvaluationFolder(stored.EVALUATION.parent / new_id())


def shipped(run: str) -> Evaluation | None:
    """The evaluation that ships with a demo run; None where none does."""
    path = SHIPPED_EVALUATIONS / f"{run}-test"
    return EvaluationFolder(path).evaluation() if (path / "evaluation.json").is_file() else None


def is_of_earlier_version(scores: Mapping[str, Any]) -> bool:
    """Whether scores.json is of an earlier version, whose scores of texts not in NFC may differ from today's."""
    own = [one for one in scores.get("systems", ()) if one.get("scores", {}).keys() & METRICS]
    signatures = (
        {key: text for key, text in one.get("signature", {}).items() if key in METRICS}
        for one in own
    )
    return not all(map(is_comparable, signatures))

"""The work of an evaluation: all systems side by side, so that partial results can be compared at any time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch

from s2s.config import UserError
from s2s.jobs.evaluation import provenance, test_sets
from s2s.jobs.evaluation.scoring import SystemScores, forced_signature
from s2s.library.checkpoints import load
from s2s.runs import Decoded, EvaluationFolder, Run, System, SystemModel
from s2s.scores import comparable, statistics, tokenizer_of

# sentences per turn
FIRST = 16
FEWEST = 8
LARGEST = 128
TURN = 1.5  # CPU seconds that the slowest system may take per turn: a stop request waits no longer
LATELY = 3  # turns that the throughput is computed from
WRITTEN = 0.7  # seconds between two writes of the scores
FINISH = 5e-4  # seconds per sentence and system, for intervals and comparisons


class EvaluationLoop:
    """Translates and scores one test set with all systems of an evaluation, in turns."""

    def __init__(
        self,
        folder: EvaluationFolder,
        pairs: Sequence[tuple[str, str]],
        train: test_sets.SentencePairs | None,
    ) -> None:
        statistics(["a"], ["a"])  # imports must not count as decoding time
        self.folder = folder
        self.pairs = pairs
        self.train = train
        self.evaluation = folder.evaluation()
        self.references = folder.references()
        self.tokenizer_reason = self._record_tokenizer()
        self.lines = [folder.repair_lines(number) for number in range(len(self.evaluation.systems))]
        self.runs = self._opened()
        for run in self.runs.values():
            run.check_lengths([source for source, _ in pairs])
        self._record_steps()
        folder.set_provenance(
            provenance.describe(
                self.evaluation,
                self.runs,
                earlier=folder.provenance().get("systems", ()),
                n_references=set(map(len, folder.references())),
                n_sources=len({comparable(source) for source, _ in pairs}),
                threads=torch.get_num_threads(),
            )
        )
        for number in range(len(self.lines)):
            folder.delete_sentence_scores(number)
        self.tallies = [
            SystemScores(
                self.evaluation.scoring,
                forced_signature(self.runs[one.model]) if one.model in self.runs else "",
            )
            for one in self.evaluation.systems
        ]
        self.done = 0
        self.began = time.monotonic()
        self.written = 0.0
        self.before = float(folder.status().get("seconds") or 0.0)
        self.lately: deque[tuple[int, float]] = deque(
            maxlen=LATELY
        )  # sentences and seconds of a turn
        self.slowest = 0.0  # CPU seconds per sentence
        self.n_turns = 0
        folder.set_status("running", done=0, n=len(pairs), seconds=self.before)

    def _opened(self) -> dict[SystemModel, Run]:
        runs = dict[SystemModel, Run]()
        for number, one in enumerate(self.evaluation.systems):
            if not one.run:
                continue
            try:
                run = load(one.run, one.step or None)
                runs[one.model] = run.in_languages(one.src_lang, one.tgt_lang)
            except UserError:
                if len(self.lines[number]) < len(self.pairs):
                    raise
        return runs

    def _record_tokenizer(self) -> str:
        scoring = self.evaluation.scoring
        resolved = scoring.resolved(self.references) if self.has_references else scoring
        if resolved == scoring:
            return str(self.folder.scores().get("tokenizer_reason", ""))
        self.evaluation = self.folder.amend(lambda asked: replace(asked, scoring=resolved))
        return tokenizer_of(self.references).reason

    def _record_steps(self) -> None:
        systems = tuple(map(self._with_step, self.evaluation.systems))
        if systems != self.evaluation.systems:
            self.runs = {model._replace(step=run.step): run for model, run in self.runs.items()}
            self.evaluation = self.folder.amend(lambda asked: replace(asked, systems=systems))

    def _with_step(self, asked: System) -> System:
        if asked.step or asked.model not in self.runs:
            return asked
        run = self.runs[asked.model]
        is_best = not run.notes  # else the best could not be read, and an older one was opened
        return replace(asked, step=run.step, checkpoint="best" if is_best else "")

    @property
    def has_references(self) -> bool:
        """Whether the test set has references to score with."""
        return self.evaluation.test.has_references

    def turns(self) -> Iterator[bool]:
        """Translate and score; yields True after a turn, False within one."""
        self._score(self._known())
        self.write()
        while self.done < len(self.pairs):
            began = time.monotonic()
            rows = self._next_rows()
            forced: dict[SystemModel, list[list[float] | None]] = {}
            self.slowest = 0.0
            for number in range(len(self.evaluation.systems)):
                self._translate(number, rows, forced)
                yield False
            self._score(rows)
            self._note_throughput(len(rows), time.monotonic() - began)
            if self.done == len(rows) or time.monotonic() - self.written > WRITTEN:
                self.write()
            yield True
            if self.has_references and self.folder.words() is None:
                yield from self._compare_with_training()

    def _note_throughput(self, n: int, seconds: float) -> None:
        self.n_turns += 1
        if self.n_turns == 2:
            self.lately.clear()
        self.lately.append((n, seconds))

    def _known(self) -> range:
        common = set.intersection(*(set(lines) for lines in self.lines))
        return range(
            next((i for i in range(len(self.pairs)) if i not in common), len(self.pairs))
            if self.runs
            else 0
        )

    def _next_rows(self) -> range:
        if not self.runs:
            return range(self.done, min(len(self.pairs), self.done + LARGEST))
        n = FIRST if not self.slowest else max(FEWEST, min(LARGEST, int(TURN / self.slowest)))
        return range(self.done, min(len(self.pairs), self.done + n))

    def _translate(
        self, number: int, rows: range, forced: dict[SystemModel, list[list[float] | None]]
    ) -> None:
        system = self.evaluation.systems[number]
        known = self.lines[number]
        rows_left = [i for i in rows if i not in known]
        if not system.run or not rows_left:
            return
        run = self.runs[system.model]
        began = time.perf_counter()
        began_cpu = time.process_time()
        found = run.translate(
            [self.pairs[i][0] for i in rows_left], system.strategy, **system.settings
        )
        each = (time.perf_counter() - began) / len(rows_left)
        self.slowest = max((time.process_time() - began_cpu) / len(rows_left), self.slowest)
        if system.model not in forced:
            forced[system.model] = (
                _forced(run, [self.pairs[i] for i in rows])
                if self.has_references
                else [None] * len(rows)
            )
        right = dict(zip(rows, forced[system.model], strict=True))
        made = [
            _line(i, one) | {"seconds": each, "forced": right[i]}
            for i, one in zip(rows_left, found, strict=True)
        ]
        self.folder.add(number, made)
        known.update((line["i"], line) for line in made)

    def _score(self, rows: range) -> None:
        references = [self.references[i] for i in rows]
        for number, tally in enumerate(self.tallies):
            if rows:
                own = tally.add(
                    [self.lines[number][i] for i in rows], references if self.has_references else []
                )
                self.folder.append_sentence_scores(number, dict(zip(rows, own, strict=False)))
        self.done += len(rows)

    def _compare_with_training(self) -> Iterator[bool]:
        sources = [source for source, _ in self.pairs]
        try:
            train = (
                self.train
                if self.train is not None
                else test_sets.training_pairs(self._first_run())
            )
        except UserError:  # its dataset does not exist (any more)
            self.folder.set_words({})
            return
        yield False
        self.folder.set_words(test_sets.frequencies(sources, train))
        yield False
        found = (test_sets.overlap_note(sources, train), test_sets.coverage_note(sources, train))
        if notes := tuple(filter(None, found)):
            self.evaluation = self.folder.amend(
                lambda evaluation: replace(
                    evaluation,
                    test=replace(evaluation.test, notes=(*evaluation.test.notes, *notes)),
                )
            )
        yield False

    def _first_run(self) -> str:
        return next(
            (system.run for system in self.evaluation.systems if system.run), self.evaluation.run
        )

    @property
    def left(self) -> float | None:
        """Remaining seconds at the throughput of the last turns; None before the first."""
        seconds = sum(took for _, took in self.lately)
        sentences = sum(n for n, _ in self.lately)
        if not sentences:
            return None
        return (
            seconds / sentences * (len(self.pairs) - self.done)
            + FINISH * len(self.pairs) * len(self.tallies) * self.has_references
        )

    def write(self) -> None:
        """Write the scores so far."""
        self.written = time.monotonic()
        self.folder.set_scores(
            {
                "n": self.done,
                "is_final": False,
                "tokenizer_reason": self.tokenizer_reason,
                "systems": [tally.scores() for tally in self.tallies],
            }
        )
        self._status("running")

    def finish(self, state: str) -> None:
        """Write intervals and comparisons over all finished sentences."""
        baseline = (
            self.tallies[self.evaluation.baseline]
            if self.evaluation.baseline < len(self.tallies)
            else None
        )
        systems = [tally.compared(baseline) for tally in self.tallies]
        self.folder.set_scores(
            {
                "n": self.done,
                "is_final": True,
                "tokenizer_reason": self.tokenizer_reason,
                "systems": systems,
            }
        )
        self._status(state)

    def _status(self, state: str) -> None:
        spent = self.before + time.monotonic() - self.began
        left = self.left if state == "running" else None
        self.folder.set_status(
            state, done=self.done, n=len(self.pairs), seconds=spent, left=left, at=time.time()
        )


def _line(i: int, found: Decoded) -> dict[str, Any]:
    return {
        "i": i,
        "text": found.text,
        "log_prob": found.log_prob,
        "score": found.score,
        "n_tokens": len(found.tokens),
    }


def _forced(run: Run, pairs: Sequence[tuple[str, str]]) -> list[list[float] | None]:
    try:
        found = run.force([source for source, _ in pairs], [reference for _, reference in pairs])
    except UserError:
        if len(pairs) == 1:
            return [None]
        return [one for pair in pairs for one in _forced(run, [pair])]
    return [[one.log_prob, one.n_tokens, one.n_correct] for one in found]

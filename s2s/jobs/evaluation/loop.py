"""The work of an evaluation: all systems sentence beside sentence, so that what is there at any time can be compared."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from s2s.config import UserError
from s2s.jobs.evaluation import test_sets
from s2s.jobs.evaluation.scoring import SystemScores
from s2s.runs import Decoded, EvaluationFolder, Run, load
from s2s.scores import statistics

# sentences of a turn
FIRST = 16
FEWEST = 8
LARGEST = 128
TURN = 1.5  # seconds of the processor that the slowest system may take in one turn: so soon a wish to stop is heard
LATELY = 3  # turns that say how fast it goes
WRITTEN = 0.7  # seconds between two looks at the scores
FINISH = 5e-4  # seconds a sentence and system, for intervals and comparisons


class EvaluationLoop:
    """All systems of an evaluation and one test set."""

    def __init__(
        self,
        place: EvaluationFolder,
        pairs: Sequence[tuple[str, str]],
        train: test_sets.SentencePairs | None,
    ) -> None:
        statistics(["a"], ["a"])  # what scoring imports is no matter of the pace
        self.place = place
        self.pairs = pairs
        self.train = train
        self.asked = place.evaluation()
        self.runs = {
            (one.run, one.step): load(one.run, one.step or None)
            for one in self.asked.systems
            if one.run
        }
        for run in self.runs.values():
            run.check_lengths([source for source, _ in pairs])
        self.lines = [place.repair_lines(number) for number in range(len(self.asked.systems))]
        for number in range(len(self.lines)):
            place.delete_sentence_scores(number)
        self.tallies = [SystemScores() for _ in self.asked.systems]
        self.done = 0
        self.began = time.monotonic()
        self.written = 0.0
        self.before = float(place.status().get("seconds") or 0.0)
        self.lately: deque[tuple[int, float]] = deque(
            maxlen=LATELY
        )  # sentences and seconds of a turn
        # seconds of the processor a sentence; turns so far
        self.slowest = 0.0
        self.n_turns = 0
        place.set_status("running", done=0, n=len(pairs), seconds=self.before)

    @property
    def has_references(self) -> bool:
        """Whether there is anything to score by."""
        return self.asked.test.has_references

    def turns(self) -> Iterator[bool]:
        """Work; True comes after a turn, False within one."""
        self._take_in(self._known())
        self.write()
        while self.done < len(self.pairs):
            began = time.monotonic()
            rows = self._next_rows()
            forced: dict[tuple[str, int], list[list[float] | None]] = {}
            self.slowest = 0.0
            for number in range(len(self.asked.systems)):
                self._translate(number, rows, forced)
                yield False
            self._take_in(rows)
            self._note_pace(len(rows), time.monotonic() - began)
            if self.done == len(rows) or time.monotonic() - self.written > WRITTEN:
                self.write()
            yield True
            if self.has_references and self.place.words() is None:
                yield from self._meet_training()

    def _note_pace(self, n: int, seconds: float) -> None:
        """The first turn, in which everything is done for the first time, says little once there is a second."""
        self.n_turns += 1
        if self.n_turns == 2:
            self.lately.clear()
        self.lately.append((n, seconds))

    def _known(self) -> range:
        """The sentences that all systems have done before."""
        common = set.intersection(*(set(lines) for lines in self.lines))
        return range(
            next((i for i in range(len(self.pairs)) if i not in common), len(self.pairs))
            if self.runs
            else 0
        )

    def _next_rows(self) -> range:
        """As many as take the slowest system about TURN seconds."""
        if not self.runs:
            return range(self.done, min(len(self.pairs), self.done + LARGEST))
        n = FIRST if not self.slowest else max(FEWEST, min(LARGEST, int(TURN / self.slowest)))
        return range(self.done, min(len(self.pairs), self.done + n))

    def _translate(
        self, number: int, rows: range, forced: dict[tuple[str, int], list[list[float] | None]]
    ) -> None:
        """By one system, what it has not done yet."""
        system = self.asked.systems[number]
        known = self.lines[number]
        rows_left = [i for i in rows if i not in known]
        if not system.run or not rows_left:
            return
        run = self.runs[system.run, system.step]
        began = time.perf_counter()
        began_cpu = time.process_time()
        found = run.translate(
            [self.pairs[i][0] for i in rows_left], system.strategy, **system.settings
        )
        each = (time.perf_counter() - began) / len(rows_left)
        self.slowest = max((time.process_time() - began_cpu) / len(rows_left), self.slowest)
        if (system.run, system.step) not in forced:
            forced[system.run, system.step] = (
                _forced(run, [self.pairs[i] for i in rows])
                if self.has_references
                else [None] * len(rows)
            )
        right = dict(zip(rows, forced[system.run, system.step], strict=True))
        made = [
            _line(i, one) | {"seconds": each, "forced": right[i]}
            for i, one in zip(rows_left, found, strict=True)
        ]
        self.place.add(number, made)
        known.update((line["i"], line) for line in made)

    def _take_in(self, rows: range) -> None:
        """Count what all have done."""
        references = [self.pairs[i][1] for i in rows]
        for number, tally in enumerate(self.tallies):
            if rows:
                own = tally.add(
                    [self.lines[number][i] for i in rows], references if self.has_references else []
                )
                self.place.append_sentence_scores(number, dict(zip(rows, own, strict=False)))
        self.done += len(rows)

    def _meet_training(self) -> Iterator[bool]:
        """What the model has met of these sentences: said once, after the first numbers."""
        sources = [source for source, _ in self.pairs]
        try:
            train = (
                self.train
                if self.train is not None
                else test_sets.training_pairs(self._first_run())
            )
        except UserError:  # its data is not there (any more)
            self.place.set_words({})
            return
        yield False
        self.place.set_words(test_sets.frequencies(sources, train))
        if note := test_sets.overlap_note(sources, train):
            self.asked = self.place.amend(
                lambda asked: replace(
                    asked, test=replace(asked.test, notes=(*asked.test.notes, note))
                )
            )
        yield False

    def _first_run(self) -> str:
        return next((system.run for system in self.asked.systems if system.run), self.asked.run)

    @property
    def left(self) -> float | None:
        """Seconds, at the pace of the last turns."""
        seconds = sum(took for _, took in self.lately)
        sentences = sum(n for n, _ in self.lately)
        if not sentences:
            return None
        return (
            seconds / sentences * (len(self.pairs) - self.done)
            + FINISH * len(self.pairs) * len(self.tallies) * self.has_references
        )

    def write(self) -> None:
        """The numbers so far."""
        self.written = time.monotonic()
        self.place.set_scores(
            {
                "n": self.done,
                "is_final": False,
                "systems": [tally.scores() for tally in self.tallies],
            }
        )
        self._status("running")

    def finish(self, state: str) -> None:
        """Intervals and comparisons, of all that was done."""
        baseline = (
            self.tallies[self.asked.baseline] if self.asked.baseline < len(self.tallies) else None
        )
        systems = [tally.compared(baseline) for tally in self.tallies]
        self.place.set_scores({"n": self.done, "is_final": True, "systems": systems})
        self._status(state)

    def _status(self, state: str) -> None:
        spent = self.before + time.monotonic() - self.began
        left = self.left if state == "running" else None
        self.place.set_status(
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
    """Each reference under teacher forcing; None where the model has no positions for one of them."""
    try:
        found = run.force([source for source, _ in pairs], [reference for _, reference in pairs])
    except UserError:
        return [None] * len(pairs)
    return [[one.log_prob, one.n_tokens, one.n_correct] for one in found]

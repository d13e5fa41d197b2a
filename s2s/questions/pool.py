"""The sentences that a run is compared with, and those that differ from one in few tokens."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from s2s.config import UserError
from s2s.data import (
    GENERATED_TASKS,
    LONGEST_CELL,
    Pair,
    is_for_tests,
    pairs_of_task,
    parse_spec,
    two_files,
)
from s2s.demo import EXAMPLES, random_sentences
from s2s.library import sharing
from s2s.questions.have import Have
from s2s.questions.question import RUN, Question, subject
from s2s.questions.table import Table
from s2s.runs import Run, probes

MAX_SENTENCES = 1000
MAX_BYTES = 4_000_000  # of a file that is read for its sentences
MOST = 1000  # sentences that are searched
MOST_LENDERS = 16  # of attention weights: some of their translations are too short
# one word, number or gender at a time; each has as many words as its partner
PAIRS = (
    ("the cat sits on the mat", "the cats sit on the mat"),
    ("the red house", "the red book"),
    ("the bank is by the river", "the bank is by the house"),
    ("I need to bank the money", "I need to bank the coin"),
    ("the cat who chased the mouse was black", "the cats who chased the mouse were black"),
)


@dataclass(frozen=True)
class Pool:
    """Sentences to search: the first `n_own` are of the run's dataset, the rest are `others`."""

    texts: tuple[str, ...]
    n_own: int
    others: str  # held out, probe

    def origin(self, number: int) -> str:
        return "dataset" if number < self.n_own else self.others


@dataclass(frozen=True)
class PoolOf(Question[Pool]):
    """The sentences that a run's states are compared with."""

    name: ClassVar[str] = "sentences"

    run: str = subject(RUN)

    def ask(self, have: Have) -> Pool:
        run = have.run(self.run)
        source = str(run.folder.about().get("source", ""))
        own: list[str] = []
        if have.may_see_data(run) and not (source and is_for_tests(source)):
            with sharing.reading_data_of(run.folder):
                own = list(dict.fromkeys(_dataset_sentences(have, run, source)))[:MAX_SENTENCES]
        known = set(own)
        others = [text for text in dict.fromkeys(other_sentences(run)) if text not in known]
        is_held_out = source_as_it_is(run) in EXAMPLES
        texts = tuple([*own, *others][:MAX_SENTENCES])
        return Pool(texts, len(own), "held out" if is_held_out else "probe")

    def stamp(self, have: Have) -> Hashable:
        """What the key has beside the fields: a guest who may not see the dataset has other sentences."""
        return super().stamp(have), have.may_see_data(have.run(self.run))

    def table(self, answer: Pool) -> Table:
        rows = [[answer.origin(number), text] for number, text in enumerate(answer.texts)]
        return Table(("from", "sentence"), rows)


def source_as_it_is(run: Run) -> str:
    """The dataset that a run reads unchanged; empty if its task changes them, such as by reversing."""
    data = run.recipe.data
    if data.prefix or data.task not in ("auto", "translate"):
        return ""
    return str(run.folder.about().get("source", ""))


def probe_sentences(run: Run) -> tuple[str, ...]:
    lines = run.folder.lines("samples")
    return tuple(dict.fromkeys(str(line["source"]) for line in lines if "source" in line))


def other_sentences(run: Run) -> tuple[str, ...]:
    """Sentences of a demo's dataset that it was not trained on, else those that training translated."""
    return random_sentences(source_as_it_is(run)) or probe_sentences(run)


def _dataset_sentences(have: Have, run: Run, spec: str) -> list[str]:
    try:
        if not _is_quick(spec):
            return []
        shown = have.preview(spec)
    except (UserError, OSError):
        return []
    pairs = (Pair(*row) for row in shown.rows if max(map(len, row)) < LONGEST_CELL)
    seed = run.recipe.train.seed
    made = pairs_of_task(pairs, run.recipe.data, seed, is_plain=shown.is_plain)
    return [pair.src for pair in made if pair.src.strip()]


def _is_quick(spec: str) -> bool:
    kind, name, _ = parse_spec(spec)
    if kind not in ("file", "text", "pasted"):
        return kind != "hub"  # which may take minutes
    paths = two_files(name) or (Path(name),)
    return sum(path.stat().st_size for path in paths) <= MAX_BYTES


def differing(run: Run, text: str) -> str:
    """A source with as many tokens as `text` that differs in few; empty where none is known."""
    is_tasks = source_as_it_is(run) == "builtin:tasks"
    prefixes = [task.prefix.strip() for task in GENERATED_TASKS.values()] if is_tasks else []
    task = next((known for known in prefixes if known and text.startswith(known)), "")
    bare = text.removeprefix(task).strip()
    for pair in PAIRS:
        if bare in pair:
            other = f"{task} {pair[1 - pair.index(bare)]}".strip()
            if not run.unknown(other) and _distance(run, text, other):
                return other
    others = _as_long(run, text)
    return min(others, key=others.__getitem__, default="")


def lenders(run: Run, text: str) -> tuple[str, ...]:
    """Other sentences of this run with as many source tokens as `text`."""
    return tuple(_as_long(run, text))[:MOST_LENDERS]


def _distance(run: Run, one: str, other: str) -> int:
    a, b = (probes.source_ids(run, text) for text in (one, other))
    return _n_different(a, b)


def _n_different(a: Sequence[int], b: Sequence[int]) -> int:
    return sum(x != y for x, y in zip(a, b, strict=True)) if len(a) == len(b) else 0


def _as_long(run: Run, text: str) -> Mapping[str, int]:
    own_sentences = other_sentences(run)[:MOST]
    examples = EXAMPLES.get(source_as_it_is(run)) or own_sentences[:5]
    others = list(dict.fromkeys((*examples, *own_sentences)))
    own, *encoded = run.src_tokenizer.encode_many([text, *others])
    distances = (_n_different(own, ids) for ids in encoded)
    return {other: n for other, n in zip(others, distances, strict=True) if n}

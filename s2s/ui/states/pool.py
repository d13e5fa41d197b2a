"""The sentences that a sentence's states are compared with, their index, and baselines; shared between visitors."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from s2s import access
from s2s.analysis import Floats
from s2s.config import UserError
from s2s.data import LONGEST_CELL, Pair, is_for_tests, pairs_of_task, parse_spec, two_files
from s2s.demo import EXAMPLES
from s2s.runs import Run, RunKey
from s2s.runs import states as run_states
from s2s.ui.kit import cached, vocabulary

MAX_SENTENCES = 1000
MAX_BYTES = 4_000_000  # of a file that is read for its sentences


@dataclass(frozen=True)
class Pool:
    """Sentences to search: the first `n_own` are of the run's dataset, the rest are `others`."""

    texts: tuple[str, ...]
    n_own: int
    others: str  # held out, probe

    def origin(self, number: int) -> str:
        """Where a sentence is from: `dataset`, `held out` or `probe`."""
        return "dataset" if number < self.n_own else self.others


@dataclass(frozen=True)
class PoolIndex:
    """The states of a pool, and the seconds that reading it took."""

    states: run_states.StateIndex
    seconds: float


def pool(run: Run) -> Pool:
    """The sentences that a run's states are compared with."""
    return _pool(str(run.folder.path), _may_see(run), run)


@cached.shared(max_entries=8, show_spinner="Reading its dataset …")
def _pool(folder: str, may_see: bool, _run: Run) -> Pool:
    source = str(_run.folder.about().get("source", ""))
    own: list[str] = []
    if may_see and not (source and is_for_tests(source)):
        with access.reading_data_of(_run.folder.path):
            own = list(dict.fromkeys(_dataset_sentences(_run, source)))[:MAX_SENTENCES]
    known = set(own)
    others = [text for text in dict.fromkeys(vocabulary.of(_run).sentences) if text not in known]
    texts = tuple([*own, *others][:MAX_SENTENCES])
    is_held_out = vocabulary.source_as_it_is(_run) in EXAMPLES
    return Pool(texts, len(own), "held out" if is_held_out else "probe")


def _may_see(run: Run) -> bool:
    """Whether this visitor may see a run's dataset: others share what is computed of its probe sentences."""
    return access.may_see_data(run.folder.path)


def _dataset_sentences(run: Run, spec: str) -> list[str]:
    """The first sources, after the task, of a dataset that is here and quick to read; truncated ones are left out."""
    try:
        if not _is_quick(spec):
            return []
        shown = cached.preview(spec)
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


def pool_index(run: Run) -> PoolIndex:
    """Every word and sentence of the pool, after every layer of the encoder."""
    return _pool_index(run.key, _may_see(run), run)


@cached.shared(max_entries=4, show_spinner="Reading many sentences with this model …")
def _pool_index(key: RunKey, may_see: bool, _run: Run) -> PoolIndex:
    start = time.perf_counter()
    found = run_states.state_index(_run, pool(_run).texts)
    return PoolIndex(found, time.perf_counter() - start)


def baseline(run: Run) -> Floats:
    """Mean cosine of any two words of different sentences, (n_layers + 1,); NaN without two sentences."""
    return _baseline(run.key, _may_see(run), run)


@cached.shared(max_entries=32, show_spinner=False)
def _baseline(key: RunKey, may_see: bool, _run: Run) -> Floats:
    return run_states.baseline(_run, pool(_run).texts)


def same_context(run: Run, text: str, position: int) -> run_states.SameContext:
    """For the word at a position, from 0, of a sentence that the model can read."""
    return _same_context(run.key, _may_see(run), text, position, run)


@cached.shared(max_entries=64, show_spinner=False)
def _same_context(
    key: RunKey, may_see: bool, text: str, position: int, _run: Run
) -> run_states.SameContext:
    return run_states.same_context(_run, text, position, pool(_run).texts)

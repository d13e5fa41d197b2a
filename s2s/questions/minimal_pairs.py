"""Pairs of sources that differ in few tokens: what a patch is measured with, unless another one is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from s2s.data import GENERATED_TASKS
from s2s.demo import EXAMPLES
from s2s.questions.pool import other_sentences, source_as_it_is
from s2s.runs import Run, probes

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


def differing(run: Run, text: str) -> str:
    """A source with as many tokens that differs in few; empty where none is known."""
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
    """Other sentences of this run with as many source tokens."""
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

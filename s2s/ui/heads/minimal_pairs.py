"""Pairs of sources that differ in few tokens: what a patch is measured with, unless the visitor types another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from s2s.runs import Run, RunKey, probes
from s2s.ui.kit import RunVocabulary, cached

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


def partner(run: Run, facts: RunVocabulary, text: str) -> str:
    """A source with as many tokens that differs in few; empty where none is known."""
    task = next((known for known in facts.prefixes if text.startswith(known)), "")
    bare = text.removeprefix(task).strip()
    for pair in PAIRS:
        if bare in pair:
            other = f"{task} {pair[1 - pair.index(bare)]}".strip()
            if not run.unknown(other) and _distance(run, text, other):
                return other
    others = _as_long(run.key, text, run, facts)
    return min(others, key=others.__getitem__, default="")


def lenders(run: Run, facts: RunVocabulary, text: str) -> tuple[str, ...]:
    """Other sentences of this run with as many source tokens."""
    return tuple(_as_long(run.key, text, run, facts))[:MOST_LENDERS]


def _distance(run: Run, one: str, other: str) -> int:
    """How many tokens differ; 0 where the lengths do."""
    a, b = (probes.source_ids(run, text) for text in (one, other))
    return _n_different(a, b)


def _n_different(a: Sequence[int], b: Sequence[int]) -> int:
    return sum(x != y for x, y in zip(a, b, strict=True)) if len(a) == len(b) else 0


@cached.by_sentence(64)
def _as_long(key: RunKey, text: str, _run: Run, _facts: RunVocabulary) -> Mapping[str, int]:
    """The run's sentences with as many tokens, and in how many they differ."""
    others = list(dict.fromkeys((*_facts.examples, *_facts.sentences[:MOST])))
    own, *encoded = _run.src_tokenizer.encode_many([text, *others])
    distances = (_n_different(own, ids) for ids in encoded)
    return {other: n for other, n in zip(others, distances, strict=True) if n}

"""Pairs of sources that differ in few tokens: what a patch is measured with, unless the visitor types another one."""

from __future__ import annotations

from s2s.runs import Run, RunKey, probes
from s2s.ui.kit import RunVocabulary, cached

MOST = 1000  # sentences that are searched
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
    return _nearest(run.key, text, run, facts)


def _distance(run: Run, one: str, other: str) -> int:
    """How many tokens differ; 0 where the lengths do."""
    a, b = (probes.source_ids(run, text) for text in (one, other))
    return sum(x != y for x, y in zip(a, b, strict=True)) if len(a) == len(b) else 0


@cached.by_sentence(64)
def _nearest(key: RunKey, text: str, _run: Run, _facts: RunVocabulary) -> str:
    others = dict.fromkeys((*_facts.examples, *_facts.sentences[:MOST]))
    found = [(n, other) for other in others if (n := _distance(_run, text, other))]
    return min(found, default=(0, ""))[1]

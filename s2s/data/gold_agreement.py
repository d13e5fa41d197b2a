"""Which verb of an English sentence agrees with a subject on the other side of a relative clause.

*the cats who chased the mouse were black*: *were* agrees with *cats*. Read from the words of the built-in grammar,
whose gold relations say the same of every sentence that it makes; also after the prefix of a task.
"""

from __future__ import annotations

import json
from functools import cache
from typing import NamedTuple

from s2s.config import UserError, shortened
from s2s.data.shipped_pairs import GENERATED_TASKS, SHIPPED

PREFIX = GENERATED_TASKS["translate"].prefix.split()
FILE = SHIPPED / "english_words.json"  # benchmarks/make/corpora.py writes it
RELATIVE = frozenset({"who", "that"})
COMPLEMENT = "of"


class EnglishWords(NamedTuple):
    """The words of the grammar's English by what they can be; some can be two things."""

    nouns: frozenset[str]
    finite: frozenset[str]
    before_finite: frozenset[str]  # words other than nouns that a finite verb can follow
    auxiliaries: frozenset[str]  # finite verbs that no other one can follow
    particles: frozenset[str]  # *looks for*
    all: frozenset[str]


def gold_agreement(sentence: str) -> tuple[int, int] | None:
    """Word indices, from 0, of a subject and the verb that agrees with it across a relative clause; None without one.

    Raises UserError for a sentence with words that the grammar lacks: of that nothing is known.
    """
    words = sentence.split()
    n = len(PREFIX) if words[: len(PREFIX)] == PREFIX else 0
    words = words[n:]
    if unknown := [word for word in words if word not in _english_words().all]:
        raise UserError(
            f"`{shortened(unknown[0])}` is no word of the built-in English grammar, so which words agree is not known"
            " here; use a sentence of the built-in corpora."
        )
    clauses = [at for at, word in enumerate(words) if word in RELATIVE]
    verbs = _finite_verbs(words)
    if not clauses or len(verbs) <= len(clauses) or verbs[0] < clauses[0]:
        return None
    before = words[: clauses[0]]
    subject = before.index(COMPLEMENT) if COMPLEMENT in before else len(before)
    return n + subject - 1, n + verbs[len(clauses)]


def _finite_verbs(words: list[str]) -> list[int]:
    english = _english_words()
    found: list[int] = []
    for at in range(1, len(words)):
        before = words[at - 1]
        verb_at = at - 2 if before in english.particles else at - 1
        if verb_at in found:
            may_follow = words[verb_at] not in english.auxiliaries
        else:
            may_follow = before in english.nouns or before in english.before_finite
        if words[at] in english.finite and may_follow:
            found.append(at)
    return found


@cache
def _english_words() -> EnglishWords:
    words = json.loads(FILE.read_bytes())
    return EnglishWords(**{name: frozenset(words[name]) for name in EnglishWords._fields})

"""Removes the pairs that a recipe excludes."""

from __future__ import annotations

import dataclasses

import numpy as np

from s2s.config import Cleaning, UserError, flat, shortened
from s2s.data.corpus import Corpus
from s2s.data.lint.repair import repaired
from s2s.data.lint.rules import LINT_RULES, LintedCorpus
from s2s.data.overlap import normalized


def enabled_rules(cleaning: Cleaning) -> tuple[str, ...]:
    """The rules that remove pairs, in the order of `LINT_RULES`."""
    return tuple(
        key
        for key, value in flat(cleaning).items()
        if key in LINT_RULES and value is not False and value is not None
    )


def clean(corpus: Corpus, cleaning: Cleaning, *, valid: Corpus | None = None) -> Corpus:
    """Repairs texts, removes the pairs that match an enabled rule; a note per rule, the first that a pair matches.

    Raises UserError if nothing is left.
    """
    corpus = repaired(corpus, cleaning)
    texts = LintedCorpus(
        corpus.pairs,
        {normalized(pair.src) for pair in valid.pairs} if valid else (),
        cleaning,
        corpus.is_plain,
    )
    is_left = np.ones(len(corpus), np.bool_)
    dropped = list[tuple[str, int]]()
    for key in enabled_rules(cleaning):
        hits = LINT_RULES[key].finds(texts) & is_left
        if n := int(hits.sum()):
            why = LINT_RULES[key].note
            dropped.append((why.format(max_words=texts.max_words, max_ratio=texts.max_ratio), n))
            is_left &= ~hits
    if not dropped:
        return corpus
    notes = [_note(n, why) for why, n in dropped]
    if not is_left.any():
        raise UserError(
            f"Nothing is left of `{shortened(corpus.spec)}` after cleaning: {' '.join(notes)}"
            " Disable a rule of `data.clean`."
        )
    pairs = tuple(corpus.pairs[row] for row in np.flatnonzero(is_left).tolist())
    return dataclasses.replace(
        corpus, pairs=pairs, notes=(*corpus.notes, *notes), dropped=(*corpus.dropped, *dropped)
    )


def _note(n: int, why: str) -> str:
    return f"{n:,} {'pair was' if n == 1 else 'pairs were'} removed: {why}."

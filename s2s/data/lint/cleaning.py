"""Removes the pairs that a recipe excludes."""

from __future__ import annotations

import dataclasses

import numpy as np

from s2s.config import Cleaning, UserError, flat
from s2s.data.corpus import Corpus
from s2s.data.lint.rules import LINT_RULES, LintedCorpus


def enabled_rules(cleaning: Cleaning) -> tuple[str, ...]:
    """The rules that remove pairs, in the order of `LINT_RULES`."""
    return tuple(
        key for key, value in flat(cleaning).items() if value is not False and value is not None
    )


def clean(corpus: Corpus, cleaning: Cleaning, *, valid: Corpus | None = None) -> Corpus:
    """Removes the pairs that match an enabled rule, with a note per rule; a pair counts for the first rule it matches.

    Raises UserError if nothing is left.
    """
    texts = LintedCorpus(
        corpus.pairs, {pair.src for pair in valid.pairs} if valid else (), cleaning, corpus.is_plain
    )
    is_left = np.ones(len(corpus), np.bool_)
    notes = list[str]()
    for key in enabled_rules(cleaning):
        hits = LINT_RULES[key].finds(texts) & is_left
        if n := int(hits.sum()):
            notes.append(
                _note(
                    n,
                    LINT_RULES[key].note.format(
                        max_words=texts.max_words, max_ratio=texts.max_ratio
                    ),
                )
            )
            is_left &= ~hits
    if not notes:
        return corpus
    if not is_left.any():
        raise UserError(
            f"Nothing is left of `{corpus.spec}` after cleaning: {' '.join(notes)} Disable a rule of `data.clean`."
        )
    pairs = tuple(corpus.pairs[row] for row in np.flatnonzero(is_left).tolist())
    return dataclasses.replace(corpus, pairs=pairs, notes=(*corpus.notes, *notes))


def _note(n: int, why: str) -> str:
    return f"{n:,} {'pair was' if n == 1 else 'pairs were'} removed: {why}."

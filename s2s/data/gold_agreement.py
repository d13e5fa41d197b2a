"""Agreement across a clause in sentences of the built-in grammar, also after the prefix of a task."""

from __future__ import annotations

from s2s.config import UserError, shortened
from s2s.data.generated.tasks import GENERATED_TASKS

PREFIX = GENERATED_TASKS["translate"].prefix.split()


def gold_agreement(sentence: str) -> tuple[int, int] | None:
    """Word indices, from 0, of a subject and the verb that agrees with it across a relative clause; None without one.

    Raises UserError for a sentence with words that the grammar lacks: of that nothing is known.
    """
    from s2s.data.grammar import agreement

    words = sentence.split()
    n = len(PREFIX) if words[: len(PREFIX)] == PREFIX else 0
    text = " ".join(words[n:])
    if unknown := agreement.unknown_to_grammar(text):
        raise UserError(
            f"`{shortened(unknown[0])}` is no word of the built-in English grammar, so which words agree is not known"
            " here; use a sentence of the built-in corpora."
        )
    found = agreement.agreement_across_clause(text)
    return (n + found.subject, n + found.verb) if found else None

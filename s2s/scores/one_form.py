"""The door of this package: texts are compared in one form, and signatures say so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from s2s.config import FORM, nfc

Texts = Sequence[str]
References = Sequence[str | Sequence[str]]  # of each hypothesis: one, or several
MARK = f"unicode:{FORM}"  # the last part of every signature


def comparable(text: str) -> str:
    """A text in Unicode's composed form, in which texts are compared."""
    return nfc(text)


def all_comparable(
    hypotheses: Texts, references: References
) -> tuple[list[str], list[str | Sequence[str]]]:
    """Hypotheses and references in Unicode's composed form."""
    return [*map(comparable, hypotheses)], [
        comparable(each) if isinstance(each, str) else [*map(comparable, each)]
        for each in references
    ]


def all_of(reference: str | Sequence[str]) -> Sequence[str]:
    """The references of one sentence as a sequence, also if there is only one."""
    return (reference,) if isinstance(reference, str) else reference


def signed(signature: str) -> str:
    return f"{signature}|{MARK}"


def differing_parts(signatures: Iterable[str]) -> list[str]:
    """The parts that tell signatures apart, in order; an unknown signature is of an earlier version.

    >>> differing_parts(["tok:zh|smooth:exp", "tok:13a|smooth:exp", ""])
    ['of an earlier version', 'tok:13a', 'tok:zh']
    """
    parts = {text: text.split("|") for text in sorted({*signatures})}
    known = [set(each) for text, each in parts.items() if text]
    common = set.intersection(*known) if len(known) > 1 else set[str]()
    return [
        "|".join(one for one in each if one not in common) if text else "of an earlier version"
        for text, each in parts.items()
    ]


def is_comparable(signatures: Mapping[str, str]) -> bool:
    """Whether scores with these signatures, by metric, are of texts in one form; those of earlier versions are not."""
    return bool(signatures) and all(text.endswith(MARK) for text in signatures.values())

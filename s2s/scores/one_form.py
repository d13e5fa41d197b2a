"""The door of this package: texts are compared in one form, and signatures say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from s2s.config import FORM, nfc

Texts = Sequence[str]
References = Sequence[str | Sequence[str]]  # of each hypothesis: one, or several
MARK = f"unicode:{FORM}"  # the last part of every signature


def comparable(text: str) -> str:
    """A text as it is compared: in Unicode's composed form, which tokenizers write."""
    return nfc(text)


def all_comparable(
    hypotheses: Texts, references: References
) -> tuple[list[str], list[str | Sequence[str]]]:
    """Both sides as they are compared."""
    return [*map(comparable, hypotheses)], [
        comparable(each) if isinstance(each, str) else [*map(comparable, each)]
        for each in references
    ]


def all_of(reference: str | Sequence[str]) -> Sequence[str]:
    """The references of one sentence."""
    return (reference,) if isinstance(reference, str) else reference


def signed(signature: str) -> str:
    """With the form of the texts at its end."""
    return f"{signature}|{MARK}"


def is_comparable(signatures: Mapping[str, str]) -> bool:
    """Whether scores with these signatures, by metric, are of texts in one form; those of earlier versions are not."""
    return bool(signatures) and all(text.endswith(MARK) for text in signatures.values())

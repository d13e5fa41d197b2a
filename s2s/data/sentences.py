"""Where one sentence ends and the next begins."""

from __future__ import annotations

import re

OPENING = "\"'“‘„«([¿¡"
CLOSING = "\"'”’“»)]"
ENDS = (".", "!", "?", "…")
LETTERS = re.compile(r"(?!I\.$)(?:[^\W\d_]\.)+")  # `J.`, `a.m.`, `e.g.`, `U.S.`
ABBREVIATIONS = frozenset(
    {"mr.", "mrs.", "ms.", "dr.", "prof.", "st.", "jr.", "sr.", "mt.", "vs.", "approx."}
)
MAY_END = frozenset({"a.m.", "p.m.", "etc."})  # before a capital
BEFORE_NUMBERS = frozenset({"no.", "nos.", "pp.", "fig.", "vol."})


def split_sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, which are the text again when spaces join them. Each has at least one letter.

    >>> split_sentences("Is Dr. No in? It is 3.5 miles to St. Ives. :)")
    ('Is Dr. No in?', 'It is 3.5 miles to St. Ives. :)')
    """
    words = text.split(" ")
    sentences: list[str] = []
    start = 0
    for end in range(1, len(words)):
        sentence = " ".join(words[start:end])
        rest = " ".join(words[end:])
        if _ends(words[end - 1], words[end]) and _has_letter(sentence) and _has_letter(rest):
            sentences.append(sentence)
            start = end
    return (*sentences, " ".join(words[start:]))


def _ends(word: str, following: str) -> bool:
    bare = word.strip(OPENING + CLOSING)
    if not bare.endswith(ENDS):
        return False
    if bare.lower() in MAY_END:
        return following.strip(OPENING)[:1].isupper()
    if LETTERS.fullmatch(bare) or bare.lower() in ABBREVIATIONS:
        return False
    if bare.lower() in BEFORE_NUMBERS:
        return not following[:1].isdigit()
    return not (bare.endswith(("...", "…")) and following[:1].islower())


def _has_letter(text: str) -> bool:
    return any(map(str.isalpha, text))

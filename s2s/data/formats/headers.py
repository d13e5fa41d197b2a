"""Whether row 1 of a table names its columns, judging by the rows below it. Knows nothing of files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from s2s.data.formats.cells import (
    EMPTY,
    IDS,
    KEY,
    LABELS,
    MIN_ROWS,
    MORE,
    ONE_VALUE,
    ONLY_LANGUAGES,
    PATTERNS,
    Rows,
    content,
    guesses,
)
from s2s.data.formats.column_names import ELSEWHERE, LABEL_NAMES, LIKE_SOURCE, LIKE_TARGET
from s2s.data.formats.columns import Column, stem

NAME = re.compile(r"[^\W\d]\w{0,40}")
WITH_UNDERSCORE = re.compile(r"[^\W\d_]\w*_\w+")
# Two of these names make row 1 a header; a data row that happens to contain two of them needs #header=no.
HEADER_NAMES = (
    LIKE_SOURCE
    | LIKE_TARGET
    | ONLY_LANGUAGES
    | LABEL_NAMES
    | frozenset(
        "id url lang score word words number lemma lemmas features feats form inflection pos gloss phrase sentence"
        " sentences definition transcription pronunciation graphemes phonemes ipa headword term meaning example review"
        " comment tweet utterance premise hypothesis".split()
    )
)
MIN_SCORE = 0.85  # of a guess that depends on both names, and makes them a header
MIN_REPEATS = 3  # of every label in the rows below a header
MIN_LABELED = 20  # rows in which a label that stands in the first alone is its header
MIN_LONGER = 10  # texts that are much longer than a name
MOST_NAMED = 3  # words of a name
END = re.compile(r"[.!?…。！？।॥؟۔።։]['\"”’»」)]*$")
MOST_ENDED = 0.9  # of the texts, where they are sentences


def unrepeated(names: Sequence[str], below: Rows) -> list[str]:
    """The cells of row 1, "" where the column has the same again: `eng` above `eng` is no name."""
    again = [
        {(row[at] or "").strip().casefold() for row in below} - {""} for at in range(len(names))
    ]
    return [
        "" if name.strip().casefold() in below_it else name.strip()
        for name, below_it in zip(names, again, strict=True)
    ]


def _names_labels(name: str, values: Sequence[str | None]) -> bool:
    """Whether row 1 is the only row with its cell, in a column that repeats a few others: `label` above `pos, neg`."""
    counts = Counter(value.strip() for value in values if value and value.strip())
    is_one_word = bool(NAME.fullmatch(name)) and name not in counts
    are_few = len(values) >= MIN_LABELED and len(counts) * MIN_REPEATS <= len(values)
    return is_one_word and are_few and min(counts.values(), default=0) >= MIN_REPEATS


def has_names(names: Sequence[str], below: Rows, are_again: Sequence[bool]) -> bool:
    """Whether row 1 differs from the rows below it as names do: no date above dates, words above sentences.

    `are_again`: whether a cell of row 1 comes again below it.
    """
    if len({name.casefold() for name in names}) < len(names) or not below:
        return False
    columns = [[row[at] for row in below] for at in range(len(names))]
    if all(map(NAME.fullmatch, names)) and any(
        WITH_UNDERSCORE.fullmatch(name)
        and not any(WITH_UNDERSCORE.fullmatch(value or "") for value in values)
        for name, values in zip(names, columns, strict=True)
    ):
        return True
    if all(map(NAME.fullmatch, names)) and any(map(_names_labels, names, columns)):
        return True
    kinds = [content(values) for values in columns]
    words = [name for name, kind in zip(names, kinds, strict=True) if not kind]
    texts = [
        value for values, kind in zip(columns, kinds, strict=True) if not kind for value in values
    ]
    are_words = all(map(NAME.fullmatch, words)) and (
        all(map(str.islower, words)) or any(name.casefold() in HEADER_NAMES for name in words)
    )
    if len(below) >= MIN_ROWS and len(words) > 1 and are_words:
        return not any(NAME.fullmatch((text or "").strip()) for text in texts)
    judged = [
        content([name]) == kind or (kind == IDS and KEY.fullmatch(name) is not None)
        for name, kind in zip(names, kinds, strict=True)
        if kind not in ("", EMPTY, ONE_VALUE, LABELS)
        and not (kind == IDS and WITH_UNDERSCORE.fullmatch(name))  # may be a name or a key
    ]
    if any(judged) or any(are_again):
        return False
    return (len(below) >= 2 and bool(judged)) or _are_above_sentences(
        words, [values for values, kind in zip(columns, kinds, strict=True) if not kind]
    )


def _are_above_sentences(names: Sequence[str], columns: Sequence[Sequence[str | None]]) -> bool:
    return len(names) > 1 and all(map(_is_above_sentences, names, columns))


def _is_above_sentences(name: str, values: Sequence[str | None]) -> bool:
    given = [value.strip() for value in values if value and value.strip()]
    is_name = len(name.split()) <= MOST_NAMED and not re.search(rf"\d|{END.pattern}", name)
    if len(given) < MIN_ROWS or not is_name:
        return False
    n_ended = sum(END.search(value) is not None for value in given)
    is_short = len(given) >= MIN_LONGER and MORE * len(name) < min(map(len, given))
    return n_ended >= MOST_ENDED * len(given) or is_short


def is_header(columns: Sequence[Column], below: Rows) -> bool:
    """Whether row 1 names the columns: with two common names, a word above numbers, or unlike the rows below it."""
    given = unrepeated([column.name for column in columns], below)
    names = {name.casefold() for name in given}
    stems = {stem(name) for name in names}
    named = [column._replace(name=name) for name, column in zip(given, columns, strict=True)]
    if any(len(names & known) >= 2 for known in ELSEWHERE):
        return True
    if (names & HEADER_NAMES and len(stems & HEADER_NAMES) >= 2) or any(  # source, ref1, ref2
        one.score >= MIN_SCORE for one in guesses(named, "")
    ):
        return True
    above = any(
        column.kind == "other" and not PATTERNS["numbers"].fullmatch(column.name.strip())
        for column in columns
    )
    are_again = [
        not name and bool(column.name.strip()) for name, column in zip(given, columns, strict=True)
    ]
    return (above and len(names) == len(columns)) or has_names(given, below, are_again)

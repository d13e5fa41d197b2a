"""What the columns of a table hold besides text, judging by their first rows. Knows nothing of files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from s2s.config import UserError, shortened
from s2s.data.formats import chats
from s2s.data.formats.column_names import AMBIGUOUS, LANGUAGES, LIKE_SOURCE, LIKE_TARGET, REJECTED
from s2s.data.formats.columns import Column, Guess, guess, is_language, is_metadata, stem

ONE_VALUE = "the same in every row"
EMPTY = "nothing"
CODES = "language codes"
IDS = "ids"
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_TIME = r"\d{1,2}:\d\d(:\d\d([.,]\d+)?)?( ?[ap]m)?(Z|[+-]\d\d:?\d\d)?"
PATTERNS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        name: re.compile(pattern, re.IGNORECASE | re.ASCII)
        for name, pattern in {
            "web addresses": r"((https?|ftp)://|www\.)\S+|([a-z0-9-]+\.)+[a-z]{2,}(/\S*)?",
            "file names": r"[\w./\\:-]*[\w-]\.[a-z][a-z0-9]{1,4}",
            "dates": rf"(\d{{4}}([-/.])\d{{1,2}}\2\d{{1,2}}|\d{{1,2}}([-/.])\d{{1,2}}\3\d{{2,4}}"
            rf"|{_MONTH} \d{{1,2}},? \d{{4}}|\d{{1,2}}\.? {_MONTH} \d{{4}})([T ,]+{_TIME})?|{_TIME}( --> {_TIME})?",
            "numbers": r"[-+]?(\d+([.,]\d+)*|\.\d+)(e[-+]?\d+)?\s?%?",
        }.items()
    }
)
ID = re.compile(r"(?=\S*\d)[\w.:/#@|-]+", re.ASCII)
HEX = re.compile(r"[0-9a-f]{8,}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
CODE = re.compile(r"[a-z]{2,3}([-_][a-z]{2,4}){0,2}", re.IGNORECASE)
NAME = re.compile(r"[^\W\d]\w{0,40}")
WITH_UNDERSCORE = re.compile(r"[^\W\d_]\w*_\w+")
# The surest first: what stays a text where two texts are needed comes last.
ORDER = (EMPTY, ONE_VALUE, "web addresses", "file names", IDS, "numbers", "dates", CODES)
NEVER_TEXTS = frozenset(
    {CODES, "web addresses", "file names"}
)  # in a table of more than two columns
# Two of these names make row 1 a header; a data row that happens to contain two of them needs #header=no.
HEADER_NAMES = (
    LIKE_SOURCE
    | LIKE_TARGET
    | (LANGUAGES - AMBIGUOUS)
    | frozenset(
        "id url lang score word words number lemma lemmas features feats form inflection pos gloss phrase sentence"
        " sentences definition transcription pronunciation graphemes phonemes ipa".split()
    )
)
MIN_SCORE = 0.85  # of a guess that depends on both names, and makes them a header
NAMED = 0.7  # of a guess by two names, whatever the columns hold
MIN_ROWS = 3  # in which one value, or a pattern below a word, is no chance
MIN_DISTINCT = 8  # texts in the first rows of a column that may be the target
MORE = 1.5  # times as many different texts as in the chosen column

Rows = Sequence[Sequence[str | None]]


def content(values: Sequence[str | None]) -> str:
    """What a column holds instead of text, one of ORDER: `content(["2020-01-01"])` -> `"dates"`; "" for texts."""
    given = [value.strip() for value in values if value and value.strip()]
    if not given:
        return EMPTY
    for name, pattern in PATTERNS.items():
        if all(map(pattern.fullmatch, given)):
            return name
    is_one = len(given) >= MIN_ROWS and len({*given}) == 1
    if all(map(CODE.fullmatch, given)) and (is_one or all(map(is_language, given))):
        return CODES
    if all(value.casefold() in LANGUAGES for value in given):
        return CODES
    if is_one:
        return ONE_VALUE
    return IDS if _are_ids(given) else ""


def _are_ids(given: Sequence[str]) -> bool:
    """Names with numbers, of one shape or in hexadecimal digits."""
    if not all(map(ID.fullmatch, given)):
        return False
    return len({re.sub(r"\d+", "0", value) for value in given}) == 1 or all(
        map(HEX.fullmatch, given)
    )


def no_texts(columns: Sequence[Column], rows: Rows) -> dict[int, str]:
    """What columns of text hold by index, where that is no text, as long as two others are left."""
    texts = [at for at, column in enumerate(columns) if column.kind == "text"]
    found = dict[int, str]()
    n_texts = sum(column.kind != "other" for column in columns)
    if n_texts > 2 and rows:
        found = {at: what for at in texts if (what := content([row[at] for row in rows]))}
    if n_texts - len(found) < 2:  # `lemma12` may be a made-up word, `sent-12` is none
        for at in [at for at, what in found.items() if what == IDS]:
            if not all(re.search(r"\W|_", row[at] or "_") for row in rows):
                del found[at]
    if len(found) == n_texts:
        return {}
    sure = sorted(found, key=lambda at: ORDER.index(found[at]))[: n_texts - 2]
    return {at: found[at] for at in sorted(sure)}


def only_texts(columns: Sequence[Column], held: Mapping[int, str]) -> tuple[Column, ...]:
    """The columns, of which those that hold no text are `other`."""
    return tuple(
        Column(column.name, "other", held[at]) if at in held else column
        for at, column in enumerate(columns)
    )


def held_note(names: Sequence[str], held: Mapping[int, str]) -> str:
    """Which columns were passed over, and for what: ` Not text: column 1 (ids).`"""
    listed = ", ".join(f"{names[at]} ({what})" for at, what in held.items())
    return f" Not text: {listed}." if listed else ""


def unrepeated(names: Sequence[str], below: Rows) -> list[str]:
    """The cells of row 1, "" where the column has the same again: `eng` above `eng` is no name."""
    again = [
        {(row[at] or "").strip().casefold() for row in below} - {""} for at in range(len(names))
    ]
    return [
        "" if name.strip().casefold() in below_it else name.strip()
        for name, below_it in zip(names, again, strict=True)
    ]


def has_names(names: Sequence[str], below: Rows) -> bool:
    """Whether row 1 differs from the rows below it as names do: no date above dates, words above sentences."""
    if len({name.casefold() for name in names}) < len(names) or not below:
        return False
    columns = [[row[at] for row in below] for at in range(len(names))]
    if all(map(NAME.fullmatch, names)) and any(
        WITH_UNDERSCORE.fullmatch(name)
        and not any(WITH_UNDERSCORE.fullmatch(value or "") for value in values)
        for name, values in zip(names, columns, strict=True)
    ):
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
        content([name]) == kind
        for name, kind in zip(names, kinds, strict=True)
        if kind not in ("", EMPTY, ONE_VALUE)
    ]
    return len(below) >= 2 and bool(judged) and not any(judged)


def guesses(columns: Sequence[Column], config: str) -> list[Guess]:
    """Two different columns by their names, the most probable first."""
    stripped = [Column(column.name.strip(), column.kind, column.type) for column in columns]
    return [one for one in guess(stripped, config) if one.src != one.tgt]


def is_header(columns: Sequence[Column], below: Rows) -> bool:
    """Row 1 has two different common names, or a word above numbers, or differs otherwise from the rows below it."""
    given = unrepeated([column.name for column in columns], below)
    names = {name.casefold() for name in given}
    stems = {stem(name) for name in names}
    named = [column._replace(name=name) for name, column in zip(given, columns, strict=True)]
    if (names & HEADER_NAMES and len(stems & HEADER_NAMES) >= 2) or any(  # source, ref1, ref2
        one.score >= MIN_SCORE for one in guesses(named, "")
    ):
        return True
    above = any(
        column.kind == "other" and not PATTERNS["numbers"].fullmatch(column.name.strip())
        for column in columns
    )
    return (above and len(names) == len(columns)) or has_names(given, below)


def likelier_target(
    columns: Sequence[Column], rows: Rows, tgt: int, taken: Sequence[int]
) -> int | None:
    """A column that is not `taken` and has many more different texts in the first rows than the target."""
    n = {
        at: len({row[at] for row in rows if row[at]})
        for at, column in enumerate(columns)
        if at == tgt or (at not in taken and column.kind == "text" and not is_metadata(column.name))
    }
    best = max(n, key=lambda at: (n[at], -at))
    return best if n[best] >= max(MIN_DISTINCT, MORE * n[tgt]) else None


def first_free(
    columns: Sequence[Column],
    requested: Sequence[int | None],
    has_header: bool,
    rows: Rows,
    of: str,
) -> tuple[int, int]:
    """For each side not requested: the first column with a common name, else the first text column, else the first.

    Raises UserError for a named table `of` a file that gives no two columns of text to choose from.
    """
    names = [column.name.strip().casefold() if has_header else "" for column in columns]
    if has_header and not any(each is not None for each in requested):
        _check_texts(columns, names, rows, of)
    src, tgt = requested
    if src is None:
        src = _first_common(columns, names, (LIKE_SOURCE, LANGUAGES), taken=tgt)
    if tgt is None:
        tgt = _first_common(columns, names, (LIKE_TARGET, LANGUAGES), taken=src)
    return src, tgt


def _check_texts(columns: Sequence[Column], names: Sequence[str], rows: Rows, of: str) -> None:
    """Raises UserError for a table whose rows are messages of chats, and for one with a single column of text."""
    texts = [
        column.name.strip()
        for at, (column, name) in enumerate(zip(columns, names, strict=True))
        if column.kind != "other"
        and name not in REJECTED
        and (len(columns) == 2 or content([row[at] for row in rows]) not in NEVER_TEXTS)
    ]
    if chats.is_message(names):
        who = next(name for name in chats.WHO if name in names)
        raise UserError(
            f"Each row of `{of}` is one message, with its `{who}`; write a row per chat, such as"
            ' {"messages": [{"role": "user", "content": "..."}, {"role": "assistant", "content": "..."}]}, or one per'
            " pair, or choose two columns with #src=...,tgt=...."
        )
    if len(texts) == 1:
        is_listed = any(column.kind == "texts" for column in columns)
        dialogue = ",unit=dialogue, where each list is a dialogue" if is_listed else ""
        others = [f"`{column.name[:40]}`" for column in columns if column.name.strip() != texts[0]]
        raise UserError(
            f"`{texts[0][:60]}` is the only column of text in `{of}` (others: {shortened(', '.join(others))}); give the"
            f" source and the target a column each, choose two with #src=...,tgt=..., or read that column as plain"
            f" text: text:FILE#column={texts[0][:60]}{dialogue}."
        )


def _first_common(
    columns: Sequence[Column],
    names: Sequence[str],
    kinds: Iterable[frozenset[str]],
    *,
    taken: int | None,
) -> int:
    free = [at for at in range(len(names)) if at != taken]
    free.sort(key=lambda at: columns[at].kind == "other")
    return next(
        (
            at
            for kind in kinds
            for at in free
            if names[at] in kind and (kind is not LANGUAGES or columns[at].kind != "other")
        ),
        free[0],
    )

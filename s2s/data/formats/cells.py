"""What the columns of a table hold besides text, judging by their first rows. Knows nothing of files."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from s2s.config import UserError, shortened
from s2s.data.formats import chats
from s2s.data.formats.column_names import (
    AMBIGUOUS,
    LANGUAGES,
    LIKE_SOURCE,
    LIKE_TARGET,
    REJECTED,
)
from s2s.data.formats.columns import (
    Column,
    Guess,
    guess,
    holds_numbers,
    is_language,
    is_metadata,
)
from s2s.data.formats.table import TableRow

ONE_VALUE = "the same in every row"
EMPTY = "nothing"
LABELS = "labels"
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
            rf"|{_MONTH} \d{{1,2}},? \d{{4}}|\d{{1,2}}\.?[- ](de )?\S{{3,12}}[- ](de )?\d{{4}})([T ,]+{_TIME})?"
            rf"|{_TIME}( --> {_TIME})?",
            "numbers": r"[-+]?(\d+([.,]\d+)*|\.\d+)(e[-+]?\d+)?\s?%?",
        }.items()
    }
)
ID = re.compile(r"(?=\S*\d)[\w.:/#@|-]+", re.ASCII)
KEY = re.compile(r"(?=.*\w[._:/#|-]\w)[\w.:/#@|-]+", re.ASCII)  # home.title, btn_ok, Ps.23.1
VERSE = re.compile(r"(\d\.? ?)?[^\W\d]+\.? \d+[:.,]\d+(-\d+)?")
BRACKETS = "[](){}<>"  # around a date or a number
HEX = re.compile(r"[0-9a-f]{6,}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
CODE = re.compile(r"[a-z]{2,3}([-_][a-z]{2,4}){0,2}", re.IGNORECASE)
# The surest first: what stays a text where two texts are needed comes last.
ORDER = (EMPTY, ONE_VALUE, "web addresses", "file names", IDS, "numbers", "dates", CODES, LABELS)
NEVER_TEXTS = frozenset({CODES, "web addresses", "file names"})  # of more than two columns
ONLY_LANGUAGES = LANGUAGES - AMBIGUOUS
NAMED = 0.7  # of a guess by two names, whatever the columns hold
MIN_ROWS = 3  # in which one value, or a pattern below a word, is no chance
MIN_DISTINCT = 8  # texts in the first rows of a column that may be the target
MORE = 1.5  # times as many different texts as in the chosen column
YES_OR_NO = ("true or false", "bool")
MANY_MORE = 10  # times as many targets as sources, which may be labels
SPLITS = frozenset(
    "train training dev devel development valid validation val test testing eval heldout".split()
)
LABEL = re.compile(r"\S{1,30}( \S{1,20}){0,2}")
MIN_TIMES = 5  # that each label comes on average; twice where equal ones stand together

Rows = Sequence[Sequence[str | None]]


def content(values: Sequence[str | None]) -> str:
    """What a column holds instead of text, one of ORDER: `content(["2020-01-01"])` -> `"dates"`; "" for texts."""
    given = [value.strip().strip(BRACKETS) for value in values if value and value.strip()]
    if not any(given):
        return EMPTY
    for name, pattern in PATTERNS.items():
        if all(map(pattern.fullmatch, given)):
            return name
    is_one = len(given) >= MIN_ROWS and len({*given}) == 1
    if all(map(CODE.fullmatch, given)) and (is_one or all(map(is_language, given))):
        return CODES
    if all(value.casefold() in LANGUAGES for value in given):
        return CODES
    if is_one or _are_ids(given):
        return ONE_VALUE if is_one else IDS
    return LABELS if _are_labels(given) else ""


def _are_labels(given: Sequence[str]) -> bool:
    n = len(given)
    different = {value.casefold() for value in given}
    if n >= MIN_ROWS and different <= SPLITS:
        return True
    n_runs = 1 + sum(one != other for one, other in itertools.pairwise(given))
    n_times = MIN_TIMES if n_runs > len(different) else 2 * MIN_TIMES
    return len(different) * n_times <= n and all(map(LABEL.fullmatch, given))


def _are_ids(given: Sequence[str]) -> bool:
    is_each_new = len(given) >= MIN_ROWS and len({*given}) == len(given)
    if (is_each_new and all(map(KEY.fullmatch, given))) or all(map(VERSE.fullmatch, given)):
        return True
    if all(map(HEX.fullmatch, given)) and len({*map(len, given)}) == 1:
        return any(map(re.compile(r"\d").search, given))
    shapes = {re.sub(r"\d+", "0", value) for value in given}
    return all(map(ID.fullmatch, given)) and len(shapes) == 1


def no_texts(columns: Sequence[Column], rows: Rows) -> dict[int, str]:
    """What columns hold instead of text, by index; as many as leave two columns of text, or one beside numbers."""
    texts = [at for at, column in enumerate(columns) if column.kind == "text"]
    found = dict[int, str]()
    n_texts = sum(column.kind != "other" for column in columns)
    n_spare = max(n_texts - 2, 0)
    if (
        n_texts == 2
        and sum(holds_numbers(column) and not is_metadata(column.name) for column in columns) == 1
    ):
        n_spare = 1  # beside numbers, a text is enough
    if n_spare and rows:
        found = {at: what for at in texts if (what := content([row[at] for row in rows]))}
        for at in [at for at, what in found.items() if what in (ONE_VALUE, LABELS)]:
            if any(_are_forms(rows, at, of) for of in texts if of not in found):
                del found[at]
    if n_texts == 2:
        found = {at: what for at, what in found.items() if what in (EMPTY, ONE_VALUE, CODES)}
    if n_texts - len(found) < 2:  # `lemma12` may be a made-up word, `sent-12` is none
        for at in [at for at, what in found.items() if what == IDS]:
            if not all(re.search(r"\W|_", row[at] or "_") for row in rows):
                del found[at]
    if len(found) == n_texts:
        return {}
    sure = sorted(found, key=lambda at: ORDER.index(found[at]))[:n_spare]
    return {at: found[at] for at in sorted(sure)}


def _are_forms(rows: Rows, lemma: int, of: int) -> bool:
    both = [(row[lemma] or "", row[of] or "") for row in rows]
    n_alike = sum(
        word[: max(2, len(word) // 2)] in form for word, form in both if word and " " not in form
    )
    return 2 * n_alike > len(rows)


def only_texts(columns: Sequence[Column], held: Mapping[int, str]) -> tuple[Column, ...]:
    """The columns, with the kind `other` for those that hold no text."""
    return tuple(
        Column(column.name, "other", held[at]) if at in held else column
        for at, column in enumerate(columns)
    )


def held_note(names: Sequence[str], held: Mapping[int, str]) -> str:
    """Which columns were passed over, and for what: ` Not text: column 1 (ids).`"""
    listed = ", ".join(f"{names[at]} ({what})" for at, what in held.items())
    return f" Not text: {listed}." if listed else ""


def unread_note(columns: Sequence[Column], read: Iterable[int]) -> str:
    """Which texts are in no column that is read, nor a part of one: ` Not read: `title`.`"""
    used = {columns[at].name.strip() for at in read}
    parts = {part for name in used for part in (*name.split("+"), name.rpartition(".")[0])}
    names = [
        f"`{column.name.strip()}`"
        for column in columns
        if column.kind != "other" or column.type in YES_OR_NO
        if (name := column.name.strip()) and name not in used | parts
        if not (is_language(name) and re.split("[-_]", name)[0].casefold() in used)
    ]
    shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3:,} more"]
    return f" Not read: {', '.join(shown)}." if names else ""


def non_ascii_first(rows: Sequence[TableRow], likely: str) -> Sequence[TableRow]:
    """The rows, those first that show whether the encoding is right, where one is `likely`."""
    if not likely:
        return rows
    return sorted(rows, key=lambda row: all((text or "").isascii() for text in row.fields or ()))


def guesses(columns: Sequence[Column], config: str) -> list[Guess]:
    """Two different columns by their names, the most probable first."""
    stripped = [Column(column.name.strip(), column.kind, column.type) for column in columns]
    return [one for one in guess(stripped, config) if one.src != one.tgt]


def likelier_target(
    columns: Sequence[Column], rows: Rows, chosen: tuple[int, int], taken: Sequence[int]
) -> int | None:
    """The index of a column that is likelier to be the target than the chosen one; None if none is.

    It is not `taken` and has many more distinct texts in the first rows; or it is the source, where that has single
    words and far fewer distinct ones than the target.
    """
    src, tgt = chosen
    sources, targets = ({row[at] for row in rows if row[at]} for at in chosen)
    are_words = all(len((text or "").split()) == 1 for text in sources)
    if are_words and sources and len(targets) >= max(MIN_DISTINCT, MANY_MORE * len(sources)):
        return src
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
    """Source and target by index; each not requested is the first column with a common name, of text, or of all.

    Raises UserError for a named table `of` a file that gives no two columns of text to choose from.
    """
    names = [column.name.strip().casefold() if has_header else "" for column in columns]
    if has_header and not any(each is not None for each in requested):
        _check_texts(columns, names, rows, of)
    src, tgt = requested
    if src is None:
        src = _first_common(columns, names, (LIKE_SOURCE, ONLY_LANGUAGES), taken=tgt)
    if tgt is None:
        tgt = _first_common(columns, names, (LIKE_TARGET, ONLY_LANGUAGES), taken=src)
    return src, tgt


def _check_texts(columns: Sequence[Column], names: Sequence[str], rows: Rows, of: str) -> None:
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
        others = [
            f"`{column.name[:40]}`{column.type and f' ({column.type})'}"
            for column in columns
            if column.name.strip() != texts[0]
        ]
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
            if names[at] in kind and (kind is not ONLY_LANGUAGES or columns[at].kind != "other")
        ),
        free[0],
    )

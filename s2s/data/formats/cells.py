"""What the columns of a table hold besides text, judging by their first rows. Knows nothing of files."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from s2s.config import UserError, shortened
from s2s.data.formats.column_names import (
    AMBIGUOUS,
    ELSEWHERE,
    LABEL_NAMES,
    LANGUAGES,
    LIKE_SOURCE,
    LIKE_TARGET,
)
from s2s.data.formats.columns import (
    Column,
    Guess,
    guess,
    holds_numbers,
    is_index,
    is_language,
    is_metadata,
    stem,
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
NAME = re.compile(r"[^\W\d]\w{0,40}")
WITH_UNDERSCORE = re.compile(r"[^\W\d_]\w*_\w+")
# The surest first: what stays a text where two texts are needed comes last.
ORDER = (EMPTY, ONE_VALUE, "web addresses", "file names", IDS, "numbers", "dates", CODES, LABELS)
# Two of these names make row 1 a header; a data row that happens to contain two of them needs #header=no.
HEADER_NAMES = (
    LIKE_SOURCE
    | LIKE_TARGET
    | (LANGUAGES - AMBIGUOUS)
    | LABEL_NAMES
    | frozenset(
        "id url lang score word words number lemma lemmas features feats form inflection pos gloss phrase sentence"
        " sentences definition transcription pronunciation graphemes phonemes ipa headword term meaning example review"
        " comment tweet utterance premise hypothesis".split()
    )
)
MIN_SCORE = 0.85  # of a guess that depends on both names, and makes them a header
NAMED = 0.7  # of a guess by two names, whatever the columns hold
MIN_ROWS = 3  # in which one value, or a pattern below a word, is no chance
MIN_DISTINCT = 8  # texts in the first rows of a column that may be the target
MORE = 1.5  # times as many different texts as in the chosen column
YES_OR_NO = ("true or false", "bool")
MANY_MORE = (
    10  # times as many different targets as sources: they may be labels, and the sides reversed
)
MIN_REPEATS = 3  # of every label in the rows below a header
MIN_LABELED = 20  # rows in which a label that stands in the first alone is its header
SPLITS = frozenset(
    "train training dev devel development valid validation val test testing eval heldout".split()
)
LABEL = re.compile(r"\S{1,30}( \S{1,20}){0,2}")
MIN_TIMES = (
    5  # that each label comes on average, and twice as often where equal ones stand together
)
MIN_LONGER = 10  # texts that are much longer than a name
MOST_NAMED = 3  # words of a name
END = re.compile(r"[.!?…。！？।॥؟۔።։]['\"”’»」)]*$")
MOST_ENDED = 0.9  # of the texts, where they are sentences

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
    """The names of splits, or few words."""
    n = len(given)
    different = {value.casefold() for value in given}
    if n >= MIN_ROWS and different <= SPLITS:
        return True
    n_runs = 1 + sum(one != other for one, other in itertools.pairwise(given))
    n_times = MIN_TIMES if n_runs > len(different) else 2 * MIN_TIMES
    return len(different) * n_times <= n and all(map(LABEL.fullmatch, given))


def _are_ids(given: Sequence[str]) -> bool:
    """Names with numbers, of one shape or in hexadecimal digits; different names of several parts; verses."""
    is_each_new = len(given) >= MIN_ROWS and len({*given}) == len(given)
    if (is_each_new and all(map(KEY.fullmatch, given))) or all(map(VERSE.fullmatch, given)):
        return True
    if all(map(HEX.fullmatch, given)) and len({*map(len, given)}) == 1:
        return any(map(re.compile(r"\d").search, given))
    shapes = {re.sub(r"\d+", "0", value) for value in given}
    return all(map(ID.fullmatch, given)) and len(shapes) == 1


def no_texts(columns: Sequence[Column], rows: Rows) -> dict[int, str]:
    """What columns of text hold by index, where that is no text, as long as two others are left."""
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
    """Whether most cells of a column are words that have the first half of those of another: forms of lemmas."""
    both = [(row[lemma] or "", row[of] or "") for row in rows]
    n_alike = sum(
        word[: max(2, len(word) // 2)] in form for word, form in both if word and " " not in form
    )
    return 2 * n_alike > len(rows)


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
    """Whether two names or more are a few words each, above texts that end as sentences or are all much longer."""
    return len(names) > 1 and all(map(_is_above_sentences, names, columns))


def _is_above_sentences(name: str, values: Sequence[str | None]) -> bool:
    given = [value.strip() for value in values if value and value.strip()]
    is_name = len(name.split()) <= MOST_NAMED and not re.search(rf"\d|{END.pattern}", name)
    if len(given) < MIN_ROWS or not is_name:
        return False
    n_ended = sum(END.search(value) is not None for value in given)
    is_short = len(given) >= MIN_LONGER and MORE * len(name) < min(map(len, given))
    return n_ended >= MOST_ENDED * len(given) or is_short


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


def likelier_target(
    columns: Sequence[Column], rows: Rows, chosen: tuple[int, int], taken: Sequence[int]
) -> int | None:
    """A column that is not `taken` and has many more different texts in the first rows than the target.

    Where the source, in single words, has far fewer than the target, it is the source.
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
    columns: Sequence[Column], requested: Sequence[int | None], has_header: bool
) -> tuple[int, int]:
    """For each side not requested: the first column with a common name, else the first text column, else the first."""
    names = [column.name.strip().casefold() if has_header else "" for column in columns]
    src, tgt = requested
    if src is None:
        src = _first_common(columns, names, (LIKE_SOURCE, LANGUAGES - AMBIGUOUS), taken=tgt)
    if tgt is None:
        tgt = _first_common(columns, names, (LIKE_TARGET, LANGUAGES - AMBIGUOUS), taken=src)
    return src, tgt


def require_two_texts(name: str, columns: Sequence[Column], src: int, tgt: int) -> None:
    """Raises UserError where ids are all that the only column of texts would be paired with."""
    texts = [column.name for column in columns if column.kind != "other"]
    others = [columns[at].name for at in (src, tgt) if columns[at].kind == "other"]
    numbers = [column.name for column in columns if not is_index(column.name)]
    if len(texts) == len(others) == 1 and (is_index(others[0]) or len(numbers) > 2):
        raise UserError(
            f"`{name}` has only one column of text, `{shortened(texts[0], 60)}`, beside numbers; name both sides, as in"
            " #src=1,tgt=2, or read it as plain text, text:FILE."
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
    named = (
        at
        for kind in kinds
        for at in free
        if names[at] in kind and not (names[at] in AMBIGUOUS and columns[at].kind == "other")
    )
    return next(named, free[0])

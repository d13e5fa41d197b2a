"""Guesses which two columns of a table are source and target. Knows nothing of files and of the Hub."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from s2s.data.formats import chats
from s2s.data.formats.column_names import (
    AMBIGUOUS,
    ANSWERS,
    BESIDE_LANGUAGE,
    CODES,
    INSTRUCTIONS,
    KNOWN,
    LABEL_NAMES,
    LANGUAGE_NAMES,
    LANGUAGES,
    LIKE_SOURCE,
    LIKE_TARGET,
    LISTED,
    METADATA,
    REFERENCE,
    REJECTED,
    SUBTAGS,
    TIMES,
)

NUMBERS = re.compile("numbers|u?int|float|double|half|decimal")  # how a type of numbers begins


class Column(NamedTuple):
    """A column of a table.

    `kind` is `text`, `texts` (a list) or `other`; each language of a struct is a column, `translation.en`. `type` is
    what a column without text holds, as its file calls it.
    """

    name: str
    kind: str
    type: str = ""


class Guess(NamedTuple):
    """Two columns that may be source and target; `reason` is part of a sentence, `score` is from 0 to 1."""

    src: str
    tgt: str
    reason: str
    score: float


def guess(columns: Sequence[Column], config: str = "") -> tuple[Guess, ...]:
    """Pairs of columns, most probable first; empty if a table has only one text.

    `guess([Column("de", "text"), Column("en", "text")], "en-de")` -> `en` to `de`, as in the configuration's name.
    """
    names = [column.name for column in columns if column.kind in ("text", "texts")]
    readable = [column.name for column in columns if column.name in names or holds_numbers(column)]
    found = [
        *_translations(names, config),
        *_chats(names),
        *_instructions(names),
        *_known(readable),
        *_languages(names, config),
        *_alike(names),
        *_labeled(names),
    ]
    first = {
        (one.src, one.tgt): one for one in reversed(found)
    }  # keeps the best reason for each pair of columns
    return tuple(sorted(first.values(), key=lambda one: -one.score))


def choose_columns(
    columns: Sequence[Column], config: str = "", *, src: str = "", tgt: str = ""
) -> Guess | None:
    """The most probable pair with the given `src` or `tgt`.

    The only text column twice, which means plain text; None if the columns are ambiguous.
    """
    if src and tgt:
        return Guess(src, tgt, "as requested", 1.0)
    guesses = guess(columns, config)
    reversed_ = [Guess(one.tgt, one.src, f"{one.reason}, reversed", one.score) for one in guesses]
    for one in [*guesses, *reversed_] if src or tgt else guesses:
        if src in ("", one.src) and tgt in ("", one.tgt):
            return one
    texts = [column.name for column in columns if column.kind != "other"]
    if not (src or tgt) and (two := beside_numbers(columns)):
        return Guess(columns[two[0]].name, columns[two[1]].name, "the only two columns", 0.5)
    if len(texts) == 1:
        return Guess(texts[0], texts[0], "the only column of text", 0.5)
    others = [name for name in texts if name not in (src, tgt)]
    if (src or tgt) and len(others) == 1:
        return Guess(src or others[0], tgt or others[0], "the only other column of text", 0.5)
    return None


def holds_numbers(column: Column) -> bool:
    """Whether a column has numbers, which can be read as texts."""
    return column.kind == "other" and bool(NUMBERS.match(column.type))


def is_metadata(name: str) -> bool:
    """Whether a column is called like an id, a score or an index: `sent_id`, `label2`, `Unnamed: 0`."""
    return is_index(name) or stem(name) in METADATA or bool({*_words(name)[-1:]} & METADATA)


def is_index(name: str) -> bool:
    """Whether a column is called like what tells rows apart: `id`, `Unnamed: 0`."""
    words = _words(name)
    is_unnamed = not name.strip() or words[:1] == ["unnamed"] or words[:2] == ["index", "level"]
    return is_unnamed or words[-1:] in (["id"], ["idx"], ["index"])


def beside_numbers(columns: Sequence[Column]) -> tuple[int, int] | None:
    """The only two columns of numbers or text (at most one of text, unless one is a time), ids and scores aside."""
    are_times = len(columns) == 2 and any(column.name.casefold() in TIMES for column in columns)
    texts = [at for at, column in enumerate(columns) if column.kind != "other"]
    numbers = [
        at
        for at, column in enumerate(columns)
        if holds_numbers(column) and (are_times or not is_metadata(column.name))
    ]
    if len(texts) > 1 + are_times or len(texts) + len(numbers) != 2:
        return None
    first, second = sorted([*texts, *numbers])
    return first, second


def only_text(columns: Sequence[Column]) -> int | None:
    """The index of the only column of text; None if there are several, or a column of numbers to pair it with."""
    texts = [at for at, column in enumerate(columns) if column.kind != "other"]
    return texts[0] if len(texts) == 1 and not beside_numbers(columns) else None


def are_parallel(src: Column, tgt: Column) -> bool:
    """Whether two columns are fields of one list, such as `translations.en` and `translations.de`."""
    outer, dot, _ = src.name.rpartition(".")
    is_inside = bool(dot) and outer == tgt.name.rpartition(".")[0]
    return is_inside and src.name != tgt.name and src.kind == tgt.kind == "texts"


def is_listed(column: Column) -> bool:
    """Whether a list in a column holds references: `ref`, `ref2`, `references`, `corrections`, `answers.text`."""
    name = stem(column.name.strip().casefold().removesuffix(".text").rpartition(".")[2])
    is_plural = name.endswith("s") and name.removesuffix("s") in LISTED
    return column.kind == "texts" and (is_plural or name in REFERENCE)


def further_references(columns: Sequence[Column], src: int, tgt: int) -> list[int]:
    """The indices of columns that are called like the target but for a number: `ref2`, `ref3` beside `ref1`."""
    name = stem(columns[tgt].name)
    if not name or src == tgt or are_parallel(columns[src], columns[tgt]):
        return []
    return [
        at
        for at, column in enumerate(columns)
        if at not in (src, tgt) and column.kind != "other" and stem(column.name) == name
    ]


def further_note(names: Sequence[str]) -> list[str]:
    """A note on the columns that are kept but not trained on; empty where there are none."""
    if not names:
        return []
    quoted = [f"`{name.strip()}`" for name in names]
    shown = quoted if len(quoted) <= 4 else [*quoted[:2], "…", quoted[-1]]
    references = "a further reference" if len(names) == 1 else "further references"
    return [f"{', '.join(shown)}: {references}, for Evaluate."]


def is_language(name: str) -> bool:
    """Whether a name is a language code, with or without a region or script: `de`, `pt_BR`, `zh-Hans`, `eng_Latn`."""
    code, *rest = re.split(r"[-_]", name, maxsplit=1)
    return code.casefold() in CODES and all(SUBTAGS.fullmatch(part) for part in rest)


def stem(name: str) -> str:
    """A name without the number of its column: `stem("Ref_2")` -> `"ref"`."""
    name = name.strip().casefold()
    return name if is_language(name) else re.sub(r"[\s._-]*\d+$", "", name)


def of_chat(name: str) -> tuple[Column, Column]:
    return Column(f"{name}.{chats.TURNS}", "texts"), Column(f"{name}.{chats.ANSWER}", "text")


def _translations(names: Sequence[str], config: str) -> Iterator[Guess]:
    """Two languages in one struct: `translation.de` and `translation.en`."""
    structs: dict[str, list[str]] = {}
    for name in names:
        struct, dot, language = name.rpartition(".")
        if dot and is_language(language):
            structs.setdefault(struct, []).append(name)
    for inner in structs.values():
        if len(inner) >= 2:
            yield _directed(inner, config, "a translation of two languages", 1.0)


def _chats(names: Sequence[str]) -> Iterator[Guess]:
    """The turns of a chat and the answer: `messages.turns` and `messages.answer`, or `completion.answer`."""
    spoken = [
        (outer, inner)
        for outer, dot, inner in (name.rpartition(".") for name in names)
        if dot and outer.strip().casefold() not in REJECTED
    ]
    asked = [outer for outer, inner in spoken if inner == chats.TURNS]
    answers = [outer for outer, inner in spoken if inner == chats.ANSWER]
    for outer in asked:
        src = f"{outer}.{chats.TURNS}"
        if outer.strip().casefold() in chats.PROMPT:
            for answer in [other for other in answers if other != outer][:1]:
                yield Guess(src, f"{answer}.{chats.ANSWER}", "a prompt and its answer", 0.96)
        if outer in answers:
            tgt = f"{outer}.{chats.ANSWER}"
            yield Guess(src, tgt, "a chat, whose last answer is the target", 0.95)


def _instructions(names: Sequence[str]) -> Iterator[Guess]:
    given = {name.strip().casefold(): name for name in reversed(names)}
    asked = next((given[name] for name in INSTRUCTIONS if name in given), None)
    if answer := next((given[name] for name in ANSWERS if asked and name in given), None):
        yield Guess(str(asked), answer, "an instruction with its input, and the answer", 0.92)


def _known(names: Sequence[str]) -> Iterator[Guess]:
    given = {re.sub(r"[\s-]+", "_", name.strip().casefold()): name for name in reversed(names)}
    for reason, pairs in KNOWN.items():
        for src, tgt in pairs:
            if src in given and tgt in given:
                yield Guess(given[src], given[tgt], reason, 0.9)


def _languages(names: Sequence[str], config: str) -> Iterator[Guess]:
    words = _words(config)
    codes = [
        name for name in names if is_language(name.strip()) or name.strip().casefold() in LANGUAGES
    ]
    certain = [
        name
        for name in codes
        if name.strip().casefold() not in AMBIGUOUS or name.strip().casefold() in words
    ]
    if len(certain) == 1 and len(codes) == 2:
        certain = [
            name for name in codes if name.strip().casefold() != "id"
        ]  # `en` and `no` are two languages, `en` and `id` often aren't
    if len(certain) >= 2:
        yield _directed(certain, config, "columns named after languages", 0.85)
    first = {language: name for name in reversed(names) if (language := _language_in(name))}
    if len(first) >= 2:
        named = sorted(first.values(), key=names.index)
        yield _directed(named, config, "columns named after languages", 0.85)


def _language_in(name: str) -> str:
    """The language of `english_sentence`, `text_en`, `en` or `German (Austria)`; "" for a name with any other word."""
    words = re.findall(r"[^\W\d_]+", re.sub(r"\(.*?\)|\[.*?\]", " ", name.casefold()))
    rest = [word for word in words if word not in BESIDE_LANGUAGE]
    known = rest[0] if len(rest) == 1 else ""
    is_code = len(words) > 1 and known in CODES - AMBIGUOUS
    return known if known in LANGUAGE_NAMES or is_code else ""


def _alike(names: Sequence[str]) -> Iterator[Guess]:
    rest = [
        name
        for name in names
        if not {*_words(name)[-1:], name.casefold().removesuffix("s")} & METADATA
    ]
    src = [name for name in rest if LIKE_SOURCE & {name.casefold(), *_words(name)[:1]}]
    tgt = [name for name in rest if LIKE_TARGET & {name.casefold(), *_words(name)[:1]}]
    if src and tgt and src[0] != tgt[0]:
        yield Guess(src[0], tgt[0], "one name like a source's, one like a target's", 0.7)
    if len(rest) == 2 and len(tgt) == 1:
        yield Guess(
            next(name for name in rest if name != tgt[0]),
            tgt[0],
            "one of two columns named like a target",
            0.6,
        )
    if len(rest) == 2:
        yield Guess(rest[0], rest[1], "the only two columns of text", 0.5)


def _labeled(names: Sequence[str]) -> Iterator[Guess]:
    labels = [name for name in names if name.strip().casefold() in LABEL_NAMES]
    rest = [name for name in names if name not in labels and not is_metadata(name)]
    if len(labels) == len(rest) == 1:
        yield Guess(rest[0], labels[0], "a text and its label", 0.65)


def _directed(columns: Sequence[str], config: str, reason: str, score: float) -> Guess:
    words = _words(config)
    codes = {
        column: _language_in(column)
        or re.split(r"[-_]", column.rpartition(".")[2].strip().casefold())[0]
        for column in columns
    }
    order = list(columns)
    if sum(code in words for code in codes.values()) >= 2:
        order.sort(key=lambda each: (*words, codes[each]).index(codes[each]))
    src, tgt = order[:2]
    if tgt.strip().casefold() != src.strip().casefold():  # en-US and en-GB are one language
        tgt = next((each for each in order if codes[each] != codes[src]), tgt)
    if codes[src] in words and codes[tgt] in words:
        reason = f"{reason}, in the order of the configuration's name"
    return Guess(src, tgt, reason, score)


def _words(name: str) -> list[str]:
    """`"iwslt2017-de-en"` -> `["iwslt", "de", "en"]`."""
    return re.findall(r"[^\W\d_]+", name.casefold())

"""Pairs from files: .tsv, .csv and .jsonl tables, or two text files aligned line by line. UTF-8, lines end in LF or CRLF."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.config import UserError, knob, nearest
from s2s.data.corpus import Corpus, Options, Splits, one_line
from s2s.data.pair import Pair

HEADER = ("auto", "yes", "no")
ALLOWED = "give a .tsv, .csv or .jsonl file, or two text files as FILE.src,FILE.tgt"

# Names by which a first row is known to be a header; a data row that happens to hold two of them needs #header=no.
SRC_NAMES = frozenset({"src", "source", "input", "text", "question", "prompt", "document", "article", "dialogue", "command", "mr"})
TGT_NAMES = frozenset({"tgt", "trg", "target", "output", "answer", "response", "summary", "reference", "ref", "translation"})
CODES = frozenset(
    {"en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "fi", "pl", "cs", "ru", "uk", "el", "tr", "ar", "he", "hi", "zh", "ja", "ko"}
)
LANGUAGES = CODES | {"english", "german", "french", "spanish", "italian", "portuguese", "dutch", "russian", "chinese", "japanese"}


@dataclass(frozen=True)
class FileOptions(Options):
    """What may follow the `#` of a file."""

    src: str = knob("", help="Source column: a name from the first row, or a number from 1.")
    tgt: str = knob("", help="Target column: a name from the first row, or a number from 1.")
    header: str = knob("auto", help="Does row 1 hold the column names? auto looks for usual names.", choices=HEADER)


class Row(NamedTuple):
    """The fields of one row and the line, from 1, that it begins at."""

    line: int
    fields: list[str]


class Columns(NamedTuple):
    """Which columns are read, from 0, and whether row 1 is a header."""

    src: int
    tgt: int
    has_header: bool


class Reading(NamedTuple):
    """Texts as they stand in the file, and what is to be said about them."""

    texts: list[tuple[str, str]]
    notes: list[str]


def is_there(place: str) -> bool:
    """Whether a place names an existing file, or two with a comma between them."""
    return os.path.isfile(place) or two_files(place) is not None


def two_files(place: str) -> tuple[Path, Path] | None:
    """Cut at the first comma that has an existing file on each side."""
    for at, character in enumerate(place):
        if character == "," and os.path.isfile(place[:at]) and os.path.isfile(place[at + 1 :]):
            return Path(place[:at]), Path(place[at + 1 :])
    return None


def existing(place: str) -> Path:
    """The path of a file. Raises UserError where there is none."""
    if os.path.isdir(place):
        raise UserError(f"`{place}` is a folder; give a file in it.")
    if not os.path.isfile(place):
        raise UserError(f"There is no file `{place}`; check the name and the folder.")
    return Path(place)


def opened(place: str, options: FileOptions) -> Splits:
    """The one split of a file or of two aligned files; the content is read when it is asked for.

    Raises UserError for a missing file or an extension that cannot be read.
    """
    if not os.path.isfile(place) and "," in place and not os.path.isdir(place):
        src, tgt = _both_existing(place)
        return {"train": partial(_corpus, place, partial(_aligned, src, tgt, options))}
    path = existing(place)
    if path.suffix.lower() not in TABLES:
        raise UserError(f"`{place}` ends in `{path.suffix}`, which cannot be read; {ALLOWED}.")
    return {"train": partial(_corpus, place, partial(TABLES[path.suffix.lower()], path, options))}


def _both_existing(place: str) -> tuple[Path, Path]:
    if both := two_files(place):
        return both
    lost = next(part for part in place.split(",", 1) if not os.path.isfile(part))
    raise UserError(f"There is no file `{lost}`; two aligned files are given as FILE.src,FILE.tgt.")


def decode_text(content: bytes, name: str) -> str:
    r"""UTF-8 to text, without its byte order mark, every line end as `\n`.

    Raises UserError, which calls the content by that name, for a binary file or another encoding.
    """
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UserError(f"`{name}` is UTF-16, not UTF-8; save it as UTF-8 and try again.")
    if b"\0" in content:
        raise UserError(f"`{name}` is not text: it has a NUL byte at offset {content.index(0)}; export it as UTF-8 text and try again.")
    try:
        return content.decode().removeprefix("\ufeff").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{content[error.start]:02X} at offset {error.start} (line {line})"
        raise UserError(f"`{name}` is not UTF-8: {what}; save it as UTF-8 and try again.") from error


def decode_lines(content: bytes, name: str) -> list[str]:
    r"""The lines of a UTF-8 text, empty ones included; the last may lack its end, and no bytes are no lines.

    Only `\n` and `\r\n` end a line: U+2028, U+0085 and their like are part of the text. Raises as `decode_text` does.
    """
    text = decode_text(content, name)
    return text.removesuffix("\n").split("\n") if text else []


def read_text(path: Path) -> str:
    """`decode_text` of a file. Raises UserError also for one that cannot be opened."""
    return decode_text(_bytes(path), str(path))


def read_lines(path: Path) -> list[str]:
    """`decode_lines` of a file. Raises UserError also for one without any text, or that cannot be opened."""
    lines = decode_lines(_bytes(path), str(path))
    if not any(line.strip() for line in lines):
        raise UserError(f"`{path}` is empty; give a file with at least one pair.")
    return lines


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"`{path}` cannot be read ({error.strerror}); check its permissions.") from error


def read_aligned(src: str | Path, tgt: str | Path) -> tuple[list[str], list[str]]:
    """The lines of two files that translate each other, empty ones included. Raises UserError where the counts differ."""
    src_lines, tgt_lines = read_lines(existing(str(src))), read_lines(existing(str(tgt)))
    if len(src_lines) != len(tgt_lines):
        counts = f"`{src}` has {len(src_lines):,} lines and `{tgt}` has {len(tgt_lines):,}"
        raise UserError(f"{counts}, but line N of one must translate line N of the other; {_look_at(src_lines, tgt_lines)}.")
    return src_lines, tgt_lines


def _aligned(src: Path, tgt: Path, options: FileOptions) -> Reading:
    if options.src or options.tgt or options.header != "auto":
        raise UserError(f"`src`, `tgt` and `header` are for tables, and `{src},{tgt}` is none; leave them out after the `#`.")
    return Reading(list(zip(*read_aligned(src, tgt), strict=True)), [])


def _look_at(src: list[str], tgt: list[str]) -> str:
    """Where a line may have been lost: the first one that is empty on one side only, or five times as long as its partner."""
    for number, (one, other) in enumerate(zip(src, tgt, strict=False), start=1):
        short, long = sorted((len(one.strip()), len(other.strip())))
        if (short == 0) != (long == 0) or long > 5 * short + 20:
            return f"line {number:,} is the first that looks wrong, look there and above"
    return f"nothing looks wrong before line {min(len(src), len(tgt)) + 1:,}, where one file ends"


def _tsv(path: Path, options: FileOptions) -> Reading:
    """Fields between tabs, no quoting: a quotation mark is a character like any other."""
    rows = [Row(number, line.split("\t")) for number, line in enumerate(read_lines(path), start=1)]
    return _table(path, rows, options)


def _csv(path: Path, options: FileOptions) -> Reading:
    """Fields between commas; one that holds a comma, a quotation mark or a line break stands in quotation marks."""
    text = "\n".join(read_lines(path))
    reader, rows, line = csv.reader(io.StringIO(text, newline=""), strict=True), [], 1
    try:
        for fields in reader:
            rows.append(Row(line, fields))
            line = reader.line_num + 1
    except csv.Error as error:
        mend = "close every quotation mark and write one inside a quoted field twice"
        raise UserError(f"The row at line {line:,} of `{path}` is not CSV ({error}); {mend}.") from error
    return _table(path, rows, options)


def _jsonl(path: Path, options: FileOptions) -> Reading:
    """One JSON object a line; the two texts may stand one level down, in `translation`, as in many published sets."""
    lines = [(number, line) for number, line in enumerate(read_lines(path), start=1) if line.strip()]
    rows = [_object(path, number, line) for number, line in lines]
    names = list(rows[0])
    if len(names) < 2:
        raise UserError(f"Line {lines[0][0]} of `{path}` has fewer than two fields; write objects such as {EXAMPLE}.")
    src, tgt, _ = _columns(path, names, FileOptions(src=options.src, tgt=options.tgt, header="yes"))
    found = [(row.get(names[src]), row.get(names[tgt])) for row in rows]
    texts = [(one, other) for one, other in found if isinstance(one, str) and isinstance(other, str)]
    lost = [number for (number, _), pair in zip(lines, found, strict=True) if not all(isinstance(text, str) for text in pair)]
    notes = [f"`{names[src]}` is the source, `{names[tgt]}` the target."]
    return Reading(texts, notes + _dropped(lost, "without a text in both fields"))


EXAMPLE = '{"src": "...", "tgt": "..."}'


def _object(path: Path, number: int, line: str) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
        if "\\u" in line:
            json.dumps(row, ensure_ascii=False).encode()  # "\ud800" is JSON, but half a character
    except (ValueError, RecursionError) as error:
        raise UserError(f"Line {number:,} of `{path}` is not JSON ({error}); write one object a line, such as {EXAMPLE}.") from error
    if not isinstance(row, dict):
        raise UserError(f"Line {number:,} of `{path}` is JSON but no object; write one object a line, such as {EXAMPLE}.")
    inner = row.get("translation")
    return inner if isinstance(inner, dict) else row


TABLES: Mapping[str, Callable[[Path, FileOptions], Reading]] = MappingProxyType({".tsv": _tsv, ".csv": _csv, ".jsonl": _jsonl})


def _table(path: Path, rows: list[Row], options: FileOptions) -> Reading:
    """The two chosen columns. Rows with another number of fields than the first are dropped and counted."""
    rows = [row for row in rows if any(field.strip() for field in row.fields)]
    first, width = rows[0].fields, len(rows[0].fields)
    if width < 2:
        raise UserError(_one_column(path, first))
    src, tgt, has_header = _columns(path, first, options)
    body = rows[1:] if has_header else rows
    lost = [row.line for row in body if len(row.fields) != width]
    texts = [(row.fields[src], row.fields[tgt]) for row in body if len(row.fields) == width]
    return Reading(texts, [_said(first, src, tgt, has_header), *_dropped(lost, f"without exactly {width} fields, as row 1 has,")])


def _one_column(path: Path, first: list[str]) -> str:
    is_tsv = path.suffix.lower() == ".tsv"
    wanted = "a tab" if is_tsv else "a comma"
    others = {"a comma": ",", "a semicolon": ";", "a tab": "\t"}
    used = next((name for name, mark in others.items() if name != wanted and mark in "".join(first)), "")
    hint = f"; row 1 seems to use {used}" if used else ""
    return f"`{path}` has one column only: row 1 has no {wanted.removeprefix('a ')}{hint}; put {wanted} between source and target."


def _said(first: list[str], src: int, tgt: int, has_header: bool) -> str:
    if has_header:
        return f"Row 1 is a header: `{first[src].strip()}` is the source, `{first[tgt].strip()}` the target."
    return f"Row 1 is data, not a header: column {src + 1} is the source, column {tgt + 1} the target."


def _dropped(lines: list[int], why: str) -> list[str]:
    if not lines:
        return []
    return [f"{len(lines):,} {'row' if len(lines) == 1 else 'rows'} {why} dropped (the first at line {lines[0]:,})."]


def _columns(path: Path, first: list[str], options: FileOptions) -> Columns:
    """Those asked for, else those with a usual name, else the first two."""
    names = [cell.strip().casefold() for cell in first]
    has_header = options.header == "yes" or (options.header == "auto" and _is_header(names, options))
    known = names if has_header else [""] * len(names)
    src = _asked(path, first, options.src, options) if options.src else None
    tgt = _asked(path, first, options.tgt, options) if options.tgt else None
    if src is None:
        src = _usual(known, (SRC_NAMES, LANGUAGES), taken=tgt)
    if tgt is None:
        tgt = _usual(known, (TGT_NAMES, LANGUAGES), taken=src)
    if src == tgt:
        raise UserError(f"`#src={options.src},tgt={options.tgt}` is the same column twice; choose two of the {len(first)} in `{path}`.")
    return Columns(src, tgt, has_header)


def _is_header(names: list[str], options: FileOptions) -> bool:
    """Row 1 has a name that was asked for, or two different usual ones."""
    asked = {name.casefold() for name in (options.src, options.tgt) if name and not name.isdecimal()}
    return bool(asked & set(names)) or len(set(names) & (SRC_NAMES | TGT_NAMES | LANGUAGES)) >= 2


def _asked(path: Path, first: list[str], name: str, options: FileOptions) -> int:
    """The index of a column given by name or by number from 1; a number is never a name."""
    names = [cell.strip() for cell in first]
    if name.isdecimal() and 1 <= int(name) <= len(names):
        return int(name) - 1
    folded = [cell.casefold() for cell in names]
    if not name.isdecimal() and options.header != "no" and name.casefold() in folded:
        return names.index(name) if name in names else folded.index(name.casefold())
    close = ", ".join(f"`{cell[:40]}`" for cell in nearest(name, names) or names[:3])
    raise UserError(f"There is no column `{name}` in `{path}`; the nearest are {close}, or give a number from 1 to {len(names)}.")


def _usual(names: list[str], kinds: Iterable[frozenset[str]], *, taken: int | None) -> int:
    free = [index for index in range(len(names)) if index != taken]
    return next((index for kind in kinds for index in free if names[index] in kind), free[0])


def _corpus(place: str, read: Callable[[], Reading]) -> Corpus:
    """Reads, makes each text one line, and drops pairs with an empty side."""
    texts, notes = read()
    pairs = tuple(Pair(one_line(src), one_line(tgt)) for src, tgt in texts if src.strip() and tgt.strip())
    if not pairs:
        raise UserError(f"`{place}` has no pair with text on both sides; give at least one.")
    n_empty = len(texts) - len(pairs)
    if n_empty:
        notes = [*notes, f"{n_empty:,} {'pair' if n_empty == 1 else 'pairs'} with an empty side dropped."]
    return Corpus(place, "train", pairs, tuple(notes))

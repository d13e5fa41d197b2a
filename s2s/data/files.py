"""Pairs from a table, from two texts aligned line by line, or from pasted text; on disk or in memory. UTF-8, lines end in LF or CRLF."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from s2s.config import UserError
from s2s.data import tables
from s2s.data.corpus import Corpus, Splits, one_line
from s2s.data.pair import Pair
from s2s.data.tables import TABLES, FileOptions, Reading, Table

__all__ = [
    "FileOptions",
    "Table",
    "decode_lines",
    "decode_text",
    "existing",
    "first_rows",
    "from_bytes",
    "from_pasted",
    "is_there",
    "opened",
    "read_aligned",
    "read_text",
    "table",
    "two_files",
]

ALLOWED = "give a .tsv, .csv or .jsonl file, or two text files as FILE.src,FILE.tgt"
TABLE = "give one .tsv, .csv or .jsonl table"
PASTED = "pasted text"
DEFAULTS = FileOptions()

Content = tuple[str, bytes]  # a file: the name that errors call it by, and what is in it


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
        return {"train": partial(_from_disk, place, _both_existing(place), options)}
    path = existing(place)
    if tables.suffix(place) not in TABLES:
        raise UserError(f"`{place}` ends in `{path.suffix}`, which cannot be read; {ALLOWED}.")
    return {"train": partial(_from_disk, place, (path,), options)}


def _both_existing(place: str) -> tuple[Path, Path]:
    if both := two_files(place):
        return both
    lost = next(part for part in place.split(",", 1) if not os.path.isfile(part))
    raise UserError(f"There is no file `{lost}`; two aligned files are given as FILE.src,FILE.tgt.")


def _from_disk(place: str, paths: Sequence[Path], options: FileOptions) -> Corpus:
    return _corpus(place, _reading([(str(path), _bytes(path)) for path in paths], options))


def from_bytes(contents: Sequence[Content], options: FileOptions = DEFAULTS) -> Corpus:
    """The pairs of one table, or of two texts aligned line by line, source first; each content comes with its file name.

    Its spec is the names, joined with ` + `; `options.split` plays no part. Raises UserError, which knows the files by these names.
    """
    names = [name for name, _ in contents]
    _check_uploaded(names)
    return first_rows(_corpus(" + ".join(names), _reading(contents, options)), options.rows)


def _check_uploaded(names: Sequence[str]) -> None:
    n_tables = sum(tables.suffix(name) in TABLES for name in names)
    if len(names) == 2 and n_tables == 2:
        raise UserError(f"`{names[0]}` and `{names[1]}` are two tables, and one at a time is read; take one of them away.")
    if len(names) == 1 and n_tables == 0:
        raise UserError(f"`{names[0]}` alone is no parallel text; add the second file, aligned line by line, or {TABLE}.")
    if len(names) not in (1, 2):
        raise UserError(f"{len(names)} files were given; {TABLE}, or two text files that are aligned line by line.")


def table(name: str, content: bytes, options: FileOptions = DEFAULTS) -> Table:
    """The columns of a table, and which of them `from_bytes` reads with these options. Raises UserError as it does."""
    if tables.suffix(name) not in TABLES:
        raise UserError(f"`{name}` is no table; {TABLE}.")
    return tables.read(name, _lines(content, name), options)[0]


def from_pasted(text: str) -> Corpus:
    """The pairs of lines like `source ||| target`, or with a tab for the bars. Raises UserError where there is none."""
    lines = decode_lines(text.encode(errors="surrogatepass"), PASTED)
    cut = [(number, line.split("\t" if "\t" in line else "|||")) for number, line in enumerate(lines, start=1) if line.strip()]
    texts = [(parts[0].strip(), parts[1].strip()) for _, parts in cut if len(parts) == 2]
    if not any(src and tgt for src, tgt in texts):
        raise UserError("The pasted text has no pair; write one pair a line, as `source ||| target` or with a tab between the two.")
    lost = [number for number, parts in cut if len(parts) != 2]
    return _corpus(PASTED, Reading(texts, tables.dropped(lost, "line", "without exactly one tab or `|||`")))


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


def read_aligned(src: str | Path, tgt: str | Path) -> tuple[list[str], list[str]]:
    """The lines of two files that translate each other, empty ones included. Raises UserError where the counts differ."""
    return _aligned((str(src), _bytes(existing(str(src)))), (str(tgt), _bytes(existing(str(tgt)))))


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"`{path}` cannot be read ({error.strerror}); check its permissions.") from error


def _lines(content: bytes, name: str) -> list[str]:
    """`decode_lines` of a content with text in it."""
    lines = decode_lines(content, name)
    if not any(line.strip() for line in lines):
        raise UserError(f"`{name}` is empty; give a file with at least one pair.")
    return lines


def _reading(contents: Sequence[Content], options: FileOptions) -> Reading:
    """Of one table, or of two aligned texts."""
    if len(contents) == 1:
        name, content = contents[0]
        return tables.read(name, _lines(content, name), options)[1]
    src, tgt = contents
    if options.src or options.tgt or options.header != "auto":
        raise UserError(f"`src`, `tgt` and `header` are for tables, and `{src[0]},{tgt[0]}` is none; leave them out after the `#`.")
    return Reading(list(zip(*_aligned(src, tgt), strict=True)), [])


def _aligned(src: Content, tgt: Content) -> tuple[list[str], list[str]]:
    (src_name, src_content), (tgt_name, tgt_content) = src, tgt
    src_lines, tgt_lines = _lines(src_content, src_name), _lines(tgt_content, tgt_name)
    if len(src_lines) != len(tgt_lines):
        counts = f"`{src_name}` has {len(src_lines):,} lines and `{tgt_name}` has {len(tgt_lines):,}"
        raise UserError(f"{counts}, but line N of one must translate line N of the other; {_look_at(src_lines, tgt_lines)}.")
    return src_lines, tgt_lines


def _look_at(src: list[str], tgt: list[str]) -> str:
    """Where a line may have been lost: the first one that is empty on one side only, or five times as long as its partner."""
    for number, (one, other) in enumerate(zip(src, tgt, strict=False), start=1):
        short, long = sorted((len(one.strip()), len(other.strip())))
        if (short == 0) != (long == 0) or long > 5 * short + 20:
            return f"line {number:,} is the first that looks wrong, look there and above"
    return f"nothing looks wrong before line {min(len(src), len(tgt)) + 1:,}, where one file ends"


def _corpus(spec: str, reading: Reading) -> Corpus:
    """Makes each text one line, and drops pairs with an empty side."""
    texts, notes = reading.texts, reading.notes
    pairs = tuple(Pair(one_line(src), one_line(tgt)) for src, tgt in texts if src.strip() and tgt.strip())
    if not pairs:
        raise UserError(f"`{spec}` has no pair with text on both sides; give at least one.")
    n_empty = len(texts) - len(pairs)
    if n_empty:
        notes = [*notes, f"{n_empty:,} {'pair' if n_empty == 1 else 'pairs'} with an empty side dropped."]
    return Corpus(spec, "train", pairs, tuple(notes))


def first_rows(corpus: Corpus, rows: int | None) -> Corpus:
    """At most so many pairs, with a note where there are more; None keeps all."""
    if rows is None or rows >= len(corpus):
        return corpus
    note = f"The first {rows:,} of {len(corpus):,} pairs are used."
    return Corpus(corpus.spec, corpus.split, corpus.pairs[:rows], (*corpus.notes, note))

"""What a .zip holds: tables and aligned texts, by split. Its members are read where they stand; none is ever written under its name."""

from __future__ import annotations

import io
import re
import struct
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import IO, NamedTuple

from s2s.config import UserError, choose
from s2s.data.formats import streams
from s2s.data.formats.columns import LANGUAGES, LIKE_SOURCE, LIKE_TARGET, Column, guess, is_language
from s2s.data.formats.pairing import TABLES, suffix
from s2s.data.formats.streams import Content, Meter

MOST_MEMBERS = 1000
DIRECTORY = 1_000_000  # bytes of the list of members at most
END = b"PK\x05\x06"  # of that list: 22 bytes and a comment; the 20 bytes before it begin with PK\6\7 in a zip of 64 bits
ARCHIVES = frozenset({".zip", ".tar", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".zst"})
SPLITS: Mapping[str, str] = MappingProxyType(
    {
        "train": "train",
        "training": "train",
        "valid": "valid",
        "validation": "valid",
        "val": "valid",
        "dev": "valid",
        "test": "test",
    }
)
SIDES = LANGUAGES | LIKE_SOURCE | LIKE_TARGET | {"original", "simple", "corrected"}
ALLOWED = "put one table or two aligned texts in it, or such for each of train, valid and test"


class Member(NamedTuple):
    """A text in a zip: what tells it from its partner (`en`), what both share, and its content."""

    side: str
    shared: str
    content: Content


class Texts(NamedTuple):
    """Texts that are aligned line by line, the name of each, and which two are source and target as far as one can tell."""

    sides: tuple[str, ...]
    contents: tuple[Content, ...]
    src: str
    tgt: str
    reason: str

    def chosen(self, archive: str, src: str, tgt: str) -> tuple[Content, Content]:
        """The two of these names, without one those that were guessed. Raises UserError for a name that is not there."""
        by_name = dict(zip(self.sides, self.contents, strict=True))
        what = f"text in `{archive}`"
        src = src or (self.src if tgt != self.src else self.tgt)
        tgt = tgt or (self.tgt if src != self.tgt else self.src)
        if src == tgt:
            raise UserError(
                f"`#src={src},tgt={tgt}` is the same text twice; choose two of {', '.join(self.sides)}."
            )
        return choose(what, src, by_name), choose(what, tgt, by_name)


Part = Content | Texts  # a table or two aligned texts


def parts(archive: Content, meter: Meter) -> Mapping[str, Part]:
    """What is to be read, by split. Raises UserError for a broken, hostile or unclear archive; the meter notes what is left out."""
    infos = _infos(archive, meter)
    contents = [_content(archive, info) for info in infos]
    tables = [content for content in contents if suffix(content.file) in TABLES]
    texts = [member for content in contents if (member := _member(content))]
    found = _by_split(
        archive.name, [(content.file, content) for content in tables] or list(_groups(texts))
    )
    read = {
        content.file
        for part in found.values()
        for content in (part.contents if isinstance(part, Texts) else (part,))
    }
    left = [content.file for content in contents if content.file not in read]
    if left:
        more = f" and {len(left) - 3:,} more" if len(left) > 3 else ""
        meter.notes.append(
            f"Left out of `{archive.name}`: {', '.join(f'`{_shown(name)}`' for name in left[:3])}{more}."
        )
    return found


def _infos(archive: Content, meter: Meter) -> list[zipfile.ZipInfo]:
    raw = streams.opened(archive, meter)
    _check_end(archive.name, raw)
    try:
        infos = zipfile.ZipFile(raw).infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError) as error:
        raise UserError(
            f"`{archive.name}` is no whole .zip file ({streams.why(error)}); pack it again."
        ) from error
    infos = [info for info in infos if not info.is_dir() and not _is_hidden(info.filename)]
    for info in infos:
        if PurePosixPath(info.filename.lower()).suffix in ARCHIVES:
            raise UserError(
                f"`{archive.name}` holds `{_shown(info.filename)}`, an archive in an archive; unpack it first."
            )
        if info.flag_bits & 1:
            raise UserError(
                f"`{_shown(info.filename)}` in `{archive.name}` is encrypted; pack it again without a password."
            )
    return infos


def _check_end(name: str, raw: IO[bytes]) -> None:
    """The list of members may be larger than the memory: what it claims is looked at before it is read."""
    length = raw.seek(0, io.SEEK_END)
    raw.seek(max(0, length - 22 - 20 - 65_535))
    tail = raw.read()
    at = tail.rfind(END)
    if at < 0 or len(tail) < at + 22:
        raise UserError(f"`{name}` is no whole .zip file (its end is missing); pack it again.")
    n_members, n_bytes = struct.unpack_from("<HL", tail, at + 10)
    if (
        n_members > MOST_MEMBERS
        or n_bytes > DIRECTORY
        or tail[max(0, at - 20) :].startswith(b"PK\x06\x07")
    ):
        raise UserError(
            f"`{name}` has more than {MOST_MEMBERS:,} members or is a zip of 64 bits; {ALLOWED}."
        )
    raw.seek(0)


def _is_hidden(path: str) -> bool:
    return any(
        part.startswith((".", "__MACOSX"))
        for part in path.replace("\\", "/").split("/")
        if part not in (".", "..")
    )


def _shown(path: str) -> str:
    return "".join(letter if letter.isprintable() and letter != "`" else "?" for letter in path)[
        :80
    ]


def _content(archive: Content, info: zipfile.ZipInfo) -> Content:
    return Content(f"{_shown(info.filename)} in {archive.name}", info.filename, archive.open, info)


def _member(content: Content) -> Member | None:
    """`data/train.en.gz` -> `Member("en", "data/train.", ...)`; None for what is neither .txt nor named after a language or a side."""
    lower = content.file.removesuffix(".gz").removesuffix(".GZ")
    stem = lower.removesuffix(".txt")
    is_text = lower.endswith(".txt")
    at = next(
        (word for word in reversed(list(re.finditer(r"[^\W_]+", stem))) if _is_side(word[0])), None
    )
    if is_text or (at and at.end() == len(stem)):
        return (
            Member(at[0], stem[: at.start()] + stem[at.end() :], content)
            if at
            else Member("", stem, content)
        )
    return None


def _is_side(word: str) -> bool:
    return word.casefold() in SIDES or is_language(word)


def sides(names: Sequence[str]) -> list[str]:
    """What tells files from each other: `["train.en", "train.de.gz"]` -> `["en", "de"]`; a name without such a word as it is."""
    words = [
        [
            word
            for word in re.findall(r"[^\W_]+", name.removesuffix(".gz").removesuffix(".txt"))
            if _is_side(word)
        ]
        for name in names
    ]
    return [found[-1] if found else name for name, found in zip(names, words, strict=True)]


def _groups(texts: Sequence[Member]) -> Iterator[tuple[str, Texts]]:
    """Those that share all but one word of their path; two that are alone in the archive in any case."""
    groups: dict[str, dict[str, Member]] = {}
    for member in texts:
        groups.setdefault(member.shared, {})[member.side] = member
    several = {
        shared: list(members.values()) for shared, members in groups.items() if len(members) > 1
    }
    if not several and len(texts) == 2:
        several = {"": list(texts)}
    for shared, members in several.items():
        yield shared or members[0].content.file, _directed(members, shared)


def _directed(members: Sequence[Member], shared: str) -> Texts:
    sides = tuple(
        member.side or _shown(PurePosixPath(member.content.file).name) for member in members
    )
    guessed = next(
        (
            one
            for one in guess([Column(side, "text") for side in sides], shared)
            if one.src != one.tgt
        ),
        None,
    )
    src, tgt, reason = guessed[:3] if guessed else (*sides[:2], "the order in the archive")
    return Texts(sides, tuple(member.content for member in members), src, tgt, reason)


def _by_split(archive: str, found: Sequence[tuple[str, Part]]) -> Mapping[str, Part]:
    """By the word in the path that names a split; what has none is left out, but for one that is alone."""
    if not found:
        raise UserError(
            f"`{archive}` holds neither a table nor two texts that belong together; {ALLOWED}."
        )
    if len(found) == 1:
        return {"train": found[0][1]}
    named: dict[str, Part] = {}
    for path, part in found:
        words = re.findall(r"[^\W\d_]+", path.casefold())
        split = next((SPLITS[word] for word in reversed(words) if word in SPLITS), "")
        if split in named:
            raise UserError(
                f"`{archive}` holds several files that may be its {split} split, such as `{_shown(path)}`; {ALLOWED}."
            )
        if split:
            named[split] = part
    if not named:
        raise UserError(
            f"`{archive}` holds several files, none of which says its split, such as `{_shown(found[0][0])}`; {ALLOWED}."
        )
    return {split: named[split] for split in dict.fromkeys(SPLITS.values()) if split in named}

"""The tables and aligned texts in a .zip, by split.

Members are read in place; none is ever extracted under its name.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from s2s.config import UserError, choose, shortened
from s2s.data.formats import streams
from s2s.data.formats.column_names import LANGUAGES, LIKE_SOURCE, LIKE_TARGET
from s2s.data.formats.columns import Column, guess, is_language
from s2s.data.formats.shapes import SPLITS
from s2s.data.formats.streams import Content, ReadingBudget
from s2s.data.formats.table import is_table
from s2s.files import archives
from s2s.files.archives import printable

ARCHIVES = frozenset({".zip", ".tar", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".zst"})
SIDES = LANGUAGES | LIKE_SOURCE | LIKE_TARGET | {"original", "simple", "corrected"}
ALLOWED = "put in one table or two aligned texts, or one of these for each of train, valid and test"


def uneven(src: tuple[str, int], tgt: tuple[str, int], hint: str) -> UserError:
    """The error for two texts, each with its name and number of lines, that cannot be aligned."""
    counts = f"`{src[0]}` has {src[1]:,} lines and `{tgt[0]}` has {tgt[1]:,}"
    return UserError(f"{counts}, but line N of one must translate line N of the other; {hint}.")


class Member(NamedTuple):
    """A text in a .zip: its side (`en`), what its name shares with its partner's, and its content."""

    side: str
    shared: str
    content: Content


class AlignedTexts(NamedTuple):
    """Texts aligned line by line, with their names, and the two that are probably source and target."""

    sides: tuple[str, ...]
    contents: tuple[Content, ...]
    src: str
    tgt: str
    reason: str

    def chosen(self, archive: str, src: str, tgt: str) -> tuple[Content, Content]:
        """The texts with these names or numbers from 1, by default the guessed ones. Raises UserError for others."""
        by_name = dict(zip(self.sides, self.contents, strict=True))
        by_number = {str(number): side for number, side in enumerate(self.sides, start=1)}
        kind = f"text in `{archive}`"
        src, tgt = (one if one in by_name else by_number.get(one, one) for one in (src, tgt))
        src = src or (self.src if tgt != self.src else self.tgt)
        tgt = tgt or (self.tgt if src != self.tgt else self.src)
        if src == tgt:
            raise UserError(
                f"`#src={src},tgt={tgt}` is the same text twice; choose two of {shortened(', '.join(self.sides))}."
            )
        return choose(kind, src, by_name), choose(kind, tgt, by_name)


Part = Content | AlignedTexts  # a table, or aligned texts


def parts(archive: Content, budget: ReadingBudget) -> Mapping[str, Part]:
    """Tables or texts by split; notes files left out. Raises UserError for a damaged, hostile or ambiguous archive."""
    infos = _infos(archive, budget)
    contents = [_content(archive, info) for info in infos]
    tables = [content for content in contents if is_table(content.file)]
    texts = [member for content in contents if (member := _member(content))]
    found = _by_split(
        archive.name, [(content.file, content) for content in tables] or list(_groups(texts))
    )
    read = {
        content.file
        for part in found.values()
        for content in (part.contents if isinstance(part, AlignedTexts) else (part,))
    }
    skipped = [content.file for content in contents if content.file not in read]
    if skipped:
        more = f" and {len(skipped) - 3:,} more" if len(skipped) > 3 else ""
        names = ", ".join(f"`{printable(name)}`" for name in skipped[:3])
        budget.notes.append(f"Left out of `{archive.name}`: {names}{more}.")
    return found


def _infos(archive: Content, budget: ReadingBudget) -> list[zipfile.ZipInfo]:
    raw = streams.opened(archive, budget)
    infos = archives.opened(raw, archive.name, advice=ALLOWED).infolist()
    # A damaged archive may have a member without a name, on which `is_dir` fails.
    infos = [info for info in infos if info.filename and not info.is_dir()]
    infos = [info for info in infos if not _is_hidden(info.filename)]
    for info in infos:
        if PurePosixPath(info.filename.lower()).suffix in ARCHIVES:
            raise UserError(
                f"`{archive.name}` holds `{printable(info.filename)}`, an archive in an archive; extract it first."
            )
    return infos


def _is_hidden(path: str) -> bool:
    return any(
        part.startswith((".", "__MACOSX"))
        for part in path.replace("\\", "/").split("/")
        if part not in (".", "..")
    )


def _content(archive: Content, info: zipfile.ZipInfo) -> Content:
    return Content(
        f"{printable(info.filename)} in {archive.name}", info.filename, archive.open, info
    )


def _member(content: Content) -> Member | None:
    """A text in one language: `data/train.en.gz` -> `Member("en", "data/train.", ...)`; None for other files."""
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
    """The sides in file names: `["train.en", "train.de.gz"]` -> `["en", "de"]`; other names as they are."""
    words = [
        [
            word
            for word in re.findall(r"[^\W_]+", name.removesuffix(".gz").removesuffix(".txt"))
            if _is_side(word)
        ]
        for name in names
    ]
    return [found[-1] if found else name for name, found in zip(names, words, strict=True)]


def _groups(texts: Sequence[Member]) -> Iterator[tuple[str, AlignedTexts]]:
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


def _directed(members: Sequence[Member], shared: str) -> AlignedTexts:
    sides = tuple(
        member.side or printable(PurePosixPath(member.content.file).name) for member in members
    )
    if len(set(sides)) < len(sides):  # as for simple.en and complex.en
        sides = tuple(printable(member.content.file) for member in members)
    guessed = next(
        (
            one
            for one in guess([Column(side, "text") for side in sides], shared)
            if one.src != one.tgt
        ),
        None,
    )
    src, tgt, reason = guessed[:3] if guessed else (*sides[:2], "the order in the archive")
    return AlignedTexts(sides, tuple(member.content for member in members), src, tgt, reason)


def _by_split(archive: str, found: Sequence[tuple[str, Part]]) -> Mapping[str, Part]:
    """Assigns splits by a word in the path; a part without one is left out unless it is the only part."""
    if not found:
        raise UserError(f"`{archive}` has neither a table nor two matching texts; {ALLOWED}.")
    if len(found) == 1:
        return {"train": found[0][1]}
    named: dict[str, Part] = {}
    for path, part in found:
        words = re.findall(r"[^\W\d_]+", path.casefold())
        split = next((SPLITS[word] for word in reversed(words) if word in SPLITS), "")
        if split in named:
            raise UserError(
                f"`{archive}` has several files for the split {split}, such as `{printable(path)}`; {ALLOWED}."
            )
        if split:
            named[split] = part
    if not named:
        raise UserError(
            f"`{archive}` has several files, none of them named after a split, such as"
            f" `{printable(found[0][0])}`; {ALLOWED}."
        )
    return {split: named[split] for split in dict.fromkeys(SPLITS.values()) if split in named}

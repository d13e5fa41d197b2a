"""Which files of a data set belong to which configuration and split. Only paths are looked at, and only those that the hub listed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, NamedTuple

KINDS = ("parquet", "jsonl", "json", "csv", "tsv", "txt")  # the first that a split has is read
READABLE = re.compile(
    rf".*\.(?:(?P<plain>parquet)|(?P<packable>{'|'.join(KINDS[1:])})(?:\.gz)?)", re.I | re.S
)
KEYWORDS: Mapping[str, str] = MappingProxyType(
    {"train": "train", "training": "train"}
    | dict.fromkeys(("valid", "validation", "val", "dev"), "valid")
    | dict.fromkeys(("test", "testing", "eval", "evaluation"), "test")
)
NOT_DATA = frozenset(
    {
        "readme",
        "license",
        "licence",
        "notice",
        "requirements",
        "citation",
        "changelog",
        "dataset_info",
        "dataset_infos",
        "config",
        "state",
    }
)
MOST_CONFIGS = 2000
MOST_TRIED = 300_000  # paths held against patterns: two seconds
ONE = "default"


class File(NamedTuple):
    """A file of a data set; `size` in bytes, 0 where the hub doesn't say."""

    path: str
    size: int


@dataclass(frozen=True)
class Split:
    """The files of one split, in order; `rows` as its owner says."""

    files: tuple[File, ...]
    rows: int | None = None

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


Configs = Mapping[str, Mapping[str, Split]]


class Layout(NamedTuple):
    """Splits by configuration, the usual configuration first, and sentences on what was left out."""

    configs: Configs
    notes: tuple[str, ...]


def arrange(files: Sequence[File], card: Mapping[str, Any]) -> Layout:
    """As the head of its README says, else by the names of files and folders."""
    readable = [file for file in files if kind(file.path)]
    found = _declared(readable, card) or _by_name(readable)
    notes = _outside(card)
    configs: dict[str, Mapping[str, Split]] = {}
    for name, splits in list(found.items())[:MOST_CONFIGS]:
        rows = _rows(card, name)
        kept = {
            split: replace(_one_kind(inner), rows=rows.get(split))
            for split, inner in splits.items()
        }
        configs[_speakable(name, configs)] = MappingProxyType(
            {called: kept[split] for split, called in _called(kept).items()}
        )
    if len(found) > MOST_CONFIGS:
        notes = (
            *notes,
            f"It has {len(found):,} configurations; the first {MOST_CONFIGS:,} are offered.",
        )
    return Layout(MappingProxyType(configs), notes)


def kind(path: str) -> str:
    """`parquet`, `jsonl`, ...; empty for a file that isn't read."""
    found = READABLE.fullmatch(path)
    return (found["plain"] or found["packable"]).lower() if found else ""


def matches(pattern: str, path: str) -> bool:
    """Whether a path fits a pattern: `*` and `?` within a folder, `**` for any number of folders."""
    # how many parts of the path the pattern may have used up
    parts = path.split("/")
    reached = {0}
    for piece in pattern.removeprefix("./").split("/"):
        if piece == "**":
            reached = set(range(min(reached), len(parts) + 1)) if reached else reached
        else:
            reached = {
                at + 1 for at in reached if at < len(parts) and fnmatchcase(parts[at], piece)
            }
    return len(parts) in reached


def _declared(files: Sequence[File], card: Mapping[str, Any]) -> dict[str, dict[str, Split]]:
    """From `configs:` of the card; an entry without files of its own goes by the names in its folder."""
    found: dict[str, dict[str, Split]] = {}
    usual = ""
    tried = 0
    for entry in _maps(card.get("configs")):
        name = str(entry.get("config_name") or ONE)
        folder = str(entry.get("data_dir") or "").strip("/")
        inside = [file for file in files if not folder or file.path.startswith(f"{folder}/")]
        patterns = dict(_patterns(entry.get("data_files"), folder))
        tried += len(files) * max(1, sum(map(len, patterns.values())))
        if tried > MOST_TRIED:
            break
        splits = (
            {split: _fitting(files, globs) for split, globs in patterns.items()}
            if patterns
            else _splits(inside)
        )
        if splits := {split: inner for split, inner in splits.items() if inner.files}:
            found[name] = splits
            usual = name if entry.get("default") is True else usual
    first = usual or (ONE if ONE in found else "")
    return {first: found[first], **found} if first else found


def _patterns(given: Any, folder: str) -> Iterator[tuple[str, list[str]]]:
    """`data_files` may be a pattern, a list of them, splits with patterns, or a list of `{split, path}`."""
    listed = given if isinstance(given, list) else [] if given is None else [given]
    splits: dict[str, list[str]] = {}
    for item in listed:
        if isinstance(item, str):
            splits.setdefault("train", []).append(item)
        elif isinstance(item, Mapping) and "path" in item:
            splits.setdefault(str(item.get("split") or "train"), []).extend(_texts(item["path"]))
        elif isinstance(item, Mapping):
            for split, paths in item.items():
                splits.setdefault(str(split), []).extend(_texts(paths))
    for split, globs in splits.items():
        yield (
            split,
            [
                f"{folder}/{glob.removeprefix('./')}" if folder else glob
                for glob in globs
                if "://" not in glob
            ],
        )


def _fitting(files: Sequence[File], globs: Sequence[str]) -> Split:
    return Split(tuple(file for file in files if any(matches(glob, file.path) for glob in globs)))


def _by_name(files: Sequence[File]) -> dict[str, dict[str, Split]]:
    """A folder that is named after no split is a configuration; splits are told by words in names."""
    groups: dict[str, list[File]] = {}
    for file in files:
        folders = file.path.split("/")[:-1]
        name = PurePosixPath(file.path).name
        hidden = any(part.startswith((".", "__")) for part in (*folders, name))
        if not hidden and name.partition(".")[0].casefold() not in NOT_DATA:
            first = folders[0] if folders else "data"
            groups.setdefault(
                ONE if first.casefold() == "data" or _keyword(first) else first, []
            ).append(file)
    return {
        name: _splits(groups[name]) for name in sorted(groups, key=lambda name: (name != ONE, name))
    }


def _splits(files: Sequence[File]) -> dict[str, Split]:
    found: dict[str, list[File]] = {}
    for file in files:
        *folders, name = file.path.split("/")
        words = [name.partition(".")[0], *reversed(folders)]
        found.setdefault(next(filter(None, map(_keyword, words)), "train"), []).append(file)
    return {split: Split(tuple(inner)) for split, inner in found.items()}


def _keyword(name: str) -> str:
    """The split that a name speaks of, if any."""
    words = re.findall(r"[a-z]+", name.casefold())
    return next((KEYWORDS[word] for word in words if word in KEYWORDS), "")


def _one_kind(split: Split) -> Split:
    """Many sets give the same rows in several formats: only one of them is read."""
    best = min((kind(file.path) for file in split.files), key=KINDS.index)
    return Split(tuple(sorted(file for file in split.files if kind(file.path) == best)))


def _called(splits: Mapping[str, Split]) -> dict[str, str]:
    """The splits in their usual order, with the names that are usual here: `validation` and `dev` are `valid`."""
    called: dict[str, str] = {}
    for split in splits:
        name = (
            KEYWORDS.get(split.casefold(), split)
            if split.casefold() in ("validation", "val", "dev")
            else split
        )
        called[split] = _speakable(
            name if name not in (*splits, *called.values()) or name == split else split,
            called.values(),
        )
    usual = ("train", "valid", "test")
    return dict(
        sorted(
            called.items(),
            key=lambda item: usual.index(item[1]) if item[1] in usual else len(usual),
        )
    )


def _speakable(name: str, taken: Any) -> str:
    """A name that fits into a SPEC: without the characters that part it."""
    name = re.sub(r"[^\w.+ -]+", "_", name)[:100].strip() or ONE
    return (
        name
        if name not in taken
        else next(f"{name}_{n}" for n in range(2, MOST_CONFIGS + 2) if f"{name}_{n}" not in taken)
    )


def _rows(card: Mapping[str, Any], config: str) -> dict[str, int]:
    """How many rows each split has, where the card says."""
    given = card.get("dataset_info")
    for info in _maps(given if isinstance(given, list) else [given]):
        if str(info.get("config_name") or ONE) == config:
            counted = [
                (split.get("name"), split.get("num_examples"))
                for split in _maps(info.get("splits"))
            ]
            return {str(name): rows for name, rows in counted if isinstance(rows, int)}
    return {}


def _outside(card: Mapping[str, Any]) -> tuple[str, ...]:
    """Said where the README names files elsewhere, which are never fetched."""
    given = [str(entry.get("data_files")) for entry in _maps(card.get("configs"))]
    return (
        ("Its README names files outside the data set; these are not read.",)
        if any("://" in text for text in given)
        else ()
    )


def _maps(given: Any) -> list[Mapping[str, Any]]:
    return [item for item in given if isinstance(item, Mapping)] if isinstance(given, list) else []


def _texts(given: Any) -> list[str]:
    return (
        [given]
        if isinstance(given, str)
        else [item for item in given if isinstance(item, str)]
        if isinstance(given, list)
        else []
    )

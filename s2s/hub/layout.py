"""Which files of a dataset belong to which configuration and split. Uses only the paths that the Hub listed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Any, NamedTuple

KINDS = (
    "parquet",
    "jsonl",
    "json",
    "csv",
    "tsv",
    "txt",
)  # of several kinds in a split, the first is read
OTHER_KINDS = ("tmx", "zip", "arrow", "tar", "xml")  # only where a dataset has none of the above
READABLE = re.compile(
    rf".*\.(?:(?P<packable>{'|'.join(KINDS[1:])})(?P<packed>\.gz|\.zst)?"
    rf"|(?P<plain>parquet|{'|'.join(OTHER_KINDS)})|(?P<tar>tar\.gz|tgz))",
    re.I | re.S,
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
MAX_CONFIGS = 2000
MAX_MATCHES = 300_000  # paths compared with patterns: two seconds
DEFAULT_CONFIG = "default"
SPLIT_ORDER = ("train", "valid", "test")


class File(NamedTuple):
    """A file of a dataset; `size` in bytes, 0 if the Hub does not say."""

    path: str
    size: int


@dataclass(frozen=True)
class Split:
    """The files of one split, in order; `rows` according to the owner, `notes` on what is left out."""

    files: tuple[File, ...]
    rows: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


Configs = Mapping[str, Mapping[str, Split]]


class Layout(NamedTuple):
    """Splits by configuration, the default configuration first, and notes on what was left out."""

    configs: Configs
    notes: tuple[str, ...]


def arrange(files: Sequence[File], card: Mapping[str, Any], *, others: bool = False) -> Layout:
    """Arranges files by the metadata of the README, or else by the names of files and folders.

    With `others` also those of OTHER_KINDS and .zst files.
    """
    readable = [file for file in files if kind(file.path) and (others or _is_common(file.path))]
    declared = _declared(readable, card)
    found = declared or _by_name(readable)
    unread = () if declared else _unread_note(set(files) - set(readable))
    notes = (*_external_note(card), *unread)
    configs: dict[str, Mapping[str, Split]] = {}
    for name, splits in list(found.items())[:MAX_CONFIGS]:
        rows = _rows(card, name)
        kept = {
            split: replace(_one_kind(inner), rows=rows.get(split))
            for split, inner in splits.items()
        }
        configs[_spec_name(name, configs)] = MappingProxyType(
            {called: kept[split] for split, called in _renamed(kept).items()}
        )
    if len(found) > MAX_CONFIGS:
        notes = (
            *notes,
            f"It has {len(found):,} configurations; the first {MAX_CONFIGS:,} are offered.",
        )
    return Layout(MappingProxyType(configs), notes)


def kind(path: str) -> str:
    """The format of a file by its name: `parquet`, `jsonl`, ...; empty if it cannot be read."""
    found = READABLE.fullmatch(path)
    if not found:
        return ""
    return "tar" if found["tar"] else (found["plain"] or found["packable"]).lower()


def _is_common(path: str) -> bool:
    return kind(path) in KINDS and not path.lower().endswith(".zst")


def matches(pattern: str, path: str) -> bool:
    """Whether a path matches a pattern: `*` and `?` within a folder, `**` for any number of folders."""
    # The numbers of path components that the pattern so far may have matched.
    components = path.split("/")
    reached = {0}
    for glob in pattern.removeprefix("./").split("/"):
        if glob == "**":
            reached = set(range(min(reached), len(components) + 1)) if reached else reached
        else:
            reached = {
                at + 1
                for at in reached
                if at < len(components) and fnmatchcase(components[at], glob)
            }
    return len(components) in reached


def _declared(files: Sequence[File], card: Mapping[str, Any]) -> dict[str, dict[str, Split]]:
    found: dict[str, dict[str, Split]] = {}
    default = ""
    n_matches = 0
    for entry in _mappings(card.get("configs")):
        name = str(entry.get("config_name") or DEFAULT_CONFIG)
        folder = str(entry.get("data_dir") or "").strip("/")
        inside = [file for file in files if not folder or file.path.startswith(f"{folder}/")]
        patterns = dict(_patterns(entry.get("data_files"), folder))
        n_matches += len(files) * max(1, sum(map(len, patterns.values())))
        if n_matches > MAX_MATCHES:
            break
        splits = (
            {split: _fitting(files, globs) for split, globs in patterns.items()}
            if patterns
            else _splits(inside)
        )
        if splits := {split: inner for split, inner in splits.items() if inner.files}:
            found[name] = splits
            default = name if entry.get("default") is True else default
    first = default or (DEFAULT_CONFIG if DEFAULT_CONFIG in found else "")
    return {first: found[first], **found} if first else found


def _patterns(given: Any, folder: str) -> Iterator[tuple[str, list[str]]]:
    listed = given if isinstance(given, list) else [] if given is None else [given]
    splits: dict[str, list[str]] = {}
    for item in listed:
        if isinstance(item, str):
            splits.setdefault("train", []).append(item)
        elif isinstance(item, Mapping) and "path" in item:
            splits.setdefault(str(item.get("split") or "train"), []).extend(_strings(item["path"]))
        elif isinstance(item, Mapping):
            for split, paths in item.items():
                splits.setdefault(str(split), []).extend(_strings(paths))
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
    groups: dict[str, list[File]] = {}
    for file in files:
        folders = file.path.split("/")[:-1]
        if _is_data(file.path):
            first = folders[0] if folders else "data"
            groups.setdefault(
                DEFAULT_CONFIG if first.casefold() == "data" or _keyword(first) else first, []
            ).append(file)
    return {
        name: _splits(groups[name])
        for name in sorted(groups, key=lambda name: (name != DEFAULT_CONFIG, name))
    }


def _is_data(path: str) -> bool:
    parts = path.split("/")
    is_hidden = any(part.startswith((".", "__")) for part in parts)
    return not is_hidden and parts[-1].partition(".")[0].casefold() not in NOT_DATA


def _splits(files: Sequence[File]) -> dict[str, Split]:
    found: dict[str, list[File]] = {}
    for file in files:
        *folders, name = file.path.split("/")
        words = [name.partition(".")[0], *reversed(folders)]
        found.setdefault(next(filter(None, map(_keyword, words)), "train"), []).append(file)
    return {split: Split(tuple(inner)) for split, inner in found.items()}


def _keyword(name: str) -> str:
    words = re.findall(r"[a-z]+", name.casefold())
    return next((KEYWORDS[word] for word in words if word in KEYWORDS), "")


def _one_kind(split: Split) -> Split:
    kinds = {kind(file.path) for file in split.files}
    best, *others = sorted(kinds, key=[*KINDS, *OTHER_KINDS].index)
    files = tuple(sorted(file for file in split.files if kind(file.path) == best))
    left_out = ", ".join(f".{other}" for other in others)
    note = f"Of several formats of its files only .{best} is read, not {left_out}."
    return Split(files, notes=(note,) if others else ())


def _renamed(splits: Mapping[str, Split]) -> dict[str, str]:
    called: dict[str, str] = {}
    for split in splits:
        name = (
            KEYWORDS.get(split.casefold(), split)
            if split.casefold() in ("validation", "val", "dev")
            else split
        )
        called[split] = _spec_name(
            name if name not in (*splits, *called.values()) or name == split else split,
            called.values(),
        )
    return dict(
        sorted(
            called.items(),
            key=lambda item: (
                SPLIT_ORDER.index(item[1]) if item[1] in SPLIT_ORDER else len(SPLIT_ORDER)
            ),
        )
    )


def _spec_name(name: str, taken: Any) -> str:
    name = re.sub(r"[^\w.+ -]+", "_", name)[:100].strip() or DEFAULT_CONFIG
    return (
        name
        if name not in taken
        else next(f"{name}_{n}" for n in range(2, MAX_CONFIGS + 2) if f"{name}_{n}" not in taken)
    )


def _rows(card: Mapping[str, Any], config: str) -> dict[str, int]:
    given = card.get("dataset_info")
    for info in _mappings(given if isinstance(given, list) else [given]):
        if str(info.get("config_name") or DEFAULT_CONFIG) == config:
            counted = [
                (split.get("name"), split.get("num_examples"))
                for split in _mappings(info.get("splits"))
            ]
            return {str(name): rows for name, rows in counted if isinstance(rows, int)}
    return {}


def _external_note(card: Mapping[str, Any]) -> tuple[str, ...]:
    given = [str(entry.get("data_files")) for entry in _mappings(card.get("configs"))]
    return (
        ("Its README names files outside the dataset; these are not read.",)
        if any("://" in text for text in given)
        else ()
    )


def _unread_note(files: Set[File]) -> tuple[str, ...]:
    data = [file.path for file in files if kind(file.path) and _is_data(file.path)]
    endings = {".zst" if path.lower().endswith(".zst") else f".{kind(path)}" for path in data}
    listed = ", ".join(sorted(endings))
    return (
        (f"Its {listed} files are not read, because others have a better format.",) if data else ()
    )


def _mappings(given: Any) -> list[Mapping[str, Any]]:
    return [item for item in given if isinstance(item, Mapping)] if isinstance(given, list) else []


def _strings(given: Any) -> list[str]:
    return (
        [given]
        if isinstance(given, str)
        else [item for item in given if isinstance(item, str)]
        if isinstance(given, list)
        else []
    )

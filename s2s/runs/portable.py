"""What recipe.json and other records say where they leave this computer: files by their names, without folders."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, TypeVar

from s2s import settings
from s2s.config import UserError

T = TypeVar("T")

SAVED = re.compile(r"corpus:([\w-]+)")
NO_FILES = re.compile(r"(?:hub|builtin|synthetic|corpus):")
KIND = re.compile(r"(?:file|text|disk|pasted):")
TWO = re.compile(r",(?=/|[A-Za-z]:[\\/])")  # between the two files of a SPEC, which are absolute
HERE = "S2S_HOME"


def about_run(about: Mapping[str, Any]) -> dict[str, Any]:
    """The content of recipe.json, naming each dataset, run and checkpoint that is a file or folder by its name alone.

    The command that repeats the run names them so, too.
    """
    init_from, imported = about.get("init_from"), about.get("imported")
    folders = [
        str(part.get(key) or "")
        for part, key in ((init_from, "run"), (imported, "from"))
        if isinstance(part, Mapping)
    ]
    specs = [str(about.get(key) or "") for key in ("source", "valid")]
    paths = {path for spec in specs for path in _paths(spec)}
    paths |= {path for path in folders if _is_absolute(path)}
    return {key: without(value, paths) for key, value in about.items()}


def without(content: T, paths: set[str]) -> T:
    """The JSON with a short name for each of these paths, for this program's home and the user's.

    They are found where a path begins: the home `/data` is no part of the address `https://huggingface.co/data`.
    """
    names = {str(settings.home().resolve()): HERE, str(settings.home()): HERE}
    with contextlib.suppress(RuntimeError):  # a user without a home
        names[str(Path.home())] = "~"
    names = {place: name for place, name in names.items() if len(PureWindowsPath(place).parts) > 1}
    names |= {path: _name(path) for path in paths}
    longest_first = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    found = re.compile(rf"(?<![\w.~/\\])(?:{longest_first})(?![\w-]|\.\w)")
    replaced: T = _replaced(content, lambda text: found.sub(lambda match: names[match[0]], text))
    return replaced


def dataset_name(spec: str) -> str:
    """A dataset as people call it: the name of a saved one, the names of files; any other is called by its spec."""
    if saved := SAVED.match(spec):
        from s2s.data import saved_datasets  # heavy, and nothing for a process that decodes

        with contextlib.suppress(UserError):  # deleted, damaged or another's
            return str(saved_datasets.about(saved_datasets.folder_of(saved[1]))["name"]) or spec
    return without(spec, set(_paths(spec)))


def _paths(spec: str) -> Iterator[str]:
    """The absolute paths in a SPEC that names files or a folder."""
    address = spec.partition("#")[0]
    if address and not NO_FILES.match(address):
        yield from filter(_is_absolute, TWO.split(KIND.sub("", address, count=1)))


def _is_absolute(path: str) -> bool:
    return PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute()


def _name(path: str) -> str:
    pure = PureWindowsPath(path) if re.match(r"[A-Za-z]:|\\\\", path) else PurePosixPath(path)
    return pure.name or path


def _replaced(content: Any, replace: Callable[[str], str]) -> Any:
    if isinstance(content, str):
        return replace(content)
    if isinstance(content, Mapping):
        return {key: _replaced(value, replace) for key, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [_replaced(each, replace) for each in content]
    return content

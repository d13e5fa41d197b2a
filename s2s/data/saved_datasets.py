"""Datasets that visitors saved: S2S_HOME/corpora/HASH with train.src, train.tgt and, written last, about.json.

The file train.lines has line numbers, train.refs the further references of each pair as JSON, where it has any. A
dataset with its own validation pairs also has valid.src and valid.tgt. Its profile (profile.py) is in the same folder.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from s2s import settings
from s2s.config import UserError
from s2s.data.corpus import Corpus, Splits, write_split
from s2s.data.formats.table import one_line
from s2s.data.options import Options
from s2s.data.pair import Pair
from s2s.files import UNREADABLE, from_json, stored, write_json, write_text

FORMAT = 1
UPLOAD_FILE = "draft.json"
# The files of an upload that are kept when it is saved.
KEPT = re.compile(
    r"(train|valid)\.(src|tgt|align|lines|refs)|draft\.json|preview\.json|lint-\w+\.json"
)
DATASET_HASH = re.compile("[0-9a-f]{16}")
SAVED_SPEC = re.compile("corpus:([0-9a-f]{16})")
FIELDS = MappingProxyType(
    {"name": str, "owner": str, "created": str, "n_pairs": int, "data_hash": str, "notes": list}
)
UPLOAD_AGAIN = "choose another one, or upload the dataset again"
_opener: list[Callable[[str], Path]] = []  # at most one
_handed: ContextVar[Path | None] = ContextVar("handed", default=None)


@dataclass(frozen=True)
class SavedDataset:
    """One saved dataset; `created` is in UTC, to the second."""

    hash: str
    name: str
    n_pairs: int
    created: str

    @property
    def spec(self) -> str:
        """The SPEC that names it as the source of a run."""
        return f"corpus:{self.hash}"


def save(corpus: Corpus, *, name: str, owner: str, keeps_name: bool = False) -> str:
    """Saves texts, each on one line, and notes, but not gold and spec. Returns a hash specific to the owner.

    Saving the same dataset again changes the notes and, unless `keeps_name`, the name. Raises UserError if it cannot be
    written.
    """
    upload = settings.home() / "corpora" / f".{secrets.token_hex(8)}"
    try:
        with _writing(_checked(name)):
            write_upload(upload, corpus)
        return keep_upload(upload, name=name, owner=owner, keeps_name=keeps_name)
    finally:
        shutil.rmtree(upload, ignore_errors=True)


def write_upload(folder: Path, corpus: Corpus, valid: Corpus | None = None) -> None:
    """Writes an upload that `keep_upload` can save. Raises UserError if it cannot be written."""
    corpus = _lined(corpus, "train")
    content = {"n_pairs": len(corpus), "data_hash": corpus.hash, "notes": list(corpus.notes)}
    write_split(corpus, folder)
    _write_lines(corpus, folder)
    references = {"train": _write_references(corpus, folder)}
    if corpus.is_plain:
        content["is_plain"] = True
    if valid is not None:
        valid = _lined(valid, "valid")
        write_split(valid, folder)
        content["valid_hash"] = valid.hash
        references["valid"] = _write_references(valid, folder)
    if any(references.values()):
        content["references"] = {split: hash for split, hash in references.items() if hash}
    write_json(folder / UPLOAD_FILE, content)


def read_upload(folder: Path, split: str) -> Corpus | None:
    """The pairs of an upload; None if there is no upload, or no such split."""
    path = folder / UPLOAD_FILE
    if not path.is_file():
        return None
    content = json.loads(path.read_bytes())
    if not (folder / f"{split}.src").is_file():
        return None
    return Corpus(
        "this dataset",
        split,
        _read(folder, split),
        tuple(content["notes"]),
        bool(content.get("is_plain")),
    )


def _read(folder: Path, split: str) -> tuple[Pair, ...]:
    sides = [
        (folder / f"{split}.{side}").read_bytes().decode().split("\n")[:-1]
        for side in ("src", "tgt")
    ]
    lines = _lines(folder, split, len(sides[0]))
    more = _references(folder, split, len(sides[0]))
    return tuple(
        Pair(src, tgt, line=line, more=each)
        for src, tgt, line, each in zip(*sides, lines, more, strict=True)
    )


def _write_lines(corpus: Corpus, folder: Path) -> None:
    """Writes `S.lines`, the line of each pair in the file it was read from, where it has one."""
    if any(pair.line for pair in corpus.pairs):
        lines = "".join(f"{pair.line}\n" for pair in corpus.pairs)
        write_text(folder / f"{corpus.split}.lines", lines)


def _lines(folder: Path, split: str, n_pairs: int) -> Sequence[int]:
    path = folder / f"{split}.lines"
    numbers = path.read_text(encoding="utf-8").split("\n")[:-1] if path.is_file() else []
    is_whole = len(numbers) == n_pairs and all(map(str.isdecimal, numbers))
    return [int(number[:15]) for number in numbers] if is_whole else [0] * n_pairs


def _write_references(corpus: Corpus, folder: Path) -> str:
    """Writes `S.refs`, a JSON list per pair, where a pair has further references. Returns its hash, or ""."""
    if not any(pair.more for pair in corpus.pairs):
        return ""
    lines = "".join(f"{json.dumps(pair.more, ensure_ascii=False)}\n" for pair in corpus.pairs)
    write_text(folder / f"{corpus.split}.refs", lines)
    return _references_hash(folder, corpus.split)


def _references_hash(folder: Path, split: str) -> str:
    path = folder / f"{split}.refs"
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _references(folder: Path, split: str, n_pairs: int) -> Sequence[tuple[str, ...]]:
    path = folder / f"{split}.refs"
    if not path.is_file():
        return [()] * n_pairs
    found = [json.loads(line) for line in path.read_bytes().decode().split("\n")[:-1]]
    if len(found) != n_pairs:
        raise ValueError(f"{path.name} does not fit the pairs")
    return from_json(list[tuple[str, ...]], found)


def _lined(corpus: Corpus, split: str) -> Corpus:
    sides = ((one_line(pair.src), one_line(pair.tgt), pair) for pair in corpus.pairs)
    pairs = tuple(
        pair
        if (src, tgt) == (pair.src, pair.tgt)
        else Pair(src, tgt, line=pair.line, more=tuple(map(one_line, pair.more)))
        for src, tgt, pair in sides
    )
    return replace(corpus, split=split, pairs=pairs)


def keep_upload(upload: Path, *, name: str, owner: str, keeps_name: bool = False) -> str:
    """Saves an upload by moving its folder. Returns the hash of owner and texts; the same dataset is saved once.

    Raises UserError if the upload no longer exists, or if it cannot be written.
    """
    name = _checked(name)
    try:
        content = json.loads((upload / UPLOAD_FILE).read_bytes())
    except UNREADABLE as error:
        raise UserError(
            f"The upload of `{name}` no longer exists; upload the dataset again."
        ) from error
    parts = (owner, content["data_hash"], content.get("valid_hash"))
    identity = "\n".join(filter(None, (*parts, *content.get("references", {}).values())))
    hash = hashlib.sha256(identity.encode()).hexdigest()[:16]
    corpora = settings.home() / "corpora"
    # Another owner's was merged into an account.
    while (known := readable_about(corpora / hash)) and known["owner"] != owner:
        hash = hashlib.sha256(f"{hash}\n{identity}".encode()).hexdigest()[:16]
    if known is None:
        stored.require_room(owner, rows=content["n_pairs"])
    stored_as = {
        "format": FORMAT,
        "name": known["name"] if known and keeps_name else name,
        "owner": owner,
        "created": known["created"] if known else stored.now(),
        **content,
    }
    with _writing(name):
        for path in upload.iterdir():
            # the uploaded files, and results that depend on settings
            if not KEPT.fullmatch(path.name):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        write_json(upload / "about.json", stored_as)
        _move(upload, corpora / hash)
    return hash


def _move(upload: Path, folder: Path) -> None:
    """Replaces the folder, which may be damaged."""
    old = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        if folder.exists():
            os.replace(folder, old)
        os.replace(upload, folder)
        (folder / UPLOAD_FILE).unlink(missing_ok=True)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise UserError(f"The folder cannot be moved ({error.strerror or error}).") from error


def open_by(opener: Callable[[str], Path]) -> None:
    """Tells who finds the folder of a saved dataset by its hash: the library, which knows who may read it."""
    _opener[:] = [opener]


@contextmanager
def reading_only(folder: Path) -> Iterator[None]:
    """Reads no saved dataset but the one in this folder, which needs no other opener."""
    token = _handed.set(folder)
    try:
        yield
    finally:
        _handed.reset(token)


def folder_of(hash: str) -> Path:
    """The folder of a saved dataset. Raises UserError for an unknown hash, and for another's."""
    if (handed := _handed.get()) is not None:
        if handed.name != hash:
            raise unknown(hash)
        return handed
    if not _opener:
        importlib.import_module("s2s.library")  # which calls `open_by`
    return _opener[0](hash)


def name_of(spec: str) -> str:
    """The name of a saved dataset that this request may read; any other dataset's SPEC."""
    found = SAVED_SPEC.fullmatch(spec)
    try:
        return str(about(folder_of(found[1]))["name"]) if found else spec
    except UserError:
        return spec


def rename(folder: Path, name: str) -> None:
    """Renames a dataset. Raises UserError for an empty name."""
    changed = about(folder) | {"name": _checked(name)}
    with _writing(name):
        write_json(folder / "about.json", changed)


def delete(folder: Path) -> None:
    """Deletes a dataset; runs trained on it stay."""
    # Renamed first, so that nobody sees a half-deleted folder.
    gone = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    try:
        os.replace(folder, gone)
        shutil.rmtree(gone)
    except OSError as error:
        raise UserError(
            f"The saved dataset `{folder.name}` cannot be deleted ({error.strerror or error}); try again later."
        ) from error


def opened(hash: str, options: Options) -> Splits:
    """The splits of `corpus:HASH`, each read when it is called. Raises UserError as `folder_of`."""
    folder = folder_of(hash)
    content = about(folder)
    names = ("train", "valid") if "valid_hash" in content else ("train",)
    return {split: partial(_corpus, folder, split, content) for split in names}


def _corpus(folder: Path, split: str, about: dict[str, Any]) -> Corpus:
    hash = folder.name
    try:
        pairs = _read(folder, split)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error  # without the path, which is the server's
        raise UserError(
            f"The saved dataset `{hash}` cannot be read ({why}); {UPLOAD_AGAIN}."
        ) from error
    corpus = Corpus(
        f"corpus:{hash}", split, pairs, tuple(about["notes"]), bool(about.get("is_plain"))
    )
    stored = about["data_hash" if split == "train" else "valid_hash"]
    references = about["references"].get(split, "") if "references" in about else ""
    if (corpus.hash, _references_hash(folder, split)) != (stored, references):
        raise UserError(
            f"The saved dataset `{hash}` was changed after it was saved; {UPLOAD_AGAIN}."
        )
    return corpus


def stream(hash: str, split: str) -> tuple[bool, Iterator[Pair]]:
    """Whether a dataset is plain text, and the pairs of a split, read line by line and not checked for changes.

    Raises UserError as `folder_of`; the pairs raise it where the files cannot be read.
    """
    folder = folder_of(hash)
    return bool(about(folder).get("is_plain")), _streamed(folder, split)


def _streamed(folder: Path, split: str) -> Iterator[Pair]:
    src, tgt = (folder / f"{split}.{side}" for side in ("src", "tgt"))
    try:
        with (
            src.open(encoding="utf-8", newline="\n") as sources,
            tgt.open(encoding="utf-8", newline="\n") as targets,
        ):
            for source, target in zip(sources, targets, strict=True):
                yield Pair(source.rstrip("\n"), target.rstrip("\n"))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error  # without the path, which is the server's
        raise UserError(
            f"The saved dataset `{folder.name}` cannot be read ({why}); {UPLOAD_AGAIN}."
        ) from error


def unknown(hash: str) -> UserError:
    """The error for a dataset that does not exist, and for somebody else's."""
    return UserError(f"There is no saved dataset `{hash[:40]}` here; {UPLOAD_AGAIN}.")


def about(folder: Path) -> dict[str, Any]:
    """The content of about.json. Raises UserError if it is missing, damaged, or of a newer format."""
    path, hash = folder / "about.json", folder.name
    if not path.is_file():
        raise unknown(hash)
    try:
        about: dict[str, Any] = json.loads(path.read_bytes())
        form = int(about["format"])
        fields = {**FIELDS, "references": dict} if "references" in about else FIELDS
        if form <= FORMAT and not all(isinstance(about[key], kind) for key, kind in fields.items()):
            raise TypeError("a field of another kind")
    except UNREADABLE as error:
        raise UserError(
            f"The saved dataset `{hash}` is damaged: its about.json cannot be read; {UPLOAD_AGAIN}."
        ) from error
    if form > FORMAT:
        raise UserError(
            f"The saved dataset `{hash}` has format {form}, newer than the supported format {FORMAT}; update s2s."
        )
    return about


def readable_about(folder: Path) -> dict[str, Any] | None:
    """The content of about.json, or None if it cannot be read."""
    try:
        return about(folder)
    except UserError:
        return None


@contextmanager
def _writing(name: str) -> Iterator[None]:
    """Turns a failed write into an error that does not show the server's folders."""
    try:
        yield
    except UserError as error:
        why = getattr(error.__cause__, "strerror", None) or error
        raise UserError(
            f"`{name}` cannot be saved ({why}); delete a dataset that is no longer needed and try again."
        ) from error


def _checked(name: str) -> str:
    if not name.strip():
        raise UserError("The dataset has no name; give it one.")
    return one_line(name).strip()

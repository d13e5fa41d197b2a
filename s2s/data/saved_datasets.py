"""Texts that visitors brought, kept for later runs: S2S_HOME/corpora/DATASET_HASH with train.src, train.tgt and, written last, about.json.

A text with validation pairs of its own has valid.src and valid.tgt, too. What was found out about it lies beside it (s2s/data/study.py).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from s2s import settings
from s2s.config import UserError
from s2s.data.corpus import Corpus, Options, Splits, one_line, write_split
from s2s.data.pair import Pair
from s2s.files import write_json

FORMAT = 1
UPLOAD_FILE = "draft.json"
KEPT = re.compile(
    r"(train|valid)\.(src|tgt|align)|draft\.json|preview\.json|lint-\w+\.json"
)  # of a draft that is kept
DATASET_HASH = re.compile("[0-9a-f]{16}")
FIELDS = MappingProxyType(
    {"name": str, "owner": str, "created": str, "n_pairs": int, "data_hash": str, "notes": list}
)
BRING = "choose another one, or bring the text again"


@dataclass(frozen=True)
class SavedDataset:
    """One stored text; `created` is in UTC, to the second."""

    hash: str
    name: str
    n_pairs: int
    created: str

    @property
    def spec(self) -> str:
        """What a run takes as its source."""
        return f"corpus:{self.hash}"


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def save(corpus: Corpus, *, name: str, owner: str) -> str:
    """Keeps the texts, each as one line, and the notes; gold and spec are not kept. Returns the text's hash, of the owner's alone.

    Storing the same again changes the name and the notes. Raises UserError where nothing can be written.
    """
    draft = settings.home() / "corpora" / f".{secrets.token_hex(8)}"
    try:
        with _writing(_checked(name)):
            write_upload(draft, corpus)
        return keep_upload(draft, name=name, owner=owner)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def write_upload(folder: Path, corpus: Corpus, valid: Corpus | None = None) -> None:
    """The texts as a draft, in a folder that `keep_upload` takes in. Raises UserError where it cannot be written."""
    corpus = _lined(corpus, "train")
    content = {"n_pairs": len(corpus), "data_hash": corpus.hash, "notes": list(corpus.notes)}
    write_split(corpus, folder)
    if corpus.is_plain:
        content["is_plain"] = True
    if valid is not None:
        valid = _lined(valid, "valid")
        write_split(valid, folder)
        content["valid_hash"] = valid.hash
    write_json(folder / UPLOAD_FILE, content)


def read_upload(folder: Path, split: str) -> Corpus | None:
    """The pairs of a draft; None where there is none, or no such split."""
    path = folder / UPLOAD_FILE
    if not path.is_file():
        return None
    content = json.loads(path.read_bytes())
    if not (folder / f"{split}.src").is_file():
        return None
    return Corpus(
        "this text",
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
    return tuple(Pair(src, tgt) for src, tgt in zip(*sides, strict=True))


def _lined(corpus: Corpus, split: str) -> Corpus:
    sides = ((one_line(pair.src), one_line(pair.tgt), pair) for pair in corpus.pairs)
    pairs = tuple(
        pair if (src, tgt) == (pair.src, pair.tgt) else Pair(src, tgt) for src, tgt, pair in sides
    )
    return replace(corpus, split=split, pairs=pairs)


def keep_upload(draft: Path, *, name: str, owner: str) -> str:
    """Keeps a draft for good: its folder becomes the text's. Returns the hash, of owner and texts; the same text is kept once.

    Raises UserError where there is no draft (any more), or nothing can be written.
    """
    name = _checked(name)
    try:
        content = json.loads((draft / UPLOAD_FILE).read_bytes())
    except (OSError, ValueError) as error:
        raise UserError(
            f"The draft of `{name}` is not there (any more); bring the text again."
        ) from error
    said = "\n".join(filter(None, (owner, content["data_hash"], content.get("valid_hash"))))
    hash = hashlib.sha256(said.encode()).hexdigest()[:16]
    known = _whole(hash)
    about = {
        "format": FORMAT,
        "name": name,
        "owner": owner,
        "created": known["created"] if known else now(),
        **content,
    }
    with _writing(name):
        for path in draft.iterdir():
            if not KEPT.fullmatch(path.name):  # the files as they came, and what hangs on settings
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        write_json(draft / "about.json", about)
        _move(draft, _folder(hash))
    return hash


def _move(draft: Path, folder: Path) -> None:
    """In place of what is there, which may be broken."""
    old = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    try:
        (draft / UPLOAD_FILE).unlink()
        folder.parent.mkdir(parents=True, exist_ok=True)
        if folder.exists():
            os.replace(folder, old)
        os.replace(draft, folder)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise UserError(f"The folder cannot be moved ({error.strerror or error}).") from error


def listing(owner: str) -> list[SavedDataset]:
    """The owner's texts, newest first; a folder that is broken or unfinished is left out."""
    folders = (settings.home() / "corpora").glob("*/about.json")
    abouts = {path.parent.name: _whole(path.parent.name) for path in folders}
    own = [
        SavedDataset(hash, about["name"], about["n_pairs"], about["created"])
        for hash, about in sorted(abouts.items())
        if about and about["owner"] == owner
    ]
    return sorted(own, key=lambda row: row.created, reverse=True)


def rename(hash: str, owner: str, name: str) -> None:
    """Raises UserError for a text that is not the owner's, or an empty name."""
    about = _own(hash, owner) | {"name": _checked(name)}
    with _writing(name):
        write_json(_folder(hash) / "about.json", about)


def delete(hash: str, owner: str) -> None:
    """Removes a text for good; runs that were trained on it stay. Raises UserError for one that is not the owner's."""
    _own(hash, owner)
    gone = _folder(hash).with_name(
        f".{hash}.{secrets.token_hex(4)}"
    )  # nobody ever sees half a folder
    try:
        os.replace(_folder(hash), gone)
        shutil.rmtree(gone)
    except OSError as error:
        raise UserError(
            f"The stored text `{hash}` cannot be deleted ({error.strerror or error}); try again later."
        ) from error


def opened(place: str, options: Options) -> Splits:
    """The split, or the two, of `corpus:DATASET_HASH`, read when they are asked for. Raises UserError where there is none."""
    about = _about(place)
    names = ("train", "valid") if "valid_hash" in about else ("train",)
    return {split: partial(_corpus, place, split, about) for split in names}


def _corpus(hash: str, split: str, about: dict[str, Any]) -> Corpus:
    try:
        pairs = _read(_folder(hash), split)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error  # without the path, which is the server's
        raise UserError(f"The stored text `{hash}` cannot be read ({why}); {BRING}.") from error
    corpus = Corpus(
        f"corpus:{hash}", split, pairs, tuple(about["notes"]), bool(about.get("is_plain"))
    )
    if corpus.hash != about["data_hash" if split == "train" else "valid_hash"]:
        raise UserError(
            f"The stored text `{hash}` is not what was stored: its files were changed; {BRING}."
        )
    return corpus


def _folder(hash: str) -> Path:
    """Raises UserError for what is no hash: nothing else ever becomes a part of a path."""
    if not DATASET_HASH.fullmatch(hash):
        raise _unknown(hash)
    return settings.home() / "corpora" / hash


def _unknown(hash: str) -> UserError:
    return UserError(f"There is no stored text `{hash[:40]}` here (any more); {BRING}.")


def _about(hash: str) -> dict[str, Any]:
    """What about.json says. Raises UserError where there is none, or where it is broken or newer than this program."""
    path = _folder(hash) / "about.json"
    if not path.is_file():
        raise _unknown(hash)
    try:
        about: dict[str, Any] = json.loads(path.read_bytes())
        form = int(about["format"])
        if form <= FORMAT and not all(isinstance(about[key], kind) for key, kind in FIELDS.items()):
            raise TypeError("a field of another kind")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"The stored text `{hash}` is broken: its about.json cannot be read; {BRING}."
        ) from error
    if form > FORMAT:
        raise UserError(
            f"The stored text `{hash}` has format {form}, newer than the {FORMAT} known here; update this program."
        )
    return about


def _whole(hash: str) -> dict[str, Any] | None:
    """What about.json says, or None where it cannot be read."""
    try:
        return _about(hash)
    except UserError:
        return None


def _own(hash: str, owner: str) -> dict[str, Any]:
    about = _about(hash)
    if about["owner"] != owner:
        raise _unknown(hash)  # as if it weren't there: a stranger learns nothing
    return about


@contextmanager
def _writing(name: str) -> Iterator[None]:
    """A write that fails, in the words of a visitor, who knows nothing of the server's folders."""
    try:
        yield
    except UserError as error:
        why = getattr(error.__cause__, "strerror", None) or error
        raise UserError(
            f"`{name}` cannot be stored ({why}); delete a text that is not needed and try again."
        ) from error


def _checked(name: str) -> str:
    if not name.strip():
        raise UserError("The text has no name; give it one.")
    return one_line(name).strip()

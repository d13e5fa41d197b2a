"""A run as one zip, and back: the files of its folder, with a list of their sizes and SHA-256.

What comes back was made by somebody else: no file is written before its name and size are checked, and none becomes
part of a run before its hash and its content are (inspection.py).
"""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import shutil
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import IO, Any, NamedTuple

from s2s import files
from s2s.config import UserError
from s2s.files import UnwrittenError, archives, require_free, stored
from s2s.files.archives import Entry, printable
from s2s.runs import inspection, portable
from s2s.runs.json_shapes import parsed
from s2s.runs.listing import OPENING
from s2s.runs.store import RunFolder

FORMAT = 1
KIND = "run"  # in the manifest: other zips may have one, too
MANIFEST = "manifest.json"
MOST_FILES = 5000
MANIFEST_BYTES = 2_000_000
FOLDERS = ("checkpoints", "attention")
SOURCE = "give one that `Download the run` on Runs, or `python -m s2s export RUN --to run`, wrote"
CODE_FILES = frozenset(  # what other programs keep weights in: opening one may run its code
    {".bin", ".ckpt", ".joblib", ".npy", ".npz", ".pickle", ".pkl", ".pt", ".pth", ".py"}
)
DAMAGED = (*archives.DAMAGED, RuntimeError, zlib.error)
STEP = r"step-(?:[0-9]{8}|[1-9][0-9]{8,11})"


class Part(NamedTuple):
    """A group of a run's files: their names, and how many bytes one may have at most."""

    names: re.Pattern[str]
    most: int


PARTS = (
    Part(re.compile(r"recipe\.json|status\.json"), 4_000_000),
    Part(re.compile(r"(?:src\.|tgt\.)?tokenizer\.json"), 100_000_000),  # published ones too
    Part(re.compile(r"metrics\.jsonl|samples\.jsonl"), 200_000_000),
    Part(re.compile(r"words\.txt"), 2_000_000),
    Part(re.compile(r"pairs\.jsonl\.gz"), 500_000_000),
    Part(re.compile(rf"checkpoints/{STEP}(?:\.state)?\.safetensors"), 50_000_000_000),
    Part(re.compile(rf"attention/{STEP}\.safetensors"), 100_000_000),
)


@dataclass(frozen=True)
class RunZip:
    """An opened zip with the files of a run. Names, sizes and the manifest fit; nothing is unpacked yet."""

    name: str
    archive: zipfile.ZipFile
    entries: Mapping[str, Entry]

    @property
    def n_bytes(self) -> int:
        """The size of its files, unpacked."""
        return sum(entry.n_bytes for entry in self.entries.values())


def names(folder: RunFolder) -> list[str]:
    """The files of a run's folder that belong to the run; no links, and nothing that is being written."""
    found: dict[str, None] = {}  # in this order, each once
    for part in ("", *FOLDERS):
        for path in sorted((folder.path / part).glob("*")):
            name = path.relative_to(folder.path).as_posix()
            if _part(name) and path.is_file() and not path.is_symlink():
                found[name] = None
    return list(found)


def size(folder: RunFolder) -> int:
    """The bytes of the files of a run, as `names` lists them."""
    return sum(files.size(folder.path / name) for name in names(folder))


def write(folder: RunFolder, out: Path | IO[bytes]) -> None:
    """Writes the zip, also of a run in training: what it has written so far. Raises UserError for what is no run."""
    folder.about()
    entries: dict[str, Entry] = {}
    with zipfile.ZipFile(out, "w") as archive:
        for name in names(folder):
            with contextlib.suppress(FileNotFoundError):  # an old checkpoint was deleted meanwhile
                entries[name] = archives.add(archive, name, _content(folder, name))
        listed = {
            name: {"bytes": entry.n_bytes, "sha256": entry.sha256}
            for name, entry in entries.items()
        }
        manifest = {
            "format": FORMAT,
            "kind": KIND,
            "run": folder.id,
            "written": stored.now(),
            "files": listed,
        }
        archives.add(archive, MANIFEST, _json(manifest))


def _content(folder: RunFolder, name: str) -> bytes | Path:
    path = folder.path / name
    if name == "recipe.json":  # without its owner: who opens the zip will own that run
        about = portable.about_run(folder.about())
        return _json({key: value for key, value in about.items() if key != "owner"})
    if path.suffix == ".jsonl":
        lines, newline, _ = path.read_bytes().rpartition(b"\n")
        return lines + newline
    return path


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode(errors="replace")


def opened(raw: IO[bytes], name: str) -> RunZip:
    """A zip whose list of files is that of a run. Raises UserError, saying what is wrong with it."""
    name = printable(name)
    archive = archives.opened(raw, name, advice=SOURCE, most=MOST_FILES, has_zip64=True)
    infos = archive.infolist()
    if MANIFEST not in {info.filename for info in infos}:
        raise UserError(f"`{name}` holds no run: it has no {MANIFEST}; {SOURCE}.")
    by_name: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        if info.filename.removesuffix("/") in FOLDERS and info.is_dir():
            continue
        _check_member(name, info)
        if info.filename in by_name:
            raise UserError(f"`{name}` holds `{info.filename}` twice; {SOURCE}.")
        by_name[info.filename] = info
    if sum(info.compress_size for info in infos) > raw.seek(0, 2):
        raise UserError(f"`{name}` is damaged: its files overlap; {SOURCE}.")
    entries = _manifest(name, archive, by_name.pop(MANIFEST))
    if "recipe.json" not in by_name:
        raise UserError(f"`{name}` holds no run: it has no recipe.json; {SOURCE}.")
    sizes = {each: info.file_size for each, info in by_name.items()}
    listed = {each: entry.n_bytes for each, entry in entries.items()}
    if sizes != listed:
        other = min(each for each in sizes | listed if sizes.get(each) != listed.get(each))
        raise UserError(
            f"`{printable(other)}` in `{name}` is not the file that its {MANIFEST} lists; download the run again."
        )
    return RunZip(name, archive, MappingProxyType(entries))


def _part(name: str) -> Part | None:
    return next((part for part in PARTS if part.names.fullmatch(name)), None)


def _check_member(zip_name: str, info: zipfile.ZipInfo) -> None:
    name = info.filename
    shown = f"`{printable(info.orig_filename)}`"
    mode = stat.S_IFMT(info.external_attr >> 16)
    part = Part(re.compile(""), MANIFEST_BYTES) if name == MANIFEST else _part(name)
    if PurePosixPath(name.casefold()).suffix in CODE_FILES:
        raise UserError(
            f"`{zip_name}` holds {shown}, a kind of file that can run code when it is opened; weights are"
            " .safetensors files here."
        )
    if part is None or info.orig_filename != name:
        raise UserError(f"`{zip_name}` holds {shown}, which is no file of a run; {SOURCE}.")
    if mode not in (0, stat.S_IFREG):
        raise UserError(f"{shown} in `{zip_name}` is a link or a device, not a file; {SOURCE}.")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UserError(f"{shown} in `{zip_name}` is compressed as no file of a run is; {SOURCE}.")
    if info.file_size > part.most:
        raise UserError(
            f"{shown} in `{zip_name}` has {info.file_size:,} bytes, and such files have at most"
            f" {part.most:,}; {SOURCE}."
        )
    archives.check_ratio(f"{name} in {zip_name}", info.file_size, info.compress_size)


def _manifest(
    zip_name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo
) -> Mapping[str, Entry]:
    where = f"`{MANIFEST}` in `{zip_name}`"
    try:
        content = parsed(archive.read(info))
        form = content["format"]
        if isinstance(form, int) and form > FORMAT:
            raise UserError(
                f"{where} has format {form}, newer than the {FORMAT} known here; update this program."
            )
        if content["kind"] != KIND:
            raise KeyError("kind")
        entries = {
            str(name): Entry(_count(row["bytes"]), str(row["sha256"]))
            for name, row in content["files"].items()
        }
    except UserError:
        raise
    except (*DAMAGED, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{where} is not the list of a run's files; {SOURCE}.") from error
    return entries


def _count(value: Any) -> int:
    if not isinstance(value, int) or value < 0:
        raise TypeError("no number of bytes")
    return value


def unpack(run_zip: RunZip, path: Path, finish: Callable[[RunFolder], None]) -> RunFolder:
    """Writes the run into a new folder: all of it, or nothing. `finish` is called before the folder has its name.

    Raises UserError for damaged files, other content than a run has, a folder that holds something, and a full disk.
    """
    require_free(path)
    temporary = path.with_name(f"{OPENING}{secrets.token_hex(8)}")
    folder = RunFolder(temporary / (re.sub(r"\W+", "-", run_zip.name) or KIND))  # as errors call it
    try:
        with _temporary(folder.path):
            for name, entry in run_zip.entries.items():
                _copy(run_zip, name, entry, folder.path / name)
            inspection.inspect(folder, run_zip.name)
            finish(folder)
            if path.is_dir():
                path.rmdir()
            folder.path.rename(path)
    except OSError as error:
        raise UnwrittenError(
            f"`{run_zip.name}` cannot be unpacked ({error.strerror or error}); choose another folder or free some"
            " space. Nothing of it was kept."
        ) from error
    return RunFolder(path)


@contextlib.contextmanager
def _temporary(path: Path) -> Iterator[None]:
    """A new folder in a new one, which is gone afterwards."""
    try:
        path.mkdir(parents=True)
        yield
    finally:
        shutil.rmtree(path.parent, ignore_errors=True)


def _copy(run_zip: RunZip, name: str, entry: Entry, path: Path) -> None:
    """Writes one file. Raises UserError where it is damaged, or has another hash than the manifest says."""
    path.parent.mkdir(exist_ok=True)
    try:
        found = archives.copy_out(run_zip.archive, name, path)
    except OSError:
        raise
    except DAMAGED as error:
        raise UserError(
            f"`{name}` in `{run_zip.name}` is damaged ({archives.why(error)}); download the run again."
        ) from error
    if found != entry:
        raise UserError(
            f"`{name}` in `{run_zip.name}` has another SHA-256 than its {MANIFEST} says; download the run again."
        )

"""Where pairs come from: a SPEC such as `builtin:en-fr` or `pairs.tsv#src=en,tgt=de`, read into a Corpus."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.config import (
    Choice,
    Config,
    UserError,
    fields_of,
    json_or_text,
    override,
    shortened,
    unknown,
)
from s2s.data import builtin, disk_datasets, files, hub_datasets, saved_datasets, synthetic, text
from s2s.data.corpus import Corpus, Splits
from s2s.data.options import Options
from s2s.data.server_files import require_files

Open = Callable[[str, Any], Splits]  # a location and the options of the row's config -> its splits

SOURCES: Mapping[str, Choice[Open]] = MappingProxyType(
    {
        "builtin": Choice(builtin.opened, Options, "A dataset that ships with s2s."),
        "synthetic": Choice(synthetic.opened, Options, "Random digits to copy, reverse or sort."),
        "text": Choice(
            text.opened,
            text.TextOptions,
            "Plain text without targets: passages, lines or dialogues of a file.",
        ),
        "corpus": Choice(
            saved_datasets.opened,
            Options,
            "A dataset saved here, by its 16 hexadecimal digits.",
        ),
        "hub": Choice(
            hub_datasets.opened,
            hub_datasets.HubOptions,
            "A dataset on the Hugging Face Hub: OWNER/NAME, or OWNER/NAME:CONFIG.",
        ),
        "disk": Choice(
            disk_datasets.opened,
            disk_datasets.DiskOptions,
            "A folder that `save_to_disk` of `datasets` wrote, or a folder of .parquet, .arrow, .csv or .jsonl files.",
        ),
        "pasted": Choice(files.pasted, Options, "A file of lines like `source ||| target`."),
        "file": Choice(
            files.opened,
            files.FileOptions,
            f"A {files.FILE_KINDS} file, a .zip of these, or two files aligned line by line.",
        ),
    }
)

SAMPLED = frozenset(
    {"hub", "disk"}
)  # sources whose rows are drawn at random where nothing else is said
LOCAL_FILES = frozenset(
    {"file", "text", "pasted", "disk"}
)  # sources that name files of this computer


class Spec(NamedTuple):
    """A parsed SPEC; `options` is an instance of the source's config."""

    source: str
    location: str
    options: Any


def parse_spec(spec: str) -> Spec:
    """`"text:book.txt#length=80"` -> `Spec("text", "book.txt", TextOptions(length=80))`.

    Raises UserError for an unknown source, an unknown option or a value out of range.
    """
    address, given = _split_options(spec)
    prefix, colon, rest = address.partition(":")
    if re.search("[\x00\ud800-\udfff]", spec) and (prefix in LOCAL_FILES or not colon):
        raise UserError(f"There is no file {shortened(repr(address))}; give another.")
    if colon and prefix in SOURCES:
        row = builtin.BUILTINS.get(rest) if prefix == "builtin" else None
        return Spec(prefix, rest, _options((row or SOURCES[prefix]).config, given))
    # At least two letters: `hubb:a` is an unknown source, `C:\pairs.tsv` a file on Windows.
    if re.fullmatch(r"\w{2,}", prefix) and colon and not files.is_there(address):
        raise unknown("source", prefix, SOURCES)
    for name, shipped in (("builtin", builtin.BUILTINS), ("synthetic", synthetic.SYNTHETIC)):
        if address in shipped and not files.is_there(address):
            raise UserError(f"There is no file `{address}`; did you mean `{name}:{address}`?")
    return Spec("file", address, _options(files.FileOptions, given))


def absolute(spec: str) -> str:
    """The SPEC with absolute paths, and with the current revision of a Hub dataset: it means the same everywhere."""
    source, location, options = parse_spec(spec)
    if source == "hub":
        return hub_datasets.pinned(spec, location, options)
    if source not in LOCAL_FILES:
        return spec
    paths = files.two_files(location) or (Path(location),)
    address, given = _split_options(spec)
    named = ",".join(str(path.resolve()) for path in paths)
    prefix = f"{source}:" if address.startswith(f"{source}:") else ""
    return f"{prefix}{named}#{given}" if given else f"{prefix}{named}"


def splits(spec: str) -> tuple[str, ...]:
    """The names of a SPEC's splits; only the one given by `#split=`, if any."""
    return tuple(_opened(spec))


def is_for_tests(spec: str) -> bool:
    """Whether a dataset ships without the pairs that a model is trained on."""
    source, name, _ = parse_spec(spec)
    return source == "builtin" and name in builtin.ONLY_TESTS


def default_split(names: Iterable[str]) -> str:
    """The split that is trained on, of these."""
    first, *others = names
    return "train" if "train" in others else first


def load(spec: str, split: str | None = None) -> Corpus:
    """The pairs of a split, by default of `train` or of the first one. Raises UserError for an invalid SPEC."""
    splits_ = _opened(spec)
    name = split or default_split(splits_)
    corpus = _split(spec, name, splits_)()
    options = parse_spec(spec).options
    return dataclasses.replace(files.limited(corpus, options.rows, options.sample), spec=spec)


def with_sample(spec: str, seed: int) -> str:
    """The SPEC with a seeded random sample instead of the first rows, as `sampled`.

    A SPEC of all rows keeps them, since a sample reads only parts of a large split.
    """
    return spec if parse_spec(spec).options.rows is None else sampled(spec, seed)


def sampled(spec: str, seed: int) -> str:
    """The SPEC with `sample=SEED`, if its source is usually sampled and it has neither a sample nor a Hub revision."""
    source, _, options = parse_spec(spec)
    is_recorded = source == "hub" and bool(options.revision)
    if source not in SAMPLED or options.sample is not None or is_recorded:
        return spec
    return f"{spec}{',' if _split_options(spec)[1] else '#'}sample={seed}"


def require_readable(spec: str) -> None:
    """Raises UserError unless this request may read the SPEC: to be called for what is in a cache."""
    source, location, _ = parse_spec(spec)
    if source in LOCAL_FILES:
        require_files(source, may_be_upload=source != "disk")
    if source == "corpus":
        saved_datasets.folder_of(location)


def files_state(spec: str) -> tuple[tuple[int, int], ...]:
    """When the files that a SPEC names were changed, and their sizes; empty where it names none."""
    source, location, _ = parse_spec(spec)
    if source not in LOCAL_FILES:
        return ()
    paths = files.two_files(location) or (Path(location),)
    found = (path.stat() for path in paths if path.exists())
    return tuple((stat.st_mtime_ns, stat.st_size) for stat in found)


def _opened(spec: str) -> Splits:
    require_readable(spec)
    source, location, options = parse_spec(spec)
    splits_ = SOURCES[source].make(location, options)
    if not options.split:
        return splits_
    return {options.split: _split(location, options.split, splits_)}


def _split(name: str, split: str, splits_: Splits) -> Callable[[], Corpus]:
    if split in splits_:
        return splits_[split]
    what = str(unknown(f"split of `{shortened(name)}`", split, splits_)).removesuffix(".")
    raise UserError(f"{what}; it has {shortened(', '.join(splits_))}.")


def _split_options(spec: str) -> tuple[str, str]:
    """Splits a SPEC at its last `#`, unless that belongs to the name of an existing file."""
    address, mark, given = spec.rpartition("#")
    location = spec.removeprefix("text:").removeprefix("file:").removeprefix("pasted:")
    if not mark or files.is_there(location):
        return spec, ""
    return address, given


def _options(config: type[Config], given: str) -> Any:
    """`src=en,rows=20` -> the config; text settings take the value as it is, others as JSON."""
    texts = {setting.name for setting in fields_of(config) if isinstance(setting.default, str)}
    changes = {}
    for item in filter(None, given.split(",")):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not key or not value:
            raise UserError(
                f"`#{shortened(given)}` has no key and value in `{shortened(item)}`; write it"
                " like #src=en,tgt=de or #rows=20000."
            )
        changes[key] = value if key in texts else json_or_text(value)
    return override(config(), changes)

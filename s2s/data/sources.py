"""Where pairs come from: a SPEC such as `builtin:en-fr` or `pairs.tsv#src=en,tgt=de`, read into a Corpus."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.config import Choice, Config, UserError, choose, fields_of, override, unknown
from s2s.data import builtin, files, hub_datasets, saved_datasets, synthetic, text
from s2s.data.corpus import Corpus, Options, Splits

Open = Callable[[str, Any], Splits]  # a place and the options of the row's config -> its splits

SOURCES: Mapping[str, Choice[Open]] = MappingProxyType(
    {
        "builtin": Choice(builtin.opened, Options, "A text that ships with the program."),
        "synthetic": Choice(synthetic.opened, Options, "Random digits to copy, reverse or sort."),
        "text": Choice(
            text.opened,
            text.TextOptions,
            "Plain text without a partner: passages, lines or dialogues of a file.",
        ),
        "corpus": Choice(
            saved_datasets.opened,
            Options,
            "A text that was stored here, by its 16 hexadecimal digits.",
        ),
        "hub": Choice(
            hub_datasets.opened,
            hub_datasets.HubOptions,
            "A data set of the Hugging Face hub: OWNER/NAME, or OWNER/NAME:CONFIG.",
        ),
        "pasted": Choice(files.pasted, Options, "A file of lines like `source ||| target`."),
        "file": Choice(
            files.opened,
            files.FileOptions,
            f"A {files.FILE_KINDS} file, a .zip of such, or two files aligned line by line.",
        ),
    }
)


class Spec(NamedTuple):
    """A SPEC taken apart; `options` are of the source's own config."""

    source: str
    place: str
    options: Any


def parse_spec(spec: str) -> Spec:
    """`"text:book.txt#length=80"` -> `Spec("text", "book.txt", TextOptions(length=80))`.

    Raises UserError for an unknown source, an unknown option or a value out of range.
    """
    address, given = _cut_options(spec)
    prefix, colon, rest = address.partition(":")
    if colon and prefix in SOURCES:
        return Spec(prefix, rest, _options(SOURCES[prefix].config, given))
    # Two letters or more, then no slash: `hubb:a` is a source that isn't there, `C:\pairs.tsv` a file on Windows.
    if re.fullmatch(r"\w{2,}", prefix) and colon and not files.is_there(address):
        raise unknown("source", prefix, SOURCES)
    for name, shipped in (("builtin", builtin.BUILTINS), ("synthetic", synthetic.SYNTHETIC)):
        if address in shipped and not files.is_there(address):
            raise UserError(f"There is no file `{address}`; did you mean `{name}:{address}`?")
    return Spec("file", address, _options(files.FileOptions, given))


def absolute(spec: str) -> str:
    """The same SPEC, with files named from the root, and a data set of the hub with its revision: it means the same everywhere."""
    source, place, options = parse_spec(spec)
    if source == "hub":
        return hub_datasets.pinned(spec, place, options)
    if source not in ("file", "text", "pasted"):
        return spec
    paths = files.two_files(place) or (Path(place),)
    address, given = _cut_options(spec)
    named = ",".join(str(path.resolve()) for path in paths)
    prefix = f"{source}:" if address.startswith(f"{source}:") else ""
    return f"{prefix}{named}#{given}" if given else f"{prefix}{named}"


def splits(spec: str) -> tuple[str, ...]:
    """The names of a SPEC's splits; the one alone that `#split=` names."""
    return tuple(_opened(spec))


def load(spec: str, split: str | None = None) -> Corpus:
    """The pairs of a split; without one, of `train` or of the only one. Raises UserError for whatever the SPEC gets wrong."""
    parts = _opened(spec)
    name = split or ("train" if "train" in parts else next(iter(parts)))
    corpus = choose(f"split of `{spec}`", name, parts)()
    return dataclasses.replace(files.first_rows(corpus, parse_spec(spec).options.rows), spec=spec)


def _opened(spec: str) -> Splits:
    source, place, options = parse_spec(spec)
    parts = SOURCES[source].make(place, options)
    if not options.split:
        return parts
    return {options.split: choose(f"split of `{place}`", options.split, parts)}


def _cut_options(spec: str) -> tuple[str, str]:
    """A `#` that belongs to the name of an existing file is left alone."""
    address, mark, given = spec.rpartition("#")
    place = spec.removeprefix("text:").removeprefix("file:").removeprefix("pasted:")
    if not mark or files.is_there(place):
        return spec, ""
    return address, given


def _options(config: type[Config], given: str) -> Any:
    """`src=en,rows=20` -> the config; a setting that holds text takes what is written, the others JSON."""
    texts = {setting.name for setting in fields_of(config) if isinstance(setting.default, str)}
    changes = {}
    for item in filter(None, given.split(",")):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not key or not value:
            raise UserError(
                f"`#{given}` has no key and value in `{item}`; write it like #src=en,tgt=de or #rows=20000."
            )
        changes[key] = value if key in texts else _json(value)
    return override(config(), changes)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:  # no JSON, or a number of thousands of digits
        return text

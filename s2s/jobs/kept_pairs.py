"""The pairs of a run whose dataset is on the Hub, kept in its folder: resuming it downloads nothing."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from s2s.data import Corpus, Pair, TrainingPairs, parse_spec, sampled
from s2s.files import UNREADABLE, from_json, write_bytes
from s2s.runs import RunFolder

FILE = "pairs.jsonl.gz"
REMOTE = "hub:"


def keep(folder: RunFolder, pairs: TrainingPairs, about: Mapping[str, Any]) -> None:
    """Writes the pairs as the run uses them, where reading them again would download them."""
    if not (_is_remote(about["source"]) or _is_remote(about["valid"])):
        return
    first = json.dumps([len(pairs.train), pairs.note])
    lines = [first]
    for pair in (*pairs.train.pairs, *pairs.valid.pairs):
        texts = [pair.src, pair.tgt, *pair.more]
        lines.append(json.dumps(texts, ensure_ascii=False))
    content = "\n".join(lines).encode(errors="surrogatepass")
    write_bytes(folder.path / FILE, gzip.compress(content, mtime=0))


def kept(folder: RunFolder, about: Mapping[str, Any]) -> TrainingPairs | None:
    """The pairs of a run; None where none are kept, or not those that it was started with: they are read again."""
    try:
        known = about["data"]
        packed = (folder.path / FILE).read_bytes()
        content = gzip.decompress(packed).decode(errors="surrogatepass")
        (n_train, note), *rows = map(json.loads, content.split("\n"))
        train_pairs = tuple(_pairs(rows[:n_train]))
        valid_pairs = tuple(_pairs(rows[n_train:]))
        train = Corpus(about["source"], "train", train_pairs)
        valid = Corpus(about["source"], "valid", valid_pairs)
        has_same_train = train.hash == known["train_hash"]
        is_same = has_same_train and valid.hash == known["valid_hash"]
    except (*UNREADABLE, EOFError, zlib.error):
        return None
    return TrainingPairs(train, valid, note) if is_same else None


def moved(given: str | None, recorded: str | None, seed: int) -> Any:
    """The SPEC to read: `given` where the dataset has moved, sampled if the recorded one was, else the recorded one."""
    if not given:
        return recorded
    is_sampled = bool(recorded) and parse_spec(str(recorded))[2].sample is not None
    return sampled(given, seed) if is_sampled else given


def _is_remote(source: object) -> bool:
    return str(source or "").startswith(REMOTE)


def _pairs(rows: list[Any]) -> Iterator[Pair]:
    for src, tgt, *more in from_json(list[list[str]], rows):
        yield Pair(src, tgt, more=tuple(more))

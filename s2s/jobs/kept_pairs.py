"""The pairs of a run whose dataset is on the Hub, kept in its folder: resuming it downloads nothing."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from typing import Any

from s2s.data import Corpus, Pair, TrainingPairs
from s2s.files import UNREADABLE, write_bytes
from s2s.runs import RunFolder

FILE = "pairs.jsonl.gz"
REMOTE = "hub:"


def keep(folder: RunFolder, pairs: TrainingPairs, about: Mapping[str, Any]) -> None:
    """Writes the pairs as the run uses them, where reading them again would download them."""
    if not any(str(about[key] or "").startswith(REMOTE) for key in ("source", "valid")):
        return
    rows = [
        json.dumps([pair.src, pair.tgt, *pair.more], ensure_ascii=False)
        for corpus in (pairs.train, pairs.valid)
        for pair in corpus.pairs
    ]
    content = "\n".join([json.dumps([len(pairs.train), pairs.note]), *rows]).encode(
        errors="surrogatepass"
    )
    write_bytes(folder.path / FILE, gzip.compress(content, mtime=0))


def kept(folder: RunFolder, about: Mapping[str, Any]) -> TrainingPairs | None:
    """The pairs of a run; None where none are kept, or not those that it was started with: they are read again."""
    try:
        known = about["data"]
        lines = gzip.decompress((folder.path / FILE).read_bytes()).decode(errors="surrogatepass")
        (n_train, note), *rows = map(json.loads, lines.split("\n"))
        train = Corpus(about["source"], "train", tuple(_pairs(rows[:n_train])))
        valid = Corpus(about["source"], "valid", tuple(_pairs(rows[n_train:])))
        is_same = (train.hash, valid.hash) == (known["train_hash"], known["valid_hash"])
    except (*UNREADABLE, EOFError):
        return None
    return TrainingPairs(train, valid, note) if is_same else None


def _pairs(rows: list[Any]) -> Iterator[Pair]:
    for texts in rows:
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("a text is none")
        src, tgt, *more = texts
        yield Pair(src, tgt, more=tuple(more))

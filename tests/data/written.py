"""Pairs written in every format that is read; for tests."""

import csv
import gzip
import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from xml.sax.saxutils import escape

import pyarrow as pa
import pyarrow.parquet as pq

from s2s.data import Pair

Pairs = Sequence[Pair]


def tsv(pairs: Pairs) -> bytes:
    return "".join(
        f"{src}\t{tgt}\n"
        for src, tgt in [("src", "tgt"), *((pair.src, pair.tgt) for pair in pairs)]
    ).encode()


def csv_(pairs: Pairs, delimiter: str = ",") -> bytes:
    written = io.StringIO()
    csv.writer(written, delimiter=delimiter).writerows(
        [("src", "tgt"), *((pair.src, pair.tgt) for pair in pairs)]
    )
    return written.getvalue().encode()


def jsonl(pairs: Pairs) -> bytes:
    return "".join(json.dumps({"src": pair.src, "tgt": pair.tgt}) + "\n" for pair in pairs).encode()


def nested(pairs: Pairs) -> bytes:
    rows = [
        {"id": at, "translation": {"en": pair.src, "de": pair.tgt}} for at, pair in enumerate(pairs)
    ]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def json_(pairs: Pairs) -> bytes:
    return json.dumps([{"src": pair.src, "tgt": pair.tgt} for pair in pairs], indent=1).encode()


def parquet(pairs: Pairs) -> bytes:
    return table(
        {
            "id": list(range(len(pairs))),
            "src": [pair.src for pair in pairs],
            "tgt": [pair.tgt for pair in pairs],
        }
    )


def translation(pairs: Pairs) -> bytes:
    return table({"translation": [{"en": pair.src, "de": pair.tgt} for pair in pairs]})


def table(columns: Mapping[str, Sequence[object]]) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(dict(columns)), sink)
    return sink.getvalue()


def tmx(pairs: Pairs) -> bytes:
    units = "".join(
        f'<tu><tuv xml:lang="en"><seg>{escape(pair.src)}</seg></tuv>'
        f'<tuv xml:lang="de"><seg>{escape(pair.tgt)}</seg></tuv></tu>\n'
        for pair in pairs
    )
    head = '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE tmx SYSTEM "tmx14.dtd"><tmx version="1.4"><header/><body>'
    return f"{head}\n{units}</body></tmx>".encode()


def side(texts: Sequence[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


def zipped(members: Mapping[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return whole.getvalue()


def moses(pairs: Pairs) -> bytes:
    return zipped(
        {
            "data/train.en": side([pair.src for pair in pairs]),
            "data/train.de.gz": gzip.compress(side([p.tgt for p in pairs]), mtime=0),
        }
    )


def packed(write: Callable[[Pairs], bytes]) -> Callable[[Pairs], bytes]:
    return lambda pairs: gzip.compress(write(pairs), mtime=0)


PLAIN: Mapping[str, Callable[[Pairs], bytes]] = MappingProxyType(
    {
        "a.tsv": tsv,
        "a.csv": csv_,
        "semicolons.csv": lambda pairs: csv_(pairs, ";"),
        "tabs.csv": lambda pairs: csv_(pairs, "\t"),
        "bars.csv": lambda pairs: csv_(pairs, "|"),
        "a.jsonl": jsonl,
        "nested.jsonl": nested,
        "a.json": json_,
        "lines.json": jsonl,
        "a.parquet": parquet,
        "translation.parquet": translation,
        "a.tmx": tmx,
    }
)
ZIPS: Mapping[str, Callable[[Pairs], bytes]] = MappingProxyType(
    {
        "moses.zip": moses,
        "tsv.zip": lambda pairs: zipped({"a.tsv": tsv(pairs), "README.md": b"#"}),
        "parquet.zip": lambda pairs: zipped({"a.parquet": parquet(pairs)}),
    }
)
WRITERS = MappingProxyType(
    {**PLAIN, **ZIPS, **{f"{name}.gz": packed(write) for name, write in PLAIN.items()}}
)

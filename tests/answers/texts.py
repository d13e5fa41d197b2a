"""Texts before a model: datasets and their splits, files of every format, cleaning, tasks, tokenizers."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from s2s.config import DataConfig, TokenizerConfig, override
from s2s.data import (
    BUILTINS,
    TASKS,
    Corpus,
    Preview,
    Statistics,
    apply_task,
    as_corpus,
    as_references,
    batches,
    clean,
    find_misalignment,
    find_overlap,
    from_bytes,
    from_pasted,
    lint_pairs,
    load,
    load_pairs_for_training,
    split_sentences,
    splits,
)
from s2s.tokenizers import TOKENIZERS, compare

SAMPLES = Path(__file__).parents[1] / "samples"
ROWS = (
    ("The cat sleeps.", "Die Katze schläft."),
    ("Where is the station?", "Wo ist der Bahnhof?"),
    ('He said "no", twice.', "Er sagte zweimal „nein“."),
    ("Good morning!", "Guten Morgen!"),
)
MESSY = (
    *ROWS,
    *ROWS[:1],
    ("same", "same"),
    ("", "leer"),
    ("caf&eacute; and&nbsp;tea", "Kaffee  und Tee"),
    ("I have 3 cats", "Ich habe 4 Katzen"),
    ("a <b>bold</b> word", "ein fettes Wort"),
    ("one two three four five six seven eight nine ten", "eins"),
    ("hello", "привет"),
    ("open (bracket", "offene Klammer"),
)
TMX = (
    "<tmx version='1.4'><body><tu><tuv xml:lang='en'><seg>{}</seg></tuv>"
    "<tuv xml:lang='de'><seg>{}</seg></tuv></tu></body></tmx>"
)


def _about(corpus: Corpus, n: int = 3) -> list[Any]:
    """Everything that reading gives, its pairs as a hash and the first ones."""
    gold = [pair.gold for pair in corpus.pairs[:1]]
    first = [[pair.src, pair.tgt, *pair.more] for pair in corpus.pairs[:n]]
    return [corpus.split, len(corpus), corpus.hash, first, gold, corpus.notes, corpus.dropped]


def datasets() -> dict[str, Any]:
    """Every split of the built-in datasets, and what a training holds out of some."""
    answers = {}
    for name in BUILTINS:
        spec = f"builtin:{name}"
        answers[name] = [_about(load(spec, split), 1) for split in splits(spec)]
    answers["synthetic"] = [
        _about(load(f"synthetic:{task}", "valid")) for task in ("copy", "reverse", "sort")
    ]
    for spec in ("builtin:plain-text", "builtin:en-fr", "synthetic:sort#rows=300"):
        pairs = load_pairs_for_training(spec, None, 3)
        answers[f"held out of {spec}"] = [_about(pairs.train, 1), _about(pairs.valid, 1)]
    return answers


def _table(dialect: str) -> bytes:
    out = io.StringIO()
    csv.writer(out, dialect).writerows([("en", "de"), *ROWS])
    return out.getvalue().encode()


def _zipped(name: str, content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(name, content)
    return out.getvalue()


def formats() -> dict[str, Any]:
    """The same few pairs in many formats, and files as they are found in the world."""
    rows = [{"translation": {"en": src, "de": tgt}} for src, tgt in ROWS]
    src, tgt = ("\n".join(side).encode() for side in zip(*ROWS, strict=True))
    parquet = io.BytesIO()
    pd.DataFrame(ROWS, columns=["en", "de"]).to_parquet(parquet)
    files: dict[str, list[tuple[str, bytes]]] = {
        "csv": [("pairs.csv", _table("excel"))],
        "tsv": [("pairs.tsv", "\n".join("\t".join(row) for row in ROWS).encode("utf-16"))],
        "jsonl": [("pairs.jsonl", "\n".join(map(json.dumps, rows)).encode())],
        "json": [("pairs.json", json.dumps({"data": rows}).encode())],
        "tmx": [("pairs.tmx", TMX.format(*ROWS[0]).encode())],
        "parquet": [("pairs.parquet", parquet.getvalue())],
        "zip": [("pairs.zip", _zipped("pairs.csv", _table("excel")))],
        "two texts": [("pairs.en", src), ("pairs.de", tgt)],
    }
    answers = {name: _about(from_bytes(contents)) for name, contents in files.items()}
    answers["pasted"] = _about(from_pasted("\n".join(" ||| ".join(row) for row in ROWS)))
    for name in ("forms.tsv", "restaurants.csv"):
        answers[name] = _about(from_bytes([(name, (SAMPLES / name).read_bytes())]))
    captions = [(name, (SAMPLES / name).read_bytes()) for name in ("captions.en", "captions.de")]
    answers["captions"] = _about(from_bytes(captions))
    frame = pd.DataFrame(ROWS, columns=["source", "target"])
    answers["data frame"] = _about(as_corpus(frame, ("source", "target")))
    several = [{"source": "hi", "references": ["hallo", "guten Tag"]}, {"source": "a", "ref1": "b"}]
    answers["references"] = as_references(several[:1])
    return answers


def cleaning() -> dict[str, Any]:
    """What the rules find and drop, and what a profile says."""
    corpus = as_corpus(list(MESSY))
    strict = override(
        DataConfig(),
        {
            "clean.repair": True,
            "clean.duplicates": True,
            "clean.copies": True,
            "clean.max_words": 8,
            "clean.max_ratio": 3.0,
            "clean.script": True,
        },
    ).clean
    random = load("builtin:en-fr", "random")
    valid = load("builtin:en-fr", "valid")
    shifted = [pair.tgt for pair in random.pairs]
    src = [pair.src for pair in random.pairs]
    return {
        "found": lint_pairs(corpus.pairs),
        "cleaned": _about(clean(corpus, strict), 20),
        "preview": Preview.of(valid),
        "statistics": Statistics.of(valid),
        "overlap": find_overlap(src[:50], [pair.src for pair in valid.pairs]),
        "misalignment": find_misalignment(
            src, [*shifted[:300], "une ligne de trop", *shifted[300:]]
        ),
        "sentences": split_sentences("Dr. Smith came. He left at 5 p.m. Did he? Yes!"),
    }


def tasks() -> dict[str, Any]:
    """Every task on the same pairs or texts."""
    corpus = replace(load("builtin:en-fr", "banks"), pairs=load("builtin:en-fr", "banks").pairs[:8])
    chats = as_corpus([("Hi <turn> How are you?", "Fine <turn> And you?")])
    answers = {}
    for name in TASKS:
        given = chats if name == "respond" else corpus
        config = override(DataConfig(), {"task": name, "prefix": "x: " if name == "prefix" else ""})
        answers[name] = _about(apply_task(given, config, 1))
    return answers


def tokens() -> dict[str, Any]:
    """Ids of every kind of tokenizer, fitted to the same texts, and the batches made of them."""
    pairs = load("builtin:everyday").pairs[:300]
    texts = [text for pair in pairs for text in (pair.src, pair.tgt)]
    examples = [pairs[7].src, pairs[7].tgt, "Zwölf Boxkämpfer 🦊 ﬁnden x²"]
    answers: dict[str, Any] = {}
    for kind, row in TOKENIZERS.items():
        tokenizer = row.make(texts, 400 if row.is_subword else None)
        ids = tokenizer.encode_many(examples)
        shown = [[tokenizer.tokens(each), tokenizer.decode(each)] for each in ids]
        answers[kind] = [tokenizer.vocab_size, ids, shown]
    word = TOKENIZERS["word"].make(texts, None)
    encoded = batches.encode(pairs[:40], word, word, max_length=32)
    answers["batches"] = [
        [batch.src.tolist(), batch.tgt.tolist()] for batch in batches.in_order(encoded, 120)
    ]
    answers["epochs"] = [
        [rows.tolist() for rows in batches.epoch(encoded, 120, seed=1, number=number)]
        for number in (0, 1)
    ]
    sides = [[pair.src for pair in pairs], [pair.tgt for pair in pairs]]
    rows = compare(*sides, *sides, shared=True, example=(examples[0], examples[1]), limit=128)
    answers["compared"] = [[row.kind, row.too_long] for row in rows]
    answers["settings"] = TokenizerConfig().to_json()
    return answers

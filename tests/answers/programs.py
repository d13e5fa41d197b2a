"""Whole programs: a training, measurements of heads, commands, and links."""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import s2s
from s2s.cli import main
from s2s.data import load
from s2s.decode import STRATEGIES
from s2s.jobs import head_service
from s2s.links import share
from s2s.runs import Measurement, Metrics, Sentences
from tests.answers.search import run

LINKS = Path(__file__).parents[1] / "links.txt"
STEPS = 50
TRAINING: Mapping[str, Any] = {
    "data.max_length": 32,
    "model.d_model": 32,
    "model.d_ff": 64,
    "train.steps": STEPS,
    "train.warmup_steps": 10,
    "train.batch_tokens": 256,
    "train.threads": 1,
    "train.device": "cpu",
    "train.watch.validate_every": 25,
    "train.watch.save_every": 25,
    "train.watch.samples": 1,
    "train.watch.scores": 0,
}
VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "as the preset": {},
    "rotary, post-norm, shared": {
        "model.positions.kind": "rotary",
        "model.norm.place": "post",
        "tokenizer.shared": True,
        "train.schedule": "cosine",
    },
    "adafactor, relative, word": {
        "model.positions.kind": "relative",
        "tokenizer.kind": "word",
        "train.optimizer.kind": "adafactor",
    },
}
EXPERIMENTS: Mapping[str, Mapping[str, Any]] = {
    "roles": {},
    "importance": {"intervention": "uniform"},
    "ablation": {"heads": "cross.1=off encoder.2.3=uniform"},
    "means": {},
    "alignment": {},
}


def training() -> dict[str, Any]:
    """Loss, rate and gradient norm of 50 steps on one thread, and what was validated."""
    pairs = [(pair.src, pair.tgt) for pair in load("builtin:en-fr", "random").pairs[:400]]
    answers = {}
    for name, changes in VARIANTS.items():
        with tempfile.TemporaryDirectory() as folder, _quiet():
            trained = s2s.train(
                pairs[50:],
                valid=pairs[:50],
                settings={**TRAINING, **changes},
                out=Path(folder) / "run",
                progress=False,
            )
            curves = Metrics(trained.folder.path / "metrics.jsonl").read()
            sizes = [trained.src_tokenizer.vocab_size, trained.tgt_tokenizer.vocab_size]
            answers[name] = [
                [trained.n_parameters, *sizes, curves.tokens.tolist()[-1]],
                curves.loss.tolist(),
                curves.rates.tolist(),
                curves.grad_norms.tolist(),
                [curves.valid_loss.tolist(), curves.valid_token_accuracy.tolist()],
                trained.score([pairs[0][0]], [pairs[0][1]]),
            ]
    return answers


def heads() -> dict[str, Any]:
    """Every measurement of heads over sentences with gold links."""
    answers = {}
    tests = (("demo-en-fr", "builtin:en-fr", "random"), ("demo-en-de", "builtin:everyday", "test"))
    for name, spec, split in tests:
        n = 12 if name == "demo-en-fr" else 10
        given = load(spec, split).pairs[: 2 * n]
        sentences = Sentences("", n=n, files=("uploaded",))
        for experiment, settings in EXPERIMENTS.items():
            if name == "demo-en-de" and experiment in ("roles", "importance", "means"):
                continue  # which take longest
            request = Measurement(name, run(name).step, experiment, sentences, settings)
            answers[f"{name} {experiment}"] = head_service.measure(request, given)
    return answers


@contextlib.contextmanager
def _quiet() -> Any:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def _said(*arguments: str, typed: str = "") -> list[str]:
    """The lines that a command prints."""
    out, before = io.StringIO(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(typed.encode()))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            status = main(list(arguments))
    finally:
        sys.stdin = before
    assert status == 0, arguments
    return out.getvalue().splitlines()


def commands() -> dict[str, Any]:
    """What the command line prints."""
    typed = "the red house\nthe cat sits on the mat\n"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        src, tgt = folder / "a.src", folder / "a.tgt"
        src.write_text(typed)
        tgt.write_text("la maison rouge\nle chat est assis sur le tapis\n")
        files = ("--src", str(src), "--ref", str(tgt), "--set", "num_beams=2")
        evaluated = _said("evaluate", "demo-en-fr", *files)
        counted = json.loads(evaluated[-1])
        _said("data", "synthetic:copy#rows=40", "--split", "test", "--out", str(folder / "d"))
        return {
            "translate": _said("translate", "demo-en-fr", typed=typed),
            "translate --n-best": [
                [int(line), float(score), text]
                for line, score, text in (
                    row.split("\t")
                    for row in _said("translate", "demo-en-fr", "--n-best", "2", typed=typed)
                )
            ],
            "translate --json": [
                json.loads(line)
                for line in _said(
                    "translate", "demo-en-fr@best", "--json", "--strategy", "greedy", typed=typed
                )
            ],
            "score": [
                float(line)
                for line in _said("score", "demo-en-fr", "--src", str(src), "--tgt", str(tgt))
            ],
            "evaluate": [counted[key] for key in counted if key not in ("seconds", "provenance")],
            "evaluate, as a table": [re.sub(r"\s+", " ", line) for line in evaluated[:-1]],
            "data": [(folder / "d" / f"test.{end}").read_text() for end in ("src", "tgt", "align")],
            "presets": json.loads("\n".join(_said("presets", "--json"))),
        }


def links() -> dict[str, Any]:
    """Published links by page, read and written again, and settings packed into one value."""
    pages: dict[str, list[Any]] = {}
    for line in LINKS.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        address = urlsplit(line)
        read = share.read(parse_qs(address.query, keep_blank_values=True))
        unpacked = share.unpack(read.view.get("set", ""))
        columns = {
            key: share.Column.read(value)
            for key, value in read.view.items()
            if key in share.COLUMNS
        }
        written = share.link(f"https://example.org{address.path}", read.view)
        pages.setdefault(address.path, []).append(
            [written, read.problems, unpacked, columns, [str(one) for one in columns.values()]]
        )
    packed = [
        share.pack({"num_beams": "5", "source": "pairs.csv#src=a,tgt=b", "empty": "", "x": "50%"}),
        share.unpack("num_beams:5,source:a%2Cb,,lost,:nothing, key :v:w"),
        share.greedy_and_beam("demo-en-de"),
        [str(share.Column("r", "12", name, {"seed": "1,2"})) for name in STRATEGIES],
        [share.printable(text) for text in ("a\nb", "a\u202eb", "\x00c", "é ü")],
        share.read({"run": "demo-en-fr@best", "v": "2", "src": "x" * 1600, "other": "1"}),
    ]
    return {f"page {page}": found for page, found in pages.items()} | {"packed": packed}

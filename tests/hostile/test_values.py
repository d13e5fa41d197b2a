"""Names, links and state files with anything in them: a sentence, never a traceback."""

import contextlib
import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import streamlit as st

import s2s
from s2s import data, decode, settings
from s2s.config import PRESETS, UserError, override, parse_assignments
from s2s.data import Corpus, Pair, saved_datasets, uploads
from s2s.jobs import calibrate, evaluation_service, run_service, test_sets, training
from s2s.library import Library
from s2s.library.own import list_datasets, list_evaluations, list_runs
from s2s.links import share
from s2s.questions import Have, evaluation_request
from s2s.runs import Sentences, runs_folder
from s2s.ui.data import upload_form
from s2s.ui.kit import cached, forms
from tests.hostile.home import things_of
from tests.screen import ROOT

RECIPE = PRESETS["small"].recipe
NAMES = (
    "a" * 300,
    "é" * 300,
    "a" * 5000,
    "/" + "a/" * 2000,
    "../" * 100 + "etc/passwd",
    "a\0b",
    "\ud800",
    "[" * 100_000,
    '{"a":' * 50_000,
    "9" * 5000,
    "-" + "9" * 400,
    "1e999",
    "NaN",
    "\u202eevil",
    ":",
    "#",
    "a#b=c",
    "hub:" + "a" * 300,
    "text:\0",
    "corpus:" + "a" * 300,
    "synthetic:reverse#rows=1e999",
    "synthetic:reverse#rows=" + "9" * 5000,
    "synthetic:reverse#rows=[",
    "builtin:en-fr#split=" + "a" * 300,
    "a" * 300 + "," + "b" * 300,
)
READERS: tuple[Callable[[str], Any], ...] = (
    data.load,
    data.splits,
    data.absolute,
    cached.preview,
    lambda name: Library().run(name),
    lambda name: Library().evaluation(name),
    share.Column.read,
    share.unpack,
    evaluation_request.parse,
    lambda name: share.read({"set": name, "run": name}),
    lambda name: run_service.find(name, "local"),
    lambda name: Library("local").upload(name),
    lambda name: override(RECIPE, parse_assignments([f"train.lr={name}"])),
    lambda name: override(RECIPE, parse_assignments([f"model.d_model={name}"])),
    lambda name: forms.from_address(RECIPE, {"train.lr": name, "data.task": name, name: name}),
    lambda name: decode.configure(name, {}),
    lambda name: decode.configure("beam", parse_assignments([f"num_beams={name}"])),
    lambda name: uploads.begin("Upload", name, [(name, b"x\ty\n"), (name, b"")], owner="local"),
    lambda name: saved_datasets.save(
        Corpus("x", "train", (Pair("a", "b"),), ()), name=name, owner="local"
    ),
    lambda name: saved_datasets.rename(Library("local").dataset(name, "change"), name),
    lambda name: training.submit(training.RunRequest(RECIPE, "builtin:mini-en-fr", init_from=name)),
)


@pytest.mark.parametrize("hosted", ["", "1"])
def test_any_name_is_read_or_refused_in_a_sentence(
    hosted: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("S2S_HOSTED", hosted)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # closed
    monkeypatch.chdir(tmp_path)
    for read in READERS:
        for name in NAMES:
            with contextlib.suppress(UserError):
                read(name)
    assert not any(tmp_path.iterdir() if hosted else ())


EVALUATION = ("evaluation.json", "status.json", "scores.json", "test.jsonl")
RUN = ("recipe.json", "status.json", "tokenizer.json", "samples.jsonl", "metrics.jsonl")
CONTENTS = (
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b"[]",
    b'{"format": 1}',
    b'{"format": 1e999}',
    b"\xff\xfe",
)


def test_no_state_file_brings_a_screen_down() -> None:
    logging.getLogger("streamlit").setLevel(logging.ERROR)
    ann = things_of("local")
    home = settings.home()
    spec = f"corpus:{ann.dataset}"
    readers: dict[Path, tuple[Callable[[], Any], ...]] = {
        home / "corpora" / ann.dataset / "about.json": (
            lambda: list_datasets("local"),
            lambda: data.load(spec),
            lambda: test_sets.read(Sentences("", run=ann.run)),
        ),
        home / "corpora" / ann.dataset / "preview.json": (
            lambda: data.Preview.read(data.profile_of(spec).result("preview") or {}),
        ),
        **dict.fromkeys(
            [home / "evaluations" / ann.evaluation / name for name in EVALUATION],
            (
                lambda: Library().evaluation(ann.evaluation).scores(),
                lambda: evaluation_service.progress(ann.evaluation),
                lambda: list_evaluations("local"),
            ),
        ),
        **dict.fromkeys(
            [home / "runs" / ann.run / name for name in RUN],
            (
                lambda: list_runs("local"),
                lambda: s2s.load(runs_folder() / ann.run),
                lambda: cached.metadata(ann.run),
                lambda: cached.recipe(ann.run),
                lambda: calibrate("cpu"),
                lambda: Have().samples(ann.run),
            ),
        ),
        **dict.fromkeys(
            [home / "incoming" / ann.upload / name for name in ("upload.json", "offer.json")],
            (lambda: _offered(ann.upload),),
        ),
    }
    for file, reads in readers.items():
        before = file.read_bytes() if file.exists() else None
        for content in CONTENTS:
            file.write_bytes(content)
            for read in reads:
                with contextlib.suppress(UserError):
                    read()
        file.unlink() if before is None else file.write_bytes(before)


def _offered(id: str) -> object:
    upload = Library("local").upload(id)
    offer = upload.columns.result("offer") if upload else None
    return upload and offer is not None and upload_form.spec(upload, offer, st.container())


RUNS_CODE = re.compile(
    r"pickle\.(?!UnpicklingError)\w|(?<!safetensors\.)torch\.load\b(?!\([^()]*weights_only=True)|np\.load\b"
    r"|\bjoblib\.\w|import joblib|from (?:pickle|joblib)|extractall|\.extract\(\w*zip|unpack_archive"
    r"|(?<![.\w])(eval|exec)\("
)


NAMED = ("pickle", "torch.load", "np.load", "joblib", "extract", "unpack_archive", "eval", "exec")


def runs_code(text: str) -> bool:
    """Looks closely only where one of the names is."""
    return any(name in text for name in NAMED) and RUNS_CODE.search(text) is not None


def test_nothing_is_unpickled_or_extracted() -> None:
    paths = [path for folder in ("s2s", "pages") for path in (ROOT / folder).rglob("*.py")]
    assert not [str(path) for path in paths if runs_code(path.read_text())]
    for line in (
        "torch.load(path)",
        "torch.load(path, weights_only=False)",
        "pickle.loads(content)",
        "from pickle import load",
        "joblib.load(path)",
        "archive.extractall(folder)",
        "archive.extract(zipped, folder)",
        "x = eval(text)",
    ):
        assert runs_code(line), line
    assert not runs_code('torch.load(path, map_location="cpu", weights_only=True)')

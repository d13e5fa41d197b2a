import json
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from s2s import files, settings
from s2s.config import PRESETS, override
from s2s.data import profile
from s2s.jobs import training
from s2s.runs import RunFolder, source_words
from s2s.ui.kit import cached
from tests.conftest import TINY, TRAINED, make_run
from tests.data.reading import ProcessHere


@pytest.fixture(autouse=True)
def _screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Datasets are read at once, in this process; tests/data/test_profile.py and the browser start another one."""
    monkeypatch.setattr(profile, "Process", ProcessHere)
    cached.refresh_runs()


@pytest.fixture
def own_run() -> str:
    """A small trained run of the visitor's."""
    make_run(settings.home() / "runs" / "abcdefgh12345678", {})
    cached.refresh_runs()
    return "abcdefgh12345678"


SENTENCES = ("I saw the dog.", "The dog is here.", "Where is the cat?", "She went to the station.")
LETTERS = ("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ ,!'")


@cache
def _sentence_run() -> Path:
    """A small model of subwords, trained on single sentences, whose folder lists their words."""
    folder = TRAINED / "sentences"
    if folder.exists():  # another process has trained it
        return folder
    draft = Path(tempfile.mkdtemp(dir=TRAINED))
    (draft / "pairs.tsv").write_text(
        "".join(f"{each}\t{each}\n" for each in (*SENTENCES, *LETTERS) for _ in range(5))
    )
    recipe = override(
        PRESETS["small"].recipe, {**TINY, "tokenizer.kind": "bpe", "data.clean.duplicates": False}
    )
    source = str(draft / "pairs.tsv")
    list(training.run(training.start(training.RunRequest(recipe, source), draft / "run")))
    run = RunFolder(draft / "run")
    source_words.write(run.path, source_words.of_sources(SENTENCES))
    run.amend(lambda about: {"data": {**about["data"], "reads": "sentences", "longest": 6}})
    path = run.path / "tokenizer.json"
    files.write_json(path, {**json.loads(path.read_bytes()), "lowers_capitals": True})
    with suppress(OSError):  # another process has just trained it too
        run.path.rename(folder)
    return folder


@pytest.fixture
def sentence_run() -> str:
    """A run of the visitor's that reads one sentence at a time and knows its words."""
    shutil.copytree(_sentence_run(), settings.home() / "runs" / "sentences12345678")
    cached.refresh_runs()
    return "sentences12345678"

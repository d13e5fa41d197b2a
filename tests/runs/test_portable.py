"""What leaves this computer names files, runs and checkpoints without their folders."""

from pathlib import Path, PureWindowsPath

import pytest

from s2s import settings
from s2s.data import Corpus, Pair, saved_datasets
from s2s.runs import portable
from s2s.runs.portable import dataset_name


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ("/home/me/my pairs.tsv", "my pairs.tsv"),
        ("/home/me/pairs.csv#src=en,tgt=de", "pairs.csv#src=en,tgt=de"),
        ("/home/me/a.src,/home/you/a.tgt#rows=5", "a.src,a.tgt#rows=5"),
        ("text:/tmp/x/book.txt#unit=line", "text:book.txt#unit=line"),
        ("disk:/srv/data/pairs", "disk:pairs"),
        ("file:/srv/a.zip", "file:a.zip"),
        ("C:\\Users\\me\\pairs.tsv", "pairs.tsv"),
        ("hub:owner/name#split=train", "hub:owner/name#split=train"),
        ("builtin:en-fr", "builtin:en-fr"),
        ("pairs.tsv", "pairs.tsv"),
        ("", ""),
    ],
)
def test_a_dataset_is_named_by_its_files(spec: str, named: str) -> None:
    assert dataset_name(spec) == named
    assert portable.about_run({"source": spec, "valid": None})["source"] == named


def test_a_saved_dataset_has_the_name_that_people_gave_it() -> None:
    hash = saved_datasets.save(Corpus("x", "train", (Pair("a", "b"),)), name="mine", owner="local")
    assert dataset_name(f"corpus:{hash}") == "mine"
    assert dataset_name("corpus:gone") == "corpus:gone"


def test_no_text_of_a_recipe_spells_a_folder_of_this_computer() -> None:
    source, run = "/srv/me/my pairs.tsv", f"{settings.home()}/runs/first"
    about = {
        "source": source,
        "valid": "/srv/me/valid.tsv",
        "init_from": {"run": run, "step": 30},
        "imported": {"from": "/srv/models/opus", "family": "Marian"},
        "command": f"python -m s2s train --source '{source}' --init-from {run}@30 --out runs/again",
        "data": {"n_train": 3, "notes": [f"The 2 validation pairs are those of `{source}`."]},
        "comment": f"see {Path.home()}/notes and {settings.home()}/log",
        "recipe": {"model": {"d_model": 8}},
    }
    found = portable.about_run(about)
    for folder in ("/srv", str(Path.home()), str(settings.home())):
        assert folder not in str(found)
    assert found["init_from"] == {"run": "first", "step": 30}
    assert found["imported"]["from"] == "opus"
    assert "--source 'my pairs.tsv' --init-from first@30 --out runs/again" in found["command"]
    assert found["comment"] == "see ~/notes and S2S_HOME/log"
    assert found["recipe"] == about["recipe"]


def test_an_address_is_no_folder_of_this_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_HOME", "/data")
    monkeypatch.setattr(Path, "home", lambda: PureWindowsPath(r"C:\Users\ann"))
    about = {
        "source": "hub:ann/data-en",
        "attribution": "https://huggingface.co/datasets/ann/data, https://ann.org/data",
        "comment": "/database and ../data",
    }
    assert portable.about_run(about) == about
    assert dataset_name("hub:ann/data") == "hub:ann/data"
    kept = {"comment": r"in /data, /data/runs. Also C:\Users\ann\notes"}
    assert portable.about_run(kept)["comment"] == r"in S2S_HOME, S2S_HOME/runs. Also ~\notes"

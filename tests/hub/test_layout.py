"""Which file of a dataset is what: by its card, which may hold anything, or by the names of files and folders."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

import pytest

from s2s.hub import layout
from s2s.hub.layout import File, Split, arrange, kind, matches


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("train-*", "train-0", True),
        ("train-*", "x/train-0", False),
        ("data/*.csv", "data/a.csv", True),
        ("data/*.csv", "data/x/a.csv", False),
        ("**/*.csv", "a.csv", True),
        ("**/*.csv", "x/y/a.csv", True),
        ("data/**", "data/x/a.csv", True),
        ("./data/[ab].csv", "data/b.csv", True),
        ("data/?.csv", "data/cc.csv", False),
        ("**", "x/y", True),
        ("", "x", False),
        ("*a" * 100 + "b", "a" * 250, False),
        ("/".join(["**"] * 60) + "/b", "/".join("a" * 100), False),
    ],
)
def test_patterns_of_a_card(
    pattern: str, path: str, *, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = []
    monkeypatch.setattr(
        layout, "fnmatchcase", lambda name, glob: compared.append(name) or fnmatchcase(name, glob)
    )
    assert matches(pattern, path) is fits
    n_components = len(path.split("/"))
    assert len(compared) <= len(pattern.split("/")) * n_components, "no backtracking"


LAYOUTS: dict[str, tuple[tuple[str, ...], Mapping[str, Any], dict[str, dict[str, list[str]]]]] = {
    "by file name": (
        ("train.csv", "dev.csv", "test.csv", "README.md", "requirements.txt"),
        {},
        {"default": {"train": ["train.csv"], "valid": ["dev.csv"], "test": ["test.csv"]}},
    ),
    "by folder": (
        ("data/train-0.parquet", "data/validation-0.parquet", ".cache/x.csv"),
        {},
        {"default": {"train": ["data/train-0.parquet"], "valid": ["data/validation-0.parquet"]}},
    ),
    "nothing says": (("pairs.tsv",), {}, {"default": {"train": ["pairs.tsv"]}}),
    "folders are configurations": (
        ("de/train/0.parquet", "fr/train/0.parquet", "fr/test/0.parquet"),
        {},
        {
            "de": {"train": ["de/train/0.parquet"]},
            "fr": {"train": ["fr/train/0.parquet"], "test": ["fr/test/0.parquet"]},
        },
    ),
    "several formats of the same": (
        ("train.csv", "train.json", "train.jsonl.gz"),
        {},
        {"default": {"train": ["train.jsonl.gz"]}},
    ),
    "validation and dev": (
        ("v.csv", "d.csv"),
        {"configs": [{"data_files": {"dev": "d.csv", "validation": ["v.csv"]}}]},
        {"default": {"valid": ["d.csv"], "validation": ["v.csv"]}},
    ),
    "a folder of the card": (
        ("x/train.csv", "y/train.csv"),
        {
            "configs": [
                {"config_name": "x", "data_dir": "x"},
                {"config_name": "z", "data_dir": "z", "data_files": "train.csv"},
            ]
        },
        {"x": {"train": ["x/train.csv"]}},
    ),
    "names that part a SPEC": (
        ("a.csv", "b.csv"),
        {
            "configs": [
                {"config_name": "a#b,c", "data_files": "a.csv"},
                {"config_name": "a:b:c", "data_files": "b.csv"},
            ]
        },
        {"a_b_c": {"train": ["a.csv"]}, "a_b_c_2": {"train": ["b.csv"]}},
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_files_find_their_split(layout: str) -> None:
    paths, card, expected = LAYOUTS[layout]
    configs = arrange([File(path, 1) for path in paths], card).configs
    found = {
        name: {split: [file.path for file in part.files] for split, part in splits.items()}
        for name, splits in configs.items()
    }
    assert found == expected


def test_what_is_not_read_of_several_formats_is_noted() -> None:
    split = arrange([File("train.csv", 1), File("train.jsonl.gz", 1)], {}).configs["default"]
    assert split["train"].notes == (
        "Of several formats of its files only .jsonl is read, not .csv.",
    )
    assert arrange([File("train.csv", 1)], {}).configs["default"]["train"].notes == ()


def test_files_that_are_read_only_where_there_are_no_others_are_noted() -> None:
    left_out = ("pairs.tmx", "more.zip", "a.jsonl.zst", ".cache/x.tar", "config.xml", "photo.jpg")
    files = [File(path, 1) for path in ("train.csv", *left_out)]
    note = "Its .tmx, .zip, .zst files are not read, because others have a better format."
    assert arrange(files, {}).notes == (note,)
    declared = {"configs": [{"data_files": "train.csv"}]}
    assert arrange(files, declared).notes == (), "the owner says which files are the dataset"
    everything = arrange(files, {}, others=True)
    assert everything.notes == ()
    assert everything.configs["default"]["train"].notes == (
        "Of several formats of its files only .jsonl is read, not .csv, .tmx, .zip.",
    )
    assert arrange([File("train.csv", 1), File("config.xml", 1)], {}).notes == ()


@pytest.mark.parametrize(
    "odd",
    [
        None,
        3,
        "x",
        [3, None, []],
        {"a": 1},
        [{"config_name": [], "data_files": [[], 3, {"path": 3}, {"split": 1}]}],
    ],
)
def test_a_malformed_card_is_no_error(odd: Any) -> None:
    layout = arrange([File("train.csv", 1)], {"configs": odd, "dataset_info": odd, "license": odd})
    assert layout.configs["default"]["train"].files == (File("train.csv", 1),)
    json.dumps(layout.notes)


def test_which_files_are_read() -> None:
    kinds = [
        kind(path)
        for path in (
            "a.PARQUET",
            "a.jsonl.gz",
            "x/a.txt",
            "a.parquet.gz",
            "a.zip",
            "a.arrow",
            "a.pkl",
            "a.csv.zst",
            "csv",
        )
    ]
    assert kinds == ["parquet", "jsonl", "txt", "", "zip", "arrow", "", "csv", ""]


def test_a_card_with_very_many_patterns_is_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("s2s.hub.layout.MAX_MATCHES", 30_000)
    files = [File(f"data/{at}.jsonl", 1) for at in range(4000)]
    card = {
        "configs": [{"config_name": f"c{at}", "data_files": f"**/{at}.jsonl"} for at in range(1000)]
    }
    assert 0 < len(arrange(files, card).configs) < 10


def test_other_formats_are_read_only_where_there_is_nothing_better() -> None:
    files = [File("a.zip", 1), File("raw/b.arrow", 1), File("c.jsonl.zst", 1)]
    assert arrange([*files, File("train.csv", 1)], {}).configs == {
        "default": {"train": Split((File("train.csv", 1),))}
    }
    assert arrange(files, {}).configs == {}
    assert list(arrange(files, {}, others=True).configs) == ["default", "raw"]

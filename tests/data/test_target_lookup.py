from pathlib import Path

import pytest

from s2s.config import DataConfig, UserError
from s2s.data import (
    Corpus,
    Pair,
    is_searchable,
    known_targets,
    load,
    saved_datasets,
    target_lookup,
    targets_by_source,
)

PAIRS = (
    Pair("the red  house", "la maison"),
    Pair("a cat", "un chat"),
    Pair("the red house", "la maison rouge"),
    Pair("the red house", "la maison"),
)


def saved() -> str:
    corpus = Corpus("somewhere", "train", PAIRS)
    return f"corpus:{saved_datasets.save(corpus, name='mine', owner='local')}"


def test_every_target_of_a_source_is_known_wherever_it_stands() -> None:
    spec = saved()
    assert known_targets(" the red house ", spec, DataConfig(), 0) == (
        "la maison",
        "la maison rouge",
    )
    assert known_targets("a cat", spec, DataConfig(), 0) == ("un chat",)
    assert known_targets("a dog", spec, DataConfig(), 0) == ()
    assert targets_by_source(spec, DataConfig(), 0) == {
        "the red house": ("la maison", "la maison rouge"),
        "a cat": ("un chat",),
    }


@pytest.mark.parametrize(
    ("config", "source", "targets"),
    [
        (DataConfig(task="reverse_direction"), "un chat", ("a cat",)),
        (DataConfig(task="prefix", prefix="to French:"), "to French: a cat", ("un chat",)),
        (DataConfig(task="summarize"), "summarize: a cat", ("un chat",)),
        (DataConfig(task="reverse"), "cat a", ()),
        (DataConfig(task="reverse"), "a cat", ("cat a",)),
    ],
)
def test_the_task_decides_what_a_source_is(
    config: DataConfig, source: str, targets: tuple[str, ...]
) -> None:
    assert known_targets(source, saved(), config, 0) == targets


def test_plain_text_and_other_splits_are_searched() -> None:
    corpus = Corpus("s", "train", (Pair("ab cd", "ab cd"),), is_plain=True)
    plain = f"corpus:{saved_datasets.save(corpus, name='plain', owner='local')}"
    assert known_targets("ab", plain, DataConfig(), 0) == ("cd",)
    source = load("synthetic:reverse", "valid").pairs[2]
    assert known_targets(source.src, "synthetic:reverse", DataConfig(), 0) == (source.tgt,)


def test_what_is_far_or_large_is_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("a\tb\nc\td\n")
    assert is_searchable(str(path))
    assert known_targets("c", str(path), DataConfig(), 0) == ("d",)
    monkeypatch.setattr(target_lookup, "MAX_BYTES", 3)
    assert not is_searchable(str(path))
    assert not is_searchable("hub:owner/name")
    with pytest.raises(UserError, match="no saved dataset"):
        known_targets("a", "corpus:0123456789abcdef", DataConfig(), 0)


def test_all_references_of_a_test_set_are_known() -> None:
    pair = next(pair for pair in load("builtin:everyday").pairs if pair.more)
    found = known_targets(pair.src, "builtin:everyday", DataConfig(), 1)
    assert found == (pair.tgt, *pair.more)
    assert targets_by_source("builtin:everyday", DataConfig(), 1)[pair.src] == found

"""Small files of a tokenizer that contradict `tokenizer.json`, or the class that they name."""

import json
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

from s2s.tokenizers import PretrainedTokenizer, generation_settings, open_pretrained
from tests.tokenizers.checkpoints import FAMILIES, STRINGS, model, write

pytestmark = pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")

WORD = {"content": "never", "special": False, "normalized": True}
SPECIAL = {"content": "<sep2>", "special": True, "lstrip": True, "normalized": False}
SPELLED = (*STRINGS, "never and <sep2> nevermore", "a  <sep2>never")
LOWER = {"type": "Lowercase"}
SPLIT = {"type": "Whitespace"}


def made(name: str, folder: Path, *, is_saved: bool = True) -> Path:
    """A family's checkpoint; with the files of `save_pretrained`, `tokenizer.json` among them, if it is saved."""
    build, class_ = FAMILIES[name]
    build(folder)
    amend(folder / "tokenizer_config.json", {"tokenizer_class": class_})
    if is_saved:
        AutoTokenizer.from_pretrained(folder).save_pretrained(folder)
    return folder


def amend(path: Path, changes: dict[str, Any]) -> None:
    content = json.loads(path.read_bytes()) if path.exists() else {}
    path.write_text(json.dumps(content | changes))


def check_same(folder: Path) -> PretrainedTokenizer:
    theirs = AutoTokenizer.from_pretrained(folder)
    ours = open_pretrained(folder, "src")
    expected = [theirs(text)["input_ids"] for text in SPELLED]
    assert [[*ours.first_ids, *ours.encode(text), *ours.last_ids] for text in SPELLED] == expected
    return ours


@pytest.mark.parametrize("said", [True, False])
def test_a_space_before_a_text_is_as_tokenizer_config_says(said: bool, tmp_path: Path) -> None:
    folder = made("bart", tmp_path)
    steps = json.loads((folder / "tokenizer.json").read_bytes())["pre_tokenizer"]
    amend(folder / "tokenizer.json", {"pre_tokenizer": steps | {"add_prefix_space": not said}})
    amend(folder / "tokenizer_config.json", {"add_prefix_space": said})
    assert not check_same(folder).notes


@pytest.mark.parametrize("is_saved", [True, False])
@pytest.mark.parametrize("name", ["bart", "t5", "mbart50", "pegasus"])
def test_tokens_that_only_a_small_file_adds(name: str, is_saved: bool, tmp_path: Path) -> None:
    folder = made(name, tmp_path, is_saved=is_saved)
    size = len(AutoTokenizer.from_pretrained(folder))
    settings = json.loads((folder / "tokenizer_config.json").read_bytes())
    rows = settings.get("added_tokens_decoder", {})
    rows |= {str(size): WORD, str(size + 1): SPECIAL}
    amend(folder / "tokenizer_config.json", {"added_tokens_decoder": rows})
    amend(folder / "config.json", {"vocab_size": size + 2})
    ours = check_same(folder)
    assert (ours.vocabulary[-2:], {size, size + 1} & ours.hidden_ids) == (
        ("never", "<sep2>"),
        {size + 1},
    )


@pytest.mark.parametrize("name", ["bart", "t5"])
def test_words_of_an_added_tokens_file(name: str, tmp_path: Path) -> None:
    folder = made(name, tmp_path, is_saved=False)
    size = len(AutoTokenizer.from_pretrained(folder))
    write(folder, added_tokens__json={"never": size})
    amend(folder / "config.json", {"vocab_size": size + 1})
    check_same(folder)


@pytest.mark.parametrize("name", ["marian", "m2m100"])
def test_special_tokens_are_text_where_the_files_ask_for_it(name: str, tmp_path: Path) -> None:
    folder = made(name, tmp_path, is_saved=False)
    amend(folder / "tokenizer_config.json", {"split_special_tokens": True})
    ours = check_same(folder)
    assert ours.eos_id not in ours.encode("a </s> b")


def test_what_sentencepiece_writes_nothing_for_is_no_text(tmp_path: Path) -> None:
    folder = made("marian", tmp_path, is_saved=False)
    amend(folder / "tokenizer_config.json", {"eos_token": ">>deu<<"})
    ids = [*open_pretrained(folder, "tgt").encode("to be"), 0]  # 0 is `</s>`, no special now
    theirs = AutoTokenizer.from_pretrained(folder)
    assert open_pretrained(folder, "tgt").decode(ids) == theirs.decode(ids)


def test_a_text_has_the_same_tokens_each_time(tmp_path: Path) -> None:
    folder = made("bart", tmp_path)
    found = json.loads((folder / "tokenizer.json").read_bytes())["model"]
    amend(folder / "tokenizer.json", {"model": found | {"dropout": 0.9}})
    check_same(folder)


@pytest.mark.parametrize("name", ["bart", "t5", "mbart", "mbart50", "pegasus"])
@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({}, ""),
        ({"normalizer": LOWER}, "`normalizer`"),
        ({"pre_tokenizer": SPLIT}, "`pre_tokenizer`"),
        ({"decoder": None, "normalizer": LOWER}, "`normalizer` and `decoder`"),
    ],
)
def test_steps_that_the_class_replaces_are_followed_and_named(
    name: str, changes: dict[str, Any], named: str, tmp_path: Path
) -> None:
    folder = made(name, tmp_path)
    amend(folder / "tokenizer.json", changes)
    notes = open_pretrained(folder, "src").notes
    assert bool(notes) == bool(named)
    assert all(note.startswith(f"s2s follows the {named} of `tokenizer.json`;") for note in notes)


def test_a_normalization_that_the_class_drops_is_named(tmp_path: Path) -> None:
    folder = made("mbart", tmp_path, is_saved=False)
    write(folder, sentencepiece__bpe__model=model(control=("unk", "bos", "eos")))
    (note,) = open_pretrained(folder, "src").notes
    assert note.startswith("s2s follows the `normalizer` of the SentencePiece model; the class M")


def test_a_source_language_that_the_model_lacks_is_named(tmp_path: Path) -> None:
    folder = made("mbart50", tmp_path, is_saved=False)
    amend(folder / "tokenizer_config.json", {"src_lang": "xx_XX"})
    (note,) = open_pretrained(folder, "src").notes
    assert "source language `xx_XX`, which the model lacks; sources are in `en_XX`" in note


def test_padding_that_config_json_leaves_empty_is_generation_configs() -> None:
    own = {"pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2}
    assert generation_settings({"pad_token_id": None}, own)["pad_token_id"] == 1
    assert generation_settings({"pad_token_id": 0}, own)["pad_token_id"] == 0

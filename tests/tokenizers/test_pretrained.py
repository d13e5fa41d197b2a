"""Tokenizers of published checkpoints: ids and texts as transformers gives them; files; damaged files."""

import base64
import json
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sentencepiece

from s2s.config import UserError
from s2s.tokenizers import (
    PretrainedTokenizer,
    first_input,
    generation_settings,
    load,
    open_pretrained,
)
from s2s.tokenizers.pretrained.checkpoint_files import CheckpointFiles
from s2s.tokenizers.pretrained.sentencepiece_model import read_model
from tests.tokenizers.checkpoints import FAIRSEQ_MODEL, FAMILIES, STRINGS, byte_level, model, write

pytestmark = pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")


@dataclass(frozen=True)
class Opened:
    """A checkpoint: its folders, and transformers' tokenizer of it."""

    older: Path  # the family's own files
    saved: Path  # by transformers, mostly `tokenizer.json`
    theirs: Any


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory):
    """Makes the checkpoint of a family, once."""
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("checkpoints")

    @cache
    def opened(name: str) -> Opened:
        make, class_ = FAMILIES[name]
        older = make(folder / name)
        theirs = getattr(transformers, class_).from_pretrained(older)
        return Opened(older, saved(theirs, older / "config.json"), theirs)

    def saved(theirs: Any, config: Path) -> Path:
        target = config.parent.with_name(f"{config.parent.name}-saved")
        theirs.save_pretrained(target)
        shutil.copy(config, target)
        return target

    return opened


def their_ids(theirs: Any, side: str, text: str) -> list[int]:
    key = "text" if side == "src" else "text_target"
    return list(theirs(**{key: text})["input_ids"])


def whole(ours: PretrainedTokenizer, text: str) -> list[int]:
    """What the encoder reads, or what the decoder writes."""
    return [*ours.first_ids, *ours.encode(text), *ours.last_ids]


def reads_targets_only(theirs: Any) -> bool:
    """Whether transformers decodes sources with the target's vocabulary."""
    return bool(getattr(theirs, "separate_vocabs", False))


def differing(theirs: Any, ours: PretrainedTokenizer, side: str) -> list[str]:
    """The strings whose ids, or whose texts from those ids, are not transformers'."""
    wrong = []
    for text in STRINGS:
        expected = their_ids(theirs, side, text)
        ids = whole(ours, text)
        read = theirs.decode(ids, skip_special_tokens=True)
        is_read = ours.unk_id not in ids and (side == "tgt" or not reads_targets_only(theirs))
        if ids != expected or (is_read and ours.decode(ids) != read):
            wrong.append(text)
    return wrong


@pytest.mark.parametrize("files", ["older", "saved"])
@pytest.mark.parametrize("name", FAMILIES)
def test_a_source_has_the_ids_and_the_text_that_transformers_gives(checkpoints, name, files):
    opened = checkpoints(name)
    ours = open_pretrained(getattr(opened, files), "src")
    assert not differing(opened.theirs, ours, "src")
    named = (opened.theirs.pad_token_id, opened.theirs.eos_token_id, opened.theirs.unk_token_id)
    assert (ours.pad_id, ours.eos_id, ours.unk_id) == named
    assert ours.vocab_size >= len(opened.theirs)


@pytest.mark.parametrize("name", [name for name in FAMILIES if name != "mbart"])
def test_a_target_has_the_ids_and_the_text_that_transformers_gives(checkpoints, name):
    opened = checkpoints(name)
    assert not differing(opened.theirs, open_pretrained(opened.older, "tgt"), "tgt")


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("side", ["src", "tgt"])
def test_saved_and_loaded_again_it_needs_no_checkpoint(checkpoints, tmp_path, name, side):
    ours = open_pretrained(checkpoints(name).older, side)
    file = tmp_path / "tokenizer.json"
    ours.save(file)
    again = load(file)
    assert isinstance(again, PretrainedTokenizer)
    rows = ours.encode_many(STRINGS)
    assert again.encode_many(STRINGS) == rows
    for name_ in (
        "vocabulary",
        "pad_id",
        "start_id",
        "eos_id",
        "unk_id",
        "first_ids",
        "last_ids",
        "languages",
    ):
        assert getattr(again, name_) == getattr(ours, name_)
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == file.read_bytes()


def test_t5_has_task_prefixes_and_unused_rows(checkpoints, tmp_path):
    folder = shutil.copytree(checkpoints("t5").older, tmp_path / "t5")
    config = json.loads((folder / "config.json").read_text())
    write(folder, config__json=config | {"vocab_size": 700})
    ours = open_pretrained(folder, "src")
    assert ours.prefixes == {
        "summarization": "summarize: ",
        "translation_en_to_de": "translate English to German: ",
    }
    assert (ours.vocab_size, ours.start_id, ours.tokens([699])) == (700, 0, ["<unused_699>"])
    assert ours.decode([699, ours.eos_id, ours.pad_id]) == ""
    assert ours.languages == ()


def test_tokens_show_where_words_start(checkpoints):
    for name in FAMILIES:
        ours = open_pretrained(checkpoints(name).older, "src")
        shown = "".join(ours.tokens(ours.encode("to be or not")))
        assert shown.lstrip("▁") == "to▁be▁or▁not"


def test_a_character_in_bytes_is_joined(checkpoints):
    opened = checkpoints("marian_bytes")
    ours = open_pretrained(opened.older, "tgt")
    ids = ours.encode("a ☃☂ b")
    assert "<0xE2>" in ours.tokens(ids)
    assert ours.decode(ids) == "a ☃☂ b"
    for length in range(len(ids)):  # a character may be incomplete
        assert ours.decode(ids[:length]) == opened.theirs.decode(ids[:length])
    assert ours.decode([ours.unk_id, *ids]) == "<unk> a ☃☂ b"


def test_byte_level_tokens_are_readable(checkpoints):
    ours = open_pretrained(checkpoints("bart").older, "src")
    shown = ours.tokens(ours.encode("to be café ☃"))
    assert "".join(shown) == "to▁be▁café▁<0xE2><0x98><0x83>"
    assert ours.tokens([ours.pad_id, ours.eos_id, ours.unk_id]) == ["<pad>", "</s>", "<unk>"]


def test_a_special_token_past_the_embedding_is_unknown(checkpoints, tmp_path):
    folder = shutil.copytree(checkpoints("bart").older, tmp_path / "bart")
    config = json.loads((folder / "config.json").read_text())
    write(folder, config__json=config | {"vocab_size": config["vocab_size"] - 1})
    ours = open_pretrained(folder, "src")
    assert ours.encode("<mask>") == [ours.unk_id]


@pytest.mark.parametrize("name", ["t5", "marian_separate", "bart"])
def test_a_text_is_cleaned_up_where_the_files_ask_for_it(checkpoints, tmp_path, name):
    folder = shutil.copytree(checkpoints(name).older, tmp_path / name)
    settings = {"clean_up_tokenization_spaces": True, "separate_vocabs": name != "t5"}
    write(folder, tokenizer_config__json=settings)
    theirs = type(checkpoints(name).theirs).from_pretrained(folder)
    ours = open_pretrained(folder, "tgt")
    texts = ["to be , or not . it 's is n't", "to ' be ! ?"]
    cleaned = [ours.decode(ours.encode(text)) for text in texts]
    assert cleaned == [theirs.decode(ours.encode(text)) for text in texts]
    assert (cleaned == texts) == (name == "bart")


@pytest.mark.parametrize(
    ("name", "language", "first", "last"),
    [
        ("marian", "fra", [">>fra<<"], ["</s>"]),
        ("mbart", "ro_RO", [], ["</s>", "ro_RO"]),
        ("mbart50", "uk_UA", ["uk_UA"], ["</s>"]),
        ("m2m100", "zu", ["__zu__"], ["</s>"]),
    ],
)
def test_a_source_in_another_language(checkpoints, name, language, first, last):
    ours = open_pretrained(checkpoints(name).older, "src")
    before = (ours.first_ids, ours.last_ids)
    other = ours.in_language(language)
    assert (ours.tokens(other.first_ids), ours.tokens(other.last_ids)) == (first, last)
    assert other.language == language
    assert (ours.first_ids, ours.last_ids) == before
    with pytest.raises(UserError, match=r"There is no language `xx`; the nearest are"):
        ours.in_language("xx")


def test_a_saved_tokenizer_keeps_its_language(checkpoints, tmp_path):
    file = tmp_path / "tokenizer.json"
    open_pretrained(checkpoints("m2m100").older, "tgt").in_language("zu").save(file)
    again = load(file)
    assert (again.language, again.tokens(again.first_ids)) == ("zu", ["__zu__"])
    content = json.loads(file.read_text())
    file.write_text(json.dumps(content | {"language": "tlh"}))
    with pytest.raises(UserError, match="There is no language `tlh`; the nearest are"):
        load(file)


def test_languages_are_those_of_transformers(checkpoints):
    for name in ("mbart50", "m2m100"):
        opened = checkpoints(name)
        ours = open_pretrained(opened.older, "src")
        codes = opened.theirs.lang_code_to_id
        assert set(ours.languages) == set(codes)
        for code, id in codes.items():
            assert ours.in_language(code).first_ids == (id,)


def test_mbart_starts_a_target_with_its_language(checkpoints):
    opened = checkpoints("mbart")
    ours = open_pretrained(opened.older, "tgt")
    assert (ours.language, ours.tokens([ours.start_id])) == ("de_DE", ["de_DE"])
    assert (ours.first_ids, ours.tokens(ours.last_ids)) == ((), ["</s>"])
    assert ours.tokens([ours.in_language("fr_XX").start_id]) == ["fr_XX"]
    ids = ours.encode("to be")
    assert ids == opened.theirs("to be")["input_ids"][:-2]


def test_a_target_takes_the_language_that_the_model_forces(checkpoints, tmp_path):
    folder = shutil.copytree(checkpoints("mbart50").older, tmp_path / "mbart50")
    write(folder, tokenizer_config__json={})
    config = json.loads((folder / "config.json").read_text())
    assert open_pretrained(folder, "tgt").language is None
    ours = open_pretrained(folder, "tgt")
    forced = ours.in_language("cs_CZ").first_ids[0]
    write(folder, config__json=config | {"forced_bos_token_id": forced})
    assert open_pretrained(folder, "tgt").language == "cs_CZ"
    write(folder, config__json=config, generation_config__json={"forced_bos_token_id": forced})
    assert open_pretrained(folder, "tgt").language == "cs_CZ"
    assert open_pretrained(folder, "src").language == "en_XX"


def test_mbart_normalizes_as_its_sentencepiece_model(tmp_path):
    content = model(control=FAIRSEQ_MODEL)
    folder = write(
        tmp_path,
        sentencepiece__bpe__model=content,
        config__json={"model_type": "mbart", "bos_token_id": 0},
    )
    ours = open_pretrained(folder, "src")
    processor = sentencepiece.SentencePieceProcessor(model_proto=content)
    for text in ("ﬁ ligature, ① circled", "ｆｕｌｌ ｗｉｄｔｈ", "to be"):
        assert ours.encode(text) == [id + 1 for id in processor.encode(text)]


@pytest.fixture(scope="module")
def nllb(tmp_path_factory):
    """transformers' tokenizer, and the folder that it saves, for each place of the language."""
    transformers = pytest.importorskip("transformers")
    vocab, merges = byte_level()
    made = {}
    for is_older in (False, True):
        theirs = transformers.NllbTokenizer(
            vocab={token.replace("Ġ", "▁"): id for token, id in vocab.items()},
            merges=[(left.replace("Ġ", "▁"), right.replace("Ġ", "▁")) for left, right in merges],
            src_lang="fra_Latn",
            tgt_lang="deu_Latn",
            legacy_behaviour=is_older,
        )
        folder = tmp_path_factory.mktemp("nllb")
        theirs.save_pretrained(folder)
        config = {"model_type": "m2m_100", "decoder_start_token_id": 2}
        made[is_older] = (theirs, write(folder, config__json=config))
    return made


@pytest.mark.parametrize("is_older", [False, True])
def test_nllb_has_the_ids_that_transformers_gives(nllb, is_older):
    theirs, folder = nllb[is_older]
    ours = open_pretrained(folder, "src")
    assert not differing(theirs, ours, "src")
    assert ours.language == "fra_Latn"
    assert len(ours.languages) == 202


def test_nllb_targets(nllb):
    theirs, folder = nllb[False]
    ours = open_pretrained(folder, "tgt")
    assert not differing(theirs, ours, "tgt")
    assert ours.tokens(ours.first_ids) == ["deu_Latn"]


def test_a_folder_without_a_tokenizer_is_refused(tmp_path):
    with pytest.raises(
        UserError, match=r"has no `config\.json`, which its tokenizer needs; download"
    ):
        open_pretrained(tmp_path, "src")
    for model_type, file in (
        ("t5", "spiece.model"),
        ("marian", "source.spm"),
        ("bart", "vocab.json"),
        ("mbart", "sentencepiece.bpe.model"),
        ("m2m_100", "sentencepiece.bpe.model"),
        ("pegasus", "spiece.model"),
    ):
        write(tmp_path, config__json={"model_type": model_type})
        with pytest.raises(UserError, match=f"has no `{file}`, which its tokenizer needs"):
            open_pretrained(tmp_path, "src")


def test_another_family_is_refused(tmp_path):
    write(tmp_path, config__json={"model_type": "gpt2"})
    with pytest.raises(
        UserError, match=r"names the model type `gpt2`; s2s opens the tokenizers of t5, marian"
    ):
        open_pretrained(tmp_path, "src")
    write(tmp_path, config__json={"model_type": "t5", "tokenizer_class": "ByT5Tokenizer"})
    with pytest.raises(
        UserError, match=r"names the tokenizer `ByT5Tokenizer`; s2s opens T5Tokenizer"
    ):
        open_pretrained(tmp_path, "src")


def damaged(checkpoints, tmp_path, name: str, **files: object) -> Path:
    folder = tmp_path / name
    shutil.copytree(checkpoints(name).older, folder)
    return write(folder, **files)


PANICS = {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"}}
BPE = {"type": "BPE", "vocab": {"a": 0, "b": 0}, "merges": []}


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"[]",
        b"\xff\xfe",
        b"{}",
        b'{"model": {"type": "BPE"}}',
        {"model": BPE},
        {"model": BPE | {"vocab": {"a": [1]}}},
        {"model": BPE} | PANICS,
        {"model": {"type": "Unigram", "vocab": [["a", 0.0]], "unk_id": None}},
    ],
)
def test_a_broken_library_file_is_refused(checkpoints, tmp_path, content):
    folder = damaged(checkpoints, tmp_path, "t5", tokenizer__json=content)
    with pytest.raises(
        UserError, match=r"`tokenizer\.json` of `t5` .*; download the checkpoint again\."
    ):
        open_pretrained(folder, "src")


DOUBLED = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}
BETWEEN = {"type": "Replace", "pattern": {"Regex": ""}, "content": "a"}
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
LONG_START = {"type": "Prepend", "prepend": "a" * 64}


@pytest.mark.parametrize("step", [DOUBLED, BETWEEN, BYTES, LONG_START])
@pytest.mark.parametrize("place", ["normalizer", "pre_tokenizer", "decoder"])
def test_a_library_file_that_makes_texts_far_longer(checkpoints, tmp_path, place, step):
    many = {"type": "Sequence", f"{place}s": [step] * 7}
    nested = {"type": "Sequence", f"{place}s": [many]}
    content = {"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}, place: nested}
    folder = damaged(checkpoints, tmp_path, "t5", tokenizer__json=content)
    with pytest.raises(UserError, match=r"could make a text more than 64 times as long; use"):
        open_pretrained(folder, "src")


def replacing(text: str) -> dict[str, str]:
    """A step with a charsmap whose longest replacement is that text."""
    charsmap = b"\4\0\0\0" + b"trie" + f"b\0{text}\0c\0".encode()
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap).decode()}


@pytest.mark.parametrize(
    ("steps", "is_refused"),
    [
        ([replacing("a" * 65)], True),
        ([replacing("é" * 9)] * 2, True),
        ([replacing("a") | DOUBLED | {"content": "a" * 65}], True),
        ([replacing("é" * 64)], False),
    ],
)
def test_a_library_file_whose_charsmap_makes_texts_far_longer(
    checkpoints, tmp_path, steps, is_refused
):
    model = {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}
    content = {"model": model, "normalizer": {"type": "Sequence", "normalizers": steps}}
    folder = damaged(checkpoints, tmp_path, "t5", tokenizer__json=content)
    message = "could make a text more than 64" if is_refused else "is not a complete tokenizer"
    with pytest.raises(UserError, match=message):
        open_pretrained(folder, "src")


@pytest.mark.parametrize(("name", "file"), [("t5", "spiece.model"), ("marian", "source.spm")])
def test_a_sentencepiece_model_whose_charsmap_makes_texts_far_longer(
    checkpoints, tmp_path, name, file
):
    older = checkpoints(name).older
    content = (older / file).read_bytes()
    charsmap = read_model(CheckpointFiles.of_folder(older), file).charsmap
    longer = charsmap[:-66] + b"a" * 65 + b"\0"
    changed = {file.replace(".", "__"): content.replace(charsmap, longer)}
    folder = damaged(checkpoints, tmp_path, name, **changed)
    with pytest.raises(UserError, match=f"`{file}` of `{name}` could make a text more than 64"):
        open_pretrained(folder, "src")


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.9, 0.999])
def test_a_truncated_sentencepiece_model_is_refused(checkpoints, tmp_path, share):
    content = (checkpoints("marian").older / "source.spm").read_bytes()
    folder = damaged(
        checkpoints, tmp_path, "marian", source__spm=content[: int(len(content) * share)]
    )
    message = r"`source\.spm` of `marian` is not a complete SentencePiece model; download the checkpoint again\."
    with pytest.raises(UserError, match=message):
        open_pretrained(folder, "src")


@pytest.mark.parametrize(
    ("found", "offset"),
    [("▁", 0), ("nmt_nfkc", 12)],  # a token that is no UTF-8; the size of the table of replacements
)
def test_a_damaged_sentencepiece_model_is_refused(checkpoints, tmp_path, found, offset):
    content = (checkpoints("t5").older / "spiece.model").read_bytes()
    at = content.index(found.encode()) + offset
    broken = content[:at] + b"\xff\xff\xff" + content[at + 3 :]
    folder = damaged(checkpoints, tmp_path, "t5", spiece__model=broken)
    with pytest.raises(UserError, match="is not a complete SentencePiece model; download"):
        open_pretrained(folder, "src")


@pytest.mark.parametrize(
    ("vocab", "message"),
    [
        ({"</s>": 0, "<pad>": 1}, "has no token `<unk>`"),
        ({"</s>": 0, "<unk>": 1}, r"has no token `<pad>` \(pad_token\)"),
        ({"</s>": 0, "<unk>": 0, "<pad>": 2}, "gives `</s>` and `<unk>` the same id 0"),
        ({"</s>": 0, "<unk>": -1, "<pad>": 2}, "gives the token `<unk>` no id from 0 on"),
        ({"</s>": 0, "<unk>": "1", "<pad>": 2}, "gives the token `<unk>` no id from 0 on"),
        (
            {"</s>": 0, "<unk>": 1, "<pad>": 2, "▁a": 99999},
            r"has the id 99999, and its `config\.json` allows ids below",
        ),
    ],
)
def test_a_vocabulary_that_does_not_fit_is_refused(checkpoints, tmp_path, vocab, message):
    folder = damaged(checkpoints, tmp_path, "marian", vocab__json=vocab)
    with pytest.raises(UserError, match=message):
        open_pretrained(folder, "src")


def test_merges_that_do_not_fit_are_refused(checkpoints, tmp_path):
    folder = damaged(
        checkpoints, tmp_path, "bart", merges__txt="#version: 0.2\nĠnever seen\n".encode()
    )
    with pytest.raises(
        UserError,
        match=r"`merges\.txt` of `bart` has a merge of tokens that are not in `vocab\.json`",
    ):
        open_pretrained(folder, "src")


def test_the_decoder_starts_as_generate_reads_the_files():
    config = {"decoder_start_token_id": 5, "bos_token_id": 6}
    assert first_input(generation_settings(config, None)) == 5
    assert first_input(generation_settings(config, {"decoder_start_token_id": 7})) == 7
    assert first_input(generation_settings(config, {"bos_token_id": 8})) == 8
    assert first_input(generation_settings(config, {"decoder_start_token_id": None})) == 5


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"extra_ids": "x"}, "has `extra_ids` that is no number from 0 to 10,000"),
        ({"extra_ids": 10**12}, "has `extra_ids` that is no number from 0 to 10,000"),
    ],
)
def test_settings_that_make_no_sense_are_refused(checkpoints, tmp_path, settings, message):
    folder = damaged(checkpoints, tmp_path, "t5", tokenizer_config__json=settings)
    with pytest.raises(UserError, match=message):
        open_pretrained(folder, "src")


def test_a_size_that_makes_no_sense_is_refused(checkpoints, tmp_path):
    for size in (0, -1, 10**12, "600", True):
        config = {"model_type": "t5", "decoder_start_token_id": 0, "vocab_size": size}
        folder = damaged(checkpoints, tmp_path / str(size), "t5", config__json=config)
        with pytest.raises(UserError, match="has a `vocab_size` that is no number up to 1,000,000"):
            open_pretrained(folder, "src")


def test_a_damaged_saved_tokenizer_is_refused(checkpoints, tmp_path):
    file = tmp_path / "tokenizer.json"
    open_pretrained(checkpoints("t5").older, "src").save(file)
    content = json.loads(file.read_text())
    for change in ({"side": "left"}, {"files": {"spiece.model": "%"}}, {"files": None}):
        file.write_text(json.dumps(content | change))
        with pytest.raises(
            UserError, match="is not a complete `pretrained` tokenizer; copy the file again"
        ):
            load(file)
    file.write_text(json.dumps(content | {"files": {}}))
    with pytest.raises(UserError, match=r"has no `config\.json`"):
        load(file)

"""The words that a run was trained on."""

import io
from pathlib import Path

import pytest

from s2s.config import UserError
from s2s.runs import RunFolder, archive, source_words
from tests.conftest import make_run

SOURCES = ["Tom's dog isn't well-fed.", "I saw 3 DOGS, Tom!"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Tom’s well-fed dog, Dog.", ("Tom's", "well", "fed", "dog")),
        ("'Isn't' 3.5 a_b 🎉", ("Isn't", "a", "b")),
        ("cafe\u0301 café", ("café",)),
        ("", ()),
        ("हिन्दी भाषा ড়", ("हिन्दी", "भाषा", "ড়")),
        ("می\u200cخواهم", ("می\u200cخواهم",)),
        ("我喜欢red。", ("我", "喜", "欢", "red")),
        ("안녕 세계", ("안녕", "세계")),
    ],
)
def test_words_are_letters_with_apostrophes_between_them(text: str, words: tuple[str, ...]) -> None:
    assert source_words.words_of(text) == words


def test_every_word_of_the_sources_is_listed_in_any_case(tmp_path: Path) -> None:
    source_words.write(tmp_path, source_words.of_sources(SOURCES))
    listed = source_words.read(tmp_path)
    lines = (tmp_path / source_words.FILE).read_text().splitlines()
    assert lines == ["dog", "dogs", "fed", "i", "isn't", "saw", "tom", "tom's", "well"]
    for source in (*SOURCES, *map(str.upper, SOURCES), "dog's dogs' WELL"):
        assert source_words.unseen(source, listed) == ()
    text = "The dog saw the Cat, the cat, 5 times"
    assert source_words.unseen(text, listed) == ("The", "Cat", "times")
    assert source_words.unseen("the cat's", listed) == ("the", "cat's")


def test_sources_without_a_new_word_are_said_to_have_none() -> None:
    listed = source_words.of_sources(SOURCES)
    said = source_words.coverage_note(["The", "dog saw Tom's"], listed | {"the"}, "test source")
    assert said.startswith("Every word of the 2 test sources is in the training sources")
    assert not source_words.coverage_note(["dog cat"], listed, "test source")
    assert not source_words.coverage_note(["1 2", ""], listed, "test source")
    assert not source_words.coverage_note(["dog"], frozenset(), "test source")


def test_no_list_is_kept_of_more_words_than_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_words, "MOST", 2)
    source_words.write(tmp_path, frozenset({"a", "b", "c"}))
    assert not (tmp_path / source_words.FILE).exists()
    source_words.write(tmp_path, frozenset({"a", "b"}))
    assert source_words.read(tmp_path) == {"a", "b"}


def test_no_word_is_unseen_where_none_is_listed(tmp_path: Path) -> None:
    assert source_words.read(tmp_path) == frozenset()
    assert source_words.unseen("any words", frozenset()) == ()


def test_the_list_of_words_is_part_of_a_runs_zip(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", {})
    source_words.write(path, source_words.of_sources(SOURCES))
    folder = RunFolder(path)
    about = folder.about()
    data = {**about["data"], "reads": "sentences", "longest": 15}
    folder.write_about({**about, "data": data})
    out = io.BytesIO()
    archive.write(folder, out)
    back = archive.unpack(archive.opened(out, "x.zip"), tmp_path / "back", lambda _: None)
    assert source_words.read(back.path) == source_words.read(path)
    assert back.about()["data"] == data


def test_a_broken_list_of_words_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", {})
    (path / source_words.FILE).write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match=r"The words\.txt of the run `run` cannot be read"):
        source_words.read(path)
    out = io.BytesIO()
    archive.write(RunFolder(path), out)
    with pytest.raises(UserError, match=r"The words\.txt of the run `x-zip` cannot be read"):
        archive.unpack(archive.opened(out, "x.zip"), tmp_path / "back", lambda _: None)
    assert not (tmp_path / "back").exists()

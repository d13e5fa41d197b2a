"""What is computed of sentences is shared, bounded, and forgotten when its caches are emptied."""

import pytest

from s2s.config import asker
from s2s.ui.kit import cached

computed: list[str] = []


@cached.by_sentence(2)
def _upper(text: str) -> str:
    computed.append(text)
    return text.upper()


@cached.by_sentence(3)
def _joined(text: str, _unused: object, *, end: str = "") -> str:
    computed.append(text)
    return text + end


def test_a_deleted_workspace_takes_along_what_only_it_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    cached.forget_sentences()
    for workspace in ("ann", "eve"):
        with asker.acting_as(workspace):
            for text in ("of both", f"of {workspace}"):
                _joined(text, object(), end=".")
    computed.clear()
    cached.forget_workspace("eve")
    with asker.acting_as("ann"):
        for text in ("of both", "of ann"):
            assert _joined(text, object(), end=".") == f"{text}."
        assert computed == []
        _joined("of eve", object(), end=".")
    assert computed == ["of eve"]
    cached.forget_workspace("ann")  # who is the only one left
    with asker.acting_as("eve"):
        _joined("of both", object(), end=".")
    assert computed == ["of eve", "of both"]


def test_a_sentence_is_computed_once_until_it_is_forgotten() -> None:
    computed.clear()
    cached.forget_sentences()
    assert [_upper("a cat"), _upper("a cat")] == ["A CAT", "A CAT"]
    assert computed == ["a cat"]
    cached.forget_sentences()
    assert _upper("a cat") == "A CAT"
    assert computed == ["a cat", "a cat"]


def test_only_the_last_sentences_are_kept() -> None:
    computed.clear()
    cached.forget_sentences()
    for text in ("one", "two", "three", "one"):
        _upper(text)
    assert computed == ["one", "two", "three", "one"]

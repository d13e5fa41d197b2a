"""What is computed of sentences is shared, bounded, and forgotten when its caches are emptied."""

from s2s.ui.kit import cached

computed: list[str] = []


@cached.by_sentence(2)
def _upper(text: str) -> str:
    computed.append(text)
    return text.upper()


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

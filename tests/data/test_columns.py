"""The guess of columns: right on the shapes of published sets, and silent where there is no pair."""

from collections.abc import Sequence

import pytest

from s2s.data.formats import columns
from s2s.data.formats.columns import Column, guess, is_language


def texts(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name, "text") for name in names)


def test_the_first_guess_is_the_pair_that_a_person_would_take() -> None:
    for names, config, expected in [
        (("id", "translation.de", "translation.en"), "de-en", ("translation.de", "translation.en")),
        (("id", "translation.de", "translation.en"), "en-de", ("translation.en", "translation.de")),
        (("id", "translation.de", "translation.en"), "", ("translation.de", "translation.en")),
        (
            ("translation.de", "translation.en"),
            "iwslt2017-en-de",
            ("translation.en", "translation.de"),
        ),
        (
            ("sentence.eng_Latn", "sentence.fra_Latn"),
            "fra_Latn-eng_Latn",
            ("sentence.fra_Latn", "sentence.eng_Latn"),
        ),
        (("en", "de"), "", ("en", "de")),
        (("English", "Yoruba"), "", ("English", "Yoruba")),
        (("id", "en", "fr"), "fr-en", ("fr", "en")),
        (("id", "en", "fr"), "", ("en", "fr")),
        (("en", "id"), "en-id", ("en", "id")),
        (("no", "en"), "", ("no", "en")),
        (("java", "cs"), "", ("java", "cs")),
        (("Source", "Target", "notes"), "", ("Source", "Target")),
        (("article", "highlights", "id"), "3.0.0", ("article", "highlights")),
        (("id", "dialogue", "summary", "topic"), "", ("dialogue", "summary")),
        (("text", "summary", "title"), "", ("text", "summary")),
        (("id", "title", "context", "question"), "plain_text", ("context", "question")),
        (("_id", "task", "src", "tgt"), "", ("src", "tgt")),
        (
            ("input_sentence", "language", "target_sentence"),
            "",
            ("input_sentence", "target_sentence"),
        ),
        (("story", "summary", "url"), "", ("story", "summary")),
        (("gloss", "sign", "speaker_id"), "", ("gloss", "sign")),
    ]:
        found = guess(texts(*names), config)
        assert found[0][:2] == expected, found
        assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
        assert len({one[:2] for one in found}) == len(found), "the same two columns twice"
        assert all(
            0 < one.score <= 1 and one.reason and not one.reason.endswith(".") for one in found
        )


@pytest.mark.parametrize(
    "names",
    [(), ("text",), ("id", "text"), ("text", "url", "file_name"), ("id", "en"), ("a", "b", "c")],
)
def test_where_there_is_no_pair_none_is_guessed(names: Sequence[str]) -> None:
    assert guess(texts(*names)) == ()


def test_only_columns_that_hold_text_are_guessed() -> None:
    assert guess([Column("source", "other"), Column("target", "text")]) == ()
    assert (
        guess([Column("original", "text"), Column("simplifications", "texts")])[0].tgt
        == "simplifications"
    )


def test_requested_columns_are_kept() -> None:
    for names, requested, expected in [
        (("en", "de"), {}, ("en", "de")),
        (("en", "de"), {"src": "de"}, ("de", "en")),
        (("en", "de"), {"tgt": "en"}, ("de", "en")),
        (("en", "de", "fr"), {"src": "fr", "tgt": "en"}, ("fr", "en")),
        (("a", "b"), {"tgt": "a"}, ("b", "a")),
        (("a", "url", "b"), {"src": "url"}, None),
        (("a", "b", "c"), {"src": "a"}, None),
        (("a", "b", "c"), {}, None),
        (("text",), {}, ("text", "text")),
        ((), {}, None),
    ]:
        found = columns.choose_columns(texts(*names), **requested)
        assert (found and found[:2]) == expected


def test_the_direction_is_said() -> None:
    assert "order of the configuration's name" in guess(texts("t.de", "t.en"), "en-de")[0].reason
    assert "order" not in guess(texts("t.de", "t.en"), "default")[0].reason


@pytest.mark.parametrize("code", ["de", "pt_BR", "zh-Hans", "eng_Latn", "EN"])
def test_codes_of_languages_are_known(code: str) -> None:
    assert is_language(code)


@pytest.mark.parametrize("name", ["", "key", "url", "text", "de_1", "translation", "de-"])
def test_other_names_are_no_codes_of_languages(name: str) -> None:
    assert not is_language(name)

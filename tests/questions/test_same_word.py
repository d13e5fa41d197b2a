import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import s2s
from s2s.analysis import HeadSelection, alignable_words, reduced
from s2s.config import UserError
from s2s.questions import (
    TWO_BANKS,
    AttentionOf,
    Have,
    Occurrence,
    PoolOf,
    SameWord,
    TwoOccurrences,
    shared_word,
    words_in,
)
from s2s.questions.same_word import CLEAR, FINDINGS, LEAST_WEIGHT, bare
from s2s.questions.views import view_of
from s2s.runs import runs_folder
from tests.conftest import make_run

DEMO = "demo-en-fr"
HERE, THERE = TWO_BANKS
UNKNOWN = math.nan


def occurrence(
    word: str = "bank", translated: str = "banque", elsewhere: float = UNKNOWN
) -> Occurrence:
    return Occurrence(
        f"the {word}", ("the", word), 1, f"la {translated}", translated, np.array([1, elsewhere]), 3
    )


def two(
    words: tuple[str, str] = ("bank", "bank"),
    translated: tuple[str, str] = ("banque", "banque"),
    elsewhere: tuple[float, float] = (UNKNOWN, UNKNOWN),
    last: float = 0.6,
) -> TwoOccurrences:
    pairs = zip(words, translated, elsewhere, strict=True)
    one, other = (occurrence(*each) for each in pairs)
    return TwoOccurrences(one, other, np.array([0.9, last]), np.array([0.1, 0.1]))


SENSES = ("banque", "déposer")
NEAR = {"elsewhere": (0.61, 0.64)}  # not clearly above 0.6
FAR = {"elsewhere": (0.9, 0.8)}
ONE_OF_TWO = {"elsewhere": (0.9, 0.62)}
ONE_KNOWN = {"elsewhere": (UNKNOWN, 0.9)}
# By the place in FINDINGS: an answer of which it is said with these words, and one nearly the same of which it would be
# false.
SAID: tuple[tuple[TwoOccurrences, str, TwoOccurrences], ...] = (
    (two(("<unk>s", "<unk>s")), "This model does not know both words", two()),
    (two(("bank", "money")), "“bank” and “money” are two words", two(("bank", "Bank."))),
    (
        two(translated=SENSES, **FAR),
        "the encoder distinguishes the two: their cosine goes from 0.90 at the embeddings to 0.60 after the last layer,"
        " below the 0.90 and 0.80 with the same word in other sentences",
        two(translated=SENSES, **ONE_OF_TWO),
    ),
    (
        two(translated=SENSES, **ONE_OF_TWO),
        "the first has 0.90, the second 0.62: only the first is clearly more similar to those than to the one here.",
        two(translated=SENSES, **ONE_KNOWN),
    ),
    (
        two(translated=SENSES, **NEAR),
        "but its state hardly says so",
        two(translated=SENSES, **FAR),
    ),
    (two(translated=SENSES), "as “banque” and as “déposer”; their", two(translated=SENSES, **NEAR)),
    (two(**FAR), "both times, although their", two(**NEAR)),
    (two(**ONE_OF_TWO), "as “banque” both times; their cosine", two(**FAR)),
    (two(**NEAR), "both times: their", two(**FAR)),
    (two(), "both times; their", two(**NEAR)),
    (two(translated=("banque", "")), "The two “bank”: their", two()),
)


@pytest.mark.parametrize("place", range(len(FINDINGS)))
def test_each_finding_is_said_where_it_holds_and_not_where_it_would_be_false(place: int) -> None:
    where, words, elsewhere = SAID[place]
    sentence = SameWord().finding(where)
    assert sentence == FINDINGS[place].said(where)
    assert words in sentence
    assert sentence.endswith(".")
    assert "{" not in sentence
    assert "nan" not in sentence
    assert SameWord().finding(elsewhere) != FINDINGS[place].said(elsewhere)
    assert words not in SameWord().finding(elsewhere)


COSINES = st.one_of(st.just(UNKNOWN), st.floats(-1, 1, width=32))


@given(
    st.sampled_from(["bank", "Bank,", "money", "<unk>", "le-la"]),
    st.sampled_from(["banque", "Banque", "déposer", ""]),
    st.tuples(COSINES, COSINES),
    st.floats(-1, 1, width=32),
)
def test_exactly_the_first_that_holds_is_said_and_its_comparisons_are_true(
    word: str, translated: str, elsewhere: tuple[float, float], last: float
) -> None:
    answer = two(("bank", word), ("banque", translated), elsewhere, last)
    sentence = SameWord().finding(answer)
    holding = [each for each in FINDINGS if each.holds(answer)]
    assert sentence == holding[0].said(answer)
    said = sentence.replace("−", "-")
    assert f"to {last:.2f} after the last layer" in said
    known = [value for value in elsewhere if not math.isnan(value)]
    if "below the" in said and "not clearly" not in said:
        assert known
        assert all(last < value - CLEAR for value in known)
    if ", not clearly below" in said:
        assert known
        assert not any(last < value - CLEAR for value in known)
    if ": only the first" in said:
        assert [last < value - CLEAR for value in known] == [True, False]
    if ": only the second" in said:
        assert [last < value - CLEAR for value in known] == [False, True]
    if "both times" in said:
        assert translated.lower() == "banque"
    assert ("and as" in said) <= (translated == "déposer")


def test_the_two_banks_are_translated_apart_and_compared_as_torch_does() -> None:
    answer = Have().answer(SameWord(DEMO, HERE, THERE))
    run = s2s.load(DEMO)
    assert (answer.one.word, answer.other.word) == ("bank", "bank")
    assert (answer.one.translated, answer.other.translated) == ("banque", "déposer")
    states = [
        torch.from_numpy(run.states(text, "le").encoder[:, text.split().index("bank")])
        for text in (HERE, THERE)
    ]
    theirs = torch.cosine_similarity(*states, dim=-1)
    np.testing.assert_allclose(answer.cosines, theirs, atol=1e-5)
    for each in (answer.one, answer.other):
        (found,) = run.translate(each.text, "beam")
        assert found.text == each.translation
        target = found.hypotheses[0].ids
        mean = reduced(run.attention(each.text, target), HeadSelection("cross"))
        column = list(mean.keys).index("bank")
        best = int(mean.weights[:, column].argmax())
        assert mean.rows[best] == each.translated
        assert mean.weights[best, column] >= LEAST_WEIGHT


def test_each_word_is_compared_with_itself_after_the_same_word_in_other_sentences() -> None:
    answer = Have().answer(SameWord(DEMO, HERE, THERE))
    run = s2s.load(DEMO)
    for each, before in ((answer.one, "the"), (answer.other, "to")):
        own = torch.from_numpy(run.states(each.text, "le").encoder[:, each.position])
        cosines = []
        for text in Have().answer(PoolOf(DEMO)).texts:
            words = text.split()
            if (before, "bank") in pairwise(words) and text != each.text:
                at = [*pairwise(words)].index((before, "bank")) + 1
                theirs = torch.from_numpy(run.states(text, "le").encoder[:, at])
                cosines.append(torch.cosine_similarity(own, theirs, dim=-1))
        assert len(cosines) == each.n_elsewhere > 1
        np.testing.assert_allclose(each.elsewhere, torch.stack(cosines).mean(0), atol=1e-5)


def test_the_table_and_the_picture_have_what_is_known_only() -> None:
    question = SameWord(DEMO, HERE, THERE, layer="1")
    known = Have().answer(question)
    (picture,) = view_of(question).pictures(question, known, "m")
    assert list(picture.table.columns) == ["layer", *known.series]
    assert len(picture.table.columns) == 5
    assert picture.table.rows[0][:2] == ["embeddings", float(known.cosines[0])]
    assert "Dashed" in picture.caption
    assert picture.figure.layout.shapes[0].x0 == 1
    alone: Any = replace(
        known,
        one=replace(known.one, elsewhere=np.full(3, UNKNOWN)),
        other=replace(known.other, elsewhere=np.full(3, UNKNOWN)),
        baseline=np.full(3, UNKNOWN),
    )
    (picture,) = view_of(question).pictures(replace(question, layer="9"), alone, "m")
    assert list(picture.table.columns) == ["layer", "these two"]
    assert not {"Dashed", "Dotted"} & {*picture.caption.replace(":", "").split()}
    assert not picture.figure.layout.shapes


def test_a_hidden_word_is_escaped_where_the_picture_is_drawn() -> None:
    word = "<img src=x onerror=alert(1)>"
    answer = two((word, word))
    question = SameWord("r", "a", "b")
    (picture,) = view_of(question).pictures(question, answer, "m")
    assert word in picture.finding  # plain: whoever draws it escapes it
    drawn = picture.figure.to_json()
    assert "<img" not in drawn
    assert "<img" not in picture.table.html()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"text": "", "second": HERE}, "compares two sentences"),
        ({"text": "... !", "second": HERE}, "no word to compare"),
        ({"text": HERE, "second": THERE, "word": 7}, "no word 7: the sentence has 6"),
        ({"text": HERE, "second": THERE, "word2": -1}, "no word -1"),
        ({"text": HERE, "second": THERE, "strategy": "zork"}, "zork"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_sentence(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        Have().answer(SameWord(DEMO, **given))


def test_a_sentence_longer_than_the_model_s_positions_is_refused_for_that() -> None:
    changes = {
        "model.positions.kind": "learned",
        "model.positions.max_length": 16,
        "train.steps": 1,
        "data.max_length": 16,
    }
    make_run(runs_folder() / "short", changes)
    with pytest.raises(UserError, match="Line 2 of the source has 21 tokens"):
        Have().answer(SameWord("short", "1 2 3", " ".join("1" * 20)))


@pytest.mark.parametrize("name", ["demo-en-fr", "demo-en-de", "demo-en-es", "demo-tasks"])
def test_positions_are_the_same_in_the_menu_the_states_and_the_attention(name: str) -> None:
    have = Have()
    run = have.run(name)
    shortest = sorted(have.answer(PoolOf(name)).texts, key=len)[:2]
    for text in (*shortest, "Tom's dog, whom we call *Rex*, is here."):
        forced = have.answer(AttentionOf(name, text))
        whole = forced.whole("cross")
        mean = reduced(forced.attention, HeadSelection("cross"))
        picture = alignable_words(mean, rows_whole=whole[0], keys_whole=whole[1])
        assert words_in(run, text) == tuple(picture.keys[: len(words_in(run, text))])


def test_the_word_that_two_sentences_share() -> None:
    assert shared_word(HERE.split(), THERE.split()) == (1, 3)
    assert shared_word("a b".split(), "c d".split()) == (0, 0)
    assert shared_word("go now".split(), "go now".split()) == (1, 1)
    assert shared_word("a <unk>".split(), "<unk> b a".split()) == (0, 2)
    before = "translate English to French: "
    assert shared_word((before + HERE).split(), (before + THERE).split()) == (5, 7)


def test_punctuation_around_a_word_is_none_of_it() -> None:
    words = {"früh,": "früh", "l'homme": "l'homme", ".": "", "की।": "की", "¿qué?": "qué"}
    assert {word: bare(word) for word in words} == words

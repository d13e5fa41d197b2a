"""Where sentences end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2s.data import split_sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ("I am tired.", "Where is the station?"),
        ("i am tired.", "where is the station?"),
        ("Stop!", "Who is there?!", "Me."),
        ("He said: “I know.”", "“Do you?”", "(Yes.)", 'She asked, "Why?"', "So what"),
        ("Well...", "I don't know."),
        ("Well... maybe.", "Wait… what?"),
        ("Mr. Smith, Mrs. Hill and Dr. Who came at 5 p.m. to St. Ives.", "They left."),
        ("J. R. R. Tolkien lived in the U.S. for e.g. 3.5 years, i.e. not long.", "Really."),
        ("It was I.", "I was there."),
        ("No.", "I won't."),
        ("It is No. 5 vs. No. 6.", "No.", "I mean it."),
        ("In 1990.", "Then 3.5 and 1.000 too."),
        ("Really ?", "Yes !"),
        ("I am happy. :)",),
        ("1. Open the door.", "2. Go."),
        ("no period at all",),
        ("",),
    ],
)
def test_sentences_are_found_again_after_they_were_joined(sentences: tuple[str, ...]) -> None:
    assert split_sentences(" ".join(sentences)) == sentences


PIECES = st.sampled_from(
    ["a", "Dr.", "J.", "I.", "3.5", "...", "No.", "5", "Go!", "“x?”", ":)", ""]
)


@given(st.lists(PIECES | st.text(max_size=5), max_size=12))
def test_joined_sentences_are_the_text_and_each_has_a_letter(pieces: list[str]) -> None:
    text = " ".join(pieces)
    sentences = split_sentences(text)
    assert " ".join(sentences) == text
    if len(sentences) > 1:
        assert all(any(map(str.isalpha, sentence)) for sentence in sentences)
    assert len(sentences) == 1 or not any(sentence == "Dr." for sentence in sentences[:-1])

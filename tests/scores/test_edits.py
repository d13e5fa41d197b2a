"""Edits: as many as sacrebleu counts, and they make the reference of the hypothesis."""

from collections import Counter

import pytest

from s2s.scores import all_sentence_scores
from s2s.scores.edits import KINDS, Edit, ter
from tests.scores.pairs import pairs

HYPOTHESES, REFERENCES = pairs(250, 6)


def test_edits_add_up_and_lead_from_one_side_to_the_other() -> None:
    n_shifts = 0
    for hypothesis, reference, scores in zip(
        HYPOTHESES, REFERENCES, all_sentence_scores(HYPOTHESES, REFERENCES), strict=True
    ):
        found = ter(hypothesis, reference)
        n_shifts += len(found.shifts)
        assert found.score == pytest.approx(scores["ter"])
        assert tuple(edit.reference for edit in found.edits if edit.reference) == found.reference
        assert Counter(edit.hypothesis for edit in found.edits if edit.hypothesis) == Counter(
            found.hypothesis
        )
        assert all(
            (edit.kind == "same") == (edit.hypothesis == edit.reference) for edit in found.edits
        )
        assert sum(map(found.n, KINDS.values())) == len(found.edits)
    assert n_shifts > 30


def test_words_that_move_are_named() -> None:
    found = ter("noir le chat dort sur lit", "le chat noir dort sur un lit")
    assert found.shifts == (("noir",),)
    assert [edit for edit in found.edits if edit.kind != "same"] == [Edit("inserted", "", "un")]
    assert found.n_edits == 2
    assert ter("c d e a b", "a b c d e").shifts == (("a", "b"),)


def test_sides_without_words() -> None:
    assert [ter(*sides).score for sides in (("", ""), ("a", ""), ("", "a"))] == [0.0, 100.0, 100.0]

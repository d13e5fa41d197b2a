from dataclasses import replace
from statistics import fmean

import pytest

from s2s.analysis import SentenceRow, sentence_rows
from s2s.analysis.buckets import BUCKETINGS, NO_FLAG, bucket_scores, buckets, count_errors
from s2s.scores import Scoring, paired, score_all
from tests.scores.pairs import hypotheses, pairs

HYPOTHESES, REFERENCES = pairs(60, 2)
SOURCES = [f"{'w ' * (i % 40 + 1)}".strip() for i in range(60)]
OTHERS = hypotheses(REFERENCES, 3)


def rows(texts: list[str]) -> list[SentenceRow]:
    counts = {"w": 3}
    return sentence_rows(SOURCES, REFERENCES, texts, counts=counts)


@pytest.mark.parametrize("by", BUCKETINGS)
def test_every_sentence_is_in_its_bucket(by: str) -> None:
    given = rows(HYPOTHESES)
    found = buckets(given, by)
    members = [i for bucket in found.values() for i in bucket]
    n_known = sum(bool(reference.split()) for reference in REFERENCES)
    if by == "flags":
        assert set(members) == set(range(60))
        assert all(not given[i].flags for i in found[NO_FLAG])
    else:
        assert len(members) == len(set(members)) == (n_known if by == "ratio" else 60)


def test_buckets_have_their_bounds() -> None:
    found = buckets(rows(HYPOTHESES), "length")
    assert list(found) == ["below 6", "6 to 10", "11 to 15", "16 to 20", "21 to 30", "31 or more"]
    assert {len(SOURCES[i].split()) for i in found["6 to 10"]} == {6, 7, 8, 9, 10}
    assert list(buckets(rows(HYPOTHESES), "rarest")) == ["2 to 4"]


def test_a_bucket_has_the_score_and_the_difference_of_its_sentences() -> None:
    scoring = Scoring(lowercase=True)
    ours = rows(HYPOTHESES)
    found = bucket_scores(
        ours, rows(OTHERS), REFERENCES, by="length", metric="chrf", scoring=scoring
    )
    assert sum(one.n for one in found) == 60
    members = buckets(ours, "length")["6 to 10"]
    one = next(each for each in found if each.name == "6 to 10")
    texts, others, references = (
        [column[i] for i in members] for column in (HYPOTHESES, OTHERS, REFERENCES)
    )
    assert one.n == len(members)
    assert one.score == pytest.approx(score_all(texts, references, scoring)["chrf"].value)
    assert one.other == pytest.approx(score_all(others, references, scoring)["chrf"].value)
    plain = bucket_scores(
        ours, rows(OTHERS), REFERENCES, by="length", metric="chrf", scoring=Scoring()
    )
    assert (
        next(each for each in plain if each.name == "6 to 10").difference
        == (paired(texts, others, references, names=["chrf"])["chrf"])
    )
    alone = bucket_scores(ours, None, REFERENCES, by="flags", metric="bleu", scoring=scoring)
    assert all(each.difference is None for each in alone)


def test_a_metric_that_was_given_has_the_mean_of_each_bucket() -> None:
    def rated(texts: list[str], shift: float) -> list[SentenceRow]:
        found = enumerate(rows(texts))
        return [replace(row, scores={"human": i % 7 + shift * (i % 2)}) for i, row in found]

    ours = rated(HYPOTHESES, 1.0)
    scoring = Scoring()
    found = bucket_scores(
        ours, rated(OTHERS, 0.0), REFERENCES, by="length", metric="human", scoring=scoring
    )
    members = buckets(ours, "length")["6 to 10"]
    one = next(each for each in found if each.name == "6 to 10")
    assert one.score == pytest.approx(fmean(i % 7 + i % 2 for i in members))
    assert one.other == pytest.approx(fmean(i % 7 for i in members))
    assert one.difference
    assert one.difference.difference == pytest.approx(fmean(i % 2 for i in members))
    alone = bucket_scores(ours, None, REFERENCES, by="length", metric="human", scoring=scoring)
    assert [each.score for each in alone] == [each.score for each in found]


def test_errors_are_counted_over_the_whole_set() -> None:
    sources = ["a b c", "d e f", "g h", "i j k"]
    references = ["x y z", "d e f", "u v", "p q r"]
    written = ["a b c", "d e f", "u u u u u u", "p q"]
    own = sentence_rows(
        sources, references, written, log_probs=[-1.0, -1.0, -5.0, -2.0], ranked=[0.0] * 4
    )
    found = count_errors(own, [-9.0, -0.5, -2.0, -3.0])
    assert (found.n, found.search, found.copies) == (4, 1, 1)
    assert found.repetitions == 1
    assert found.flagged >= 1
    unknown = count_errors(own, [None, -0.5, -2.0, -3.0])
    assert unknown.search is None


def test_errors_and_flags_are_found_in_any_unicode_form() -> None:
    composed, decomposed = "caf\u00e9 5 \u00e9t\u00e9", "cafe\u0301 5 e\u0301te\u0301"
    copied, right = sentence_rows(
        [decomposed, "x"], ["y", composed], [composed, decomposed], log_probs=[-9.0, -9.0]
    )
    found = count_errors([copied, right], [-99.0, -1.0])
    assert (found.copies, found.search) == (1, 0)
    assert not right.flags

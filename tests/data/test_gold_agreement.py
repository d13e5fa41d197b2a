"""Agreement across a clause, as the gold relations of the built-in grammar say it."""

import pytest

from s2s.config import UserError
from s2s.data import Pair, gold_agreement, load


def across_clause(pair: Pair) -> tuple[int, int] | None:
    """From the gold relations: the verb of another subject stands between a subject and its verb."""
    assert pair.gold is not None
    verbs = [row for row in pair.gold.relations if (row.kind, row.side) == ("subject-verb", "src")]
    found = {
        (row.dependent, row.head)
        for row in verbs
        if any(row.dependent < other.head < row.head for other in verbs)
    }
    assert len(found) < 2
    return next(iter(found), None)


@pytest.mark.parametrize(
    ("split", "share"), [("random", 0.131), ("deep", 1.0), ("agreement", 1.0), ("banks", None)]
)
def test_it_is_that_of_the_gold_relations(split: str, share: float | None) -> None:
    pairs = load("builtin:en-fr", split).pairs
    gold = [across_clause(pair) for pair in pairs]
    assert [gold_agreement(pair.src) for pair in pairs] == gold
    if share is not None:
        assert sum(one is not None for one in gold) == pytest.approx(share * len(pairs))


def test_a_task_s_prefix_shifts_it_and_foreign_words_are_no_sentence_of_the_grammar() -> None:
    long = "the cats who chased the mouse were black"
    assert gold_agreement(long) == (1, 6)
    assert gold_agreement(f"translate English to French: {long}") == (5, 10)
    assert gold_agreement("the red house") is None
    assert gold_agreement("") is None
    with pytest.raises(UserError, match="`zork` is no word of the built-in English grammar"):
        gold_agreement("the zork who sleeps is red")

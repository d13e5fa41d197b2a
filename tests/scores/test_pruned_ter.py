from itertools import zip_longest
from typing import Any

import pytest
from sacrebleu.metrics import lib_ter
from sacrebleu.metrics.ter import TER

from s2s.scores import pruned_ter
from tests.scores.pairs import hypotheses, pairs


def several(n: int, seed: int) -> tuple[list[str], list[Any]]:
    """Hypotheses and sacrebleu's streams of one to four references."""
    texts, references = pairs(n, seed)
    more = [hypotheses(references, seed + i) for i in range(1, 4)]
    each = [
        [first, *others[: i % 4]]
        for i, (first, others) in enumerate(zip(references, zip(*more, strict=True), strict=True))
    ]
    return texts, [list(stream) for stream in zip_longest(*each)]


@pytest.mark.parametrize("seed", range(5))
def test_every_sentence_has_sacrebleus_counts(seed: int) -> None:
    texts, streams = several(80, seed)
    ours, theirs = (
        metric._extract_corpus_statistics(texts, streams)
        for metric in (pruned_ter.PrunedTER(), TER())
    )
    assert ours == theirs


def test_references_that_cannot_be_the_closest_are_not_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched = []

    def count(words: list[str], reference: list[str]) -> tuple[int, int]:
        searched.append(reference)
        return lib_ter.translation_edit_rate(words, reference)

    monkeypatch.setattr(pruned_ter, "translation_edit_rate", count)
    found = pruned_ter.PrunedTER().corpus_score(["a b c"], [["x y z w"], ["a b c"], ["c d e"]])
    assert searched == [["a", "b", "c"]]
    assert found.score == 0

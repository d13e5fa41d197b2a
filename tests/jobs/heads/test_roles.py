"""The experiment `roles` as a worker runs it: what it measures, through JSON and back."""

from __future__ import annotations

import json

import numpy as np
import pytest

import s2s
from s2s.analysis import KINDS, summarize_heads
from s2s.config import UserError
from s2s.data import Gold, Link, Pair, Relation
from s2s.files import from_json
from s2s.jobs.heads.roles import RolesResult, RolesSettings, measure
from s2s.runs import Run
from tests.analysis.heads.samples import finished

SUBJECTS = ("cat", "dog", "king", "child", "woman", "man", "bird", "queen", "horse", "girl", "boy")


@pytest.fixture(scope="module")
def demo() -> Run:
    return s2s.load("demo-en-fr")


def pairs(n: int, *, has_gold: bool = True) -> list[Pair]:
    """*the cat who chased the dog was old*, with the relation of *was* and *cat*."""
    gold = Gold(
        (Link(0, 0),),
        relations=(
            Relation("subject-verb", "src", 3, 1),
            Relation("subject-verb", "src", 6, 1),
            Relation("determiner-noun", "src", 1, 0),
        ),
    )
    found = []
    for i in range(n):
        one, other = SUBJECTS[i % 11], SUBJECTS[(i + i // 11 + 1) % 11]
        src = f"the {one} who chased the {other} was old"
        found.append(Pair(src, "le chat a chassé le chien", gold if has_gold else None))
    return found


def measured(run: Run, given: list[Pair]) -> RolesResult:
    """Through JSON, as the result of a job."""
    content = finished(measure(run, given, RolesSettings()))
    return from_json(RolesResult, json.loads(json.dumps(content)))


def test_every_part_is_measured_on_the_demo_and_survives_json(demo: Run) -> None:
    given = pairs(24)
    found = measured(demo, given)
    assert found.n == 24
    assert found.notes == {}
    seen = [demo.attention(pair.src, pair.tgt) for pair in given]
    for kind in KINDS:
        one = found.kinds[kind]
        entropy = np.mean([summarize_heads(attention, kind).entropy for attention in seen], 0)
        np.testing.assert_allclose(one.entropy, entropy, atol=1e-3)  # rows are equally many
    by_direction = {one.direction: one for one in found.relations}
    across = by_direction["verb-subject-across"]
    assert across.n == (12, 12)
    expected = np.sum([each.encoder[:, :, 6].argmax(-1) == 1 for each in seen], 0)
    np.testing.assert_array_equal(across.hits.sum(0), expected)
    prefix = {kind for kind, one in found.induction.items() if "prefix" in one}
    assert prefix == {"encoder", "decoder"}  # `le` and `the` are repeated, in one side each
    assert found.induction["encoder"]["prefix"].n_rows == 48


def test_a_part_that_the_sentences_do_not_allow_says_why(demo: Run) -> None:
    plain = [Pair("cat", "chat"), *[Pair("dog sleeps", "chien dort")] * 11]
    found = measured(demo, plain)
    assert found.kinds["cross"].n_rows > 0
    assert not found.relations
    assert "no gold relations" in found.notes["relations"]
    assert {name for one in found.induction.values() for name in one} == {"direct"}


@pytest.mark.parametrize("n", [0, 9])
def test_too_few_sentences_are_refused(demo: Run, n: int) -> None:
    with pytest.raises(UserError, match=f"at least 10 sentences, and this sample has {n}"):
        finished(measure(demo, pairs(n), RolesSettings()))


def test_a_pair_that_does_not_fit_is_counted(demo: Run) -> None:
    found = measured(demo, [*pairs(12), Pair("", "chat")])
    assert (found.n, found.n_left_out) == (12, 1)

"""What is said of the roles of heads, and when it is not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from s2s.analysis import heads
from s2s.questions import Have, HeadRoles, Roles, RolesByStep, RolesOverTraining


@pytest.fixture(scope="module")
def answer() -> Roles:
    return Have().answer(HeadRoles("demo-en-fr"))


def without_roles(kinds: Mapping[str, heads.KindRoles]) -> dict[str, heads.KindRoles]:
    return {kind: replace(one, role=np.full_like(one.role, "mixed")) for kind, one in kinds.items()}


def test_the_heads_with_a_role_are_counted_and_none_is_named_where_all_are_mixed(
    answer: Roles,
) -> None:
    counted = sum(int((one.role != "mixed").sum()) for one in answer.kinds.values())
    assert HeadRoles().finding(answer).startswith(f"{counted} of 24 heads have a role")
    mixed = HeadRoles().finding(replace(answer, kinds=without_roles(answer.kinds)))
    assert mixed.startswith("None of the 24 heads has a role")
    assert "clearest" not in mixed


def test_a_relation_is_found_only_above_random_heads(answer: Roles) -> None:
    asked = HeadRoles(part="relations")
    assert "chosen on one half" in asked.finding(answer)
    missed = tuple(replace(one, hits=np.zeros_like(one.hits)) for one in answer.relations)
    assert "chosen on one half" not in asked.finding(replace(answer, relations=missed))
    assert asked.finding(replace(answer, relations=())) == ""


def test_a_score_is_reached_only_far_above_a_head_without_preference(answer: Roles) -> None:
    asked = HeadRoles(part="induction", score="direct")
    assert "Direct copying: no head" not in asked.finding(answer)
    flat = {
        kind: {
            name: replace(one, score=np.full_like(one.score, one.uniform))
            for name, one in by_name.items()
        }
        for kind, by_name in answer.induction.items()
    }
    assert "Direct copying: no head" in asked.finding(replace(answer, induction=flat))
    assert asked.finding(replace(answer, induction={})) == ""


def test_a_role_arises_only_where_a_strength_changes() -> None:
    asked = RolesOverTraining("demo-en-fr")
    found: RolesByStep = Have().answer(asked)
    assert "the rule holds" in asked.finding(found)
    first = found.checkpoints[0]
    still = tuple(replace(first, step=at.step) for at in found.checkpoints)
    assert asked.finding(replace(found, checkpoints=still)).startswith("In no head")
    assert RolesOverTraining(kind="nosuch", role="nosuch").shown(found)[0] in first.kinds


def test_a_head_that_is_not_there_gives_way_to_the_first(answer: Roles) -> None:
    for named in ("", "cross", "cross.9.1", "zork.1.1", "cross.0.1", "cross.1.x"):
        assert HeadRoles(head=named).head_of(answer) == ("cross", 0, 0)
    assert HeadRoles(head="encoder.2.4").head_of(answer) == ("encoder", 1, 3)

"""Everything is answered as it was recorded; `python -m tests.answers` records an answer that changed on purpose."""

from typing import Any

import pytest

from tests.answers import EXACT, GROUPS, asked, recorded
from tests.answers.comparing import Tolerance, differences, plain

RECORDED = recorded()


@pytest.mark.slow
@pytest.mark.parametrize("name", GROUPS)
def test_answers_are_those_recorded(name: str) -> None:
    found = asked(name)
    assert [*found] == [*RECORDED[name]]
    wrong = [
        line
        for answer, value in found.items()
        for line in differences(
            RECORDED[name][answer], value, GROUPS[name].tolerance, f"{name} / {answer}"
        )
    ]
    assert not wrong, "\n" + "\n".join(wrong[:40])


def test_every_recorded_group_is_asked() -> None:
    assert [*RECORDED] == [*GROUPS]
    assert sum(map(len, RECORDED.values())) >= 200


@pytest.mark.parametrize(
    ("recorded", "found", "n"),
    [
        ([1, "a", 0.5], [1, "a", 0.5004], 0),
        ([1, "a", 0.5], [1, "a", 0.51], 1),
        ([1, 2], [1, 3], 1),
        ([1, 2], [1], 1),
        ({"a": [1.0, None]}, {"a": [1.0, 0.0]}, 1),
        ({"a": 1}, {"b": 1}, 1),
        ([True], [1], 1),
        ([float("nan"), 2.0], [float("nan"), float("nan")], 1),
        ([0.0], [0], 0),
    ],
)
def test_a_difference_is_found_beyond_the_tolerance_only(recorded: Any, found: Any, n: int) -> None:
    assert len([*differences(recorded, found, Tolerance(1e-3), "x")]) == n


def test_a_difference_says_where_and_what() -> None:
    (line,) = differences({"text": ["le chat"]}, {"text": ["le chien"]}, EXACT, "search / beam")
    assert line == 'search / beam.text[0]: recorded "le chat", found "le chien"'


def test_every_number_of_a_large_array_counts() -> None:
    import numpy as np

    array = np.linspace(-1, 1, 300, dtype=np.float32)
    moved = array.copy()
    moved[[7, 8]] = moved[[8, 7]] + 0.5
    assert [*differences(plain(array), plain(moved), Tolerance(1e-6), "x")]

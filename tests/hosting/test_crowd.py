"""What benchmarks/hosted.py does for an hour, in a few seconds: its visitors find their widgets, and it sees growth."""

import secrets

import pytest

from benchmarks.hosted import CPU, growth, memory, page_costs
from benchmarks.serving import server
from tests.processes import awaited

pytestmark = pytest.mark.system


def test_the_visitors_of_the_benchmark_meet_no_error_on_any_page() -> None:
    with server(S2S_HOSTED="1", S2S_SECRET=secrets.token_hex(16)) as served:
        rows, wrong = awaited(page_costs(served, answers=2))
        sizes = memory(served)
    assert wrong == []
    assert [row["page"] for row in rows] == ["Attention", "Compare", "Positions", "Home", "Steps"]
    assert all(row[CPU] > 0 for row in rows)
    assert 0 < sizes["anonymous"] <= sizes["uss"] <= sizes["pss"]


@pytest.mark.parametrize(("per_minute", "per_hour"), [(0.0, 0.0), (0.5, 30.0)])
def test_memory_that_grows_is_told_from_caches_that_fill(
    per_minute: float, per_hour: float
) -> None:
    series = [
        {"at": 60.0 * minute, "pss": min(300.0 + 10 * minute, 400.0) + per_minute * minute}
        for minute in range(61)
    ]
    found = growth(series, "pss")
    assert (found["from minute"], found["to minute"]) == (10, 60)
    assert found["MB per hour"] == pytest.approx(per_hour)
    assert found["last MB"] - found["first MB"] == pytest.approx(per_hour * 50 / 60)

"""What benchmarks/hosted.py makes of an hour's memory; tests/hosting/test_image.py has its visitors."""

import pytest

from benchmarks.hosted import growth


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

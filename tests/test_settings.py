import subprocess
import sys
from dataclasses import replace

import pytest

from s2s import settings
from s2s.config import UserError
from s2s.settings import Limits


def test_the_limits_are_those_of_a_local_or_of_a_public_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert settings.limits() == Limits(
        steps=None,
        minutes=None,
        parameters=None,
        jobs=60,
        queue=200,
        decode_seconds=600,
        model_bytes=10_000_000_000,
    )
    monkeypatch.setenv("S2S_HOSTED", "1")
    hosted = Limits(
        steps=50_000,
        minutes=60,
        parameters=50_000_000,
        jobs=40,
        queue=200,
        decode_seconds=60,
        bytes=2_000_000_000,
        rows=500_000,
        runs=100,
        daily_minutes=240,
        total_bytes=50_000_000_000,
        model_bytes=1_000_000_000,
        model_parameters=100_000_000,
    )
    assert settings.limits() == hosted
    monkeypatch.setenv("S2S_MAX_STEPS", "1_000")
    monkeypatch.setenv("S2S_MAX_MINUTES", "none")
    assert settings.limits() == replace(hosted, steps=1000, minutes=None)


def test_only_what_a_hosted_server_stores_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings.expire_days() is None
    monkeypatch.setenv("S2S_HOSTED", "1")
    assert settings.expire_days() == 30
    monkeypatch.setenv("S2S_EXPIRE_DAYS", "7")
    assert settings.expire_days() == 7
    monkeypatch.setenv("S2S_EXPIRE_DAYS", "none")
    assert settings.expire_days() is None
    monkeypatch.setenv("S2S_EXPIRE_DAYS", "soon")
    with pytest.raises(UserError, match="a whole number above 0, or `none` for never"):
        settings.expire_days()


@pytest.mark.parametrize("given", ["0", "-1", "1.5", "many", "٣"])
def test_a_limit_that_is_no_number_above_0_is_a_sentence(
    given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_MAX_QUEUE", given)
    with pytest.raises(
        UserError,
        match=f"`S2S_MAX_QUEUE` is {given}; give a whole number above 0, or `none` for no limit",
    ):
        settings.limits()


SESSION = """
from pathlib import Path
from s2s import settings
settings.lower_priority(7)
settings.lower_priority(9)  # at once, although the kernel accepts one change per 0.1 s
group = Path("/proc/self/autogroup")
print(group.read_text().split()[-1] if group.exists() else 9)
"""


@pytest.mark.system
def test_a_session_gives_way_to_others() -> None:
    completed = subprocess.run(
        [sys.executable, "-c", SESSION],
        start_new_session=True,
        capture_output=True,
        text=True,
        check=True,
    )
    assert completed.stdout.split() == ["9"]


def test_jobs_keep_a_third_of_a_core_beside_a_busy_page() -> None:
    weight = 1.25**-settings.JOBS_NICE  # beside the dashboard's; sched(7): each level is about 1.25
    assert 1 / 3 <= weight / (1 + weight) < 1 / 2

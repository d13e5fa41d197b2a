import pytest

import s2s
from s2s.config import UserError
from s2s.decode import STRATEGIES
from s2s.runs import Run
from s2s.runs.decoder import HEAVY, DecodeRequest, request_seconds, search_seconds


@pytest.fixture(scope="module")
def demo() -> Run:
    return s2s.load("demo-en-fr")


def seconds(run: Run, strategy: str, settings: str = "{}", n_sources: int = 1) -> float:
    sources = ("the cat sits on the mat",) * n_sources
    request = DecodeRequest("decoded", str(run.folder.path), run.step, sources, strategy, settings)
    return request_seconds(run, request)


def test_an_estimate_grows_with_width_length_and_parameters() -> None:
    least = search_seconds(1, 10, 1000)
    assert least > 0
    for more in (
        search_seconds(2, 10, 1000),
        search_seconds(1, 20, 1000),
        search_seconds(1, 10, 10**8),
    ):
        assert more > least
    assert search_seconds(100, 500, 10**6) > 100 * search_seconds(5, 30, 10**6)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_a_small_model_decodes_by_default_is_cheap(demo: Run, strategy: str) -> None:
    assert seconds(demo, strategy) < HEAVY


def test_the_most_that_the_settings_allow_is_not(demo: Run) -> None:
    assert seconds(demo, "beam", '{"num_beams": 100, "max_new_tokens": 500}') > 10 * HEAVY
    assert seconds(demo, "mbr", '{"num_samples": 100, "max_new_tokens": 500}') > 10 * HEAVY
    assert seconds(demo, "beam", '{"max_new_tokens": 4096}') > 10 * HEAVY
    assert seconds(demo, "mbr", n_sources=16) > HEAVY


def test_a_wrong_setting_is_refused_before_anything_starts(demo: Run) -> None:
    with pytest.raises(UserError, match="num_beams"):
        seconds(demo, "beam", '{"num_beams": 101}')

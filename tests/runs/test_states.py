from pathlib import Path

import numpy as np
import pytest

import s2s
from s2s.config import UserError
from s2s.runs import Run, states
from tests.conftest import make_run

SOURCES = [
    "the old bank is near this yellow castle",
    "the red house",
    " ",
    "the cat sits on the mat",
    "the red house",
]


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load("demo-en-fr")


def test_many_sources_are_read_as_one_is(run: Run) -> None:
    found = {each.number: each.words for each in states.sentence_states(run, SOURCES)}
    assert set(found) == {0, 1, 3, 4}
    for number, words in found.items():
        alone = states.words_of(run, run.states(SOURCES[number], "le"))
        assert words.words == alone.words == tuple(SOURCES[number].split())
        np.testing.assert_allclose(words.vectors, alone.vectors, atol=1e-4)


def test_what_a_model_has_no_positions_for_is_left_out_and_alone_is_refused(tmp_path: Path) -> None:
    changes = {
        "model.positions.kind": "learned",
        "model.positions.max_length": 16,
        "train.steps": 1,
        "data.max_length": 16,
    }
    run = s2s.load(make_run(tmp_path / "run", changes))
    long = " ".join("1" * 20)
    assert [each.number for each in states.sentence_states(run, [long, "1 2 3"])] == [1]
    with pytest.raises(
        UserError, match="Line 1 of the source has 21 tokens and this model has 16 positions"
    ):
        run.states(long, "1")
    with pytest.raises(UserError, match="of the target"):
        run.states("1 2", long)

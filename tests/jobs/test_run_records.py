import json
from typing import Any

import pytest

from s2s.config import UserError
from s2s.jobs import run_records
from s2s.jobs.run_records import MAX_POINTS
from s2s.runs import RunFolder, runs_folder
from tests.conftest import make_run

RUN = "recorded01234567"


@pytest.fixture
def folder() -> RunFolder:
    return RunFolder(make_run(runs_folder() / RUN, {}))


def recorded() -> dict[str, Any]:
    found = run_records.record(RUN)
    assert found
    return found


def test_a_record_is_small_and_read_as_it_was_written(folder: RunFolder) -> None:
    for step in range(31, 300):
        valid = {"kind": "valid", "step": step, "loss": 1 / 3, "perplexity": 1, "token_accuracy": 0}
        folder.log("metrics", valid)
    record = run_records.read(recorded())
    assert (len(record.curve), record.curve[-1].step) == (MAX_POINTS, 299)
    written = json.dumps(recorded())
    assert len(written) < 10_000
    assert run_records.read(json.loads(written)) == record


def test_a_record_with_the_digest_of_its_weights_opens(folder: RunFolder) -> None:
    old = {**recorded(), "format": 1, "best_step": 30, "digest": "0" * 64}
    assert run_records.read(old) == run_records.read(recorded())


@pytest.mark.parametrize(
    "changes",
    [
        {"source": "corpus:0123456789abcdef"},
        {"valid": "/home/ana/secret.tsv"},
        {"init_from": {"run": "x", "step": 1}},
        {"imported": {"family": "t5"}},
    ],
)
def test_what_others_cannot_read_is_not_recorded(
    folder: RunFolder, changes: dict[str, Any]
) -> None:
    folder.amend(lambda about: changes)
    assert run_records.record(RUN) is None


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"format": run_records.FORMAT + 1}, "recorded by a newer version"),
        ({"recipe": {"depth": 3}}, "does not fit this version of the program: .*depth"),
        ({"curve": [[1]]}, "is damaged"),
        ({"source": None}, "is damaged"),
    ],
)
def test_a_record_that_cannot_be_read_is_a_sentence(
    folder: RunFolder, changes: dict[str, Any], why: str
) -> None:
    with pytest.raises(UserError, match=why):
        run_records.read({**recorded(), **changes})

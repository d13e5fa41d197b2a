import pytest

from s2s import files
from s2s.jobs import stop_reasons
from s2s.settings import home


@pytest.mark.parametrize(
    ("code", "what"),
    [
        (-9, "was killed (signal 9), perhaps because memory ran out"),
        (-11, "was ended by signal 11"),
        (1, "ended with status 1 before its work was done"),
    ],
)
def test_the_end_of_a_process_says_what_is_left_of_its_work(code: int, what: str) -> None:
    assert (
        stop_reasons.died(code, "r")
        == f"The training process {what}; nothing was saved yet, start it again."
    )
    files.write_json(home() / "runs" / "r" / "status.json", {"step": 1200})
    assert (
        stop_reasons.died(code, "r") == f"The training process {what}; resume it from step 1,200."
    )


@pytest.mark.parametrize("content", ["{", "[1]", '{"step": "x"}', '{"step": null}'])
def test_a_broken_status_does_not_end_the_worker(content: str) -> None:
    files.write_text(home() / "runs" / "r" / "status.json", content)
    assert stop_reasons.died(1, "r").endswith(
        "; its status.json cannot be read; resume it from its last checkpoint."
    )

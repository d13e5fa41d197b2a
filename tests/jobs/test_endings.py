import pytest

from s2s import files
from s2s.jobs import endings
from s2s.settings import home


@pytest.mark.parametrize(
    ("code", "what"),
    [
        (-9, "was killed (signal 9), perhaps for want of memory"),
        (-11, "was ended by signal 11"),
        (1, "ended with status 1 before its work was done"),
    ],
)
def test_the_end_of_a_process_says_what_is_left_of_its_work(code: int, what: str) -> None:
    assert endings.died(code, "r") == f"The training process {what}; nothing was saved yet, start it again."
    files.write_json(home() / "runs" / "r" / "status.json", {"step": 1200})
    assert endings.died(code, "r") == f"The training process {what}; resume it from step 1,200."

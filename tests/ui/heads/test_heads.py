import json

import pytest

from s2s.jobs import head_service, test_sets
from s2s.jobs.registry import JOBS
from s2s.links.share import pack
from s2s.processes import queue
from s2s.runs import Measurement, MeasurementFolder
from s2s.ui.kit import cached
from s2s.ui.kit.test_sets import described
from tests.jobs.context import FakeContext
from tests.screen import link, opened

N = 12


@pytest.fixture(autouse=True)
def _no_worker() -> None:
    """Jobs wait: a test does the work itself."""
    cached.refresh_runs()


def test_roles_are_measured_by_a_click_and_stay(own_run: str) -> None:
    view = pack({"n": str(N)})
    screen = opened("heads", run=own_run, set=view)
    assert not screen.exception
    (button,) = (each for each in screen.button if each.label.startswith("Measure"))
    button.click().run()
    assert "Queued" in json.dumps([str(each.proto) for each in screen.get("progress")])
    job = queue.claim("w", "h", "express", 600.0)
    assert job is not None
    list(JOBS[job.kind].work(job, FakeContext()))
    queue.finish(job.id, job.worker, "done")
    screen.run()
    assert not screen.exception
    assert not [each for each in screen.button if each.label.startswith("Measure")]
    again = opened("heads", run=own_run, set=view)  # the link, in a fresh browser
    table = again.dataframe[1].value
    assert len(table) == 12  # heads
    assert f"n:{N}" in link(again) or f"n%3A{N}" in link(again)
    worked = json.loads((MeasurementFolder(job.run).path / "result.json").read_text())
    asked = Measurement(own_run, 30, "roles", described(own_run, test_sets.HELD_OUT, N))
    assert asked.id == job.run
    here = json.loads(json.dumps(head_service.measure(asked)))
    assert {"format": worked["format"], **here} == worked

from pathlib import Path

import pytest

import s2s
from s2s.config import UserError
from s2s.runs import parallel
from tests import processes
from tests.conftest import make_run


@pytest.mark.system
def test_several_processes_translate_as_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel.multiprocessing, "get_context", lambda method: processes.CONTEXT)
    monkeypatch.setattr(parallel, "ROWS", 8)
    run = s2s.load(make_run(tmp_path / "one", {}))
    sources = [" ".join(str(number))[: 1 + number % 9] for number in range(10**8, 10**8 + 25)]
    sources += ["", "zebra"]
    alone = run.translate(sources, "sample", num_return_sequences=2)
    spread_out = parallel.translate(run, sources, "sample", {"num_return_sequences": 2}, 2)
    assert [one.source for one in spread_out] == sources
    assert [one.text for one in spread_out] == [one.text for one in alone]
    assert [one.log_prob for one in spread_out] == pytest.approx(
        [one.log_prob for one in alone], abs=1e-4
    )
    assert spread_out[-1].unknown == ("zebra",)
    with pytest.raises(UserError, match="no setting `num_beam`"):
        parallel.translate(run, sources, "beam", {"num_beam": 2}, 2)


def test_a_process_of_a_hosted_server_opens_the_run_of_its_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = s2s.load(make_run(tmp_path / "one", {}))
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setattr(parallel.torch, "set_num_threads", lambda n: None)
    assert parallel._opened.__wrapped__(run.key).step == run.step


def test_few_sources_are_not_worth_a_second_process() -> None:
    assert [parallel.processes_for(n, 4) for n in (0, 400, 999, 1000, 1600, 90_000)] == [
        1,
        1,
        1,
        2,
        3,
        4,
    ]

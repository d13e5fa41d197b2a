import contextlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import s2s
from s2s.config import UserError
from s2s.processes.program import Process, Program
from s2s.runs import parallel
from s2s.runs.decoder import work
from tests.conftest import make_run


@pytest.mark.system
def test_several_processes_translate_as_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "ROWS", 9)
    run = s2s.load(make_run(tmp_path / "one", {}))
    sources = [" ".join(str(number))[: 1 + number % 9] for number in range(10**8, 10**8 + 25)]
    sources += ["", "zebra"]
    order = sorted(range(27), key=lambda number: len(sources[number]))
    settings = {"num_return_sequences": 2}
    alone = dict[int, Any]()
    for part in (order[:9], order[9:18], order[18:]):
        found = run.translate([sources[number] for number in part], "sample", **settings)
        alone.update(zip(part, found, strict=True))
    # nothing is stored, so the home may be what nobody can write
    monkeypatch.setenv("S2S_HOME", str(tmp_path / "one" / "recipe.json"))
    together = parallel.translate(run, sources, "sample", settings, 2)
    assert together == [replace(alone[number], steps=()) for number in range(27)]
    assert together[-1].unknown == ("zebra",)
    with pytest.raises(UserError, match="no setting `num_beam`"):
        parallel.translate(run, sources, "beam", {"num_beam": 2}, 2)


@pytest.mark.system
def test_a_process_that_dies_is_one_sentence_and_none_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = s2s.load(make_run(tmp_path / "one", {}))
    started = list[Process]()

    def start(program: Program) -> Process:
        started.append(Process(program))
        if len(started) == 2:
            started[-1].process.kill()
        return started[-1]

    monkeypatch.setattr(parallel, "Process", start)
    monkeypatch.setattr(parallel, "ROWS", 1)
    with pytest.raises(UserError, match="One of the processes that translate ended unexpectedly"):
        parallel.translate(run, ["1 2", "3"], "greedy", {}, 9)
    assert len(started) == 2
    assert all(each.process.wait(20) for each in started)


@pytest.mark.system
def test_what_is_interrupted_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = s2s.load(make_run(tmp_path / "one", {}))
    started = list[Process]()

    def start(program: Program) -> Process:
        started.append(Process(program))
        return started[-1]

    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(parallel, "Process", start)
    monkeypatch.setattr(parallel, "as_completed", interrupt)
    with pytest.raises(KeyboardInterrupt):
        parallel.translate(run, ["1 2"], "greedy", {}, 2)
    (process,) = started
    assert process.process.wait(20)


def test_where_no_process_starts_there_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = s2s.load(make_run(tmp_path / "one", {}))

    def refuse(_: Program) -> contextlib.AbstractContextManager[Process]:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(parallel, "Process", refuse)
    with pytest.raises(UserError, match=r"cannot be started \(Resource temporarily unavailable\);"):
        parallel.translate(run, ["1 2"], "greedy", {}, 2)


def test_a_process_of_a_hosted_server_opens_the_run_of_its_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = s2s.load(make_run(tmp_path / "one", {}))
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setattr(work.torch, "set_num_threads", lambda n: None)
    assert work.opened.__wrapped__(*run.key[:2]).step == run.step


def test_few_sources_are_not_worth_a_second_process() -> None:
    assert [parallel.processes_for(n, 4) for n in (0, 400, 999, 1000, 1600, 90_000)] == [
        1,
        1,
        1,
        2,
        3,
        4,
    ]

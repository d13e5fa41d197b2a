"""Opening a published model: fetched, opened, owned; refused before it is fetched; nothing left of a failure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import s2s
from s2s import hub, settings
from s2s.config import UserError, asker
from s2s.jobs import ImportRequest, import_forecasts, import_service, job_process, stop_reasons
from s2s.jobs.registry import JOBS
from s2s.library.own import list_runs
from s2s.processes import queue
from s2s.runs import RunFolder, runs_folder
from tests.hub.standin import Fault, Hub, Repo
from tests.jobs.context import FakeContext
from tests.pretrained.checkpoints import make_checkpoint

NAME = "team/opus"
MULTILINGUAL = "team/m2m"


@pytest.fixture(scope="module")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, bytes]]:
    """The files of two tiny models, by name."""
    found = {}
    for name, family in ((NAME, "marian"), (MULTILINGUAL, "m2m100")):
        folder = tmp_path_factory.mktemp(family)
        make_checkpoint(family, folder)
        found[name] = {path.name: path.read_bytes() for path in folder.iterdir()}
    return found


@pytest.fixture
def served(
    repositories: dict[str, dict[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Hub]:
    with Hub({}, {name: Repo(files) for name, files in repositories.items()}) as standin:
        monkeypatch.setenv("HF_ENDPOINT", standin.url)
        monkeypatch.setattr("s2s.hub.downloads.PAUSE", 0.01)
        yield standin


def submitted(name: str = NAME, **languages: str) -> str:
    """As the page does it."""
    model = hub.preflight_model(name)
    request = ImportRequest(model.id, sha=model.sha, **languages)
    return import_service.submit(request, import_forecasts.forecast(model.config, model.size))


def claimed() -> queue.Job:
    """As a worker's child has it."""
    job = queue.claim("w", "h", "express", 600.0)
    assert job is not None
    return job


def done() -> FakeContext:
    """Do the work of the next job."""
    job = claimed()
    context = FakeContext()
    list(JOBS[job.kind].work(job, context))
    queue.finish(job.id, job.worker, "done")
    return context


def leftovers() -> list[Path]:
    """What is kept besides runs."""
    return [path for path in (settings.home() / "hub").glob("*")]


def test_a_model_becomes_a_run_of_its_owner(served: Hub) -> None:
    run_id = submitted()
    context = done()
    assert context.said == ["Looking up the model.", "Downloading.", "Opening the model."]
    (row,) = list_runs(asker.LOCAL)
    assert (row.id, row.name, row.state, row.owner) == (run_id, NAME, "done", asker.LOCAL)
    (found,) = s2s.load(run_id).translate(["to be or not to be"])
    assert found.tokens
    assert not leftovers()
    assert import_service.progress(run_id, asker.LOCAL).state == "done"
    about = RunFolder(runs_folder() / run_id).about()
    assert f"import {NAME}" in about["command"]
    assert hub.preflight_model(NAME).sha in about["command"]


def test_the_revision_that_was_looked_up_is_opened(served: Hub) -> None:
    run_id = submitted()
    served.models[NAME] = Repo({"config.json": b"{}"}, branches={"old": served.models[NAME].files})
    done()
    assert s2s.load(run_id).model is not None


def test_a_folder_of_this_computer_is_opened_without_the_hub(
    served: Hub, repositories: dict[str, dict[str, bytes]], tmp_path: Path
) -> None:
    for name, content in repositories[NAME].items():
        (tmp_path / name).write_bytes(content)
    config = import_service.folder_config(str(tmp_path))
    request = ImportRequest("mine", folder=str(tmp_path))
    run_id = import_service.submit(request, import_forecasts.forecast(config))
    done()
    assert s2s.load(run_id).translate(["to be"])
    assert {path.name for path in tmp_path.iterdir()} == {*repositories[NAME]}
    assert served.log == []


def test_visitors_open_no_folder_of_a_server(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, served: Hub
) -> None:
    found = import_forecasts.forecast(hub.preflight_model(NAME).config)
    monkeypatch.setenv("S2S_HOSTED", "1")
    with asker.acting_as("eve"):
        with pytest.raises(UserError, match="cannot be opened by its visitors"):
            import_service.folder_config(str(tmp_path))
        with pytest.raises(UserError, match="cannot be opened by its visitors"):
            import_service.submit(ImportRequest("x", folder=str(tmp_path)), found)
    assert queue.live_jobs() == []


def test_a_multilingual_model_needs_its_languages_and_says_which_it_lacks_before_its_weights(
    served: Hub,
) -> None:
    with pytest.raises(UserError, match="give the codes of the source and the target language"):
        submitted(MULTILINGUAL)
    submitted(MULTILINGUAL, src_language="en", tgt_language="qq")
    job = claimed()
    with pytest.raises(UserError, match="no language `qq`"):
        list(JOBS["import"].work(job, FakeContext()))
    assert not [request for request in served.log if request.path.endswith("safetensors")]
    assert not leftovers()
    queue.finish(job.id, job.worker, "failed")
    for name in (f"{MULTILINGUAL} en-fr", f"{MULTILINGUAL} en-fr 2"):
        run_id = submitted(MULTILINGUAL, src_language="en", tgt_language="fr")
        done()
        assert s2s.load(run_id).translate(["to be"])
        about = RunFolder(runs_folder() / run_id).about()
        assert about["name"] == name
        assert about["imported"]["from"] == MULTILINGUAL


def test_progress_and_time_left_are_told_while_it_downloads_and_cancel_leaves_nothing(
    served: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("s2s.jobs.imports.fetching.STATUS_SECONDS", 0.0)
    run_id = submitted()
    assert import_service.progress(run_id, asker.LOCAL).state == "queued"
    job = claimed()
    work = JOBS["import"].work(job, FakeContext())
    seen = []
    for _ in work:
        now = import_service.progress(run_id, asker.LOCAL)
        seen.append((now.done, now.n))
        if now.n and now.done > now.n / 2:
            assert now.left is not None
            break
    assert seen == sorted(seen)
    assert leftovers()
    import_service.cancel(run_id, asker.LOCAL)
    stop, _ = queue.poll_requests(job.id, job.worker)
    assert stop
    work.close()
    assert not leftovers()
    assert not (runs_folder() / run_id).exists()


def test_a_whole_download_is_told_as_whole_while_the_model_opens(served: Hub) -> None:
    run_id = submitted()
    context = FakeContext()
    work = JOBS["import"].work(claimed(), context)
    for _ in work:
        if context.said[-1] == "Opening the model.":
            break
    now = import_service.progress(run_id, asker.LOCAL)
    assert 0 < now.done == now.n


FAULTS = {
    "broken": (Fault(match="safetensors", status=503), r"The Hub failed \(503\)"),
    "gone": (Fault(match="api", status=500), r"The Hub failed \(500\)"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failure_is_a_sentence_and_leaves_nothing(served: Hub, fault: str) -> None:
    run_id = submitted()
    served.models[NAME] = Repo(served.models[NAME].files, fault=FAULTS[fault][0])
    with pytest.raises(UserError, match=FAULTS[fault][1]):
        list(JOBS["import"].work(claimed(), FakeContext()))
    assert not leftovers()
    assert not (runs_folder() / run_id).exists()


def test_a_checkpoint_that_does_not_open_leaves_nothing(
    served: Hub, repositories: dict[str, dict[str, bytes]]
) -> None:
    truncated = repositories[NAME]["model.safetensors"][:-10]
    served.models[NAME] = Repo({**repositories[NAME], "model.safetensors": truncated})
    run_id = submitted()
    with pytest.raises(UserError, match="truncated"):
        list(JOBS["import"].work(claimed(), FakeContext()))
    assert not leftovers()
    assert not (runs_folder() / run_id).exists()


def test_what_a_killed_process_left_is_deleted_by_the_next_and_a_finished_one_is_not_repeated(
    served: Hub,
) -> None:
    stale = settings.home() / "hub" / settings.new_id()
    stale.mkdir(parents=True)
    run_id = submitted()
    job = claimed()
    begun = settings.home() / "hub" / run_id / "files"
    begun.mkdir(parents=True)
    (begun / "config.json").write_text("{}")
    list(JOBS["import"].work(job, FakeContext()))
    assert not stale.exists()
    n_requests = len(served.log)
    list(JOBS["import"].work(job, FakeContext()))
    assert len(served.log) == n_requests


def test_what_is_too_large_is_refused_before_anything_is_queued(
    served: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = import_forecasts.forecast(hub.preflight_model(NAME).config, 10**6)
    with pytest.raises(UserError, match=r"of memory and 0\.0 GB are free"):
        import_forecasts.check(found, free=1000)
    monkeypatch.setenv("S2S_MAX_MODEL_PARAMETERS", "1000")
    with pytest.raises(UserError, match="parameters, and at most 1,000 may be opened here"):
        submitted()
    monkeypatch.delenv("S2S_MAX_MODEL_PARAMETERS")
    monkeypatch.setenv("S2S_MAX_BYTES", "1000")
    with pytest.raises(UserError, match="may store"):
        submitted()
    assert queue.live_jobs() == []


def test_the_forecast_is_the_size_of_the_run(served: Hub) -> None:
    model = hub.preflight_model(NAME)
    found = import_forecasts.forecast(model.config, model.size)
    run_id = submitted()
    done()
    weights = next((runs_folder() / run_id / "checkpoints").iterdir()).stat().st_size
    assert weights == pytest.approx(found.model_bytes, rel=0.1)


def test_nobody_sees_or_cancels_the_import_of_another(
    served: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    with asker.acting_as("ann"):
        run_id = submitted()
    for ask in (import_service.progress, import_service.cancel):
        with pytest.raises(UserError, match="There is no import"):
            ask(run_id, "eve")
    assert import_service.imports("eve") == []
    assert [row.run for row in import_service.imports("ann")] == [run_id]
    import_service.cancel(run_id, "ann")
    assert import_service.progress(run_id, "ann").state == "stopped"
    with pytest.raises(UserError, match="nothing to cancel"):
        import_service.cancel(run_id, "ann")


def test_a_process_does_the_job_and_owns_the_run_as_its_owner(
    served: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    with asker.acting_as("ann"):
        run_id = submitted()
    job = claimed()
    heartbeat = job_process.Heartbeat(job, 600.0)
    with job_process._writer() as writer:
        outcome = job_process._outcome(job, job_process.HeartbeatContext(heartbeat, writer))
    assert outcome == ("done", "")
    assert [row.id for row in list_runs("ann")] == [run_id]
    assert list_runs("eve") == []


def test_an_import_that_died_says_that_nothing_is_kept() -> None:
    assert "open the model again" in stop_reasons.died(-9, "x", "import")
    assert "open the model again" in stop_reasons.over_time(60, "x", "import")

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from s2s.config import PRESETS, Recipe, UserError, asker, override
from s2s.jobs import job_process, run_service, training
from s2s.processes import queue
from s2s.processes.queue import table
from s2s.runs import RunFolder, runs_folder
from tests.conftest import make_run
from tests.jobs.context import FakeContext

FORMER = "builtin:first-steps-vamos"
SOURCE = "synthetic:reverse#rows=80"


@pytest.fixture
def tiny(tiny: Recipe) -> Recipe:
    """Without scores and samples, which are only watched."""
    return override(tiny, {"train.watch.scores": 0, "train.watch.samples": 0})


def request_for(recipe: Recipe, **more: Any) -> training.RunRequest:
    return training.RunRequest(
        recipe,
        **{
            "source": SOURCE,
            "valid": "synthetic:reverse#split=valid,rows=20",
            "name": "one",
            **more,
        },
    )


def submitted(run: str) -> queue.Job:
    job = queue.latest(run)
    assert job is not None
    return job


def claim() -> queue.Job:
    job = queue.claim("w", "h", "long", 20.0)
    assert job is not None
    return job


def test_what_is_submitted_is_fixed_as_it_is_and_leaves_a_core_to_the_dashboard(
    tiny: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {0, 1, 2, 3})
    job = submitted(
        training.submit(request_for(override(tiny, {"train.threads": 0, "train.device": "auto"})))
    )
    settled = Recipe.from_json(job.spec["recipe"])
    assert (settled.train.threads, job.spec["threads"]) == (3, 3)
    assert settled.train.device != "auto"
    assert (job.kind, job.owner, job.slot, job.spec["name"], job.spec["source"]) == (
        "train",
        asker.LOCAL,
        "long",
        "one",
        SOURCE,
    )
    assert (
        submitted(training.submit(request_for(override(tiny, {"train.threads": 4})))).spec[
            "threads"
        ]
        == 4
    )
    assert submitted(training.submit(request_for(tiny), express=True)).slot == "express"
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {0})
    assert (
        submitted(training.submit(request_for(override(tiny, {"train.threads": 0})))).spec[
            "threads"
        ]
        == 1
    )


def test_a_worker_elsewhere_fixes_the_recipe_itself(
    tiny: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_WORKER", "elsewhere")
    recipe = override(
        tiny, {"train.threads": 0, "train.device": "cuda"}
    )  # which this machine need not have
    assert (
        Recipe.from_json(submitted(training.submit(request_for(recipe))).spec["recipe"]) == recipe
    )


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"source": "builtin:en-frr"}, "the nearest are `en-fr`"),
        ({"source": "nowhere.tsv"}, "`nowhere.tsv`"),
        ({"valid": "synthetic:revers"}, "the nearest are `reverse`"),
    ],
)
def test_what_can_be_known_before_reading_is_said_at_once(
    more: dict[str, str], message: str, tiny: Recipe
) -> None:
    with pytest.raises(UserError, match=message):
        training.submit(request_for(tiny, **more))
    assert queue.jobs(asker.LOCAL) == []


def test_files_are_named_from_the_root_for_the_process_that_reads_them(
    tiny: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pairs.tsv").write_text("a\tb\n")
    monkeypatch.chdir(tmp_path)
    assert submitted(training.submit(request_for(tiny, source="pairs.tsv", valid=None))).spec[
        "source"
    ] == str(tmp_path / "pairs.tsv")


def test_a_job_reports_its_progress_and_resumes_from_the_newest_checkpoint(tiny: Recipe) -> None:
    run = training.submit(request_for(tiny))
    messages = []
    job = claim()
    events = training.work(job, FakeContext(messages))
    next(event for event in events if event and event.step == 15)
    events.close()
    assert messages == [
        "Reading the dataset.",
        "Learning the vocabulary.",
        "Training on cpu, 1 thread.",
    ]
    folder = RunFolder(runs_folder() / run)
    assert (folder.id, folder.status()["state"], folder.about()["name"]) == (
        job.run,
        "stopped",
        "one",
    )
    list(training.work(job, FakeContext(messages)))
    assert folder.status()["state"] == "done"
    assert [line["step"] for line in folder.lines("metrics") if line["kind"] == "train"] == list(
        range(1, 31)
    )
    assert all(line["time"] > 1.7e9 for line in folder.lines("metrics"))


def test_a_run_whose_worker_died_after_the_last_step_is_done(tiny: Recipe) -> None:
    run = training.submit(request_for(override(tiny, {"train.steps": 3})))
    list(training.work(claim(), FakeContext()))
    folder = RunFolder(runs_folder() / run)
    before = folder.status()
    folder.set_status("running", **{key: before[key] for key in ("step", "steps", "best_step")})
    table._update(table.ROW.run == run, lease=0.0)
    assert list(filter(None, training.work(claim(), FakeContext()))) == []
    assert (folder.status()["state"], folder.status()["step"]) == ("done", 3)


def test_a_run_without_a_checkpoint_starts_again(tiny: Recipe) -> None:
    run = training.submit(request_for(tiny))
    job = claim()
    events = training.work(job, FakeContext())
    next(filter(None, events))
    events.close()
    queue.finish(job.id, "w", "stopped")
    training.submit_resume(run, asker.LOCAL, steps=4)
    list(training.work(claim(), FakeContext()))
    assert [
        line["step"]
        for line in RunFolder(runs_folder() / run).lines("metrics")
        if line["kind"] == "train"
    ] == [1, 2, 3, 4]


def test_a_run_without_a_folder_is_submitted_again(tiny: Recipe) -> None:
    run = training.submit(request_for(tiny), express=True)
    queue.ask_to_stop(submitted(run).id, asker.LOCAL)
    training.submit_resume(run, asker.LOCAL)
    first, second = sorted(queue.jobs(asker.LOCAL), key=lambda job: job.created)
    assert (first.state, second.state, second.slot, second.spec) == (
        "stopped",
        "queued",
        "express",
        first.spec,
    )


def test_what_cannot_be_gone_on_with_is_said_at_once(tiny: Recipe) -> None:
    run = make_run(runs_folder() / "mine", {}).name
    with pytest.raises(
        UserError, match=r"has reached step 30 of 30; request more than 30 steps to continue"
    ):
        training.submit_resume(run, asker.LOCAL)
    for other in (("mine", "bob"), ("nothing", asker.LOCAL)):
        with pytest.raises(
            UserError, match=f"You have no run `{other[0]}` to resume; start a new one.$"
        ):
            training.submit_resume(*other)
    with pytest.raises(
        UserError, match="It ships with the program, without what training needs to continue"
    ):
        training.submit_resume("demo-en-fr", asker.LOCAL)
    with (
        FileLock(runs_folder() / run / ".lock"),
        pytest.raises(UserError, match="is being trained; wait for it, or stop it first"),
    ):
        training.submit_resume(run, asker.LOCAL, steps=40)
    training.submit_resume(run, asker.LOCAL, steps=40)
    with pytest.raises(UserError, match="is already waiting or running"):
        training.submit_resume(run, asker.LOCAL, steps=50)


def test_a_lost_job_gives_way_to_the_resuming_one(tiny: Recipe) -> None:
    run = training.submit(request_for(tiny))
    claim()
    table._update(table.ROW.run == run, lease=0.0)
    training.submit_resume(run, asker.LOCAL)
    assert [job.state for job in queue.jobs(asker.LOCAL)] == ["queued", "interrupted"]


def test_a_stop_is_heard_between_the_stages_and_before_anything_is_written(
    tiny: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = training.submit(request_for(tiny))
    messages = []
    job = claim()
    for n_stages, note in (
        (1, "Reading the dataset."),
        (2, "Learning the vocabulary."),
        (3, "Learning the vocabulary."),
    ):
        events = training.work(job, FakeContext(messages))
        assert [next(events) for _ in range(n_stages)] == [None] * n_stages
        events.close()
        assert (messages[-1], (runs_folder() / run).exists()) == (note, False)
    heartbeat = job_process.Heartbeat(job, 20.0)
    heartbeat.is_stop_requested = True
    monkeypatch.setattr(
        "s2s.jobs.training.preparation.load_pairs_for_training", None
    )  # is not reached
    with ThreadPoolExecutor(1) as writer:
        context = job_process.HeartbeatContext(heartbeat, writer)
        assert job_process._outcome(job, context) == ("stopped", "")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (" two \n words ", "two words"),
        ("a\u202eb\x00c", "ab c"),
        ("\u200b \x07", "small"),
        ("é" * 81, "é" * 80),
        (f"{'x' * 79} y", "x" * 79),
    ],
)
def test_a_name_is_made_fit_to_be_shown(given: str, kept: str, tiny: Recipe) -> None:
    assert (
        submitted(training.submit(request_for(tiny, name=given, preset="small"))).spec["name"]
        == kept
    )


def test_a_run_whose_folder_is_damaged_is_gone_on_with_or_refused_in_a_sentence(
    tiny: Recipe,
) -> None:
    folder = RunFolder(make_run(runs_folder() / "mine", {}))
    (folder.path / "status.json").write_text("{")
    assert run_service.find("mine", asker.LOCAL).state == "failed"
    training.submit_resume("mine", asker.LOCAL, steps=31)
    job = claim()
    list(training.work(job, FakeContext()))
    queue.finish(job.id, "w", "done")
    row = run_service.find("mine", asker.LOCAL)
    assert (row.state, row.step, row.steps) == ("done", 31, 31)
    assert (row.checkpoints[-1], folder.recipe().train.steps) == (31, 31)
    folder.write_about({key: value for key, value in folder.about().items() if key != "source"})
    with pytest.raises(
        UserError, match=r"The recipe\.json of the run `mine` lacks source; start a new run"
    ):
        training.submit_resume("mine", asker.LOCAL, steps=40)


def test_the_recipe_file_says_how_many_pairs_were_dropped_and_why(
    tiny: Recipe, tmp_path: Path
) -> None:
    digits = [f"{number:04d}" for number in range(100)]
    rows = [f"{' '.join(text)}\t{' '.join(text[::-1])}" for text in digits]
    rows += rows[:7]  # duplicates
    rows += [f"{'1 ' * 20}{number}\t9" for number in range(3)]  # too long
    train, valid = tmp_path / "train.tsv", tmp_path / "valid.tsv"
    train.write_text("src\ttgt\n" + "\n".join(rows) + "\n")
    valid.write_text("src\ttgt\n" + "\n".join(rows[:30]) + f"\n{'2 ' * 20}\t9\n")
    recipe = override(tiny, {"data.clean.duplicates": True, "data.max_length": 12})
    request = request_for(recipe, source=str(train), valid=str(valid))
    data = training.start(request, tmp_path / "run").folder.about()["data"]
    assert data["dropped"] == {"the same pair occurs earlier": 7, "longer than 12 tokens": 4}
    assert data["n_dropped"] == 11
    assert data["n_train"] == len(rows) - 10
    alone = training.start(request_for(recipe, source=str(train), valid=None), tmp_path / "alone")
    data = alone.folder.about()["data"]
    assert data["n_train"] + data["n_valid"] + data["n_dropped"] == len(rows)
    assert sum(data["dropped"].values()) == data["n_dropped"] == 10


def test_a_run_on_former_pairs_of_a_dataset_is_resumed_on_them(tmp_path: Path) -> None:
    path = tmp_path / "run"
    recipe = override(PRESETS["first-steps"].recipe, {"train.steps": 4})
    for _ in training.run(training.start(training.RunRequest(recipe, FORMER), path)):
        pass
    as_before = json.loads((path / "recipe.json").read_bytes()) | {"source": "builtin:first-steps"}
    (path / "recipe.json").write_text(json.dumps(as_before))
    assert RunFolder(path).about()["source"] == FORMER
    resumed = training.resume(path, training.Continuation(steps=6))
    assert {pair.tgt for pair in resumed.valid} == {"vamos", "te amo"}
    assert max(event.step for event in training.run(resumed) if event) == 6

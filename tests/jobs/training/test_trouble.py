"""What goes wrong while people train ends in one sentence; what was learned is kept, and resuming works."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import s2s
from benchmarks.crash import SOURCE, VALID, differences
from s2s.config import PRESETS, Recipe, UserError, asker, override
from s2s.data import files, saved_datasets
from s2s.jobs import run_service, training
from s2s.library import Library
from s2s.model.weights import saved_steps
from s2s.processes import queue
from s2s.runs import RunFolder, runs_folder
from s2s.settings import home
from s2s.training import Step
from tests.conftest import TINY
from tests.jobs.context import FakeContext


def submit(recipe: Recipe, source: str = SOURCE, valid: str | None = VALID) -> str:
    return training.submit(training.RunRequest(recipe, source, valid, name="one"))


def attempt(context: FakeContext | None = None) -> str:
    """Does the next job as a worker's child would; the sentence it failed with, which its owner then reads."""
    job = queue.claim("w", "h", "long", 20.0)
    assert job is not None
    state = "done"
    message = ""
    try:
        list(training.work(job, context or FakeContext()))
    except UserError as error:
        state = "failed"
        message = str(error)
    queue.finish(job.id, "w", state, message)
    row = run_service.find(job.run, asker.LOCAL)
    assert (row.state, row.error) == (state, message)
    return message


def folder(run: str) -> RunFolder:
    return RunFolder(runs_folder() / run)


RECIPE = override(PRESETS["small"].recipe, {**TINY, "train.steps": 20, "train.watch.scores": 4})


@pytest.fixture
def recipe() -> Recipe:
    return RECIPE


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A home with one run that is done, and the run."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("trained") / "home"
        patch.setenv("S2S_HOME", str(folder))
        run = submit(RECIPE)
        assert attempt() == ""
    return folder, run


@pytest.fixture
def done(trained: tuple[Path, str]) -> str:
    """The run, in this test's home."""
    shutil.copytree(trained[0], home())
    return trained[1]


@contextmanager
def disk_full_from(name: str, number: int) -> Iterator[None]:
    """No room is left from this write of the file on, the first being 1; an appended line is torn in its middle."""
    n_left = [number]
    paths: dict[int, Path] = {}
    fsync = os.fsync
    opened = Path.open

    def is_full(path: Path) -> bool:
        n_left[0] -= name in path.as_posix()
        return n_left[0] <= 0

    def flush(file: int) -> None:
        if is_full(paths[file]):
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(file)

    def open_(path: Path, mode: str = "r", *more: object, **named: object) -> object:
        file = opened(path, mode, *more, **named)  # type: ignore[call-overload]
        paths[file.fileno()] = path
        if mode == "ab" and is_full(path):
            os.write(file.fileno(), b'{"kind": "tra')
            file.close()
            raise OSError(errno.ENOSPC, "No space left on device")
        return file

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", flush)
        patch.setattr(Path, "open", open_)
        yield


SHORT = override(  # a checkpoint, and two steps after it
    RECIPE, {"train.steps": 6, "train.watch.save_every": 4, "train.watch.validate_every": 4}
)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("short") / "undisturbed"
    list(training.run(training.start(training.RunRequest(SHORT, SOURCE, VALID), path)))
    return path


@pytest.mark.parametrize(
    ("name", "number", "is_kept"),
    [
        ("tokenizer.json", 1, False),
        ("metrics.jsonl", 7, False),
        ("checkpoints/.step-00000004.state.safetensors", 1, False),
        ("checkpoints/.step-00000004.safetensors", 1, False),
        ("attention/.step-00000004.safetensors", 1, True),
        ("status.json", 2, True),
    ],
)
def test_a_full_disk_costs_nothing_that_was_saved(
    name: str, number: int, is_kept: bool, undisturbed: Path
) -> None:
    """At any write: of the folder, a line, a checkpoint's first or second file, the attention, the status."""
    run = submit(SHORT)
    with disk_full_from(name, number):
        message = attempt()
    assert "cannot be written (No space left on device)" in message
    kept = saved_steps(folder(run).checkpoints)
    assert kept == ([4] if is_kept else [])
    if kept:
        assert message.endswith(
            f"The checkpoint of step {kept[-1]} is kept; resume the run when there is room."
        )
        assert s2s.load(folder(run).path).step == kept[-1]
    elif folder(run).lines("metrics"):
        assert message.endswith("Start the run again when there is room.")
    training.submit_resume(run, asker.LOCAL)
    assert attempt() == ""
    assert differences(folder(run).path, undisturbed) == []


def flip(content: bytes) -> bytes:
    """One bit, late in the file."""
    return content[:-100] + bytes([content[-100] ^ 16]) + content[-99:]


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda content: content[:-20],
    "emptied": lambda content: b"",
    "flipped": flip,
}


@pytest.mark.parametrize(
    ("damage", "name"),
    [
        ("emptied", "step-00000020.safetensors"),
        ("flipped", "step-00000020.safetensors"),
        ("cut", "step-00000020.state.safetensors"),
        ("flipped", "step-00000020.state.safetensors"),
    ],
)
def test_a_damaged_newest_checkpoint_is_reported_and_training_resumes_from_the_one_before(
    damage: str, name: str, done: str
) -> None:
    run = done
    context = FakeContext()
    path = folder(run).checkpoints / name
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    training.submit_resume(run, asker.LOCAL, steps=21)
    assert attempt(context) == ""
    (message,) = [sentence for sentence in context.said if name in sentence]
    assert message.endswith("use an older one of this run.")
    assert saved_steps(folder(run).checkpoints) == [10, 20, 21]
    assert [
        line["step"] for line in folder(run).lines("metrics") if line["kind"] == "train"
    ] == list(range(1, 22))
    assert folder(run).recipe() == override(RECIPE, {"train.steps": 21})


def test_a_diverging_rate_is_reported_and_a_lower_one_continues(recipe: Recipe) -> None:
    wild = {
        "train.lr": 100.0,
        "train.warmup_steps": 0,
        "train.schedule": "constant",
        "model.norm.kind": "none",
    }
    run = submit(override(recipe, {**wild, "train.optimizer.clip_norm": 0.0, "train.steps": 12}))
    message = attempt()
    assert message.startswith("Training diverged at step ")
    assert "lower train.lr or raise train.warmup_steps" in message
    assert not [
        line for line in folder(run).lines("metrics") if line.get("loss") != line.get("loss")
    ]
    training.submit_resume(run, asker.LOCAL, lr=0.001)
    assert attempt() == ""


def test_a_text_deleted_while_its_run_waits_is_said_and_the_run_is_there(recipe: Recipe) -> None:
    corpus = files.from_bytes([("a.tsv", b"".join(b"a %d\t%d a\n" % (n, n) for n in range(80)))])
    kept = saved_datasets.save(corpus, name="mine", owner=asker.LOCAL)
    run = submit(recipe, f"corpus:{kept}", None)
    saved_datasets.delete(Library(asker.LOCAL).dataset(kept, "delete"))
    message = attempt()
    assert kept in message
    assert message.endswith(".")
    assert run_service.find(run, asker.LOCAL).name == "one"


def test_a_changed_dataset_is_reported_and_the_old_one_continues(
    recipe: Recipe, tmp_path: Path
) -> None:
    table = tmp_path / "pairs.tsv"
    text = "".join(f"{a} {b}\t{b} {a}\n" for a in "abcdefgh" for b in "abcdefgh")
    table.write_text(text)
    run = submit(override(recipe, {"train.steps": 10}), str(table), None)
    attempt()
    before = (folder(run).path / "metrics.jsonl").read_bytes()
    for wrong, message in (
        (
            text + "x\ty\n",
            "does not have the pairs this run was started with; restore the old data",
        ),
        ("", "is empty"),
    ):
        table.write_text(wrong)
        training.submit_resume(run, asker.LOCAL, steps=12)
        assert message in attempt()
        assert (folder(run).path / "metrics.jsonl").read_bytes() == before
        assert s2s.load(folder(run).path).translate(["a b"])
        table.write_text(text)
    training.submit_resume(run, asker.LOCAL, steps=12)
    assert attempt() == ""


def test_a_changed_recipe_is_reported_and_the_old_one_continues(done: str) -> None:
    about = folder(done).about()
    kept = {path.name: path.read_bytes() for path in folder(done).checkpoints.iterdir()}
    for changes in (
        {"model.d_model": 32},
        {"train.optimizer.kind": "adafactor"},
        {"train.batch_tokens": 128},
        {"train.seed": 7},
    ):
        folder(done).write_about({**about, "recipe": override(RECIPE, changes).to_json()})
        training.submit_resume(done, asker.LOCAL, steps=30)
        assert "recipe" in attempt(), changes
        assert kept == {path.name: path.read_bytes() for path in folder(done).checkpoints.iterdir()}
    folder(done).write_about(about)
    training.submit_resume(done, asker.LOCAL, steps=21)
    assert attempt() == ""


def test_two_people_stop_one_run_and_each_sees_the_true_state(recipe: Recipe) -> None:
    run = submit(recipe)
    job = queue.claim("w", "h", "long", 20.0)
    assert job is not None
    run_service.stop(run, asker.LOCAL)
    run_service.stop(run, asker.LOCAL)  # is on its way already
    assert run_service.find(run, asker.LOCAL).is_stopping
    queue.finish(job.id, "w", "stopped")
    for act in (run_service.stop, run_service.pause):
        with pytest.raises(UserError, match=f"The run `{run}` .*"):
            act(run, asker.LOCAL)
    assert run_service.find(run, asker.LOCAL).state == "stopped"


def test_a_run_killed_after_its_last_checkpoint_is_done_when_it_is_resumed(recipe: Recipe) -> None:
    run = submit(override(recipe, {"train.steps": 3}))
    job = queue.claim("w", "h", "long", 20.0)
    assert job is not None
    list(training.work(job, FakeContext()))
    known = folder(run).status()
    folder(run).set_status(
        "running",
        **{
            key: known[key] for key in ("step", "steps", "best_step", "best_loss", "token_accuracy")
        },
    )
    queue.finish(
        job.id,
        "w",
        "interrupted",
        "The training process was killed (signal 9); resume it from step 3.",
    )
    training.submit_resume(run, asker.LOCAL)
    assert attempt() == ""
    assert run_service.find(run, asker.LOCAL).step == 3


def test_a_warm_up_longer_than_the_run_trains_all_the_same(recipe: Recipe) -> None:
    """Before Train is pressed the page says so (`jobs/advice.py`)."""
    run = submit(override(recipe, {"train.warmup_steps": 1000, "train.steps": 5}))
    assert attempt() == ""
    rates = [line["lr"] for line in folder(run).lines("metrics") if line["kind"] == "train"]
    assert rates == sorted(rates)


def test_half_written_files_of_a_killed_process_are_removed_on_resuming(done: str) -> None:
    left = [".step-00000020.safetensors.0a1b2c3d", "step-00000015.state.safetensors"]
    for name in left:
        (folder(done).checkpoints / name).write_bytes(b"x" * 100)
    training.submit_resume(done, asker.LOCAL, steps=21)
    assert attempt() == ""
    assert not {path.name for path in folder(done).checkpoints.iterdir()} & set(left)


@pytest.mark.slow
def test_a_run_that_diverges_goes_back_to_its_best_checkpoint(recipe: Recipe) -> None:
    """Those after it may be ruined already: whoever resumes from them diverges again."""
    every = {
        "train.watch.save_every": 1,
        "train.watch.validate_every": 5,
        "train.steps": 20,
        "train.schedule": "constant",
        "train.warmup_steps": 0,
    }
    run = submit(
        override(
            recipe,
            every | {"model.norm.kind": "none", "train.optimizer.clip_norm": 0.0, "train.lr": 0.01},
        )
    )
    context = FakeContext()
    job = queue.claim("w", "h", "long", 20.0)
    assert job is not None

    def train() -> None:
        for event in training.work(job, context):
            if isinstance(event, Step) and event.step == 7:
                context.request(lr=1e6)

    with pytest.raises(UserError) as message:
        train()
    queue.finish(job.id, "w", "failed", str(message.value))
    best = folder(run).status()["best_step"]
    assert f"the checkpoint of step {best} is kept: resume from it" in str(message.value)
    assert saved_steps(folder(run).checkpoints)[-1] == best > 0
    training.submit_resume(run, asker.LOCAL, lr=0.01)
    assert attempt() == ""
    assert run_service.find(run, asker.LOCAL).step == 20

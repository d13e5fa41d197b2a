import gc
import hashlib
import itertools
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from s2s.config import PRESETS, Recipe, override

# Nothing slow is imported above: the process that shares the suite out starts the others only when it has read this.
# Processes that share the whole suite: each has a browser, a server and torch of its own.
AT_ONCE = 2
FAST_LOOP = "not browser"  # what `-m` says to leave out all that takes long


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """The whole suite is shared out, a part of it is not; `-n` says otherwise."""
    option = config.option
    is_worker = hasattr(config, "workerinput")
    is_whole = config.args_source is config.ArgsSource.TESTPATHS and not (
        is_worker or option.collectonly or option.usepdb
    )
    if is_whole and config.pluginmanager.hasplugin("xdist") and option.numprocesses is None:
        option.numprocesses = min(AT_ONCE, os.cpu_count() or 1)
        option.dist = "worksteal"  # neighbours stay together, with the fixtures of their module


def pytest_configure(config: pytest.Config) -> None:
    """The same examples in every run, and few enough that the suite stays fast."""
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        return  # the others run the tests
    # pytest rewrites the assertions of 300 modules, which takes 6 s: once, not in every process of every run
    sys.dont_write_bytecode = False
    gc.disable()
    from hypothesis import settings

    examples = 20 if config.option.markexpr == FAST_LOOP else 30
    settings.register_profile(
        "s2s", derandomize=True, database=None, max_examples=examples, deadline=None
    )
    settings.load_profile("s2s")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What the fast loop leaves out for sure is not imported either."""
    is_left_out = config.option.markexpr == FAST_LOOP and collection_path.name == "browser"
    return True if is_left_out else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that need the internet run only with `-m network`; the fast loop starts no programs."""
    expression = config.option.markexpr
    marks = [] if "network" in expression else ["network"]
    if expression == FAST_LOOP:
        marks += ["system", "slow"]
    left_out = [item for item in items if any(map(item.get_closest_marker, marks))]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish() -> None:
    """What the collection has made stays: the garbage collector, a fifth of its time, does without it."""
    gc.freeze()
    gc.set_threshold(100_000, 10, 10)
    gc.enable()


def pytest_sessionfinish() -> None:
    """pytest collects garbage five times at the end, to hear of what fails then: once says nearly as much."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _light(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What tests make and start takes one thread and waits for no disk: `fsync` guards against a loss of power."""
    import torch

    from tests.cheaper import make_databases_cheaper, make_screens_cheaper

    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        make_screens_cheaper(patch)
        make_databases_cheaper(patch, tmp_path_factory.mktemp("databases"))
        patch.setenv("OMP_NUM_THREADS", "1")
        patch.setattr(os, "fsync", lambda file: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_processes(pytestconfig: pytest.Config) -> Iterator[None]:
    """A test of the fast loop that starts a process fails: starting takes longer than what most tests do."""
    if pytestconfig.option.markexpr != FAST_LOOP:
        yield
        return

    def refuse(*_: object, **__: object) -> None:
        pytest.fail("This test starts a process: mark it `system`.")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess.Popen, "__init__", refuse)
        patch.setattr(multiprocessing.process.BaseProcess, "start", refuse)
        yield


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Paths; who needs a home creates it. `tmp_path` would create a folder for every test, ever more slowly."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(scope="session", autouse=True)
def refusals() -> Iterator[list[str]]:
    """What a hosted server said with a path of its own in it, wherever a test makes it refuse something."""
    from s2s import settings
    from s2s.config import UserError

    found: list[str] = []
    begin = UserError.__init__

    def collect(self: UserError, *said: object) -> None:
        begin(self, *said)
        if os.environ.get("S2S_HOSTED") and str(settings.home()) in (
            text := "".join(map(str, said))
        ):
            found.append(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(UserError, "__init__", collect)
        yield found


@pytest.fixture(autouse=True)
def _no_path_in_a_refusal(refusals: list[str]) -> Iterator[None]:
    """Every test of a hosted server is one of this, too."""
    refusals.clear()
    yield
    assert not refusals, refusals


@pytest.fixture(autouse=True)
def _own_home(_homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every test has a home, and one thread, of its own; no screen starts a worker."""
    monkeypatch.setenv("S2S_HOME", str(next(_homes)))
    monkeypatch.setenv("S2S_WORKER", "elsewhere")
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.default_generator.manual_seed(0)  # `torch.manual_seed` takes a millisecond more
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(0)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(autouse=True)
def _files_are_opened_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, unless the test is about others: a new one takes a second."""
    if "system" not in request.keywords:
        from s2s.data import opening
        from tests.data.reading import open_here

        monkeypatch.setattr(opening, "ask", open_here)


# Runs to copy, in one folder for all processes that share the suite out; the first removes it at the end.
if "S2S_TESTS_TRAINED" not in os.environ:
    OWN = tempfile.TemporaryDirectory(prefix="s2s-tests-")
    os.environ["S2S_TESTS_TRAINED"] = OWN.name
TRAINED = Path(os.environ["S2S_TESTS_TRAINED"])
TINY = {
    "data.max_length": 32,  # an untrained model writes that many tokens for every sample
    "model.d_model": 16,
    "model.d_ff": 32,
    "model.n_layers": 1,
    "tokenizer.kind": "word",
    "train.steps": 30,
    "train.warmup_steps": 5,
    "train.batch_tokens": 64,
    "train.threads": 1,
    "train.device": "cpu",
    "train.watch.validate_every": 10,
    "train.watch.save_every": 10,
    "train.watch.keep": 100,
    "train.watch.samples": 2,
}


@pytest.fixture
def tiny() -> Recipe:
    """A recipe that trains in a second on one thread, dropout and all."""
    return override(PRESETS["small"].recipe, TINY)


def make_run(path: Path, changes: Mapping[str, Any]) -> Path:
    """A small trained run in its folder; one with these changes is trained once, then copied."""
    trained = _trained(path.name, json.dumps(changes, sort_keys=True))
    shutil.copytree(trained, path)
    about = path / "recipe.json"
    about.write_text(about.read_text().replace(str(trained), str(path)))  # in its command
    return path


@cache
def _trained(name: str, changes: str) -> Path:
    from s2s.jobs import training

    recipe = override(PRESETS["small"].recipe, {**TINY, **json.loads(changes)})
    request = training.RunRequest(
        recipe, "synthetic:reverse#rows=80", valid="synthetic:reverse#split=valid,rows=20"
    )
    path = TRAINED / hashlib.sha256(changes.encode()).hexdigest() / name
    if path.exists():  # another process has trained it
        return path
    draft = Path(tempfile.mkdtemp(dir=TRAINED)) / name
    list(training.run(training.start(request, draft)))
    about = draft / "recipe.json"
    about.write_text(about.read_text().replace(str(draft), str(path)))  # in its command
    path.parent.mkdir(exist_ok=True)
    with suppress(OSError):  # another process has just trained it too
        draft.rename(path)
    return path


@contextmanager
def full_disk(n_bytes: int) -> Iterator[None]:
    """No file of this process may grow beyond so many bytes."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

"""What the Dockerfile says, and its steps carried out in a clean folder: here is no Docker."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from benchmarks import app as visitors
from benchmarks.hosted import CPU, memory, page_costs
from benchmarks.serving import Server, wait_for
from s2s.demo import EXAMPLES
from tests.hosting.dockerfile import ROOT, all_of, environment, health_check, instructions, only
from tests.spawned import awaited

NOT_HERE = ("apt-get", "pip install")  # steps that install; requirements.txt is installed already


def commands(step: str) -> list[str]:
    return [part.strip() for part in step.split("&&")]


def own_python(command: Sequence[str]) -> list[str]:
    assert command[0] == "python"
    return [sys.executable, *command[1:]]


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """/app as COPY and RUN make it, without what apt-get and pip install."""
    app = tmp_path / "image" / only("WORKDIR").strip("/")
    app.mkdir(parents=True)
    for step in instructions():
        if step.name == "COPY":
            source, target = step.text.split()
            # what is compiled here already need not be again, which takes seconds; `.pyc.1` is being written
            hidden = shutil.ignore_patterns("*.pyc.*", "secrets.toml")
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, app / target, ignore=hidden)
            else:
                shutil.copy(ROOT / source, app / target)
        elif step.name == "RUN" and not any(word in step.text for word in NOT_HERE):
            for command in commands(step.text):
                words = command.split()
                own = own_python(words) if words[0] == "python" else words
                subprocess.run(own, cwd=app, check=True)
    return app


@contextlib.contextmanager
def started(app: Path, env: dict[str, str], log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """The image's CMD."""
    with log.open("wb") as file:
        process = subprocess.Popen(
            own_python(json.loads(only("CMD"))), cwd=app, env=env, stdout=file, stderr=file
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.system
def test_its_command_serves_the_visitors_of_the_benchmark_and_its_health_check_agrees(
    image: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What benchmarks/hosted.py does for an hour, in a few seconds: its visitors find their widgets, and no error."""
    monkeypatch.setattr(
        visitors, "sentences", lambda: EXAMPLES["builtin:en-fr"] * 2
    )  # not all 20,000
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (tmp_path / "tmp").mkdir()
    (tmp_path / "data").mkdir()
    env = environment() | {
        "HOME": str(tmp_path / "tmp"),
        "S2S_HOME": str(tmp_path / "data"),
        "STREAMLIT_SERVER_PORT": str(port),
        "S2S_SECRET": "x" * 32,
        "S2S_WORKER": "elsewhere",
        "OMP_NUM_THREADS": "1",
        "PATH": os.environ["PATH"],
    }
    before = sorted(image.rglob("*"))
    version = own_python(["python", "-m", "s2s", "--version"])  # its worker starts likewise
    subprocess.run(version, cwd=image, env=env, check=True)
    check = own_python(health_check())
    served = Server(f"http://127.0.0.1:{port}", tmp_path / "data")
    with started(image, env, tmp_path / "log") as process:
        before_it_serves = subprocess.run(check, env=env, capture_output=True, check=False)
        assert before_it_serves.returncode
        wait_for(f"{served.url}/ready", process)
        subprocess.run(check, env=env, check=True)
        rows, wrong = awaited(page_costs(served, answers=1))
        sizes = memory(served)
        process.terminate()
        assert process.wait(20) in (0, -signal.SIGTERM)
    assert sorted(image.rglob("*")) == before  # its root is read-only
    assert wrong == []
    assert [row["page"] for row in rows] == [
        "Attention",
        "Compare",
        "Positions",
        "Home",
        "Why each word",
    ]
    assert all(row[CPU] > 0 for row in rows)
    assert 0 < sizes["anonymous"] <= sizes["uss"] <= sizes["pss"]


def test_it_runs_without_root_and_writes_to_one_volume() -> None:
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", only("USER"))
    after = [step.name for step in instructions()]
    assert "RUN" not in after[after.index("USER") :]
    assert only("VOLUME") == environment()["S2S_HOME"] == "/data"
    assert environment()["S2S_HOSTED"] == "1"  # nobody shares a workspace by forgetting it
    assert json.loads(only("ENTRYPOINT")) == ["tini", "--"]
    assert only("EXPOSE") == environment()["STREAMLIT_SERVER_PORT"]


def test_it_is_small_and_made_again_the_same() -> None:
    assert re.search(r":3\.1\d-slim-\w+$", only("FROM"))
    steps = [command for step in all_of("RUN") for command in commands(step)]
    pips = [command for command in steps if command.startswith("pip install")]
    assert len(pips) == 2
    assert all("--no-cache-dir" in command for command in pips)
    aptitude = [command for command in steps if command.startswith("apt-get install")]
    assert all("--no-install-recommends" in command for command in aptitude)
    assert any(command == "rm -rf /var/lib/apt/lists/*" for command in steps)


def test_the_driver_of_postgresql_is_the_one_that_is_tested() -> None:
    tested = re.search(r"(?m)^psycopg\S+", (ROOT / "requirements-dev.txt").read_text())
    assert tested
    assert f"'{tested.group()}'" in " ".join(all_of("RUN"))


def test_the_index_of_torch_is_an_argument_and_no_other_package_comes_from_it() -> None:
    assert only("ARG") == 'TORCH_INDEX=""'
    (step,) = (step for step in all_of("RUN") if "TORCH_INDEX" in step)
    torch, install, *_ = commands(step)
    assert torch == "grep '^torch==' requirements.txt > /tmp/torch.txt"
    assert install.endswith(
        '${TORCH_INDEX:+--index-url "$TORCH_INDEX"} --requirement /tmp/torch.txt'
    )
    assert step.count("$TORCH_INDEX") == 1


def test_what_is_not_copied_does_not_enter_the_build() -> None:
    rules = (ROOT / ".dockerignore").read_text().splitlines()
    first, *others = [rule for rule in rules if not rule.startswith("#")]
    assert first == "*"
    let_in = {rule.removeprefix("!") for rule in others if rule.startswith("!")}
    copied = {step.split()[0] for step in all_of("COPY")}
    assert {path.split("/")[0] for path in let_in} == copied
    assert ".streamlit" not in let_in  # it may hold secrets.toml

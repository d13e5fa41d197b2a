"""The installed package: what it holds, what it needs, and that its commands run without the project's folder."""

import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import tarfile
import time
import tomllib
import urllib.request
import venv
import zipfile
from collections.abc import Iterator, Mapping
from email.parser import Parser
from importlib import metadata
from importlib.util import cache_from_source
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from benchmarks.session import Session
from s2s import versions
from tests.spawned import awaited

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
PACKED = ("s2s", "pages", ".streamlit/config.toml")
BESIDE = ("streamlit_app.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE")
MAX_BYTES = 12_000_000
PATIENCE = 120  # seconds


def extras(*names: str) -> dict[str, Requirement]:
    """The packages that pyproject.toml names: its own, or those of extras, by name."""
    lines = [line for name in names for line in PROJECT["optional-dependencies"][name]]
    found = [Requirement(line) for line in (lines if names else PROJECT["dependencies"])]
    return {one.name.lower(): one for one in found if one.name != versions.NAME}


def listed(file: str) -> dict[str, Requirement]:
    """The packages of a requirements file, by name."""
    lines = [line.split("  #")[0] for line in (ROOT / file).read_text().splitlines()]
    found = [Requirement(line) for line in lines if line and line[0] not in "-#"]
    return {one.name.lower(): one for one in found}


def test_an_exact_version_stands_for_what_decides_numbers_and_screens() -> None:
    pins = {
        name: str(one.specifier)
        for name, one in listed("requirements.txt").items()
        if one.specifier
    }
    exact = {
        "torch": "==2.13.0",
        "streamlit": "==1.67.*",
        "plotly": "==7.1.*",
        "datasets": "==5.2.*",
    }
    assert {name: pins[name] for name in exact} == exact


@pytest.mark.parametrize(
    ("file", "ranges"),
    [
        ("requirements.txt", {**extras(), **extras("app")}),
        ("requirements-dev.txt", extras("dev")),
        ("benchmarks/requirements.txt", extras("peers")),
    ],
)
def test_both_lists_name_the_same_packages(file: str, ranges: Mapping[str, Requirement]) -> None:
    pins = listed(file)
    assert set(pins) == set(ranges)
    for name, pin in pins.items():
        assert str(pin.marker) == str(ranges[name].marker)
        assert pin.extras == ranges[name].extras
        for one in pin.specifier:
            if one.operator in ("==", ">="):
                lowest = Version(one.version.removesuffix(".*"))
                assert lowest in ranges[name].specifier, f"{file} and pyproject.toml: {name}"
        uppers = {str(one) for one in ranges[name].specifier if one.operator == "<"}
        assert uppers <= {str(one) for one in pin.specifier} or "==" in str(pin.specifier), name


def test_the_next_large_version_of_a_library_is_tried_before_it_is_allowed() -> None:
    upper = {name: str(one.specifier) for name, one in {**extras(), **extras("app")}.items()}
    for name, below in (("sacrebleu", "<3"), ("plotly", "<8"), ("datasets", "<6"), ("torch", "<3")):
        assert below in upper[name].split(",")


def test_name_version_and_authors_are_the_same_everywhere() -> None:
    """As CITATION.cff says them: it is read as lines, since nothing here needs YAML."""
    citation = (ROOT / "CITATION.cff").read_text()
    assert PROJECT["name"] == versions.NAME
    assert f'\ntitle: "{versions.NAME}: ' in citation
    assert f"\nversion: {PROJECT['version']}\n" in citation
    assert re.findall(r"^  - name: (.*)$", citation, re.M) == [
        one["name"] for one in PROJECT["authors"]
    ]
    assert re.search(r"^keywords: \[(.*)\]$", citation, re.M)[1].split(", ") == PROJECT["keywords"]
    release = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    assert f"dist/{versions.NAME.replace('-', '_')}-${{TAG#v}}-py3-none-any.whl" in release
    urls = re.findall(r"^(?:url|repository-code): (.*)$", citation, re.M)
    assert sorted(urls) == sorted(PROJECT.get("urls", {}).values())


def test_the_program_accepts_what_the_package_accepts() -> None:
    torch = extras()["torch"].specifier
    first = ".".join(map(str, versions.TORCH))
    assert str(torch) == f"<{versions.TORCH_BELOW},>={first}"
    assert PROJECT["requires-python"] == ">=" + ".".join(map(str, versions.PYTHON))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, built as a release is: the wheel from the sdist, without the internet."""
    folder = tmp_path_factory.mktemp("project")
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("s2s", "pages"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    (folder / ".streamlit").mkdir()
    for name in (*BESIDE, ".streamlit/config.toml"):
        shutil.copy(ROOT / name, folder / name)
    # what lies beside them stays out
    (folder / "tests").mkdir()
    (folder / "tests" / "test_nothing.py").touch()
    # as pip does, which would start four processes
    backend = PYPROJECT["build-system"]["build-backend"]

    def built(kind: str, source: Path) -> Path:
        code = f"import {backend} as backend; print(backend.build_{kind}('{kind}'))"
        (source / kind).mkdir()
        command = [sys.executable, "-c", code]
        subprocess.run(command, cwd=source, check=True, stdout=subprocess.DEVNULL)
        (file,) = (source / kind).iterdir()
        return file

    with tarfile.open(built("sdist", folder)) as sdist:
        sdist.extractall(folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    return built("wheel", unpacked)


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of a fresh environment with the package; what it needs is that of this environment."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=os.name == "posix")
    paths = {"base": str(folder), "platbase": str(folder)}
    packages = Path(sysconfig.get_path("purelib", "venv", paths))
    (packages / "libraries.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    scripts = Path(sysconfig.get_path("scripts", "venv", paths))
    pip = [str(scripts / "python"), "-m", "pip", "install", "--quiet", "--no-compile"]
    subprocess.run([*pip, "--no-deps", "--no-index", str(wheel)], check=True)
    copy_bytecode(packages / "s2s")
    return scripts


def copy_bytecode(package: Path) -> None:
    """What is compiled here need not be compiled again, which takes seconds: Python knows it by its source's time."""
    for source in (ROOT / "s2s").rglob("*.py"):
        installed_source = package / source.relative_to(ROOT / "s2s")
        compiled = Path(cache_from_source(str(source)))
        if installed_source.exists() and compiled.exists():
            shutil.copystat(source, installed_source)
            target = Path(cache_from_source(str(installed_source)))
            target.parent.mkdir(exist_ok=True)
            shutil.copy(compiled, target)


def run(command: list[str | Path], folder: Path, given: str = "") -> str:
    """What a command prints in a folder from which the project cannot be imported."""
    found = subprocess.run(
        command,
        cwd=folder,
        env=clean_environment(folder),
        input=given,
        text=True,
        capture_output=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


def clean_environment(folder: Path) -> dict[str, str]:
    hidden = {"PYTHONPATH", "VIRTUAL_ENV"}
    own = {name: value for name, value in os.environ.items() if name not in hidden}
    return own | {"HOME": str(folder), "S2S_HOME": str(folder / "s2s"), "S2S_WORKER": "elsewhere"}


@pytest.mark.system
def test_the_package_is_small_and_holds_every_file(wheel: Path) -> None:
    assert wheel.stat().st_size < MAX_BYTES
    ours = {
        path.relative_to(ROOT).as_posix()
        for name in PACKED
        for path in (ROOT / name, *(ROOT / name).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    ours = {name if name.startswith("s2s/") else f"s2s/dashboard/{name}" for name in ours}
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert packed == ours | {"s2s/dashboard/streamlit_app.py"}


@pytest.mark.system
def test_the_wheel_says_what_it_is_and_what_it_needs(wheel: Path) -> None:
    assert wheel.name == f"{versions.NAME.replace('-', '_')}-{PROJECT['version']}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
        said = Parser().parsestr(archive.read(name).decode())
    assert (said["Name"], said["Version"]) == (versions.NAME, PROJECT["version"])
    assert said["License-Expression"] == PROJECT["license"]
    assert said.get_all("Classifier") == PROJECT["classifiers"]
    assert said["Description-Content-Type"] == "text/markdown"
    needs = [Requirement(line) for line in said.get_all("Requires-Dist", [])]
    for need in needs:
        if need.marker is None or need.marker.evaluate({"extra": "app"}):
            assert metadata.version(need.name) in need.specifier


@pytest.mark.system
def test_its_commands_run(installed: Path, tmp_path: Path) -> None:
    command = installed / "s2s"
    assert run([command, "--help"], tmp_path).startswith("usage: s2s ")
    assert run([command, "--version"], tmp_path) == f"{versions.NAME} {PROJECT['version']}\n"
    translated = run([command, "translate", "demo-en-fr"], tmp_path, "the red house\n")
    assert translated == "la maison rouge\n"


@pytest.fixture
def served(installed: Path, tmp_path: Path) -> Iterator[str]:
    """The address of what `s2s app` started."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = clean_environment(tmp_path) | {"STREAMLIT_SERVER_HEADLESS": "true"}
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [installed / "s2s", "app", "--port", str(port)],
            cwd=tmp_path,
            env=environment,
            stdout=log,
            stderr=log,
        )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


@pytest.mark.system
def test_home_opens_from_the_package(served: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    until = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(f"{served}/ready", timeout=10) as answer:
                assert answer.status == 200
            break
        except OSError:  # not yet
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.2)
    session = Session(served)
    awaited(visited(session))
    assert "src" in session.widgets
    assert not [*session.exceptions, *session.complaints]
    assert not re.search("Traceback|Error", log.read_text())


async def visited(session: Session) -> None:
    """Home, opened once."""
    await session.connect()
    await session.open("", {})
    await session.socket.close()

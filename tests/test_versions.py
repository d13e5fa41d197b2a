import re
import runpy
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from s2s import __main__, versions

ROOT = Path(__file__).parents[1]


def give(monkeypatch: pytest.MonkeyPatch, torch: str) -> None:
    def version(name: str) -> str:
        assert name == "torch"
        if not torch:
            raise metadata.PackageNotFoundError(name)
        return torch

    monkeypatch.setattr(metadata, "version", version)


@pytest.mark.parametrize("torch", ["2.13.0", "2.13.0+cpu", "2.15.1", "2.99"])
def test_a_supported_one_is_accepted(monkeypatch: pytest.MonkeyPatch, torch: str) -> None:
    give(monkeypatch, torch)
    assert versions.unsupported() == ""


@pytest.mark.parametrize("torch", ["", "1.13.1", "2.12.1+cu130", "3.0.0a0"])
def test_another_torch_gets_one_sentence(monkeypatch: pytest.MonkeyPatch, torch: str) -> None:
    give(monkeypatch, torch)
    sentence = versions.unsupported()
    assert sentence.startswith(
        f"torch {torch} is installed; " if torch else "torch is not installed; "
    )
    assert "s2s needs torch 2.13 or newer, and below 3: install one" in sentence


def test_an_old_python_gets_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 13, "final", 0))
    assert versions.unsupported().startswith(
        "This is Python 3.10.13; s2s needs Python 3.11 or newer"
    )


def test_the_command_line_ends_with_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(__main__, "unsupported", lambda: "Too old.")
    assert __main__.main() == 2
    assert capsys.readouterr() == ("", "Too old.\n")


def test_the_dashboard_ends_with_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(versions, "unsupported", lambda: "Too old.")
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(ROOT / "streamlit_app.py"))
    assert end.value.code == 2
    assert capsys.readouterr() == ("", "Too old.\n")


def test_with_an_object_store_nothing_starts_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("S2S_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("S2S_STORE", "s3://bucket/s2s")
    monkeypatch.setattr(sys, "argv", ["s2s", "worker"])
    assert __main__.main() == 2
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(ROOT / "streamlit_app.py"))
    assert end.value.code == 2
    assert capsys.readouterr() == ("", f"{versions.STORE}\n" * 2)
    assert "copy the bucket to it with the version of s2s that wrote it" in versions.STORE
    assert not (tmp_path / "home").exists()
    monkeypatch.setenv("S2S_STORE", " ")
    assert versions.unsupported() == ""


@pytest.mark.system
def test_it_is_asked_before_anything_is_imported() -> None:
    """An old Python must come as far as the sentence."""
    code = "import sys; sys.version_info = (3, 10, 1); import s2s.__main__ as m; m.main(); print(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, text=True, capture_output=True, check=True
    )
    assert found.stderr.startswith("This is Python 3.10.1;")
    imported = {name for name in found.stdout.split() if re.match(r"s2s\b", name)}
    assert imported == {"s2s", "s2s.__main__", "s2s.versions"}

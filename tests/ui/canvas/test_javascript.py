"""The JavaScript of every component is a file of its own, and parses."""

import shutil
import subprocess
from pathlib import Path

import pytest

import s2s

PACKAGE = Path(s2s.__file__).parent
SCRIPTS = sorted(PACKAGE.rglob("*.js"))


@pytest.mark.system
@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_every_script_parses_as_a_module(script: Path, tmp_path: Path) -> None:
    module = tmp_path / f"{script.stem}.mjs"
    module.write_text(script.read_text())
    checked = subprocess.run(
        ["node", "--check", module], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr


def test_no_component_has_its_script_in_python() -> None:
    components = [
        path for path in PACKAGE.rglob("*.py") if "components.v2.component(" in path.read_text()
    ]
    assert components
    for path in components:
        assert "export default" not in path.read_text(), path


def test_the_package_ships_every_script_and_style() -> None:
    patterns = (PACKAGE.parent / "pyproject.toml").read_text()
    for path in (*SCRIPTS, *PACKAGE.rglob("*.css")):
        folder = path.parent.relative_to(PACKAGE).as_posix()
        assert any(f'"{folder}/{name}"' in patterns for name in (f"*{path.suffix}", path.name)), (
            f"{path} is in no package-data of pyproject.toml"
        )

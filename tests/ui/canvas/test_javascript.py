"""The JavaScript of every component is a file of its own, and parses."""

import shutil
import subprocess
from pathlib import Path

import pytest

import s2s

PACKAGE = Path(s2s.__file__).parent
SCRIPTS = sorted(PACKAGE.rglob("*.js"))
CHECK = """
for (const path of process.argv.slice(1))
  new (require("vm").SourceTextModule)(require("fs").readFileSync(path, "utf8"), { identifier: path });
"""


@pytest.mark.system
@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_every_script_parses_as_a_module(tmp_path: Path) -> None:
    """Making a module parses it without running it. Node stops at the first that fails: the wrong one, last."""
    assert len(SCRIPTS) > 10
    wrong = tmp_path / "wrong.js"
    wrong.write_text("export default function (component) {")
    command = ["node", "--experimental-vm-modules", "--no-warnings", "-e", CHECK, *SCRIPTS, wrong]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode
    assert checked.stderr.startswith(f"{wrong}:1\n"), checked.stderr


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

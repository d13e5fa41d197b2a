"""`python -m benchmarks.install FOLDER`: an environment with this project and the libraries that it is compared with.

JoeyNMT is installed without what it requires: it asks for a protobuf that Streamlit cannot use, and for linters. What
it does import is in requirements.txt beside this file.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import venv
from pathlib import Path

from benchmarks.results import ROOT

STEPS = (
    ("-r", "requirements-dev.txt", "-r", "benchmarks/requirements.txt"),
    ("--no-deps", "joeynmt==2.3.0"),
)


def main() -> None:
    """Make the environment where there is none, and install into it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of the environment, new or existing")
    folder = parser.parse_args().folder.resolve()
    if not (folder / "pyvenv.cfg").exists():
        venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    for step in STEPS:
        subprocess.run([python, "-m", "pip", "install", "-q", *step], cwd=ROOT, check=True)
    print(f"{python} -m benchmarks.record quick")


if __name__ == "__main__":
    main()

"""What the environment decides: where runs live, and what a visitor may use at most."""

from __future__ import annotations

import os
import re
from pathlib import Path

from s2s.config import UserError

OWNER = "local"  # the workspace of everybody where nobody signs in


def home() -> Path:
    """The folder of runs, corpora and the database: `S2S_HOME`, or `~/.s2s`."""
    return Path(os.environ.get("S2S_HOME") or Path.home() / ".s2s").expanduser()


def run_folder(run: str | Path) -> Path:
    """A run by its folder, by its id under `S2S_HOME`, or by the name of a shipped demo. Raises UserError if there is none."""
    demos = Path(__file__).parent / "demo" / "runs"
    places = [Path(run)]
    if re.fullmatch(r"[\w-]{1,64}", str(run)):
        places += [home() / "runs" / str(run), demos / str(run)]
    for place in places:
        if (place / "recipe.json").is_file():
            return place
    shipped = ", ".join(sorted(path.name for path in demos.glob("*") if (path / "recipe.json").exists()))
    raise UserError(f"There is no run `{run}`: neither a run's folder nor an id; the shipped ones are {shipped or 'none'}.")

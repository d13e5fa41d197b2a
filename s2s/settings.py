"""What the environment decides: where runs live, and what a visitor may use at most."""

from __future__ import annotations

import os
import re
import secrets
import string
from pathlib import Path

from s2s.config import UserError

OWNER = "local"  # the workspace of everybody where nobody signs in
SHIPPED = Path(__file__).parent / "demo" / "runs"


def home() -> Path:
    """The folder of runs, corpora and the database: `S2S_HOME`, or `~/.s2s`."""
    return Path(os.environ.get("S2S_HOME") or Path.home() / ".s2s").expanduser()


def new_id() -> str:
    """A name for a run or a job that nobody can guess: 16 of 0-9 and a-z."""
    return "".join(secrets.choice(string.digits + string.ascii_lowercase) for _ in range(16))


def database_url() -> str:
    """Where the queue is: `S2S_DATABASE_URL`, or an SQLite file in `S2S_HOME`."""
    return os.environ.get("S2S_DATABASE_URL") or f"sqlite:///{home().resolve() / 's2s.db'}"


def worker_is_elsewhere() -> bool:
    """Whether somebody else starts the worker (`S2S_WORKER=elsewhere`), so that the app must not."""
    return os.environ.get("S2S_WORKER") == "elsewhere"


def lease_seconds() -> float:
    """How long a job stays with a worker that is not heard of: `S2S_LEASE_SECONDS`, or 20. Raises UserError for no number above 0."""
    given = os.environ.get("S2S_LEASE_SECONDS") or "20"
    if not re.fullmatch(r"\d+(\.\d+)?", given) or float(given) <= 0:
        raise UserError(f"`S2S_LEASE_SECONDS` is {given}; give seconds, more than 0, for example 20.")
    return float(given)


def run_folder(run: str | Path) -> Path:
    """A run by its folder, by its id under `S2S_HOME`, or by the name of a shipped demo. Raises UserError if there is none."""
    places = [Path(run)]
    if re.fullmatch(r"[\w-]{1,64}", str(run)):
        places += [home() / "runs" / str(run), SHIPPED / str(run)]
    for place in places:
        if (place / "recipe.json").is_file():
            return place
    shipped = ", ".join(sorted(path.name for path in SHIPPED.glob("*") if (path / "recipe.json").exists()))
    raise UserError(f"There is no run `{run}`: neither a run's folder nor an id; the shipped ones are {shipped or 'none'}.")

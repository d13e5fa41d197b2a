"""What the environment decides: where runs live, and what a visitor may use at most."""

from __future__ import annotations

import os
import re
import secrets
import string
import time
from dataclasses import dataclass, fields
from pathlib import Path

from s2s.config import UserError

OWNER = "local"  # the workspace of everybody where nobody signs in
SHIPPED = Path(__file__).parent / "demo" / "runs"


@dataclass(frozen=True)
class Limits:
    """What may be asked for at most; None is without limit."""

    steps: int | None  # of a run
    minutes: int | None  # that a job may work
    parameters: int | None  # of a model
    jobs: int | None  # of one owner that wait or run
    queue: int | None  # jobs of everybody that wait


# seconds between them
GROUP_TRIES = 20
GROUP_WAIT = 0.06
OWN_MACHINE = Limits(None, None, None, 60, 200)
HOSTED = Limits(50_000, 60, 50_000_000, 40, 200)


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
        raise UserError(
            f"`S2S_LEASE_SECONDS` is {given}; give seconds, more than 0, for example 20."
        )
    return float(given)


def lower_session(nice: int) -> None:
    """Give this process's session a niceness, 0 to 19, where Linux shares the processor between sessions first (sched_autogroup).

    There the niceness of a process counts within its session only: one that leads its own would be as important as any other.
    """
    for _ in range(GROUP_TRIES):
        try:
            Path("/proc/self/autogroup").write_text(str(nice))
        except BlockingIOError:  # the kernel takes one such order in a tenth of a second
            time.sleep(GROUP_WAIT)
        except OSError:  # no such groups here
            return
        else:
            return


def is_hosted() -> bool:
    """Whether strangers share this server (`S2S_HOSTED`)."""
    return bool(os.environ.get("S2S_HOSTED"))


def limits() -> Limits:
    """Those of a hosted server or of one's own machine, each changed by its `S2S_MAX_STEPS`, `S2S_MAX_MINUTES` and so on.

    Raises UserError for what is neither a whole number above 0 nor `none`.
    """
    usual = HOSTED if is_hosted() else OWN_MACHINE
    return Limits(
        **{field.name: _limit(field.name, getattr(usual, field.name)) for field in fields(Limits)}
    )


def _limit(name: str, usual: int | None) -> int | None:
    variable = f"S2S_MAX_{name.upper()}"
    given = os.environ.get(variable, "").replace("_", "")
    if not given:
        return usual
    if given == "none":
        return None
    if not re.fullmatch(r"[0-9]{1,12}", given) or int(given) == 0:
        raise UserError(
            f"`{variable}` is {given}; give a whole number above 0, or `none` for no limit."
        )
    return int(given)


def run_folder(run: str | Path) -> Path:
    """A run by its folder, by its id under `S2S_HOME`, or by the name of a shipped demo. Raises UserError if there is none."""
    places = [Path(run)]
    if re.fullmatch(r"[\w-]{1,64}", str(run)):
        places += [home() / "runs" / str(run), SHIPPED / str(run)]
    for place in places:
        if (place / "recipe.json").is_file():
            return place
    shipped = ", ".join(
        sorted(path.name for path in SHIPPED.glob("*") if (path / "recipe.json").exists())
    )
    raise UserError(
        f"There is no run `{run}`: neither a run's folder nor an id; the shipped ones are {shipped or 'none'}."
    )

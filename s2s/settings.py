"""What environment variables decide: where runs are stored, and how much a visitor may use."""

from __future__ import annotations

import contextlib
import hmac
import os
import re
import secrets
import socket
import stat
import string
import time
from dataclasses import dataclass, fields
from pathlib import Path

from s2s.config import UserError, asker

SHIPPED = Path(__file__).parent / "demo" / "runs"  # the demo runs
SHIPPED_EVALUATIONS = SHIPPED.parent / "evaluations"  # of demo runs


@dataclass(frozen=True)
class Limits:
    """Upper limits on jobs, models and storage; None is no limit."""

    steps: int | None  # of a run
    minutes: int | None  # of a job
    parameters: int | None  # of a model that is trained
    jobs: int | None  # waiting and running ones of one owner
    queue: int | None  # waiting jobs of everybody
    decode_seconds: int | None = None  # of one decoding beside the dashboard
    bytes: int | None = None  # that one owner may store
    rows: int | None = None  # sentence pairs in the saved datasets of one owner
    runs: int | None = None  # of one owner
    daily_minutes: int | None = None  # in which jobs of one owner work, within 24 hours
    total_bytes: int | None = None  # that all owners may store together
    model_bytes: int | None = None  # downloaded for a model of the Hub
    model_parameters: int | None = None  # of a published model that is opened


# The niceness of a session of jobs: a little less weight than the dashboard. With 19, a training beside a browser
# stands still (benchmarks/beside_pages.py).
JOBS_NICE = 1
PRIORITY_TRIES = 20
PRIORITY_WAIT = 0.06  # seconds between tries
LOCAL = Limits(
    steps=None,
    minutes=None,
    parameters=None,
    jobs=60,
    queue=200,
    decode_seconds=600,
    model_bytes=10_000_000_000,
)
HOSTED = Limits(
    steps=50_000,
    minutes=60,
    parameters=50_000_000,
    jobs=40,
    queue=200,
    decode_seconds=60,
    bytes=2_000_000_000,
    rows=500_000,
    runs=100,
    daily_minutes=240,
    total_bytes=50_000_000_000,
    model_bytes=1_000_000_000,
    model_parameters=100_000_000,
)
EXPIRE_DAYS = 30


def home() -> Path:
    """The folder of runs, corpora and the database: `S2S_HOME`, or `~/.s2s`."""
    return Path(os.environ.get("S2S_HOME") or Path.home() / ".s2s").expanduser()


def make_home() -> Path:
    """`home()`, created if it does not exist, and closed to other users of the machine.

    It stays as it is if another user owns it, or if it is for everybody (sticky, as /tmp). Raises OSError.
    """
    folder = home()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    mode = folder.stat().st_mode
    if mode & 0o077 and not mode & stat.S_ISVTX:
        with contextlib.suppress(OSError):
            folder.chmod(0o700)
    return folder


def dashboard() -> Path:
    """The folder of streamlit_app.py and pages/: a part of the installed package; elsewhere the project's own."""
    installed = Path(__file__).parent / "dashboard"
    return installed if (installed / "pages").is_dir() else Path(__file__).parents[1]


def new_id() -> str:
    """A random id for a run or a job that nobody can guess: 16 characters of 0-9 and a-z."""
    return "".join(secrets.choice(string.digits + string.ascii_lowercase) for _ in range(16))


def database_url() -> str:
    """The database of the queue: `S2S_DATABASE_URL`, or an SQLite file in `S2S_HOME`."""
    return os.environ.get("S2S_DATABASE_URL") or f"sqlite:///{home().resolve() / 's2s.db'}"


def worker_is_elsewhere() -> bool:
    """Whether the worker is started by other means (`S2S_WORKER=elsewhere`, or an engine), so that the app must not
    start one.
    """
    return os.environ.get("S2S_WORKER") == "elsewhere" or has_engine()


SLOTS = frozenset({"express", "long", "gpu"})


def has_engine() -> bool:
    """Whether a cluster starts the workers (`S2S_ENGINE`)."""
    return bool(os.environ.get("S2S_ENGINE"))


def worker_name() -> str:
    """What tells the workers of all machines from each other: the machine's name, and `S2S_WORKER_NAME` if set."""
    names = filter(None, (socket.gethostname()[:80], os.environ.get("S2S_WORKER_NAME")))
    return "-".join(names)[:120]


def worker_slots() -> frozenset[str] | None:
    """The slots that a worker of this process serves (`S2S_WORKER_SLOTS`, with commas); None: all.

    Raises UserError for another one.
    """
    given = os.environ.get("S2S_WORKER_SLOTS")
    if not given:
        return None
    slots = frozenset(given.split(","))
    if not slots <= SLOTS:
        raise UserError(
            f"`S2S_WORKER_SLOTS` is {given[:40]}; give some of {', '.join(sorted(SLOTS))}, with commas between."
        )
    return slots


def worker_ends_with_app() -> bool:
    """Whether the worker that the app starts ends with it: on a public server, or in a container that ends with the
    app (`S2S_WORKER=inside`). On one's own computer a training continues while the dashboard is closed.
    """
    return asker.is_hosted() or os.environ.get("S2S_WORKER") == "inside"


def lease_seconds() -> float:
    """How long a job stays with a worker that sends no sign of life: `S2S_LEASE_SECONDS`, or 20.

    Raises UserError unless that is a number above 0.
    """
    given = os.environ.get("S2S_LEASE_SECONDS") or "20"
    if not re.fullmatch(r"\d+(\.\d+)?", given) or float(given) <= 0:
        raise UserError(
            f"`S2S_LEASE_SECONDS` is {given}; give seconds, more than 0, for example 20."
        )
    return float(given)


def lower_priority(nice: int = JOBS_NICE) -> None:
    """Give this process's session a niceness, 0 to 19, where Linux schedules sessions (sched_autogroup).

    There the niceness of a process counts only within its session, so it would not affect one that leads its own.
    """
    for _ in range(PRIORITY_TRIES):
        try:
            Path("/proc/self/autogroup").write_text(str(nice), encoding="utf-8")
        except BlockingIOError:  # the kernel accepts one change per 0.1 s
            time.sleep(PRIORITY_WAIT)
        except OSError:  # no autogroups here
            return
        else:
            return


def for_threads(n: int | None, *, spin: bool) -> dict[str, str]:
    """The environment of a process with `n` CPU threads, read when torch is imported; 0 or None: as many as cores.

    `spin`: they spin for some milliseconds while they wait for each other, as is libgomp's own default, instead of
    sleeping as `import s2s` has set it. Only for a training that adapts their number: threads that spin without a core
    of their own are several times slower. `GOMP_SPINCOUNT=0` in the environment prevents it.
    """
    number = {"OMP_NUM_THREADS": str(n)} if n else {}
    is_set = "GOMP_SPINCOUNT" in os.environ
    return number | ({"GOMP_SPINCOUNT": "300000"} if spin and not is_set else {})


SECRET_LENGTH = 32  # characters, at least


def secret() -> bytes:
    """The server's secret (`S2S_SECRET`), which makes the keys of a hosted server's visitors valid.

    Raises UserError where it is missing or too short.
    """
    given = os.environ.get("S2S_SECRET", "").strip()
    if len(given) < SECRET_LENGTH:
        raise UserError(
            "This server is not set up yet: its operator must set `S2S_SECRET` to a random text of at least"
            f" {SECRET_LENGTH} characters that stays the same, and start it again."
        )
    return given.encode()


def operator_key() -> str | None:
    """What the operator enters to run the server (`S2S_OPERATOR_KEY`); None where there is no such key.

    Raises UserError where it is too short.
    """
    given = os.environ.get("S2S_OPERATOR_KEY", "").strip()
    if given and len(given) < SECRET_LENGTH:
        raise UserError(
            f"`S2S_OPERATOR_KEY` has {len(given)} characters; set at least {SECRET_LENGTH} random ones, or unset it."
        )
    return given or None


def is_operator_key(given: str) -> bool:
    """Whether `given` is the operator's key, with space around it or not; takes the same time for any other.

    Raises UserError where the operator's is too short.
    """
    key = operator_key()
    return key is not None and hmac.compare_digest(given.strip().encode(), key.encode())


def operator_claim() -> tuple[str, str] | None:
    """A claim of the sign-in provider and its value for operators (`S2S_OPERATOR_CLAIM=NAME=VALUE`); None without one.

    Raises UserError for another form.
    """
    given = os.environ.get("S2S_OPERATOR_CLAIM", "").strip()
    name, _, value = given.partition("=")
    if given and not (name and value):
        raise UserError(
            "`S2S_OPERATOR_CLAIM` names no claim with a value; write it as in `roles=s2s-operator`, or unset it."
        )
    return (name, value) if given else None


def has_operator() -> bool:
    """Whether somebody can identify as the operator. Raises UserError where the settings for it are wrong."""
    return bool(operator_key() or operator_claim())


def why_not_ready() -> str:
    """What the operator of a hosted server must do before it can serve anybody; "" where nothing."""
    try:
        if asker.is_hosted():
            secret()
            frame_ancestors()
            has_operator()
    except UserError as error:
        return str(error)
    return ""


def frame_ancestors() -> str:
    """Which sites may show a hosted server's pages in a frame: `S2S_FRAME_ANCESTORS`, or only the server itself.

    Raises UserError for what is no list of origins.
    """
    given = " ".join(os.environ.get("S2S_FRAME_ANCESTORS", "").split()) or "'self'"
    if not re.fullmatch(
        r"('self'|'none'|https?://[\w.*:-]+)( ('self'|https?://[\w.*:-]+))*", given
    ):
        raise UserError(
            f"`S2S_FRAME_ANCESTORS` is {given}; give origins with spaces between, for example"
            " `'self' https://huggingface.co`."
        )
    return given


def may_be_framed() -> bool:
    """Whether a hosted server's pages may stand in a frame of another site. Raises UserError where the setting is
    wrong.
    """
    return asker.is_hosted() and frame_ancestors() not in ("'self'", "'none'")


def hosts() -> tuple[str, ...]:
    """The host names of a hosted server (`S2S_HOSTS`), in lower case; () where they are not given."""
    given = os.environ.get("S2S_HOSTS", "").replace(",", " ").lower().split()
    return tuple(name.rstrip(".") for name in given)


def internal_error(error: Exception, log: str) -> str:
    """The sentence about a bug of ours: the type of the exception, and in which file of `log/` its frames are."""
    who = "whoever runs this server finds the details" if asker.is_hosted() else "the details are"
    return f"An internal error occurred ({type(error).__name__}); {who} in log/{log}."


def limits() -> Limits:
    """The limits of a public server or of a local one, each overridden by `S2S_MAX_STEPS`, `S2S_MAX_MINUTES` and so on.

    Raises UserError for a value that is neither a whole number above 0 nor `none`.
    """
    default = HOSTED if asker.is_hosted() else LOCAL
    names = [field.name for field in fields(Limits)]
    return Limits(**{name: _limit(name, getattr(default, name)) for name in names})


def expire_days() -> int | None:
    """Days after which what a visitor has not changed is deleted: `S2S_EXPIRE_DAYS`, or 30; None is never.

    Raises UserError for a value that is neither a whole number above 0 nor `none`.
    """
    return _whole("S2S_EXPIRE_DAYS", EXPIRE_DAYS, "never") if asker.is_hosted() else None


def _limit(name: str, default: int | None) -> int | None:
    return _whole(f"S2S_MAX_{name.upper()}", default, "no limit")


def _whole(variable: str, default: int | None, none: str) -> int | None:
    given = os.environ.get(variable, "").replace("_", "")
    if not given:
        return default
    if given == "none":
        return None
    if not re.fullmatch(r"[0-9]{1,12}", given) or int(given) == 0:
        raise UserError(
            f"`{variable}` is {given}; give a whole number above 0, or `none` for {none}."
        )
    return int(given)

"""Processes killed with SIGKILL, 50 times: does every run end bit-identical to an uninterrupted one?

Small runs are queued in a fresh `S2S_HOME`, and a worker (`python -m s2s worker`) trains them. At moments drawn from a
seed, SIGKILL ends the worker, the training processes, the fork server, or all of them:
- `claim`: a job was just claimed (visible from its commit on); its process has not started yet;
- `start`: its process starts, reads the dataset and learns the vocabulary;
- `step`: a line was just written to a run's metrics;
- `checkpoint`: a checkpoint is partly written;
- `last`: the last checkpoint is complete, and the job has not ended.
A third of the runs stop early; a third have more weights, so that writing them takes longer; in half of them the
learning rate is changed during training. A dead worker is restarted; an interrupted run is resumed as a visitor would.
In the end, every run must have the weights of an uninterrupted one (sha256 of the last checkpoint) with the changes in
its recipe.json, and each line of its logs exactly once and complete. No job may have had two processes: every 20 ms,
/proc is checked for processes that write to a job's log. One requested by a worker since killed may start when another
process has the job; it must notice that at once and end.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchmarks.report import last_line, options, table
from benchmarks.serving import ROOT, processes
from s2s.config import PRESETS, Recipe, UserError, asker, override
from s2s.jobs import training
from s2s.model import saved_steps, weights_path
from s2s.processes import queue
from s2s.runs import RunFolder, runs_folder
from s2s.settings import home

SOURCE = "synthetic:reverse#rows=80"
VALID = "synthetic:reverse#split=valid,rows=20"
STEPS = 40
RECIPE = MappingProxyType(
    {
        "model.d_model": 16,
        "model.d_ff": 32,
        "model.n_layers": 1,
        "tokenizer.kind": "word",
        "train.steps": STEPS,
        "train.warmup_steps": 5,
        "train.batch_tokens": 64,
        "train.threads": 1,
        "train.device": "cpu",
        "train.watch.validate_every": 10,
        "train.watch.save_every": 10,
        "train.watch.samples": 2,
        "train.watch.scores": 4,
    }
)
# Runs take turns; the second kind has too high a learning rate, so that early stopping ends it.
KINDS: tuple[Mapping[str, Any], ...] = (
    MappingProxyType({}),
    MappingProxyType({"train.watch.patience": 1, "train.lr": 0.1, "train.watch.validate_every": 5}),
    MappingProxyType({"model.d_ff": 8192}),
)
CHANGED_LR = (1, 2)  # of every four runs, those whose learning rate is changed
LEASE = "3"  # seconds
PATIENCE = 180.0  # seconds to wait for a moment, or for all runs to end
INTERVAL = 0.02  # seconds between two checks of the monitor
GRACE = 5.0  # seconds in which a process that starts too late must notice that another has the job, and end
# The longest delay after a moment was detected, in seconds: a claim takes milliseconds, writing a checkpoint less.
MOMENTS = MappingProxyType(
    {"claim": 0.03, "start": 0.6, "step": 0.6, "checkpoint": 0.001, "last": 0.01}
)
BRIEF = ("checkpoint", "last")  # moments that a kill can miss
TARGETS = ("trainer", "worker", "fork server", "all")


@dataclass(frozen=True)
class Kill:
    """What is killed, and how many seconds after the moment was detected."""

    moment: str
    target: str
    delay: float


def schedule(seed: int, count: int) -> list[Kill]:
    """Each target at each moment once before any repeats."""
    dice = random.Random(seed)
    pairs = list(product(MOMENTS, TARGETS))
    drawn = [pair for _ in range(0, count, len(pairs)) for pair in dice.sample(pairs, len(pairs))]
    return [
        Kill(moment, target, dice.uniform(0, MOMENTS[moment])) for moment, target in drawn[:count]
    ]


class WrongError(Exception):
    """Something that must not happen."""


class ProcessMonitor(threading.Thread):
    """Records which processes write to a job's log: those that work on it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(name="monitor", daemon=True)
        self.folder = folder / "log"
        self.ended = threading.Event()
        self.seen: dict[str, set[int]] = {}  # the processes that each job has had
        self.together: dict[
            str, float
        ] = {}  # jobs that had two at once, and the longest time in seconds
        self._since: dict[str, float] = {}

    def run(self) -> None:
        """Until `ended` is set."""
        while not self.ended.wait(INTERVAL):
            now = self.trainers()
            for pid, job in now.items():
                self.seen.setdefault(job, set()).add(pid)
            self._time({job for job, count in Counter(now.values()).items() if count > 1})

    def _time(self, doubled: set[str]) -> None:
        now = time.monotonic()
        self._since = {job: self._since.get(job, now) for job in doubled}
        for job, since in self._since.items():
            self.together[job] = max(self.together.get(job, 0.0), now - since)

    def trainers(self) -> dict[int, str]:
        """Process id to job, of living processes; a zombie has no open files."""
        found = {}
        start = f"{self.folder}/"
        for process in os.listdir("/proc"):
            if process.isdecimal():
                with contextlib.suppress(OSError):
                    log = os.readlink(f"/proc/{process}/fd/1")
                    job, dot, _ = log.removeprefix(start).partition(".")
                    if log.startswith(start) and dot and len(job) == 16:
                        found[int(process)] = job
        return found


class Workload:
    """A worker, restarted whenever it is dead, and the runs queued for it."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.known: dict[int, str] = {}  # the processes of the last check and their roles
        self.monitor = ProcessMonitor(home())
        self.folder = runs_folder()  # here, because each check of a condition needs it
        self.runs: list[str] = []
        self.done: set[str] = set()
        self.resumed = 0
        self.worker: subprocess.Popen[bytes] | None = None
        self.min_unfinished = 3  # runs, so that something is always claimed; 0 after the last kill

    def recover(self) -> None:
        """Restart a dead worker, resume interrupted runs, queue new ones."""
        if self.worker is None or self.worker.poll() is not None:
            with (self.monitor.folder / "worker.log").open("ab") as log:
                self.worker = subprocess.Popen(
                    [sys.executable, "-m", "s2s", "worker"], cwd=ROOT, stdout=log, stderr=log
                )
        for run in self.runs:
            if run not in self.done and (job := queue.latest(run)):
                self._recover(job)
        self._supply()
        self.known = self._roles()

    def _recover(self, job: queue.Job) -> None:
        if job.state == "done":
            self.done.add(job.run)
        elif job.state == "interrupted":
            self._resume(job)
        elif (
            job.state == "running"
            and self.runs.index(job.run) % 4 in CHANGED_LR
            and job.controls.lr is None
        ):
            self._change_lr(job)
        elif job.state not in ("queued", "running"):
            raise WrongError(f"The run {job.run} is {job.state}: {job.error}")

    def _resume(self, job: queue.Job) -> None:
        try:
            training.submit_resume(job.run, asker.LOCAL)
        except UserError as error:
            raise WrongError(
                f"The run {job.run} is interrupted ({job.error}) and cannot be resumed: {error}"
            ) from error
        self.resumed += 1

    def _change_lr(self, job: queue.Job) -> None:
        """Once it trains, unless it has just ended."""
        if (self.folder / job.run / "metrics.jsonl").is_file():
            with contextlib.suppress(UserError):
                queue.request_control(job.id, asker.LOCAL, lr=10 ** -self.dice.uniform(2, 4))

    def _supply(self) -> None:
        while (n := len(self.runs)) - len(self.done) < self.min_unfinished:
            recipe = override(PRESETS["small"].recipe, {**RECIPE, **KINDS[n % len(KINDS)]})
            self.runs.append(
                training.submit(
                    training.RunRequest(recipe, SOURCE, VALID, name=f"run {n}"), express=n % 2 == 1
                )
            )

    def wait(self, condition: Callable[[], object], name: str, *, pause: float = 0.005) -> None:
        """Wait until the condition holds, checked after each pause; recovers meanwhile."""
        end = time.monotonic() + PATIENCE
        recovered = 0.0
        while not condition():
            if time.monotonic() > end:
                raise WrongError(f"{name} did not happen within {PATIENCE:.0f} s.")
            if time.monotonic() - recovered > 0.2:
                self.recover()
                recovered = time.monotonic()
            time.sleep(pause)

    def strike(self, kill: Kill) -> dict[str, Any]:
        """Wait for the moment, kill, and return the table row; `met`: the moment still lasted after the kill."""
        started = time.monotonic()
        before = self.evidence(kill.moment)
        target = kill.target
        pause = 0.0005 if kill.moment in BRIEF else 0.005
        self.wait(
            lambda: self.evidence(kill.moment) - before, f"The moment `{kill.moment}`", pause=pause
        )
        time.sleep(kill.delay)
        killed = _kill(target, self.known)  # listing all processes takes longer than a write
        is_met = bool(killed and self.evidence(kill.moment) - before)
        killed |= _kill(target, self._roles())
        if not killed and target == "fork server":  # there is none
            target = "all"
        self.wait(
            lambda: killed or killed.update(_kill(target, self._roles())),
            f"A process to kill ({target})",
        )
        if self.worker and self.worker.pid in killed:
            self.worker.wait()
        row = {
            "moment": kill.moment,
            "killed": " + ".join(sorted(killed.values())),
            "delay ms": 1000 * kill.delay,
        }
        return row | {
            "met": is_met if kill.moment in BRIEF else None,
            "after s": time.monotonic() - started,
        }

    def evidence(self, moment: str) -> set[Any]:
        """A set that grows when the moment happens."""
        folders = [self.folder / run for run in self.runs if run not in self.done]
        if moment == "checkpoint":
            return {draft for folder in folders for draft in _drafts(folder)}
        if moment == "last":
            return {
                folder
                for folder in folders
                if _has_all(folder) and (job := queue.latest(folder.name)) and job.finished is None
            }
        if moment == "step":
            return {
                (path, path.stat().st_size)
                for folder in folders
                for path in folder.glob("metrics.jsonl")
            }
        return {(job.id, job.started) for job in queue.jobs(asker.LOCAL) if job.started}

    def _roles(self) -> dict[int, str]:
        roles = dict.fromkeys(processes(home()), "fork server") | dict.fromkeys(
            self.monitor.trainers(), "trainer"
        )
        if self.worker and self.worker.poll() is None:
            roles[self.worker.pid] = "worker"
        return roles

    def close(self) -> Iterator[str]:
        """Stop the worker; yields a sentence for each process that it leaves behind."""
        self.monitor.ended.set()
        if self.worker:
            self.worker.terminate()
            self.worker.wait(120)
        end = time.monotonic() + 10
        while (left := processes(home())) and time.monotonic() < end:
            time.sleep(0.05)
        for pid, role in left.items():
            yield f"A process was left behind ({role})."
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _kill(target: str, roles: Mapping[int, str]) -> dict[int, str]:
    killed = {}
    for pid, role in roles.items():
        with contextlib.suppress(ProcessLookupError):
            if target in (role, "all"):
                os.kill(pid, signal.SIGKILL)
                killed[pid] = role
    return killed


def _has_all(run: Path) -> bool:
    if weights_path(run / "checkpoints", STEPS).exists():
        return True
    with contextlib.suppress(OSError):
        return b'"done"' in (run / "status.json").read_bytes()
    return False


def _drafts(run: Path) -> Iterator[str]:
    """Checkpoints that are being written, or were never completed."""
    with contextlib.suppress(OSError):
        yield from (name for name in os.listdir(run / "checkpoints") if name.startswith(".step-"))


def killed_runs(seed: int, count: int) -> dict[str, Any]:
    """Runs in this process's `S2S_HOME` under this many kills: a row per kill, and what was wrong in the end."""
    (home() / "log").mkdir(parents=True, exist_ok=True)
    runs_folder().mkdir(parents=True, exist_ok=True)
    workload = Workload(seed)
    rows = []
    wrong = list[str]()
    workload.monitor.start()
    started = time.monotonic()
    try:
        rows += [workload.strike(kill) for kill in schedule(seed, count)]
        workload.min_unfinished = 0
        workload.wait(lambda: len(workload.done) == len(workload.runs), "The end of all runs")
    except WrongError as error:
        wrong.append(str(error))
    finally:
        wrong += workload.close()
    together = workload.monitor.together
    seconds = time.monotonic() - started
    wrong += [
        f"The job {job} had two processes for {length:.1f} s."
        for job, length in together.items()
        if length > GRACE
    ]
    for run in sorted(workload.done):
        jobs = [job.id for job in queue.jobs(asker.LOCAL) if job.run == run]
        wrong += (
            []
            if any(workload.monitor.seen.get(job) for job in jobs)
            else [f"{run}: nobody saw it train."]
        )
        wrong += [
            f"{run}: {what}"
            for what in differences(runs_folder() / run, control_run(runs_folder() / run))
        ]
    met = {f"met: {moment}": _share_met(rows, moment) for moment in BRIEF}
    numbers: dict[str, Any] = {
        "seed": seed,
        "kills": len(rows),
        "runs": len(workload.runs),
        **met,
        **_kinds(workload.done),
    }
    numbers |= {
        "resumed by hand": workload.resumed,
        "training processes": sum(map(len, workload.monitor.seen.values())),
    }
    numbers |= {
        "came too late": len(together),
        "longest together s": max(together.values(), default=0.0),
    }
    return numbers | {"seconds": seconds, "rows": rows, "wrong": wrong}


def _share_met(rows: Sequence[Mapping[str, Any]], moment: str) -> str:
    found = [row["met"] for row in rows if row["moment"] == moment]
    return f"{sum(found)} of {len(found)}"


def _kinds(runs: Iterable[str]) -> dict[str, int]:
    folders = [RunFolder(runs_folder() / run) for run in runs]
    early = sum(
        saved_steps(folder.checkpoints)[-1] < folder.recipe().train.steps for folder in folders
    )
    return {
        "stopped early": early,
        "with another learning rate": sum("changes" in folder.about() for folder in folders),
    }


def control_run(run: Path) -> Path:
    """The folder of an uninterrupted run with the same recipe and the same changes of the learning rate."""
    recipe = RunFolder(run).recipe()
    changes = RunFolder(run).about().get("changes", [])
    key = json.dumps([recipe.to_json(), [[change["step"], change["lr"]] for change in changes]])
    path = home() / "uninterrupted" / hashlib.sha256(key.encode()).hexdigest()[:16]
    return path if path.exists() else uninterrupted(recipe, path, changes)


def uninterrupted(recipe: Recipe, path: Path, changes: Sequence[Mapping[str, Any]] = ()) -> Path:
    """Train without a queue, with these changes of the learning rate; returns the folder."""
    started = training.start(training.RunRequest(recipe, SOURCE, VALID), path)
    started.folder.amend(lambda about: {"changes": list(changes)})
    list(training.run(started))
    return path


def differences(run: Path, expected: Path) -> list[str]:
    """How a run differs from an uninterrupted one, a sentence each."""
    wrong = []
    step, digest = _last_weights(run)
    last, expected_digest = _last_weights(expected)
    if (step, digest) != (last, expected_digest):
        wrong.append(
            f"its weights of step {step} are {digest[:12]}, those of the uninterrupted run's step {last}"
            f" {expected_digest[:12]}."
        )
    for name in ("metrics.jsonl", "samples.jsonl"):
        wrong += [
            f"{name}: {what}"
            for what in _log_differences((run / name).read_bytes(), (expected / name).read_bytes())
        ]
    return wrong


def _last_weights(run: Path) -> tuple[int, str]:
    step = saved_steps(run / "checkpoints")[-1]
    return step, hashlib.sha256(weights_path(run / "checkpoints", step).read_bytes()).hexdigest()


def _log_differences(found: bytes, expected: bytes) -> list[str]:
    try:
        lines = [_comparable(line) for line in found.splitlines()]
    except ValueError:
        return ["a line is incomplete."]
    due = [_comparable(line) for line in expected.splitlines()]
    if not found.endswith(b"\n"):
        return ["its last line is incomplete."]
    duplicated = Counter(lines) - Counter(due)
    missing = Counter(due) - Counter(lines)
    both = (("many", duplicated), ("few", missing))
    problems = [
        f"{sum(rows.values())} lines too {word}, such as {next(iter(rows))}."
        for word, rows in both
        if rows
    ]
    return problems or ([] if lines == due else ["its lines are out of order."])


def _comparable(line: bytes) -> str:
    return json.dumps(
        {
            key: value
            for key, value in json.loads(line).items()
            if key not in ("time", "seconds", "memory", "first")
        }
    )


def main() -> None:
    """Run it in a temporary `S2S_HOME`."""
    parser = options(__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument(
        "--seed", type=int, default=1, help="the same seed gives the same moments and targets"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ.update({"S2S_HOME": folder, "S2S_LEASE_SECONDS": LEASE})
        results = killed_runs(arguments.seed, arguments.kills)
    if results["rows"]:
        table(results["rows"])
    results["outcome"] = (
        " ".join(results["wrong"])
        or "every run bit-identical to an uninterrupted one, no line lost or duplicated"
    )
    print(f"{results['kills']} kills, {results['runs']} runs: {results['outcome']}")
    if results["wrong"]:
        arguments.record = None  # what went wrong is to be found, not published
    last_line("crash", results, arguments)
    raise SystemExit(bool(results["wrong"]))


if __name__ == "__main__":
    main()

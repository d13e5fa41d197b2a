"""Processes killed without warning, 50 times: does every run end as if nothing had happened?

Small runs wait in the queue of a fresh `S2S_HOME`, and a worker (`python -m s2s worker`) does them. At moments drawn from a
seed SIGKILL takes the worker, the training processes, the process that they are forked from, or all of them:
- `claim`: a job was claimed, which others see from its commit on (before it nothing has happened); its process is yet to be born;
- `start`: its process starts, reads the text and learns the vocabulary;
- `step`: a line was just written to a run's metrics;
- `checkpoint`: a checkpoint is half written;
- `last`: the last checkpoint stands, and the job has not ended.
A third of the runs stop early, a third have more weights, so that writing them takes longer; in half of them the learning rate
is changed while they train. A worker that is dead is started anew; a run that says it was interrupted is resumed as a visitor
does it. In the end every run must have the weights of an undisturbed one (sha256 of the last checkpoint) with the changes that
its recipe.json says, each line of its logs once and whole, and no job may have had two processes: /proc is looked at every 20 ms
for those that write to a job's log. One that was ordered by a worker since killed may be born when another has the job; it must
see that at once and end.
"""

from __future__ import annotations

import argparse
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

from benchmarks.report import last_line, machine, table
from benchmarks.serving import ROOT, processes
from s2s.config import PRESETS, Recipe, UserError, override
from s2s.jobs import queue, training
from s2s.model import saved_steps, weights_path
from s2s.runs import RunFolder, runs_folder
from s2s.settings import OWNER, home

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
# Run after run; the second kind learns too fast, so that early stopping ends it.
KINDS: tuple[Mapping[str, Any], ...] = (
    MappingProxyType({}),
    MappingProxyType({"train.watch.patience": 1, "train.lr": 0.1, "train.watch.validate_every": 5}),
    MappingProxyType({"model.d_ff": 8192}),
)
WISHED = (1, 2)  # of four runs those whose learning rate is changed
LEASE = "3"  # seconds
PATIENCE = 180.0  # seconds for a moment to come, or for all runs to end
LOOK = 0.02  # seconds between two looks of the witness
GRACE = 5.0  # seconds in which a process that comes too late finds out that another has the job, and ends without touching the run
# The longest delay after a moment was seen, in seconds: a claim takes milliseconds, writing a checkpoint less.
MOMENTS = MappingProxyType(
    {"claim": 0.03, "start": 0.6, "step": 0.6, "checkpoint": 0.001, "last": 0.01}
)
BRIEF = ("checkpoint", "last")  # those that a blow can miss
TARGETS = ("trainer", "worker", "nursery", "all")


@dataclass(frozen=True)
class Blow:
    """What is killed, and when: so many seconds after the moment was seen."""

    moment: str
    target: str
    delay: float


def schedule(seed: int, count: int) -> list[Blow]:
    """Each target at each moment before any comes twice."""
    dice = random.Random(seed)
    pairs = list(product(MOMENTS, TARGETS))
    drawn = [pair for _ in range(0, count, len(pairs)) for pair in dice.sample(pairs, len(pairs))]
    return [
        Blow(moment, target, dice.uniform(0, MOMENTS[moment])) for moment, target in drawn[:count]
    ]


class Wrong(Exception):  # noqa: N818 (it is what it says)
    """Something that must not happen."""


class Witness(threading.Thread):
    """Sees which processes write to a job's log: those that work on it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(name="witness", daemon=True)
        self.folder = folder / "log"
        self.over = threading.Event()
        self.seen: dict[str, set[int]] = {}  # job to the processes it ever had
        self.together: dict[
            str, float
        ] = {}  # jobs that had two at once, and for how many seconds at most in one go
        self._since: dict[str, float] = {}

    def run(self) -> None:
        """Until `over` is set."""
        while not self.over.wait(LOOK):
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
        """Process id to job, of those alive; one that was killed and not yet buried has no files any more."""
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


class Shop:
    """A worker that is started whenever there is none, and the runs that it is given."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.known: dict[int, str] = {}  # the processes of the last look, and what they are
        self.witness = Witness(home())
        self.runs: list[str] = []
        self.done: set[str] = set()
        self.resumed = 0
        self.worker: subprocess.Popen[bytes] | None = None
        self.wanted = 3  # runs that are not done, so that something is always claimed; none more when all blows have fallen

    def mend(self) -> None:
        """What people do: start the worker that is gone, resume what was interrupted; and something always waits."""
        if self.worker is None or self.worker.poll() is not None:
            with (self.witness.folder / "worker.log").open("ab") as log:
                self.worker = subprocess.Popen(
                    [sys.executable, "-m", "s2s", "worker"], cwd=ROOT, stdout=log, stderr=log
                )
        for run in self.runs:
            if run not in self.done and (job := queue.latest(run)):
                self._mend(job)
        self._supply()
        self.known = self._roles()

    def _mend(self, job: queue.Job) -> None:
        if job.state == "done":
            self.done.add(job.run)
        elif job.state == "interrupted":
            self._resume(job)
        elif (
            job.state == "running"
            and self.runs.index(job.run) % 4 in WISHED
            and job.controls.lr is None
        ):
            self._wish(job)
        elif job.state not in ("queued", "running"):
            raise Wrong(f"The run {job.run} is {job.state}: {job.error}")

    def _resume(self, job: queue.Job) -> None:
        try:
            training.submit_resume(job.run, OWNER)
        except UserError as error:
            raise Wrong(
                f"The run {job.run} is interrupted ({job.error}) and cannot be resumed: {error}"
            ) from error
        self.resumed += 1

    def _wish(self, job: queue.Job) -> None:
        """Once it trains; unless it has just ended."""
        if (runs_folder() / job.run / "metrics.jsonl").is_file():
            with contextlib.suppress(UserError):
                queue.request_control(job.id, OWNER, lr=10 ** -self.dice.uniform(2, 4))

    def _supply(self) -> None:
        """In both slots."""
        while (n := len(self.runs)) - len(self.done) < self.wanted:
            recipe = override(PRESETS["small"].recipe, {**RECIPE, **KINDS[n % len(KINDS)]})
            self.runs.append(
                training.submit(
                    training.RunRequest(recipe, SOURCE, VALID, name=f"run {n}"), express=n % 2 == 1
                )
            )

    def wait(self, what: Callable[[], object], name: str, *, pause: float = 0.005) -> None:
        """Until it is so, looking after each pause; everything is mended meanwhile."""
        end = time.monotonic() + PATIENCE
        mended = 0.0
        while not what():
            if time.monotonic() > end:
                raise Wrong(f"{name} did not come within {PATIENCE:.0f} s.")
            if time.monotonic() - mended > 0.2:
                self.mend()
                mended = time.monotonic()
            time.sleep(pause)

    def strike(self, blow: Blow) -> dict[str, Any]:
        """Wait for the moment, kill; what was done, for people. It was met if it still lasts when all that was known has died."""
        started = time.monotonic()
        before = self.signs(blow.moment)
        target = blow.target
        pause = 0.0005 if blow.moment in BRIEF else 0.005
        self.wait(
            lambda: self.signs(blow.moment) - before, f"The moment `{blow.moment}`", pause=pause
        )
        time.sleep(blow.delay)
        killed = _kill(target, self.known)  # a look at all processes takes longer than a write
        is_met = bool(killed and self.signs(blow.moment) - before)
        killed |= _kill(target, self._roles())
        if not killed and target == "nursery":  # there is none
            target = "all"
        self.wait(
            lambda: killed or killed.update(_kill(target, self._roles())),
            f"A process to kill ({target})",
        )
        if self.worker and self.worker.pid in killed:
            self.worker.wait()
        row = {
            "moment": blow.moment,
            "killed": " + ".join(sorted(killed.values())),
            "delay ms": 1000 * blow.delay,
        }
        return row | {
            "met": is_met if blow.moment in BRIEF else None,
            "after s": time.monotonic() - started,
        }

    def signs(self, moment: str) -> set[Any]:
        """One more among them says that the moment has come."""
        folders = [runs_folder() / run for run in self.runs if run not in self.done]
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
        return {(job.id, job.started) for job in queue.jobs(OWNER) if job.started}

    def _roles(self) -> dict[int, str]:
        roles = dict.fromkeys(processes(home()), "nursery") | dict.fromkeys(
            self.witness.trainers(), "trainer"
        )
        if self.worker and self.worker.poll() is None:
            roles[self.worker.pid] = "worker"
        return roles

    def close(self) -> Iterator[str]:
        """The worker is told to end, and with it must go what it started."""
        self.witness.over.set()
        if self.worker:
            self.worker.terminate()
            self.worker.wait(20)
        end = time.monotonic() + 10
        while (left := processes(home())) and time.monotonic() < end:
            time.sleep(0.05)
        for pid, role in left.items():
            yield f"A process was left behind ({role})."
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _kill(target: str, roles: Mapping[int, str]) -> dict[int, str]:
    """Those of the target; process id to what it was."""
    killed = {}
    for pid, role in roles.items():
        with contextlib.suppress(ProcessLookupError):
            if target in (role, "all"):
                os.kill(pid, signal.SIGKILL)
                killed[pid] = role
    return killed


def _has_all(run: Path) -> bool:
    """Its last checkpoint stands; one that stops early says only then that it was the last."""
    if weights_path(run / "checkpoints", STEPS).exists():
        return True
    with contextlib.suppress(OSError):
        return b'"done"' in (run / "status.json").read_bytes()
    return False


def _drafts(run: Path) -> Iterator[str]:
    """Checkpoints that are being written, or never were to their end."""
    with contextlib.suppress(OSError):
        yield from (name for name in os.listdir(run / "checkpoints") if name.startswith(".step-"))


def disturbed(seed: int, count: int) -> dict[str, Any]:
    """Runs in this process's `S2S_HOME`, killed so often: a row a blow, and what was wrong with them in the end."""
    (home() / "log").mkdir(parents=True, exist_ok=True)
    runs_folder().mkdir(parents=True, exist_ok=True)
    shop = Shop(seed)
    rows = []
    wrong = list[str]()
    shop.witness.start()
    started = time.monotonic()
    try:
        rows += [shop.strike(blow) for blow in schedule(seed, count)]
        shop.wanted = 0
        shop.wait(lambda: len(shop.done) == len(shop.runs), "The end of all runs")
    except Wrong as error:
        wrong.append(str(error))
    finally:
        wrong += shop.close()
    together = shop.witness.together
    seconds = time.monotonic() - started
    wrong += [
        f"The job {job} had two processes for {length:.1f} s."
        for job, length in together.items()
        if length > GRACE
    ]
    for run in sorted(shop.done):
        jobs = [job.id for job in queue.jobs(OWNER) if job.run == run]
        wrong += (
            []
            if any(shop.witness.seen.get(job) for job in jobs)
            else [f"{run}: nobody saw it train."]
        )
        wrong += [
            f"{run}: {what}" for what in differences(runs_folder() / run, twin(runs_folder() / run))
        ]
    met = {f"met: {moment}": _share_met(rows, moment) for moment in BRIEF}
    numbers: dict[str, Any] = {
        "seed": seed,
        "kills": len(rows),
        "runs": len(shop.runs),
        **met,
        **_kinds(shop.done),
    }
    numbers |= {
        "resumed by hand": shop.resumed,
        "training processes": sum(map(len, shop.witness.seen.values())),
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
    """How many were not simply trained to their end."""
    folders = [RunFolder(runs_folder() / run) for run in runs]
    early = sum(
        saved_steps(folder.checkpoints)[-1] < folder.recipe().train.steps for folder in folders
    )
    return {
        "stopped early": early,
        "with another learning rate": sum("changes" in folder.about() for folder in folders),
    }


def twin(run: Path) -> Path:
    """A run of the same recipe, with the same changes of the learning rate, that nobody disturbs; its folder."""
    recipe = RunFolder(run).recipe()
    changes = RunFolder(run).about().get("changes", [])
    asked = json.dumps([recipe.to_json(), [[change["step"], change["lr"]] for change in changes]])
    path = home() / "undisturbed" / hashlib.sha256(asked.encode()).hexdigest()[:16]
    return path if path.exists() else undisturbed(recipe, path, changes)


def undisturbed(recipe: Recipe, path: Path, changes: Sequence[Mapping[str, Any]] = ()) -> Path:
    """A run without a queue, whose learning rate changes as recipe.json would say; its folder."""
    started = training.start(training.RunRequest(recipe, SOURCE, VALID), path)
    started.folder.amend(lambda about: {"changes": list(changes)})
    list(training.run(started))
    return path


def differences(run: Path, expected: Path) -> list[str]:
    """What a run has otherwise than an undisturbed one, a sentence each."""
    wrong = []
    (step, digest), (last, wanted) = _last_weights(run), _last_weights(expected)
    if (step, digest) != (last, wanted):
        wrong.append(
            f"its weights of step {step} are {digest[:12]}, those of the undisturbed run's step {last} {wanted[:12]}."
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
    """Torn lines, doubled or missing ones, and any that says something else."""
    try:
        lines = [_known(line) for line in found.splitlines()]
    except ValueError:
        return ["a line is torn."]
    wanted = [_known(line) for line in expected.splitlines()]
    if not found.endswith(b"\n"):
        return ["its last line is torn."]
    doubled = Counter(lines) - Counter(wanted)
    missing = Counter(wanted) - Counter(lines)
    both = (("many", doubled), ("few", missing))
    said = [
        f"{sum(rows.values())} lines too {word}, such as {next(iter(rows))}."
        for word, rows in both
        if rows
    ]
    return said or ([] if lines == wanted else ["its lines are out of order."])


def _known(line: bytes) -> str:
    """Without what depends on the clock and the process."""
    return json.dumps(
        {
            key: value
            for key, value in json.loads(line).items()
            if key not in ("time", "seconds", "memory", "first")
        }
    )


def main() -> None:
    """In a home of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument(
        "--seed", type=int, default=1, help="the same seed gives the same moments and targets"
    )
    parser.add_argument(
        "--out", type=Path, help="write the result here too, for example benchmarks/crash.json"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ.update({"S2S_HOME": folder, "S2S_LEASE_SECONDS": LEASE})
        results = disturbed(arguments.seed, arguments.kills)
    table(results["rows"])
    print(
        "\n".join(results["wrong"])
        or f"{results['kills']} kills, {results['runs']} runs: nothing was wrong."
    )
    if arguments.out:
        arguments.out.write_text(
            json.dumps({"machine": machine(), "results": results}, indent=1) + "\n"
        )
    last_line("crash", results)
    raise SystemExit(bool(results["wrong"]))


if __name__ == "__main__":
    main()

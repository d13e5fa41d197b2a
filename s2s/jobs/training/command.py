"""The command that repeats a run, or imports its model again."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from s2s.config import PRESETS, Recipe, flat
from s2s.jobs.plan.time_budget import CHOSEN, QUICK

THEN = "  # and then: "
KEYS = ("lr", "steps")
DEFAULT_PRESET = "small"  # the command line's


def to_repeat(recipe: Recipe, about: Mapping[str, Any], *, is_planned: bool = True) -> str:
    """A line for a shell. `about` is what recipe.json says of a run that starts.

    It has all that the preset quick has chosen for a recipe that `is_planned`, so that it does not choose again.
    """
    if imported := about.get("imported"):
        return _to_import(imported)
    preset = about.get("preset") or DEFAULT_PRESET
    base = flat(PRESETS[preset].recipe) if preset in PRESETS else flat(Recipe())
    n = recipe.train.processes
    start = ["python"] if n == 1 else ["torchrun", "--nproc_per_node", str(n)]
    words = [*start, "-m", "s2s", "train", "--source", str(about["source"])]
    words += ["--valid", str(about["valid"])] if about.get("valid") else []
    if initial := about.get("init_from"):
        words += ["--init-from", f"{initial['run']}@{initial['step']}"]
    words += ["--preset", preset]
    chosen = CHOSEN if is_planned and preset == QUICK and recipe.train.minutes else ()
    for key, value in flat(recipe).items():
        if base[key] != value or key in chosen:
            words += ["--set", f"{key}={json.dumps(value, ensure_ascii=False)}"]
    words += ["--out", "runs/again"]
    return shlex.join(words)


def _to_import(imported: Mapping[str, str]) -> str:
    words = ["python", "-m", "s2s", "import", imported["from"]]
    for key in ("revision", "src_lang", "tgt_lang"):
        if value := imported.get(key):
            words += [f"--{key.replace('_', '-')}", value]
    return shlex.join([*words, "--out", "runs/again"])


def with_changes(command: str, changes: Sequence[Mapping[str, Any]]) -> str:
    """The command with a comment that lists what was changed during training, which no option can request."""
    listed = [
        f"train.{key}={json.dumps(change[key])} from step {change['step']}"
        for change in changes
        for key in KEYS
        if key in change
    ]
    return command.partition(THEN)[0] + (THEN + ", ".join(listed) if listed else "")

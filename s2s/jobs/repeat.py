"""The one line that repeats a run."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from s2s.config import PRESETS, Recipe, flat

THEN = "  # and then: "
KEYS = ("lr", "steps")
USUAL = "small"  # what the command line takes where nobody names one


def command(recipe: Recipe, about: Mapping[str, Any]) -> str:
    """For a shell. `about` is what recipe.json says of a run that begins."""
    preset = about.get("preset") or USUAL
    base = flat(PRESETS[preset].recipe) if preset in PRESETS else flat(Recipe())
    words = ["python", "-m", "s2s", "train", "--source", str(about["source"])]
    words += ["--valid", str(about["valid"])] if about.get("valid") else []
    if origin := about.get("init_from"):
        words += ["--init-from", f"{origin['run']}@{origin['step']}"]
    words += ["--preset", preset]
    for key, value in flat(recipe).items():
        if base[key] != value:
            words += ["--set", f"{key}={json.dumps(value, ensure_ascii=False)}"]
    words += ["--out", "runs/again"]
    return shlex.join(words)


def continued(command: str, changes: Sequence[Mapping[str, Any]]) -> str:
    """The line with what was changed later, which cannot be asked for, in a comment."""
    said = [
        f"train.{key}={json.dumps(change[key])} from step {change['step']}"
        for change in changes
        for key in KEYS
        if key in change
    ]
    return command.partition(THEN)[0] + (THEN + ", ".join(said) if said else "")

"""The Dockerfile as instructions."""

import json
import re
import shlex
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]


class Instruction(NamedTuple):
    name: str  # RUN, COPY, ...
    text: str  # all after the name, on one line


def instructions() -> list[Instruction]:
    """In order; a comment is no instruction, and a line that ends in a backslash continues."""
    text = re.sub(r"(?m)^#.*\n", "", (ROOT / "Dockerfile").read_text())
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [Instruction(*line.split(None, 1)) for line in lines if line.strip()]


def all_of(name: str) -> list[str]:
    return [each.text for each in instructions() if each.name == name]


def only(name: str) -> str:
    (text,) = all_of(name)
    return text


def environment() -> dict[str, str]:
    """What ENV sets."""
    pairs = (part.split("=", 1) for text in all_of("ENV") for part in shlex.split(text))
    return {name: value for name, value in pairs}


def health_check() -> list[str]:
    """The command of HEALTHCHECK, which exits with 0 where the app answers."""
    return list(json.loads(only("HEALTHCHECK").split(" CMD ")[1]))

"""The lessons and exercises that ship with the program: files as the page Lessons exports them, named by their ids."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from s2s.config import Lazy
from s2s.lessons import lesson_file
from s2s.lessons.lesson import Lesson

FOLDER = Path(__file__).parent
# By lesson: the one that has its later steps now, and the numbers that these had before.
MOVED = MappingProxyType({"way-of-a-sentence": ("way-of-a-translation", range(7, 13))})


def _lesson(id: str) -> Lesson:
    return lesson_file.from_json(json.loads((FOLDER / f"{id}.json").read_bytes()), id=id)


def step_now(lesson: str, number: int) -> tuple[str, int]:
    """The lesson and the number that a step has now; links and stored answers may have those of an earlier version.

    >>> step_now("way-of-a-sentence", 8)
    ('way-of-a-translation', 2)
    """
    later, numbers = MOVED.get(lesson, ("", ()))
    return (later, numbers.index(number) + 1) if number in numbers else (lesson, number)


LESSONS: Mapping[str, Lesson] = Lazy(
    lambda: (
        "five-minutes",
        "way-of-a-sentence",
        "way-of-a-translation",
        "decoding",
        "training",
        "what-attention-tells",
        "models-you-use",
        "build-it-yourself",
    ),
    _lesson,
)
EXERCISES: Mapping[str, Lesson] = Lazy(
    lambda: (
        "exercise-beam",
        "exercise-reverse-direction",
        "exercise-alignment",
        "exercise-embeddings",
        "exercise-tasks",
    ),
    _lesson,
)

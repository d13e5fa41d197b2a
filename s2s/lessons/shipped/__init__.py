"""The lessons and exercises that ship with the program: files as the page Lessons exports them, named by their ids."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from s2s.config import Lazy
from s2s.lessons import lesson_file
from s2s.lessons.lesson import Lesson

FOLDER = Path(__file__).parent


def _lesson(id: str) -> Lesson:
    return lesson_file.from_json(json.loads((FOLDER / f"{id}.json").read_bytes()), id=id)


LESSONS: Mapping[str, Lesson] = Lazy(
    lambda: (
        "five-minutes",
        "way-of-a-sentence",
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

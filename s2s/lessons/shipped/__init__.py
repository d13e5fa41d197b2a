"""The lessons and exercises that ship with the program: files as the page Lessons exports them, named by their ids."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TypeVar

from s2s.lessons import lesson_file
from s2s.lessons.lesson import Lesson

FOLDER = Path(__file__).parent
Row = TypeVar("Row")


class Shipped(Mapping[str, Row]):
    """Rows in this order, each read when it is first asked for."""

    def __init__(self, read: Callable[[str], Row], *ids: str) -> None:
        self._read = cache(read)
        self._ids = ids

    def __getitem__(self, id: str) -> Row:
        if id not in self._ids:
            raise KeyError(id)
        return self._read(id)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


def _lesson(id: str) -> Lesson:
    return lesson_file.from_json(json.loads((FOLDER / f"{id}.json").read_bytes()), id=id)


LESSONS: Mapping[str, Lesson] = Shipped(
    _lesson,
    "five-minutes",
    "way-of-a-sentence",
    "decoding",
    "training",
    "what-attention-tells",
    "models-you-use",
    "build-it-yourself",
)
EXERCISES: Mapping[str, Lesson] = Shipped(
    _lesson,
    "exercise-beam",
    "exercise-reverse-direction",
    "exercise-alignment",
    "exercise-embeddings",
    "exercise-tasks",
)

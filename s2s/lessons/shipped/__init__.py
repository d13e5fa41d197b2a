"""The lessons and exercises that ship with the program, in the order in which the page lists them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.lessons.lesson import Lesson
from s2s.lessons.shipped import (
    build_it_yourself,
    decoding,
    exercises,
    five_minutes,
    models_you_use,
    training,
    way_of_a_sentence,
    what_attention_tells,
)

LESSONS: Mapping[str, Lesson] = MappingProxyType(
    {
        row.id: row
        for row in (
            five_minutes.LESSON,
            way_of_a_sentence.LESSON,
            decoding.LESSON,
            training.LESSON,
            what_attention_tells.LESSON,
            models_you_use.LESSON,
            build_it_yourself.LESSON,
        )
    }
)
EXERCISES: Mapping[str, Lesson] = MappingProxyType({row.id: row for row in exercises.EXERCISES})

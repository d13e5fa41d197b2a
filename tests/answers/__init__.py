"""What the whole product answers, recorded; `python -m tests.answers` records it again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from tests.answers import inside, numbers, programs, search, texts
from tests.answers.comparing import Tolerance, plain

FILE = Path(__file__).parent / "recorded.json"
EXACT = Tolerance(0.0)
NATS = Tolerance(2e-4, 1e-5)  # log-probabilities, and scores made of them
ARRAYS = Tolerance(5e-5, 5e-5)  # weights, states and effects in float32
COUNTED = Tolerance(1e-6, 1e-6)  # in float64, such as BLEU
TRAINED = Tolerance(2e-4, 2e-4)  # losses and gradients after up to 50 updates
Answers = dict[str, Any]


class Group(NamedTuple):
    """Answers that are asked together, by their name, and how much their numbers may differ on another processor."""

    ask: Callable[[], Answers]
    tolerance: Tolerance


GROUPS: Mapping[str, Group] = MappingProxyType(
    {
        "strategies": Group(search.strategies, NATS),
        "settings": Group(search.settings, NATS),
        "searches": Group(search.searches, NATS),
        "scores of a model": Group(inside.scores, NATS),
        "attention": Group(inside.attention, ARRAYS),
        "reductions": Group(inside.reductions, ARRAYS),
        "alignments": Group(inside.alignments, COUNTED),
        "states": Group(inside.hidden_states, ARRAYS),
        "interventions": Group(inside.interventions, ARRAYS),
        "dependence": Group(inside.dependence, ARRAYS),
        "reordering": Group(inside.reordering, ARRAYS),
        "heads": Group(programs.heads, ARRAYS),
        "datasets": Group(texts.datasets, EXACT),
        "formats": Group(texts.formats, EXACT),
        "cleaning": Group(texts.cleaning, COUNTED),
        "tasks": Group(texts.tasks, EXACT),
        "tokens": Group(texts.tokens, COUNTED),
        "scores of texts": Group(numbers.scores, COUNTED),
        "encodings": Group(numbers.encodings, ARRAYS),
        "sizes": Group(numbers.sizes, COUNTED),
        "forecasts": Group(numbers.forecasts, COUNTED),
        "schedules": Group(numbers.schedules, COUNTED),
        "commands": Group(programs.commands, NATS),
        "links": Group(programs.links, EXACT),
        "training": Group(programs.training, TRAINED),
    }
)


def asked(name: str) -> Answers:
    """The answers of a group today, as JSON."""
    return {answer: plain(value) for answer, value in GROUPS[name].ask().items()}


def recorded() -> dict[str, Answers]:
    content: dict[str, Answers] = json.loads(FILE.read_text(encoding="utf-8"))
    return content


def record() -> int:
    """Ask everything and write it down, a line per answer; how many answers there are."""
    content = {name: asked(name) for name in GROUPS}
    groups = []
    for name, answers in content.items():
        rows = [
            f"  {json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
            for key, value in answers.items()
        ]
        groups.append(f" {json.dumps(name)}: {{\n" + ",\n".join(rows) + "\n }")
    FILE.write_text("{\n" + ",\n".join(groups) + "\n}\n", encoding="utf-8")
    return sum(map(len, content.values()))

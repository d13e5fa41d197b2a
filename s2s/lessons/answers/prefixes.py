"""What can be asked of a model that does several tasks, each named by the prefix of its sources."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.lessons.verdict import Condition, Context, Verdict


def task_of(source: str) -> str:
    """The task of the built-in dataset whose prefix the source begins with; "" for none."""
    from s2s.data import GENERATED_TASKS

    tasks = GENERATED_TASKS.items()
    return next((name for name, task in tasks if source.startswith(task.prefix.strip())), "")


def another_prefix(context: Context) -> Verdict:
    """Whether the source begins with the prefix of another task than the step's own sentence."""
    task, before = task_of(context.source), task_of(context.start.get("src", ""))
    if not task:
        return Verdict("wrong", "The sentence begins with no prefix that this model knows.")
    if task == before:
        return Verdict("wrong", "It is still the same task; replace the prefix.")
    text = context.opened().translate([context.source], "beam")[0].text
    return Verdict("right", f"Right: the same model now does another task, and writes `{text}`.")


CONDITIONS: Mapping[str, Condition] = MappingProxyType(
    {
        "another_prefix": Condition(
            another_prefix,
            "The source begins with the prefix of another task than the step's own sentence.",
        )
    }
)

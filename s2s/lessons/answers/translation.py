"""What can be asked of a sentence and its translation, and of the prefix that names a task."""

from __future__ import annotations

from typing import Any

from s2s.config import UserError
from s2s.lessons.verdict import Context, Verdict
from s2s.runs import Decoded, first_difference


def translated(context: Context, strategy: str = "beam", **settings: Any) -> Decoded:
    """A strategy's translation of the sentence; by default as Home shows it. Raises UserError without a sentence."""
    sentence = context.sentence
    return context.opened().translate([sentence], strategy, **settings)[0]


def output_tokens(context: Context) -> int:
    """Counts the tokens of the translation, `</s>` included."""
    return len(translated(context).hypotheses[0].ids)


def one_word_changed(context: Context) -> Verdict:
    """The sentence differs from the step's own in one known word."""
    before, after = context.start.get("src", "").split(), context.source.split()
    if unknown := context.opened().src_tokenizer.unknown_parts(context.source):
        return Verdict("wrong", f"The model has never seen `{unknown[0]}`; use a word it knows.")
    changed = sum(old != new for old, new in zip(before, after, strict=False))
    changed += abs(len(before) - len(after))
    if changed == 0:
        return Verdict("wrong", "Nothing has changed yet; replace one word of the sentence.")
    if changed > 1:
        return Verdict("nearly", f"Nearly: {changed} words have changed; change only one.")
    return Verdict("right", f"Right: the translation is now `{translated(context).text}`.")


def first_changed_position(context: Context) -> int:
    """Translates both sources and compares the ids.

    Where the translation of source B first differs from that of the sentence in the box, from 1.
    """
    run = context.opened()
    sources = [context.source, context.settings.get("second", "")]
    ids, other = (found.hypotheses[0].ids for found in run.translate(sources, "greedy"))
    at = first_difference(ids, other)
    if at is None:
        raise UserError("Both sources have the same translation; open the step's view again.")
    return at + 1


def task_of(source: str) -> str:
    """The task of the built-in dataset whose prefix the source begins with; "" for none."""
    from s2s.data import GENERATED_TASKS

    tasks = GENERATED_TASKS.items()
    return next((name for name, task in tasks if source.startswith(task.prefix.strip())), "")


def another_prefix(context: Context) -> Verdict:
    """The source begins with the prefix of another task than the step's own sentence."""
    task, before = task_of(context.source), task_of(context.start.get("src", ""))
    if not task:
        return Verdict("wrong", "The sentence begins with no prefix that this model knows.")
    if task == before:
        return Verdict("wrong", "It is still the same task; replace the prefix.")
    text = translated(context).text
    return Verdict("right", f"Right: the same model now does another task, and writes `{text}`.")

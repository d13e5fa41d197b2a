"""What can be asked of a sentence and its translation."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.config import UserError
from s2s.lessons.verdict import Answer, Condition, Context, Verdict
from s2s.runs import Decoded, first_difference


def translated(context: Context) -> Decoded:
    """The beam-search translation that Home shows. Raises UserError without a sentence."""
    if not context.source:
        raise UserError("There is no sentence in the box; type one, or open the step's view again.")
    return context.opened().translate([context.source], "beam")[0]


def output_tokens(context: Context) -> int:
    """The number of tokens that the model wrote, `</s>` included."""
    return len(translated(context).hypotheses[0].ids)


def one_word_changed(context: Context) -> Verdict:
    """Whether the sentence differs from the step's own in one word that the model knows."""
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
    """Where the translation of source B first differs from that of the sentence in the box, from 1."""
    run = context.opened()
    sources = [context.source, context.settings.get("second", "")]
    ids, other = (found.hypotheses[0].ids for found in run.translate(sources, "greedy"))
    at = first_difference(ids, other)
    if at is None:
        raise UserError("Both sources have the same translation; open the step's view again.")
    return at + 1


ANSWERS: Mapping[str, Answer] = MappingProxyType(
    {
        "first_changed_position": Answer(
            first_changed_position, "Translates both sources and compares the ids."
        ),
        "output_tokens": Answer(
            output_tokens, "Counts the tokens of the translation, `</s>` included."
        ),
    }
)
CONDITIONS: Mapping[str, Condition] = MappingProxyType(
    {
        "one_word_changed": Condition(
            one_word_changed, "The sentence differs from the step's own in one known word."
        )
    }
)

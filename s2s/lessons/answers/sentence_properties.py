"""Whether the sentence on the screen has a property: the same functions by which "Find one" finds such sentences."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

from s2s.config import UserError, values_of_texts
from s2s.data import gold_agreement
from s2s.decode import configure
from s2s.lessons.answers import decoding
from s2s.lessons.verdict import Condition, Context, Verdict
from s2s.links.share import COLUMNS, Column
from s2s.runs.properties import PROPERTIES, Decoding, Finding, PropertySettings, findings


def finding(context: Context, name: str) -> Finding:
    """Of the sentence in the box, as the view decodes it. Raises UserError without a sentence."""
    if not context.source:
        raise UserError(decoding.NO_SENTENCE)
    settings = PropertySettings(decodings(context), gold_agreement)
    return findings(context.opened(), name, [context.source], settings)[0]


def decodings(context: Context) -> tuple[Decoding, ...]:
    """The columns of Compare, on the other pages the strategy with its settings."""
    written = [context.values[key] for key in COLUMNS if context.values.get(key)]
    if context.page == "compare" and written:
        return tuple(_column(context, Column.read(text)) for text in written)
    strategy, settings = decoding.search(context)
    return (Decoding(strategy, settings),)


def _column(context: Context, column: Column) -> Decoding:
    settings = values_of_texts(type(configure(column.strategy, {})[1]), column.settings)
    step = int(column.step) if column.step.isdecimal() and len(column.step) < 10 else None
    is_own = column.run in ("", context.run) and step in (None, context.checkpoint)
    run = None if is_own else context.opener(column.run or context.run, step)
    return Decoding(column.strategy, settings, run=run)


def judge(name: str, context: Context) -> Verdict:
    """Right where the sentence has the property; wrong, and why, where it does not or nothing can be said."""
    found = finding(context, name)
    if found.holds:
        return Verdict("right", f"Right: {found.why}")
    hint = f" {PROPERTIES[name].if_none}" if found.holds is False else ""
    return Verdict("wrong", f"{found.why}{hint}")


CONDITIONS: Mapping[str, Condition] = MappingProxyType(
    {
        name: Condition(partial(judge, name), row.summary)
        for name, row in PROPERTIES.items()
        if name != "strategies_differ"  # in `decoding`: always greedy and beam search
    }
)

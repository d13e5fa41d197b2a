"""Translations with interventions on attention beside those without, by the library's own steps."""

from typing import NamedTuple

from s2s.analysis import Attention
from s2s.runs import Decoded, Interventions, Next, Run, Target, active, kept_prefix, next_token


class Intervened(NamedTuple):
    """Two translations that share their first `kept` tokens; attention and the next token are the changed model's."""

    kept: int
    before: Decoded
    after: Decoded
    attention: Attention
    next: Next | None


def translate_with(
    run: Run, source: str, target: Target, change: Interventions, strategy: str = "beam"
) -> Intervened:
    prefix = kept_prefix(run, source, target, change)
    before = run.complete(source, prefix, strategy)
    with active(run, change):
        after = run.complete(source, prefix, strategy)
        attention = run.attention(source, target)
    return Intervened(len(prefix), before, after, attention, next_token(run, change, before, after))

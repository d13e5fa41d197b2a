"""What can be asked of decoding: what a strategy writes, how probable it is, and what failed where it is wrong."""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor

from s2s.analysis import SearchDiagnosis
from s2s.config import UserError, flat, values_of_texts
from s2s.data import gold_agreement
from s2s.decode import (
    GenerationConfig,
    Truncation,
    configure,
    inspect_truncation,
    maximized_score,
)
from s2s.lessons.answers.translation import translated
from s2s.lessons.verdict import Context, Verdict
from s2s.links.share import COLUMNS, Column
from s2s.runs import Decoded
from s2s.runs.properties import PROPERTIES, Decoding, Finding, PropertySettings, findings
from s2s.scores import comparable

COLD = 0.5  # a temperature at which the most probable tokens take nearly all
TOP_P = 0.95  # what the truncation inspector starts with
KINDS = ("search", "model", "none")  # in the order of the options


def decoded(context: Context) -> Decoded:
    """The decoding by the strategy of the view, with its settings. Raises UserError without a sentence."""
    strategy, settings = search(context)
    return translated(context, strategy, **settings)


def written_log_prob(context: Context) -> float:
    """The sum over the tokens of the output.

    In nats.
    """
    return decoded(context).log_prob


def times_as_probable_as_greedy(context: Context) -> float:
    """exp of the difference of both log-probabilities."""
    return math.exp(decoded(context).log_prob - translated(context, "greedy").log_prob)


def tokens_without_length_penalty(context: Context) -> int:
    """Ranks the hypotheses by log-probability alone.

    The tokens of the best one, `</s>` included.
    """
    best = max(decoded(context).hypotheses, key=lambda hypothesis: hypothesis.log_prob)
    return len(best.tokens)


def tail_percent(context: Context) -> float:
    """1 minus the two largest probabilities.

    In percent, at the position of the view.
    """
    return 100 * (1 - float(_next(context).exp().topk(2).values.sum()))


def kept_when_cold(context: Context) -> int:
    """The fewest tokens that hold 95% of the probability.

    At the position of the view and a low temperature.
    """
    cold = Truncation(temperature=COLD, top_p=TOP_P)
    return inspect_truncation(_next(context), cold).together.n


def mbr_prefers_the_most_probable(context: Context) -> int:
    """Compares the winner with the most probable sample.

    0 where it is the winner of minimum Bayes risk decoding, else 1.
    """
    found = translated(context, "mbr")
    most_probable = max(found.hypotheses, key=lambda hypothesis: hypothesis.log_prob)
    return int(most_probable.text != found.text)


def blame(context: Context) -> int:
    """Compares the scores of the output and of the reference.

    0: search error, 1: model error, 2: none; by the score that the strategy maximizes, as the page judges.
    """
    run = context.opened()
    reference = context.values.get("tgt", "").strip()
    if not reference:
        raise UserError(
            "There is no reference in the view; type one, or open the step's view again."
        )
    strategy, settings = search(context)
    found = translated(context, strategy, **settings)
    score = maximized_score(run.configured(strategy, settings)[1]) or _log_prob
    n_reference = len(run.target_ids(reference))
    forced = score(run.score([context.source], [reference])[0], n_reference)
    written = score(found.log_prob, len(found.tokens))
    is_right = comparable(found.text) == comparable(reference)
    return KINDS.index(SearchDiagnosis(forced, written, written, is_right).kind)


def strategies_differ(context: Context) -> Verdict:
    """Greedy and beam search write different texts."""
    sentence = context.sentence
    run = context.opened()
    if unknown := run.src_tokenizer.unknown_parts(sentence):
        return Verdict("wrong", f"The model has never seen `{unknown[0]}`; use words it knows.")
    (found,) = findings(run, "strategies_differ", [sentence], PropertySettings())
    if not found.holds:
        return Verdict("wrong", f"Not yet: {found.why} A longer sentence is harder.")
    greedy, beam = (translated(context, strategy) for strategy in ("greedy", "beam"))
    if greedy.log_prob > beam.log_prob:
        why = "greedy's text is the more probable one; the length penalty preferred the longer one"
    else:
        ratio = math.exp(min(beam.log_prob - greedy.log_prob, 100))
        why = f"beam search found one that is {ratio:.3g} times as probable"
    return Verdict("right", f"Right: {why}.")


def _log_prob(log_prob: float, length: int) -> float:
    return log_prob


def search(context: Context) -> tuple[str, dict[str, Any]]:
    """The strategy of the view, and its settings; the page's own settings, which `set` also has, are left out."""
    given = context.settings
    strategy = given.get("strategy", "beam")
    known: GenerationConfig = configure(strategy, {})[1]
    names = flat(known)
    settings = {name: text for name, text in given.items() if name in names}
    return strategy, values_of_texts(type(known), settings)


def _next(context: Context) -> Tensor:
    ids = decoded(context).hypotheses[0].ids
    chosen = context.settings.get("at", "1")
    position = min(int(chosen) if chosen.isdecimal() and chosen != "0" else 1, len(ids)) - 1
    return context.opened().next_tokens(context.source, ids[:position])[-1]


def greedy_and_beam(context: Context) -> int:
    """Decodes the sentence with greedy search and with beam search.

    0 where both write the same translation, else 1.
    """
    own = context.at_start()
    return int(translated(own, "greedy").text != translated(own).text)


def finding(context: Context, name: str) -> Finding:
    """Whether the box's sentence, as the view decodes it, has a property. Raises UserError without a sentence."""
    sentence = context.sentence
    settings = PropertySettings(decodings(context), gold_agreement)
    return findings(context.opened(), name, [sentence], settings)[0]


def decodings(context: Context) -> tuple[Decoding, ...]:
    """The ways of decoding in the view: the columns of Compare, on the other pages the strategy with its settings."""
    written = [context.values[key] for key in COLUMNS if context.values.get(key)]
    if context.page == "compare" and written:
        return tuple(_column(context, Column.read(text)) for text in written)
    strategy, settings = search(context)
    return (Decoding(strategy, settings),)


def _column(context: Context, column: Column) -> Decoding:
    settings = values_of_texts(type(configure(column.strategy, {})[1]), column.settings)
    step = int(column.step) if column.step.isdecimal() and len(column.step) < 10 else None
    is_own = column.run in ("", context.run) and step in (None, context.checkpoint)
    run = None if is_own else context.opener(column.run or context.run, step)
    return Decoding(column.strategy, settings, run=run)


def judge(name: str, context: Context) -> Verdict:
    """The verdict: right where the sentence has the property; wrong where it does not or nothing can be said."""
    found = finding(context, name)
    if found.holds:
        return Verdict("right", f"Right: {found.why}")
    hint = f" {PROPERTIES[name].if_none}" if found.holds is False else ""
    return Verdict("wrong", f"{found.why}{hint}")

"""What can be asked of decoding: what a strategy writes, how probable it is, and what failed where it is wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from torch import Tensor

from s2s.analysis import SearchDiagnosis
from s2s.config import UserError, flat, values_of_texts
from s2s.decode import (
    GenerationConfig,
    Truncation,
    configure,
    inspect_truncation,
    maximized_score,
)
from s2s.lessons.verdict import Answer, Condition, Context, Verdict
from s2s.runs import Decoded
from s2s.runs.properties import PropertySettings, findings
from s2s.scores import comparable

COLD = 0.5  # a temperature at which the most probable tokens take nearly all
TOP_P = 0.95  # what the truncation inspector starts with
NO_SENTENCE = "There is no sentence in the box; type one, or open the step's view again."
KINDS = ("search", "model", "none")  # in the order of the options


def decoded(context: Context) -> Decoded:
    """What the strategy of the view, with its settings, writes. Raises UserError without a sentence."""
    strategy, settings = search(context)
    return _translated(context, strategy, **settings)


def written_log_prob(context: Context) -> float:
    """The log-probability of what was written, in nats."""
    return decoded(context).log_prob


def times_as_probable_as_greedy(context: Context) -> float:
    """How many times as probable what was written is as what greedy search writes."""
    return math.exp(decoded(context).log_prob - _translated(context, "greedy").log_prob)


def tokens_without_length_penalty(context: Context) -> int:
    """The tokens, `</s>` included, of the hypothesis that is the best one at a length_penalty of 0."""
    best = max(decoded(context).hypotheses, key=lambda hypothesis: hypothesis.log_prob)
    return len(best.tokens)


def tail_percent(context: Context) -> float:
    """What all tokens but the two most probable have together at the position of the view, in percent."""
    return 100 * (1 - float(_next(context).exp().topk(2).values.sum()))


def kept_when_cold(context: Context) -> int:
    """How many tokens top_p keeps at the position of the view and a low temperature."""
    cold = Truncation(temperature=COLD, top_p=TOP_P)
    return inspect_truncation(_next(context), cold).together.n


def mbr_prefers_the_most_probable(context: Context) -> int:
    """0 where the winner of minimum Bayes risk decoding is the most probable sample, 1 where it is not."""
    found = _translated(context, "mbr")
    most_probable = max(found.hypotheses, key=lambda hypothesis: hypothesis.log_prob)
    return int(most_probable.text != found.text)


def blame(context: Context) -> int:
    """0: search error, 1: model error, 2: none; by the score that the strategy maximizes, as the page judges."""
    run = context.opened()
    reference = context.values.get("tgt", "").strip()
    if not reference:
        raise UserError(
            "There is no reference in the view; type one, or open the step's view again."
        )
    strategy, settings = search(context)
    found = _translated(context, strategy, **settings)
    score = maximized_score(run.configured(strategy, settings)[1]) or _log_prob
    n_reference = len(run.target_ids(reference))
    forced = score(run.score([context.source], [reference])[0], n_reference)
    written = score(found.log_prob, len(found.tokens))
    is_right = comparable(found.text) == comparable(reference)
    return KINDS.index(SearchDiagnosis(forced, written, written, is_right).kind)


def strategies_differ(context: Context) -> Verdict:
    """Whether greedy and beam search write different texts."""
    if not context.source:
        raise UserError(NO_SENTENCE)
    run = context.opened()
    if unknown := run.src_tokenizer.unknown_parts(context.source):
        return Verdict("wrong", f"The model has never seen `{unknown[0]}`; use words it knows.")
    (found,) = findings(run, "strategies_differ", [context.source], PropertySettings())
    if not found.holds:
        return Verdict("wrong", f"Not yet: {found.why} A longer sentence is harder.")
    greedy, beam = (_translated(context, strategy) for strategy in ("greedy", "beam"))
    if greedy.log_prob > beam.log_prob:
        why = "greedy's text is the more probable one; the length penalty preferred the longer one"
    else:
        ratio = math.exp(min(beam.log_prob - greedy.log_prob, 100))
        why = f"beam search found one that is {ratio:.3g} times as probable"
    return Verdict("right", f"Right: {why}.")


def _log_prob(log_prob: float, length: int) -> float:
    return log_prob


def search(context: Context) -> tuple[str, dict[str, Any]]:
    """The strategy of the view, and its settings; what else the view's `set` says is the page's."""
    given = context.settings
    strategy = given.get("strategy", "beam")
    known: GenerationConfig = configure(strategy, {})[1]
    names = flat(known)
    settings = {name: text for name, text in given.items() if name in names}
    return strategy, values_of_texts(type(known), settings)


def _translated(context: Context, strategy: str, **settings: Any) -> Decoded:
    if not context.source:
        raise UserError(NO_SENTENCE)
    return context.opened().translate([context.source], strategy, **settings)[0]


def _next(context: Context) -> Tensor:
    """The log-probabilities (vocab,) of the next token at the position of the view, after what was written so far."""
    ids = decoded(context).hypotheses[0].ids
    chosen = context.settings.get("at", "1")
    position = min(int(chosen) if chosen.isdecimal() and chosen != "0" else 1, len(ids)) - 1
    return context.opened().next_tokens(context.source, ids[:position])[-1]


ANSWERS: Mapping[str, Answer] = MappingProxyType(
    {
        "written_log_prob": Answer(written_log_prob, "The sum over the tokens of the output."),
        "times_as_probable_as_greedy": Answer(
            times_as_probable_as_greedy, "exp of the difference of both log-probabilities."
        ),
        "tokens_without_length_penalty": Answer(
            tokens_without_length_penalty, "Ranks the hypotheses by log-probability alone."
        ),
        "tail_percent": Answer(tail_percent, "1 minus the two largest probabilities."),
        "kept_when_cold": Answer(
            kept_when_cold, "The fewest tokens that hold 95% of the probability."
        ),
        "mbr_prefers_the_most_probable": Answer(
            mbr_prefers_the_most_probable, "Compares the winner with the most probable sample."
        ),
        "blame": Answer(blame, "Compares the scores of the output and of the reference."),
    }
)
CONDITIONS: Mapping[str, Condition] = MappingProxyType(
    {
        "strategies_differ": Condition(
            strategies_differ, "Greedy and beam search write different texts."
        )
    }
)
